// SPDX-License-Identifier: GPL-3.0-or-later
// Where the files of a remote lie on this machine: a folder for each remote, below the cache folder, where
// files that have not changed are found again; or below the folder for temporary files, until the program
// ends. It is there while it has files, or some are fetched. A file gets its name when it is whole. Folders
// of other remotes leave, the least recently used first, when there are too many bytes; those that a running
// program has open stay. No credential is ever written. For one thread; several processes may share the cache
// folder.
#pragma once

#include "core/base/result.h"
#include "core/io/remote/rclone_output.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

namespace rankscope {

struct RemoteFolderSettings {
  std::string folder; // of all of them; empty: below the folder for temporary files
  std::uint64_t maxBytes = std::uint64_t{20} << 30; // also limited to a tenth of the free disk space
};

class RemoteFolder {
 public:
  // Creates nothing. A folder that is there is kept from being removed until the program ends.
  [[nodiscard]] static Result<RemoteFolder> open(const RemoteName& remote,
                                                 const RemoteFolderSettings& settings);

  // The folder of its files.
  [[nodiscard]] const std::string& files() const { return m_files; }
  [[nodiscard]] std::string pathOf(const std::string& remotePath) const { return m_files + "/" + remotePath; }

  // Whether the file is here as listed.
  [[nodiscard]] bool has(const RemoteFile& file) const;
  // Removes what the remote has no longer, and older states of these files.
  void removeOthers(std::span<const RemoteFile> listed);
  // Makes room for so many bytes. An Error if the disk has too little.
  [[nodiscard]] std::optional<Error> makeRoom(std::uint64_t bytes) const;

  // A new empty folder to fetch into, removed by dropStaging(). So is everything if no file was taken.
  [[nodiscard]] Result<std::string> newStaging();
  void dropStaging();
  // Takes a file that was fetched whole into the staging folder. An Error if it is not there.
  [[nodiscard]] std::optional<Error> take(const RemoteFile& file);

 private:
  struct State {
    std::uint64_t bytes = 0;
    std::string modified;
    bool operator==(const State&) const = default;
  };

  [[nodiscard]] std::optional<Error> create() const;
  void readJournal();
  void rewriteJournal() const;

  std::string m_all;     // folder of all remotes
  std::string m_root;    // of this one
  std::string m_files;   // below m_root
  std::string m_staging; // below m_root; empty: none
  std::uint64_t m_maxBytes = 0;
  std::map<std::string, State, std::less<>> m_here; // by path, as the journal says
};

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a file completely or not at all. The data goes to a temporary file in the same folder
// (PATH.PROCESS-NUMBER.part), which commit() renames to the final path. Without a commit, the destructor
// removes the temporary file, also after an exception. Only the first error is kept; later writes do nothing.
// For one thread. Allocates only in the constructor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <sys/types.h>

namespace rankscope {

class AtomicFile {
 public:
  // permissions: as for open(2), reduced by the umask of the process. The folder must exist.
  AtomicFile(std::string path, mode_t permissions);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  [[nodiscard]] bool good() const { return m_error == 0; }
  // The errno of the first failure; 0 if none.
  [[nodiscard]] int error() const { return m_error; }

  void append(std::span<const std::byte> bytes);
  // Overwrites bytes that were already appended.
  void writeAt(std::uint64_t at, std::span<const std::byte> bytes);
  // Has no effect on file systems without permissions.
  void setPermissions(mode_t permissions);
  // Blocks until the data is on disk.
  void sync();
  // Closes the file and renames it. Returns false after any error; the old file is then unchanged.
  [[nodiscard]] bool commit();

 private:
  void noteErrno();
  void remove();

  std::string m_path;
  std::string m_temporary;
  int m_file = -1;
  int m_error = 0;
};

} // namespace rankscope

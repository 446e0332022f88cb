// SPDX-License-Identifier: GPL-3.0-or-later
// Identifies the bytes on disk from which a job was read: size, modification time and a hash of sampled
// contents of every file found, skipped files, and load options. Equal identities give equal TraceSets.
// Computing one reads a few pages per file and blocks on the file system.
#pragma once

#include "core/io/files/trace_folder.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

struct SourceStamp {
  std::string path; // as opened and shown
  std::string absolutePath;
  std::string relativePath; // ranks may depend on it
  std::uint64_t bytes = 0;
  std::int64_t changed = 0;  // nanoseconds of the file system's clock
  std::uint64_t samples = 0; // hash of the first, the last and some pages between; 0 if unreadable
  bool operator==(const SourceStamp&) const = default;
};

struct JobIdentity {
  std::vector<std::string> paths; // as given
  std::vector<std::string> absolutePaths;
  std::string options; // other options that affect the result of a load
  std::vector<SourceStamp> files;
  std::vector<DiscoveryProblem> problems;
  bool operator==(const JobIdentity&) const = default;

  [[nodiscard]] std::uint64_t sourceBytes() const;
};

[[nodiscard]] JobIdentity identityOf(std::span<const std::string> paths, const Discovery& discovery,
                                     std::string options, unsigned threadCount);

// Whether the files are unchanged.
[[nodiscard]] bool isUnchanged(const JobIdentity& identity, unsigned threadCount);

// Serialized; equal only for equal identities.
[[nodiscard]] std::string identityBytes(const JobIdentity& identity);

// 32 hexadecimal digits from paths and options, independent of file contents.
[[nodiscard]] std::string identityName(const JobIdentity& identity);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Which bytes on disk a job was read from: every file that was found, with its size, its time of change and a
// hash of samples of its content, what was passed over, and what was asked for. Two equal identities give the
// same TraceSet. Taking one reads a few pages of each file; on the way it blocks on the file system.
#pragma once

#include "core/io/files/trace_folder.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

struct SourceStamp {
  std::string path; // as it is opened and shown
  std::string absolutePath;
  std::string relativePath; // ranks may be derived from it
  std::uint64_t bytes = 0;
  std::int64_t changed = 0;  // nanoseconds of the file system's clock
  std::uint64_t samples = 0; // hash of the first, the last and some pages between; 0 when it cannot be read
  bool operator==(const SourceStamp&) const = default;
};

struct JobIdentity {
  std::vector<std::string> paths; // as given
  std::vector<std::string> absolutePaths;
  std::string options; // what else decides what is loaded
  std::vector<SourceStamp> files;
  std::vector<DiscoveryProblem> problems;
  bool operator==(const JobIdentity&) const = default;

  [[nodiscard]] std::uint64_t sourceBytes() const;
};

[[nodiscard]] JobIdentity identityOf(std::span<const std::string> paths, const Discovery& discovery,
                                     std::string options, unsigned threadCount);

// Whether the files are still as they were.
[[nodiscard]] bool isUnchanged(const JobIdentity& identity, unsigned threadCount);

// All of it as bytes; equal for equal identities only.
[[nodiscard]] std::string identityBytes(const JobIdentity& identity);

// 32 hexadecimal digits for what was asked for, whatever is in the files now.
[[nodiscard]] std::string identityName(const JobIdentity& identity);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// What rankscope-digest was asked for, and how it tells what went wrong.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct DigestOptions {
  std::vector<std::string> paths;
  std::string out;
  bool local = false; // each host has files of its own
  bool plan = false;
  bool keepEvents = false; // beside the digest
  std::optional<std::chrono::seconds> time;
  unsigned threads = 0; // of each process; 0: one per core
};

enum DigestExit : int {
  kDigested = 0,
  kDigestUsage = 1,      // also output that cannot be written
  kNothingToDigest = 2,  // nothing could be read
  kDigestIncomplete = 4, // what the limits of time or memory allow
};

// On standard error, with the name of the program.
void tell(std::string_view line);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// The names of what lies in a folder, without "." and "..", in the order of natural numbers. The standard
// library's own walk through a folder ends the program when memory runs out on the way; this one throws.
#pragma once

#include <string>
#include <system_error>
#include <vector>

namespace rankscope {

// Those that were found before an error are given with it.
[[nodiscard]] std::vector<std::string> folderEntries(const std::string& folder, std::error_code& failed);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the names in a folder in natural order, without "." and "..". Unlike std::filesystem's iterator,
// which terminates the program when memory runs out, it throws std::bad_alloc.
#pragma once

#include <string>
#include <system_error>
#include <vector>

namespace rankscope {

// If an error occurs, returns the names found before it and sets `failed`.
[[nodiscard]] std::vector<std::string> folderEntries(const std::string& folder, std::error_code& failed);

} // namespace rankscope

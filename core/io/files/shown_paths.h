// SPDX-License-Identifier: GPL-3.0-or-later
// Paths as the user knows them. Members of archives and files of remotes lie in the cache of this program, in
// folders whose names say nothing: every text for a user names the archive or remote instead. Thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

// From now on, the folder or file is shown as `shown`, and what is below it as what is below that.
void showPathAs(const std::string& path, const std::string& shown);

// The path as the user knows it; the same if nothing else is known.
[[nodiscard]] std::string shownPath(const std::string& path);

// A text with all such paths replaced.
[[nodiscard]] std::string withShownPaths(std::string text);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Folders that exist until the program ends, only for its user. Thread-safe.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace rankscope {

// A new one in the folder for temporary files.
[[nodiscard]] Result<std::string> newTemporaryFolder(std::string_view name);

// Removes the folder, with all that is in it, when the program ends.
void removeAtTheEnd(std::string folder);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are there completely or not at all: written as an AtomicFile.
// Somebody who reads the old file keeps it; a full disk leaves the old file as it was. The new file
// has the permissions of the old one, and lies where a link to the old one leads to. A device or a pipe is
// written into.
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// Nothing, or what went wrong. The folder must be there.
[[nodiscard]] std::optional<Error> writeWholeFile(const std::string& path, std::string_view content);

} // namespace rankscope

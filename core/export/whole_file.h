// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a file completely or not at all (AtomicFile). Programs that have the old file open keep it, and a
// full disk leaves it unchanged. The new file keeps the old permissions; if the path is a link, its target is
// replaced. Devices and pipes are written directly.
#pragma once

#include "core/base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// Empty, or the error. The folder must exist.
[[nodiscard]] std::optional<Error> writeWholeFile(const std::string& path, std::string_view content);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes as a gzip file with one member and no time, so that equal bytes give equal files. Linear.
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

[[nodiscard]] std::string gzipped(std::string_view bytes);

} // namespace rankscope

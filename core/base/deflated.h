// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes compressed with their size in front; up to a kilobyte is stored as it is. Linear; inflating never
// takes more memory than the most that bytes of this size can stand for. The same bytes always become the
// same.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

[[nodiscard]] std::string deflated(std::string_view bytes);
// Empty if these are no such bytes.
[[nodiscard]] std::optional<std::string> inflated(std::string_view bytes);

} // namespace rankscope

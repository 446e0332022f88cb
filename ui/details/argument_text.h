// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments that the profiler writes beside an event, as people read them: sizes with units, shapes as
// 64×3×224, shares as percentages. What is not known by its key stays as it was written. Pure function.
#pragma once

#include <string>
#include <string_view>

namespace rankscope::ui {

[[nodiscard]] std::string argumentText(std::string_view key, std::string_view value);

} // namespace rankscope::ui

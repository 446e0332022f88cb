// SPDX-License-Identifier: GPL-3.0-or-later
// Formats event arguments: sizes with units, shapes as 64×3×224, shares as percentages. Unknown arguments
// stay as recorded. Pure function.
#pragma once

#include "core/model/detail_source.h"

#include <string>

namespace rankscope::ui {

[[nodiscard]] std::string argumentText(const EventField& field);

} // namespace rankscope::ui

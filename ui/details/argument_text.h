// SPDX-License-Identifier: GPL-3.0-or-later
// What a file says of an event, as people read it: sizes with units, shapes as 64×3×224, shares as
// percentages. What has no known meaning, or is not written like it, stays as it was written. Pure function.
#pragma once

#include "core/model/detail_source.h"

#include <string>

namespace rankscope::ui {

[[nodiscard]] std::string argumentText(const EventField& field);

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// The neighbor, parent or child of an event. Pure functions; binary searches.
#pragma once

#include "core/model/rank_trace.h"

namespace rankscope::ui {

// The next and the previous event of the same row; invalid at its ends.
[[nodiscard]] EventIndex nextInRow(const RankTrace& trace, EventIndex event);
[[nodiscard]] EventIndex previousInRow(const RankTrace& trace, EventIndex event);
// The first event of a lower row of the track that lies within this one; invalid without one.
[[nodiscard]] EventIndex firstChild(const RankTrace& trace, EventIndex event);

} // namespace rankscope::ui

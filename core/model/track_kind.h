// SPDX-License-Identifier: GPL-3.0-or-later
// Kind of track for each kind of event. A track contains only events whose kind maps to its own.
#pragma once

#include "core/model/event_kind.h"
#include "core/model/track.h"

namespace rankscope {

[[nodiscard]] TrackKind trackKindOf(EventKind kind);

} // namespace rankscope

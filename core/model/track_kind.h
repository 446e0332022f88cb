// SPDX-License-Identifier: GPL-3.0-or-later
// On which kind of track an event lies: what it is decides, and every track holds events of its own kind
// only.
#pragma once

#include "core/model/event_kind.h"
#include "core/model/track.h"

namespace rankscope {

[[nodiscard]] TrackKind trackKindOf(EventKind kind);

} // namespace rankscope

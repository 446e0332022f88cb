// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the metadata of a file from its root members. Unknown members are ignored. Damaged ones are reported
// and count as not recorded.
#pragma once

#include "core/io/kineto/event_slicer.h"
#include "core/model/rank_trace.h"

#include <span>

namespace rankscope {

[[nodiscard]] TraceMetadata metadataFrom(std::span<const RootMember> members, Diagnostics& diagnostics);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Metadata of a file, from the text of its root members. Members that are not known are left
// alone; ones that are damaged are listed and count as not recorded.
#pragma once

#include "core/io/kineto/event_slicer.h"
#include "core/model/rank_trace.h"

#include <span>

namespace rankscope {

[[nodiscard]] TraceMetadata metadataFrom(std::span<const RootMember> members, Diagnostics& diagnostics);

} // namespace rankscope

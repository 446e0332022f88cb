// SPDX-License-Identifier: GPL-3.0-or-later
// After a pass over the events of a job that lies in a large mapped file: gives back the memory of what was
// read. Costs microseconds where it lies elsewhere.
#pragma once

#include "core/model/trace_set.h"

namespace rankscope {

void giveBackPages(const RankTrace& trace);
// Of all recordings.
void giveBackPages(const TraceSet& traces);

} // namespace rankscope

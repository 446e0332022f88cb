// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/trace_pages.h"

#include "core/base/mapped_pages.h"

namespace rankscope {

void giveBackPages(const RankTrace& trace) {
  const auto giveBack = [](const auto&... columns) { (giveBackPages(std::as_bytes(columns.span())), ...); };
  const auto& [begin, duration, name, kind, link, source] = trace.events;
  giveBack(begin, duration, name, kind, link, source, trace.pyramid.busyBeforeBlock(),
           trace.pyramid.longest(), trace.deviceDetails, trace.byLaunch, trace.forwardBackward, trace.waits,
           trace.collectives, trace.memory);
}

void giveBackPages(const TraceSet& traces) {
  for (const RankEntry& entry : traces.ranks()) giveBackPages(*entry.trace);
}

} // namespace rankscope

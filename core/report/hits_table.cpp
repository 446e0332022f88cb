// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/hits_table.h"

namespace rankscope {

ResultTable hitsTable(const TraceSet& traces, std::span<const EventRef> hits) {
  ResultTable table("hits", {{"begin_us", Unit::Nanoseconds},
                             {"duration_us", Unit::Nanoseconds},
                             {"name", Unit::Text},
                             {"kind", Unit::Text},
                             {"rank", Unit::Identity},
                             {"capture", Unit::Identity},
                             {"host", Unit::Text},
                             {"process", Unit::Text},
                             {"thread", Unit::Text}});
  for (const EventRef hit : hits) {
    const RankEntry& entry = traces.rank(hit.rank);
    const EventColumns& events = entry.trace->events;
    const Track& track = entry.trace->tracks[entry.trace->trackOf(hit.event).value];
    table.addRow({events.begin[hit.event] - traces.extent().begin, events.duration[hit.event],
                  textCell(traces.names()[events.name[hit.event]]), kindText(events.kind[hit.event]),
                  std::int64_t{entry.rank}, std::int64_t{entry.capture}, textCell(entry.host),
                  textCell(track.process), textCell(track.thread)});
  }
  return table;
}

} // namespace rankscope

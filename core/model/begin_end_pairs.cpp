// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/begin_end_pairs.h"

#include <algorithm>
#include <map>

namespace rankscope {

namespace {

struct Half {
  RawHalf half;
  std::size_t slice;
};

using ThreadId = std::pair<std::string_view, std::string_view>;

std::map<ThreadId, std::vector<Half>> halvesByThread(const FileEvents& file) {
  std::map<ThreadId, std::vector<Half>> threads;
  for (std::size_t s = 0; s < file.slices.size(); ++s) {
    const auto& tracks = file.tables[file.slices[s].tables]->tracks;
    for (const RawHalf& half : file.slices[s].halves) {
      const RawTrack& key = tracks[half.thread];
      threads[{key.process, key.thread}].push_back({half, s});
    }
  }
  return threads;
}

} // namespace

void pairHalves(FileEvents& file, Diagnostics& diagnostics) {
  for (auto& [thread, halves] : halvesByThread(file)) {
    // The file order breaks ties, because it is the order in which events were opened and closed.
    std::ranges::stable_sort(halves, {}, [](const Half& h) { return h.half.event.begin; });
    std::vector<Half> open;
    const auto close = [&](TimeNs end) {
      RawEvent event = open.back().half.event;
      event.duration = end - event.begin;
      if (event.duration <= kMaxDuration)
        file.slices[open.back().slice].events.push_back(event);
      else
        diagnostics.add(DiagnosticKind::Skipped, event.source(), "an event that ends beyond the time range");
      open.pop_back();
    };
    for (const Half& half : halves) {
      if (half.half.begins) {
        open.push_back(half);
      } else if (!open.empty()) {
        close(half.half.event.begin);
      } else {
        diagnostics.add(DiagnosticKind::Skipped, half.half.event.source(), "an end without a begin");
      }
    }
    for (; !open.empty(); close(halves.back().half.event.begin)) {
      diagnostics.add(DiagnosticKind::Repaired, open.back().half.event.source(),
                      "a begin without an end: closed at the last event of its thread");
    }
  }
}

} // namespace rankscope

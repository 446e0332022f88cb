// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/kernels/launch_shapes.h"

#include "core/base/parallel_for.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::ui {

namespace {

struct OfRank {
  std::vector<std::uint32_t> ofEvents; // by device event: a number of texts
  std::vector<std::string> texts{std::string()};
};

OfRank readRank(const RankEntry& entry, Progress& progress) {
  const RankTrace& rank = *entry.trace;
  OfRank result;
  result.ofEvents.resize(rank.deviceEnd.value - rank.deviceBegin.value, 0);
  std::vector<EventIndex> kernels;
  for (EventIndex event = rank.deviceBegin; event < rank.deviceEnd; ++event.value) {
    const EventKind kind = rank.events.kind[event];
    if (kind == EventKind::Kernel || kind == EventKind::Collective) kernels.push_back(event);
  }
  std::ranges::sort(kernels, {}, [&](EventIndex event) { return rank.events.source[event]; });
  std::vector<SourceRef> sources;
  sources.reserve(kernels.size());
  for (const EventIndex event : kernels) sources.push_back(rank.events.source[event]);
  progress.bytesTotal += kernels.size();
  std::map<std::string, std::uint32_t, std::less<>> numbers;
  std::size_t done = 0;
  const auto take = [&](std::size_t i, std::string_view text) {
    progress.bytesDone += i - done;
    done = i;
    auto found = numbers.find(text);
    if (found == numbers.end()) {
      found = numbers.emplace(std::string(text), static_cast<std::uint32_t>(result.texts.size())).first;
      result.texts.push_back(found->first);
    }
    result.ofEvents[kernels[i].value - rank.deviceBegin.value] = found->second;
  };
  (void)entry.details->arguments(sources, EventArgument::LaunchShape, take, &progress);
  progress.bytesDone += kernels.size() - done;
  return result;
}

} // namespace

KernelDetails launchShapes(const TraceSet& trace, Progress& progress) {
  const std::vector<RankEntry>& ranks = trace.ranks();
  std::vector<OfRank> read(ranks.size());
  parallelFor(ranks.size(), defaultThreadCount(),
              [&](std::size_t i) { read[i] = readRank(ranks[i], progress); });
  KernelDetails details;
  details.column = "grid_block";
  details.ofEvents.resize(ranks.size());
  std::map<std::string, std::uint32_t> numbers{{std::string(), 0}};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    std::vector<std::uint32_t> numberOf; // by the rank's own number
    for (std::string& text : read[i].texts) {
      const auto next = static_cast<std::uint32_t>(details.texts.size());
      const auto [place, isNew] = numbers.try_emplace(text, next);
      if (isNew) details.texts.push_back(std::move(text));
      numberOf.push_back(place->second);
    }
    for (std::uint32_t& number : read[i].ofEvents) number = numberOf[number];
    details.ofEvents[i] = std::move(read[i].ofEvents);
  }
  return details;
}

} // namespace rankscope::ui

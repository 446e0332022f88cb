// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/iteration_search.h"

#include "core/analysis/classify/name_traits.h"

#include <array>
#include <map>
#include <optional>
#include <utility>

namespace rankscope {

namespace {

// With fewer there is nothing that repeats.
constexpr std::size_t kLeastRepeated = 3;
constexpr std::string_view kModule = "nn.Module: ";

// Of a model that predicts tokens.
bool isGenerative(std::string_view module) {
  constexpr std::array<std::string_view, 3> kWords{"ForCausalLM", "LMHead", "ForConditionalGeneration"};
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return module.find(word) != std::string_view::npos; });
}

// transformers' generate(), and nothing else of this name.
bool isGenerate(std::string_view frame) {
  return frame.find("generation") != std::string_view::npos && frame.ends_with(": generate");
}

bool isHostAnnotation(const Track& track) {
  return track.kind == TrackKind::Annotations || track.kind == TrackKind::Thread;
}

// What lies in another is its part.
void keepOutermost(std::vector<HostIteration>& found) {
  std::ranges::stable_sort(found, [](const HostIteration& a, const HostIteration& b) {
    return std::pair(a.host.begin, -a.host.end) < std::pair(b.host.begin, -b.host.end);
  });
  TimeNs covered = kAllTime.begin;
  std::erase_if(found, [&](const HostIteration& of) {
    const bool inside = of.host.end <= covered;
    covered = std::max(covered, of.host.end);
    return inside;
  });
}

// Events of the tracks that take(track) chooses, whose name has a label.
template <class Takes, class LabelOf>
std::vector<HostIteration> named(const RankTrace& trace, const StringTable& names, Takes&& takes,
                                 LabelOf&& labelOf) {
  std::vector<HostIteration> found;
  std::vector<std::optional<IterationLabel>> labels(names.size());
  std::vector<std::uint8_t> judged(names.size());
  for (const Track& track : trace.tracks) {
    if (!takes(track)) continue;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      const NameId name = trace.events.name[event];
      if (judged[name.value] == 0) {
        judged[name.value] = 1;
        labels[name.value] = labelOf(names[name]);
      }
      if (!labels[name.value]) continue;
      HostIteration& iteration = found.emplace_back();
      iteration.event = event;
      iteration.label = *labels[name.value];
      iteration.host = trace.events.range(event);
    }
  }
  keepOutermost(found);
  return found;
}

// Without a label, of names that hold a text.
template <class Is> auto unlabeled(Is&& is) {
  return [is](std::string_view name) { return is(name) ? std::optional(IterationLabel()) : std::nullopt; };
}

bool isPython(const Track& track) {
  return track.kind == TrackKind::Python;
}

// Calls of the outermost module that takes most time, if it repeats.
std::vector<HostIteration> modules(const RankTrace& trace, const StringTable& names) {
  std::vector<HostIteration> found = named(
      trace, names, isPython, unlabeled([](std::string_view name) { return name.starts_with(kModule); }));
  std::map<NameId, std::pair<TimeNs, std::size_t>> byName;
  for (const HostIteration& of : found) {
    auto& [time, calls] = byName[trace.events.name[of.event]];
    time += of.host.length();
    ++calls;
  }
  std::erase_if(byName, [](const auto& of) { return of.second.second < kLeastRepeated; });
  if (byName.empty()) return {};
  const NameId most =
      std::ranges::max_element(byName, {}, [](const auto& of) { return of.second.first; })->first;
  std::erase_if(found, [&](const HostIteration& of) { return trace.events.name[of.event] != most; });
  const std::vector<HostIteration> generating = named(trace, names, isPython, unlabeled(isGenerate));
  const bool generative = isGenerative(names[most]);
  for (HostIteration& of : found)
    of.generates = generative || iterationAt(generating, of.host.begin) != nullptr;
  return found;
}

std::vector<HostIteration> graphs(const RankTrace& trace, const StringTable& names) {
  std::vector<HostIteration> found = named(
      trace, names, [](const Track& track) { return track.kind == TrackKind::Thread; },
      unlabeled(isGraphLaunch));
  if (found.size() < kLeastRepeated) found.clear();
  return found;
}

} // namespace

std::vector<HostIteration> labeledIterations(const RankTrace& trace, const StringTable& names) {
  std::vector<HostIteration> found = named(trace, names, isHostAnnotation, iterationLabel);
  for (HostIteration& of : found) of.labeled = true;
  return found;
}

std::vector<HostIteration> hostIterations(const Analysis& analysis, RankIndex rank) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const StringTable& names = analysis.trace().names();
  std::vector<HostIteration> found = labeledIterations(trace, names);
  if (!found.empty() || !analysis.wholePhases(rank).backward.empty()) return found;
  const std::size_t steps = analysis.steps(rank).size();
  found = named(trace, names, isHostAnnotation, phaseLabel);
  if (found.size() < kLeastRepeated) found = modules(trace, names);
  if (found.empty()) found = named(trace, names, isPython, unlabeled(isGenerate));
  if (found.empty()) found = graphs(trace, names);
  // Marked steps are what they are.
  if (found.size() <= steps) found.clear();
  return found;
}

} // namespace rankscope

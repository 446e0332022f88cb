// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/steps/step_kinds.h"

#include "core/analysis/classify/host_work.h"
#include "core/analysis/classify/name_traits.h"

#include <algorithm>

namespace rankscope {

namespace {

// Work that determines the kind of its step. state_dict alone does not save anything.
std::uint8_t workAsNumber(std::string_view name) {
  const HostWork work = hostWorkOf(name);
  const bool marks =
      work == HostWork::Evaluation || (work == HostWork::Checkpoint && !name.ends_with("state_dict"));
  return static_cast<std::uint8_t>(marks ? work : HostWork::Ordinary);
}

bool isHostTrack(TrackKind kind) {
  return kind == TrackKind::Annotations || kind == TrackKind::Thread || kind == TrackKind::Python;
}

// Marks the step in which an event begins.
class WorkOfSteps {
 public:
  WorkOfSteps(const StepWindows& steps, std::vector<StepFacts>& facts) : m_steps(steps), m_facts(facts) {}

  void add(HostWork work, TimeNs begin) {
    const auto after = std::ranges::upper_bound(m_steps.steps, begin, {},
                                                [](const StepWindow& step) { return step.host.begin; });
    if (after == m_steps.steps.begin() || !std::prev(after)->host.contains(begin)) return;
    StepFacts& step = m_facts[static_cast<std::size_t>(std::prev(after) - m_steps.steps.begin())];
    step.saves |= work == HostWork::Checkpoint;
    step.evaluates |= work == HostWork::Evaluation;
  }

 private:
  const StepWindows& m_steps;
  std::vector<StepFacts>& m_facts;
};

} // namespace

std::string_view stepKindText(StepKind kind) {
  switch (kind) {
  case StepKind::Accumulation:
    return "accumulation";
  case StepKind::Evaluation:
    return "evaluation";
  case StepKind::Checkpoint:
    return "checkpoint";
  case StepKind::Training:
    break;
  }
  return "training";
}

std::vector<StepFacts> stepFacts(const RankTrace& trace, const StringTable& names, const StepWindows& steps,
                                 const HostPhases& phases) {
  std::vector<StepFacts> facts;
  facts.reserve(steps.steps.size());
  for (const StepWindow& step : steps.steps) {
    const auto within = [&](const IntervalSet& phase) { return phase.coveredWithin(step.host) > 0; };
    facts.push_back({step.number, step.range.length(), step.deviceEvents, within(phases.backward),
                     within(phases.optimizer), false, false});
  }
  WorkOfSteps work(steps, facts);
  NameMemory<std::uint8_t (*)(std::string_view)> workOf(names, &workAsNumber);
  for (const Track& track : trace.tracks) {
    if (!isHostTrack(track.kind)) continue;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      const auto found = static_cast<HostWork>(workOf[trace.events.name[event]]);
      if (found != HostWork::Ordinary) work.add(found, trace.events.begin[event]);
    }
  }
  return facts;
}

std::vector<StepKind> stepKinds(const std::vector<StepFacts>& steps) {
  const bool trains = std::ranges::any_of(steps, &StepFacts::backward);
  const bool optimizes = std::ranges::any_of(steps, &StepFacts::optimizer);
  std::vector<StepKind> kinds;
  kinds.reserve(steps.size());
  for (const StepFacts& step : steps) {
    kinds.push_back(step.saves                         ? StepKind::Checkpoint
                    : trains && !step.backward         ? StepKind::Evaluation
                    : step.evaluates && !step.backward ? StepKind::Evaluation
                    : optimizes && !step.optimizer     ? StepKind::Accumulation
                                                       : StepKind::Training);
  }
  return kinds;
}

bool areAlike(const StepFacts& a, const StepFacts& b) {
  const auto [less, more] = std::minmax({a.deviceEvents, b.deviceEvents});
  return more - less <= more / 10;
}

} // namespace rankscope

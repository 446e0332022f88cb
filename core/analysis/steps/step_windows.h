// SPDX-License-Identifier: GPL-3.0-or-later
// The training steps of a rank as ranges of time that never overlap: what the profiler marked on the host,
// extended by the device work that was launched there. A kernel counts to the step in which it runs: a step
// begins when its host part does or when the device work of the step before ends, and ends with its own
// device work. Without marks the steps are looked for, and `found` says how. In order of time; constant.
// Cost: a pass over the device events, and over the outermost annotations where nothing was marked.
#pragma once

#include "core/analysis/steps/step_list.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace rankscope {

enum class StepSource : std::uint8_t {
  Marked,      // ProfilerStep annotations
  Annotation,  // an outermost annotation that repeats: "train_step", "iteration 12"
  Collectives, // the period in which the sequence of collectives repeats
  Whole,       // nothing repeats: one step over everything
};

// "marked", "annotation", "collectives", "whole".
[[nodiscard]] std::string_view stepSourceText(StepSource source);

struct StepWindow {
  std::int64_t number = Step::kUnknownNumber; // N of ProfilerStep#N; counted from 0 where not marked
  TimeRange host;                             // of the annotation on the host, or what was found
  TimeRange range;                            // with its device work; the time that the step took
  EventIndex event;                           // the annotation that is the step; invalid when none is
  std::int64_t deviceEvents = 0;              // launched within the host part

  bool operator==(const StepWindow&) const = default;
};

struct StepWindows {
  StepSource found = StepSource::Whole;
  std::vector<StepWindow> steps; // ranges rise and do not overlap; one may be empty

  // From the first begin to the last end; empty without steps.
  [[nodiscard]] TimeRange hull() const;
  // Position of the step whose range contains t. Binary search.
  [[nodiscard]] std::optional<std::size_t> indexAt(TimeNs t) const;
  // Whether the recording says that there are steps at all.
  [[nodiscard]] bool areSteps() const { return found != StepSource::Whole && !steps.empty(); }
};

struct StepRules {
  // Leave out the steps after the last with device work, and that one too when it has less than 0.8 times the
  // device events of the one before: the TensorBoard plugin does, the figures of this program do not.
  bool dropTail = false;
};

// marked: stepsOf(trace). The steps whose range begins in the window.
[[nodiscard]] StepWindows stepWindows(const RankTrace& trace, const StringTable& names,
                                      std::span<const Step> marked, TimeRange window = kAllTime,
                                      StepRules rules = {});

// The same steps without those whose range begins outside the window.
[[nodiscard]] StepWindows stepsWithin(const StepWindows& steps, TimeRange window);

} // namespace rankscope

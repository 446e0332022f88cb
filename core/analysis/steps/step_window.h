// SPDX-License-Identifier: GPL-3.0-or-later
// A training step of a rank as a range of time, and all steps of a rank, which never overlap. Plain data,
// constant after it was made.
#pragma once

#include "core/analysis/steps/step_list.h"
#include "core/base/time_range.h"
#include "core/model/rank_trace.h"

#include <cstdint>
#include <optional>
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
  std::vector<StepWindow> steps; // ranges ascend and do not overlap; one may be empty

  // From the first begin to the last end; empty without steps.
  [[nodiscard]] TimeRange hull() const;
  // Position of the step whose range contains t. Binary search.
  [[nodiscard]] std::optional<std::size_t> indexAt(TimeNs t) const;
  // Whether the recording has steps.
  [[nodiscard]] bool areSteps() const { return found != StepSource::Whole && !steps.empty(); }
};

} // namespace rankscope

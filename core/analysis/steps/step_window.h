// SPDX-License-Identifier: GPL-3.0-or-later
// A training step of a rank as a time range, and all steps of a rank, which do not overlap. Plain immutable
// data.
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
  Annotation,  // a repeated outermost annotation: "train_step", "iteration 12"
  Collectives, // period of the repeated sequence of collectives
  Whole,       // nothing repeats: one step for the whole recording
};

// "marked", "annotation", "collectives", "whole".
[[nodiscard]] std::string_view stepSourceText(StepSource source);

struct StepWindow {
  std::int64_t number = Step::kUnknownNumber; // N of ProfilerStep#N; from 0 if not marked
  TimeRange host;                             // of the host annotation or the detected repetition
  TimeRange range;                            // including its device work: the step time
  EventIndex event;                           // annotation of the step; invalid if there is none
  std::int64_t deviceEvents = 0;              // number of device events launched in the host part

  bool operator==(const StepWindow&) const = default;
};

struct StepWindows {
  StepSource found = StepSource::Whole;
  std::vector<StepWindow> steps; // ranges ascend without overlap; may be empty

  // From the first begin to the last end; empty without steps.
  [[nodiscard]] TimeRange hull() const;
  // Index of the step whose range contains t. Binary search.
  [[nodiscard]] std::optional<std::size_t> indexAt(TimeNs t) const;
  // Whether the recording has steps.
  [[nodiscard]] bool areSteps() const { return found != StepSource::Whole && !steps.empty(); }
};

} // namespace rankscope

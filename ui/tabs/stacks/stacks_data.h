// SPDX-License-Identifier: GPL-3.0-or-later
// What the stacks tab shows, computed on a worker: the flame graph of a part of the job, and the calls of a
// frame in it. Stacks are built once for a job, weight and choice of frames; another range or other steps
// weigh them again. Pure but for that memory, which any thread may use.
#pragma once

#include "core/report/job_report.h"
#include "core/report/modules_table.h"
#include "ui/flames/flame_layout.h"
#include "ui/tabs/stacks/stacks_export.h"

#include <QString>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace rankscope::ui {

struct StacksChoice {
  StackWeight weight = StackWeight::HostSelf;
  FlameMode mode = FlameMode::Merged;
  StackOptions options;
  std::string
      focus; // of Sandwich: the frame; without one that is there, the frame with the largest self weight
  std::vector<StackFilter> filters;

  // Whether a node of the layout is a stack from its outermost frame on.
  [[nodiscard]] bool hasWholeStacks() const {
    return mode == FlameMode::Merged || mode == FlameMode::TimeOrder;
  }
  bool operator==(const StacksChoice&) const = default;
};

struct StacksData {
  StacksChoice choice;
  std::shared_ptr<const FlameLayout> layout; // never null
  QString title;                             // "435 ms · 87 ms per kept step and rank"
  QString notes;                             // of the backward pass, of launches before the recording
  QString whyEmpty;                          // why there is nothing, and what to record
  StacksToExport files;                      // what is shown
  std::shared_ptr<const ResultTable> frames; // of Sandwich: all frames; else null
  bool hasPython = false;
};

// The stacks that were built last; those of another job are dropped with it.
class StacksMemory {
 public:
  [[nodiscard]] std::shared_ptr<const JobStacks> stacksOf(const Analysis& analysis,
                                                          const StacksChoice& choice);

 private:
  std::mutex m_mutex;
  std::weak_ptr<const TraceSet> m_trace;
  std::vector<RankIndex> m_ranks;
  StackWeight m_weight = StackWeight::HostSelf;
  StackOptions m_options;
  std::shared_ptr<const JobStacks> m_stacks;
};

// other: of Difference, the job that Compare has open; null: none.
[[nodiscard]] StacksData stacksData(const Analysis& analysis, const StacksChoice& choice,
                                    StacksMemory& memory, const Analysis* other = nullptr);

// The modules of a part and its layers.
struct ModulesData {
  std::shared_ptr<const ResultTable> table; // moduleTreeTable
  Layers layers;
};
[[nodiscard]] ModulesData modulesData(const Analysis& analysis);
// The rows of moduleTreeTable down to a depth; 1: only the outermost modules.
[[nodiscard]] std::shared_ptr<const ResultTable> modulesToDepth(const ResultTable& modules, int depth);

// Host time where the job has no device, else device time.
[[nodiscard]] StackWeight firstWeight(const TraceSet& trace);

// The calls of a node of the picture in the part, by its frames from the top of the picture down, of callers
// from the frame upward; of a difference those of this job. Frames that are no events, as causes of gaps,
// have the events that they stand for.
[[nodiscard]] std::vector<EventRef> callsOfStack(const Analysis& analysis, const StacksChoice& choice,
                                                 const std::vector<std::string>& stack, bool callers,
                                                 const Progress& progress);

} // namespace rankscope::ui

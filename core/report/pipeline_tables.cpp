// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/pipeline_tables.h"

#include "core/analysis/parallel/dimension_times.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/analysis/parallel/pipeline_stages.h"
#include "core/report/parallel_tables.h"

#include <algorithm>

namespace rankscope {

ResultTable pipelineActionsTable(const JobReport& report) {
  ResultTable table("pipeline_actions", {{"rank", Unit::Identity},
                                         {"capture", Unit::Identity},
                                         {"step", Unit::Identity},
                                         {"stage", Unit::Identity},
                                         {"chunk", Unit::Identity},
                                         {"microbatch", Unit::Identity},
                                         {"kind", Unit::Text},
                                         {"begin_us", Unit::Nanoseconds},
                                         {"duration_us", Unit::Nanoseconds},
                                         {"device_us", Unit::Nanoseconds},
                                         {"wait_us", Unit::Nanoseconds},
                                         {"source", Unit::Text}});
  const Analysis& analysis = report.analysis();
  for (const Pipeline& pipeline : report.parallel().pipelines.pipelines) {
    for (const PipelineRank& of : pipeline.ranks) {
      if (!std::ranges::binary_search(analysis.ranks(), of.rank)) continue;
      const RankEntry& entry = analysis.trace().rank(of.rank);
      for (const PipelineAction& action : of.actions) {
        if (!isInScope(analysis, of.rank, action.step)) continue;
        table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                      stepNumberCell(analysis, of.rank, action.step), Cell(action.stage), Cell(action.chunk),
                      action.microbatch == ActionLabel::kUnknown ? Cell() : Cell(action.microbatch),
                      Cell(actionKindText(action.kind)),
                      Cell(sinceJobBegin(analysis, of.rank, RankTime(action.range.begin))),
                      Cell(action.range.length()), action.device < 0 ? Cell() : Cell(action.device),
                      Cell(action.wait), Cell(std::string_view(action.rebuilt ? "rebuilt" : "label"))});
      }
    }
  }
  return table;
}

ResultTable pipelineStagesTable(const JobReport& report) {
  ResultTable table("pipeline_stages", {{"rank", Unit::Identity},
                                        {"capture", Unit::Identity},
                                        {"stage", Unit::Identity},
                                        {"schedule", Unit::Text},
                                        {"microbatches", Unit::Count},
                                        {"warmup_us", Unit::Nanoseconds},
                                        {"steady_us", Unit::Nanoseconds},
                                        {"cooldown_us", Unit::Nanoseconds},
                                        {"bubble_pct", Unit::Percent},
                                        {"ideal_pct", Unit::Percent},
                                        {"replay_pct", Unit::Percent},
                                        {"imbalance_pct", Unit::Percent}});
  const Analysis& analysis = report.analysis();
  for (const Pipeline& pipeline : report.parallel().pipelines.pipelines) {
    const PipelineTimes times = pipelineTimes(analysis, pipeline);
    for (const StageTime& stage : times.stages) {
      if (!std::ranges::binary_search(analysis.ranks(), stage.rank)) continue;
      const RankEntry& entry = analysis.trace().rank(stage.rank);
      const bool apart = stage.replayPct && times.idealPct;
      table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}), Cell(stage.stage),
                    textCell(scheduleText(pipeline.schedule)), Cell(pipeline.microbatches),
                    Cell(stage.warmup), Cell(stage.steady), Cell(stage.cooldown), Cell(stage.bubblePct),
                    cellOf(times.idealPct), cellOf(stage.replayPct),
                    apart ? Cell(*stage.replayPct - *times.idealPct) : Cell()});
    }
  }
  return table;
}

} // namespace rankscope

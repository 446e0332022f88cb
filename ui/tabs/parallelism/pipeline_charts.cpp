// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/parallelism/pipeline_charts.h"

#include "core/analysis/parallel/dimension_times.h"
#include "core/base/statistics.h"
#include "core/base/unit_text.h"
#include "ui/base/counted.h"
#include "ui/base/ui_text.h"
#include "ui/tabs/parallelism/parallelism_charts.h"

#include <QStringList>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::size_t kMostPipelineBoxes = 4000; // of a chart
constexpr double kMarkedWork = 1.1;              // over the median stage, from which on the slowest is marked

class ChartMaker {
 public:
  ChartMaker(const Analysis& analysis, const Pipeline& pipeline)
      : m_analysis(analysis), m_pipeline(pipeline) {}

  // Nothing without a step in scope.
  [[nodiscard]] std::optional<PipelineChart> made() {
    m_made.times = pipelineTimes(m_analysis, m_pipeline);
    const std::optional<std::size_t> step = stepToShow();
    if (m_made.times.steps == 0 || !step) return std::nullopt;
    addActions(*step);
    addLines();
    addBubble();
    addCaption(*step);
    return std::move(m_made);
  }

 private:
  [[nodiscard]] std::optional<std::size_t> stepToShow() const {
    std::set<std::size_t> steps;
    for (const PipelineRank& of : m_pipeline.ranks) {
      for (const PipelineAction& action : of.actions) {
        if (isComputeAction(action.kind) && isInScope(m_analysis, of.rank, action.step))
          steps.insert(action.step);
      }
    }
    return shownStep(m_analysis, m_pipeline.ranks.front().rank, steps);
  }

  [[nodiscard]] JobRange onJobClock(RankIndex rank, TimeRange range) const {
    return m_analysis.clocks().of(rank).toJob(RankRange::of(range));
  }

  void addActions(std::size_t step) {
    std::optional<JobRange> window;
    for (const PipelineRank& of : m_pipeline.ranks) {
      for (const PipelineAction& action : of.actions) {
        if (action.step != step || !isComputeAction(action.kind)) continue;
        const JobRange range = onJobClock(of.rank, action.range);
        window =
            window ? JobRange{std::min(window->begin, range.begin), std::max(window->end, range.end)} : range;
      }
    }
    if (!window) return;
    LaneContents& chart = m_made.contents;
    chart.length = static_cast<double>(window->length());
    chart.emptyIsIdle = true;
    const PipelineTimes& times = m_made.times;
    std::vector<double> works;
    works.reserve(times.stages.size());
    for (const StageTime& stage : times.stages) works.push_back(static_cast<double>(stage.work));
    const bool marked = times.slowest &&
                        static_cast<double>(times.stages[*times.slowest].work) >= kMarkedWork * median(works);
    for (const PipelineRank& of : m_pipeline.ranks) {
      QStringList stages;
      bool slow = false;
      for (const std::int64_t stage : of.stages) {
        stages << QString::number(stage);
        slow |= times.slowest && times.stages[*times.slowest].stage == stage;
      }
      chart.lanes
          << (stages.size() == 1 ? tr("Stage %1") : tr("Stages %1")).arg(stages.join(QStringLiteral(", ")));
      chart.outliers.push_back(slow && marked);
      m_made.places.push_back(of.rank);
      m_made.ranks.push_back(m_analysis.trace().rank(of.rank).rank);
      for (const PipelineAction& action : of.actions) {
        if (action.step == step && isComputeAction(action.kind)) addBox(of, action, window->begin);
      }
    }
  }

  void addBox(const PipelineRank& of, const PipelineAction& action, JobTime begin) {
    LaneContents& chart = m_made.contents;
    if (chart.boxes.size() >= kMostPipelineBoxes) return;
    const JobRange range = onJobClock(of.rank, action.range);
    LaneBox box;
    box.lane = static_cast<int>(chart.lanes.size()) - 1;
    box.begin = static_cast<double>(range.begin - begin);
    box.end = static_cast<double>(range.end - begin);
    box.color = action.kind == ActionKind::Forward ? &Theme::forward : &Theme::backward;
    box.strength = (action.kind == ActionKind::WeightGradient ? 0.6 : 1) -
                   0.2 * static_cast<double>(std::clamp<std::int64_t>(action.chunk, 0, 2));
    if (action.microbatch != ActionLabel::kUnknown) box.text = QString::number(action.microbatch);
    box.group = static_cast<int>(std::clamp<std::int64_t>(action.microbatch, -1, INT32_MAX));
    box.tip = tr("<b>%1 of stage %2, microbatch %3</b><br>rank %4 · %5")
                  .arg(kindText(action.kind))
                  .arg(action.stage)
                  .arg(box.text.isEmpty() ? tr("unknown") : box.text)
                  .arg(m_made.ranks.back())
                  .arg(textOf(durationText(action.range.length())));
    if (action.device >= 0) box.tip += tr(", kernels %1").arg(textOf(durationText(action.device)));
    if (action.wait > 0) box.tip += tr("<br>waited %1 for its input").arg(textOf(durationText(action.wait)));
    if (action.rebuilt) box.tip += tr("<br>rebuilt from sends, receives and operators");
    m_actions.push_back(&action);
    m_made.ranges.push_back(range);
    chart.boxes.push_back(std::move(box));
  }

  static QString kindText(ActionKind kind) {
    switch (kind) {
    case ActionKind::Forward:
      return tr("Forward");
    case ActionKind::InputGradient:
      return tr("Input gradient");
    case ActionKind::WeightGradient:
      return tr("Weight gradient");
    default:
      return tr("Backward");
    }
  }

  // Forward to the next stage, backward to the one before.
  void addLines() {
    using Places = std::map<std::pair<std::int64_t, std::int64_t>, int>; // stage and microbatch to box
    Places forward;
    Places backward;
    for (std::size_t i = 0; i < m_actions.size(); ++i) {
      const std::pair key{m_actions[i]->stage, m_actions[i]->microbatch};
      if (key.second == ActionLabel::kUnknown) continue;
      if (m_actions[i]->kind == ActionKind::Forward)
        forward.emplace(key, static_cast<int>(i));
      else if (m_actions[i]->kind != ActionKind::WeightGradient)
        backward.emplace(key, static_cast<int>(i));
    }
    const auto add = [&](const Places& places, std::int64_t by) {
      for (const auto& [key, box] : places) {
        const auto next = places.find({key.first + by, key.second});
        if (next != places.end()) m_made.contents.lines.push_back({box, next->second});
      }
    };
    add(forward, 1);
    add(backward, -1);
  }

  // The parts add up to the measured bubble.
  void addBubble() {
    const PipelineTimes& times = m_made.times;
    if (!times.idealPct || !times.replayPct) return;
    const double schedule = std::min(*times.idealPct, times.bubblePct);
    const double unequal = std::clamp(*times.replayPct - *times.idealPct, 0.0, times.bubblePct - schedule);
    m_made.bubble.unit = Unit::Percent;
    m_made.bubble.parts = {{tr("schedule"), &Theme::runtime, false, 1},
                           {tr("unequal stages"), &Theme::warn, false, 1},
                           {tr("communication and jitter"), &Theme::communication, false, 1}};
    BarRow row;
    row.label = tr("Bubble");
    row.amounts = {schedule, unequal, times.bubblePct - schedule - unequal};
    row.note = textOf(percentText(times.bubblePct));
    m_made.bubble.rows.push_back(std::move(row));
    if (!times.slowest || times.balancedGainPct < 1) return;
    m_made.bubbleNote = tr("stage %1 works longest; with equal stages the pipeline could be %2 shorter")
                            .arg(times.stages[*times.slowest].stage)
                            .arg(textOf(percentText(times.balancedGainPct)));
  }

  void addCaption(std::size_t step) {
    QStringList parts;
    if (m_pipeline.schedule != ScheduleKind::Unknown) parts << textOf(scheduleText(m_pipeline.schedule));
    // Chunks of DualPipe do not say their stage.
    if (m_pipeline.stages > 1) parts << tr("%1 stages").arg(m_pipeline.stages);
    const bool chunks = m_pipeline.schedule == ScheduleKind::DualPipe;
    parts << (chunks ? counted(m_pipeline.microbatches, tr("1 pair of chunks"), tr("%1 pairs of chunks"))
                     : counted(m_pipeline.microbatches, tr("1 microbatch"), tr("%1 microbatches")));
    if (static_cast<std::int64_t>(m_pipeline.ranks.size()) < m_pipeline.rankCount)
      parts << tr("%1 of %2 ranks recorded").arg(m_pipeline.ranks.size()).arg(m_pipeline.rankCount);
    const StepWindows& steps = m_analysis.wholeStepWindows(m_pipeline.ranks.front().rank);
    if (step < steps.steps.size() && steps.steps[step].number != Step::kUnknownNumber)
      parts << tr("step %1").arg(steps.steps[step].number);
    m_made.caption = parts.join(QStringLiteral(" · "));
  }

  const Analysis& m_analysis;
  const Pipeline& m_pipeline;
  PipelineChart m_made;
  std::vector<const PipelineAction*> m_actions; // by box
};

} // namespace

std::vector<PipelineChart> pipelineCharts(const Analysis& analysis, const JobPipelines& pipelines) {
  std::vector<PipelineChart> charts;
  for (const Pipeline& pipeline : pipelines.pipelines) {
    if (charts.size() >= kMostPipelineCharts) break;
    if (pipeline.ranks.empty()) continue;
    if (std::optional<PipelineChart> chart = ChartMaker(analysis, pipeline).made())
      charts.push_back(std::move(*chart));
  }
  return charts;
}

} // namespace rankscope::ui

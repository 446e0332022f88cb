// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/report_charts.h"

#include "core/analysis/job/cut_ranks.h"
#include "core/base/unit_text.h"
#include "core/model/rank_recordings.h"
#include "core/report/account_table.h"
#include "core/report/outlier_ranks.h"
#include "core/report/reported_part.h"
#include "core/report/svg_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

constexpr double kBar = 15;

struct ChartLayout {
  double width;
  double labels; // the longest title of a leaf
  double values;
};
constexpr ChartLayout kWide{kChartWidth, 244, 150};
constexpr ChartLayout kNarrow{kNarrowChartWidth, 244, 74};
constexpr std::size_t kMaxRows = 48;
constexpr double kAroundLabel = 16;

constexpr std::array<std::string_view, kTimeClassCount> kClassColors{"kernel", "exposed", "copy", "idle"};

std::string_view groupColor(LeafGroup group) {
  switch (group) {
  case LeafGroup::Ideal:
    return "good";
  case LeafGroup::Kernels:
    return "kernel";
  case LeafGroup::Transfer:
    return "exposed";
  case LeafGroup::Wait:
    return "exposed pale";
  case LeafGroup::Memcpy:
    return "copy";
  case LeafGroup::Host:
    return "operator";
  case LeafGroup::Queue:
    return "annotation";
  case LeafGroup::Recording:
    return "other";
  }
  return "other";
}

std::string nanosecondsText(double time) {
  return durationText(std::llround(time));
}

std::string shareText(double part, double whole) {
  return whole > 0 ? percentText(100 * part / whole) : std::string();
}

std::string barTitle(const AccountView& view, const AccountBar& bar) {
  if (bar.leaves.size() == 1) return std::string(leafTitle(view.leaves[bar.leaves.front()].leaf));
  return fmt::format("{} more of {}", bar.leaves.size(), leafGroupTitle(bar.group));
}

std::string accountDrawing(const AccountView& view, std::string_view chartTitle, const ChartLayout& layout) {
  const double plot = layout.width - layout.labels - 2 * layout.values;
  const double perNs = view.stepTime > 0 ? plot / view.stepTime : 0;
  SvgDrawing drawing(layout.width, chartTitle);
  double y = kChartPadding;
  for (const AccountBar& bar : accountBars(view)) {
    const std::string title = barTitle(view, bar);
    drawing.text(layout.labels - 12, y + kChartBaseLine, title, layout.labels - 16, "text", SvgAlign::Right);
    drawing.box({layout.labels + bar.begin * perNs, y + 2, std::max(1.0, bar.time * perNs), kBar},
                groupColor(bar.group), fmt::format("{} · {}", title, nanosecondsText(bar.time)));
    drawing.text(layout.width - layout.values - 10, y + kChartBaseLine, nanosecondsText(bar.time),
                 layout.values, "text", SvgAlign::Right);
    drawing.text(layout.width - 10, y + kChartBaseLine, shareText(bar.time, view.stepTime), layout.values,
                 "muted", SvgAlign::Right);
    y += kChartRow;
  }
  drawing.line(0, y + 1, layout.width, y + 1, "rule");
  y += 4;
  drawing.text(layout.labels - 12, y + kChartBaseLine, accountTitle(view), layout.labels - 16, "strong",
               SvgAlign::Right);
  for (const AccountBar& bar : accountBars(view))
    drawing.box({layout.labels + bar.begin * perNs, y + 2, bar.time * perNs, kBar}, groupColor(bar.group));
  drawing.text(layout.width - layout.values - 10, y + kChartBaseLine, nanosecondsText(view.stepTime),
               layout.values, "strong", SvgAlign::Right);
  drawing.text(layout.width - 10, y + kChartBaseLine, percentText(100), layout.values, "muted",
               SvgAlign::Right);
  return drawing.markup(y + kChartRow + kChartPadding);
}

ReportChart accountChart(const JobReport& report) {
  const AccountView view = accountView(report, {});
  ReportChart chart{
      std::string(accountTitle(view)) + " from ideal to measured", accountSentence(view), {}, {}, "gains"};
  chart.svg = accountDrawing(view, chart.title, kWide);
  chart.narrow = accountDrawing(view, chart.title, kNarrow);
  return chart;
}

// A bar of the classes of time.
struct ClassRow {
  std::string label;
  std::array<double, kTimeClassCount> times{};
  double whole = 0;
};

void paintClasses(SvgDrawing& drawing, const ClassRow& row, double y, double longest,
                  const ChartLayout& layout) {
  const double perNs = longest > 0 ? (layout.width - layout.labels - layout.values) / longest : 0;
  drawing.text(layout.labels - 12, y + kChartBaseLine, row.label, layout.labels - kAroundLabel, "text",
               SvgAlign::Right);
  double x = layout.labels;
  for (std::size_t i = 0; i < kTimeClassCount; ++i) {
    const double width = row.times[i] * perNs;
    if (width <= 0) continue;
    const std::string text = nanosecondsText(row.times[i]);
    std::string hover(timeClassTitle(static_cast<TimeClass>(i)));
    hover += " · ";
    hover += text;
    drawing.box({x, y + 2, width, kBar}, kClassColors[i], hover);
    if (svgTextWidth(text) + 8 <= width)
      drawing.text(x + width / 2, y + kChartBaseLine, text, width, "on", SvgAlign::Middle);
    x += width;
  }
  drawing.text(layout.width - 10, y + kChartBaseLine, nanosecondsText(row.whole), layout.values - 14, "text",
               SvgAlign::Right);
}

// With room for the labels, as far as bars remain.
ChartLayout layoutFor(const std::vector<ClassRow>& rows, ChartLayout layout) {
  constexpr double kMaxShare = 0.4;
  double longest = 0;
  for (const ClassRow& row : rows) longest = std::max(longest, svgTextWidth(row.label));
  layout.labels = std::max(layout.labels, std::min(longest + kAroundLabel, kMaxShare * layout.width));
  return layout;
}

std::string classDrawing(std::string_view title, const std::vector<ClassRow>& rows,
                         const ChartLayout& usual) {
  const ChartLayout layout = layoutFor(rows, usual);
  SvgDrawing drawing(layout.width, title);
  double longest = 0;
  for (const ClassRow& row : rows) longest = std::max(longest, row.whole);
  double x = layout.labels;
  for (std::size_t i = 0; i < kTimeClassCount; ++i) {
    const std::string_view name = timeClassTitle(static_cast<TimeClass>(i));
    drawing.box({x, kChartPadding + 3, 11, 11}, kClassColors[i]);
    drawing.text(x + 17, kChartPadding + kChartBaseLine - 1, name, layout.width, "muted");
    x += 17 + svgTextWidth(name) + 16;
  }
  double y = kChartPadding + kChartRow;
  for (const ClassRow& row : rows) {
    paintClasses(drawing, row, y, longest, layout);
    y += kChartRow;
  }
  return drawing.markup(y + kChartPadding);
}

std::size_t capturesOf(const Analysis& analysis) {
  std::set<int> captures;
  for (const RankIndex rank : analysis.ranks()) captures.insert(analysis.trace().rank(rank).capture);
  return captures.size();
}

ClassRow rowOf(std::string label, const AccountView& view) {
  return {std::move(label), view.classTimes, view.stepTime};
}

// The first steps, all of them where there are no more than fit.
std::optional<ReportChart> stepsChart(const JobReport& report) {
  const std::vector<std::size_t> steps = accountSteps(report, {});
  if (!report.keptAccount().areSteps || steps.empty()) return std::nullopt;
  const KeptSteps& job = report.analysis().keptSteps();
  std::vector<ClassRow> rows;
  rows.reserve(std::min(kMaxRows, steps.size()));
  for (const std::size_t step : steps) {
    if (rows.size() == kMaxRows) break;
    const JobStep& of = job.steps[step];
    std::string label = of.number == Step::kUnknownNumber ? fmt::format("step at position {}", step)
                                                          : fmt::format("step {}", of.number);
    if (capturesOf(report.analysis()) > 1) label += fmt::format(", capture {}", of.capture);
    if (!of.kept()) label += " (not in means)";
    rows.push_back(rowOf(std::move(label), accountView(report, {RankIndex(), step})));
  }
  ReportChart chart{"Steps", "mean over ranks", {}, {}, "overview"};
  if (rows.size() < steps.size())
    chart.caption += fmt::format("; the first {} of {}", rows.size(), steps.size());
  chart.svg = classDrawing(chart.title, rows, kWide);
  chart.narrow = classDrawing(chart.title, rows, kNarrow);
  return chart;
}

// By first recording. All ranks, or those that findings name, that stand out, and the first others where
// there are more than fit. Steps of a synchronous job take all ranks the same time, whatever one of them
// computes.
std::vector<RankIndex> ranksShown(const JobReport& report) {
  const TraceSet& traces = report.analysis().trace();
  std::vector<RankIndex> all = rankRows(traces, report.analysis().ranks()).first;
  if (all.size() <= kMaxRows) return all;
  std::vector<RankIndex> ranks;
  const auto add = [&](RankIndex rank) {
    if (ranks.size() < kMaxRows && std::ranges::find(ranks, rank) == ranks.end()) ranks.push_back(rank);
  };
  const auto numberOf = [&](RankIndex rank) { return traces.rank(rank).rank; };
  for (const Finding& finding : report.findings()) {
    if (!finding.rank.valid()) continue;
    const auto of = std::ranges::find(all, numberOf(finding.rank), numberOf);
    if (of != all.end()) add(*of);
  }
  std::array<std::vector<TimeNs>, 1 + kTimeClassCount> times; // of the step and its classes
  for (const RankIndex rank : all) {
    const AccountView view = accountView(report, {rank, std::nullopt});
    times[0].push_back(std::llround(view.stepTime));
    for (std::size_t i = 0; i < kTimeClassCount; ++i)
      times[1 + i].push_back(std::llround(view.classTimes[i]));
  }
  for (const std::vector<TimeNs>& of : times)
    for (const OutlierValue& value : outlierValues(of)) add(all[value.index]);
  for (const RankIndex rank : all) add(rank);
  std::ranges::sort(ranks);
  return ranks;
}

std::optional<ReportChart> ranksChart(const JobReport& report) {
  const Analysis& analysis = report.analysis();
  const std::size_t all = rankRows(analysis.trace(), analysis.ranks()).count();
  if (all < 2) return std::nullopt;
  std::set<int> truncated;
  for (const CutRank& cut : cutRanks(analysis)) truncated.insert(analysis.trace().rank(cut.rank).rank);
  std::vector<ClassRow> rows;
  for (const RankIndex rank : ranksShown(report)) {
    const int number = analysis.trace().rank(rank).rank;
    std::string label = fmt::format("rank {}", number);
    if (truncated.contains(number)) label += " (truncated)";
    const AccountView view = accountView(report, {rank, std::nullopt});
    if (view.stepTime > 0) rows.push_back(rowOf(std::move(label), view));
  }
  if (rows.size() < 2) return std::nullopt;
  ReportChart chart{"Ranks",
                    report.keptAccount().areSteps ? "mean over steps"
                                                  : fmt::format("of the {}", reportedPart(report)),
                    {},
                    {},
                    "distributed"};
  if (const std::size_t captures = capturesOf(analysis); captures > 1)
    chart.caption += fmt::format(" of {} captures", captures);
  if (rows.size() < all)
    chart.caption += fmt::format("; {} of {} ranks, what stands out included", rows.size(), all);
  chart.svg = classDrawing(chart.title, rows, kWide);
  chart.narrow = classDrawing(chart.title, rows, kNarrow);
  return chart;
}

} // namespace

std::vector<ReportChart> reportCharts(const JobReport& report) {
  std::vector<ReportChart> charts;
  if (report.analysis().ranks().empty() || report.keptAccount().stepTime <= 0) return charts;
  charts.push_back(accountChart(report));
  if (auto chart = stepsChart(report)) charts.push_back(std::move(*chart));
  if (auto chart = ranksChart(report)) charts.push_back(std::move(*chart));
  return charts;
}

} // namespace rankscope

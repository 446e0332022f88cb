// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/graph_charts.h"

#include "core/analysis/graph/path_summary.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/model/rank_digest.h"
#include "core/report/scenario_names.h"
#include "core/report/slowdown_table.h"
#include "core/report/svg_drawing.h"
#include "core/report/what_if_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace rankscope {

namespace {

constexpr double kBar = 15;
constexpr double kGap = 12; // between a label, its bar and its value
constexpr std::size_t kMostRows = 16;

// Colors of the categories of the path, as in the window.
constexpr std::array<std::string_view, kPathCategoryCount> kCategoryColors{
    "kernel", "copy",       "communication", "exposed", "other", "annotation", "operator", "runtime",
    "python", "dataloader", "optimizer",     "bad",     "other", "backward",   "muted",    "other"};

struct GraphLayout {
  double width;
  double labels;
  double values;
};

// Rows of a label, a bar and a value, from top to bottom; drawn for wide and narrow pages.
class Rows {
 public:
  // largest: what the longest bar stands for.
  Rows(const std::string& title, double largest, const GraphLayout& layout)
      : m_layout(layout), m_drawing(layout.width, title) {
    m_perUnit = largest > 0 ? (layout.width - layout.labels - layout.values - 2 * kGap) / largest : 0;
  }

  void label(std::string_view text) {
    m_drawing.text(m_layout.labels - kGap, m_y + kChartBaseLine, text, m_layout.labels - 2 * kGap, "text",
                   SvgAlign::Right);
  }
  // From one value to another.
  void bar(double from, double to, std::string_view color, std::string_view hover) {
    if (to > from)
      m_drawing.box({m_layout.labels + from * m_perUnit, m_y + 2, (to - from) * m_perUnit, kBar}, color,
                    hover);
  }
  void value(std::string_view text, std::string_view color = "text") {
    m_drawing.text(m_layout.width - m_layout.values, m_y + kChartBaseLine, text,
                   m_layout.values - kChartPadding, color);
  }
  // In as many lines as it needs.
  void sentence(std::string_view text) {
    const double room = m_layout.width - m_layout.labels - kChartPadding;
    std::string line;
    const auto put = [&] { m_drawing.text(m_layout.labels, m_y + kChartBaseLine, line, room, "muted"); };
    while (!text.empty()) {
      const std::string_view word = text.substr(0, text.find(' '));
      text.remove_prefix(std::min(text.size(), word.size() + 1));
      if (!line.empty() && svgTextWidth(line + " " + std::string(word)) > room) {
        put();
        m_y += kChartRow;
        line.clear();
      }
      if (!line.empty()) line += ' ';
      line += word;
    }
    put();
  }
  void next() { m_y += kChartRow; }
  [[nodiscard]] std::string markup() const { return m_drawing.markup(m_y + kChartPadding); }

 private:
  GraphLayout m_layout;
  SvgDrawing m_drawing;
  double m_perUnit = 0;
  double m_y = kChartPadding;
};

constexpr GraphLayout kWideGraph{kChartWidth, 260, 320};
constexpr GraphLayout kNarrowGraph{kNarrowChartWidth, 214, 236};
constexpr GraphLayout kNarrowWhatIf{kNarrowChartWidth, 214, 288}; // "113 ms · gain 53.5 ms to 54.2 ms"

// paint: fills the rows.
template <class Paint>
void drawRows(ReportChart& chart, double largest, const Paint& paint,
              const GraphLayout& narrowLayout = kNarrowGraph) {
  Rows wide(chart.title, largest, kWideGraph);
  paint(wide);
  chart.svg = wide.markup();
  Rows narrow(chart.title, largest, narrowLayout);
  paint(narrow);
  chart.narrow = narrow.markup();
}

std::string timeText(double nanoseconds) {
  return durationText(rounded(nanoseconds));
}

ReportChart whatIfChart(const WhatIf& whatIf) {
  // "-0.00" would be no number.
  const double error = std::abs(whatIf.error().errorPct) < 0.005 ? 0 : whatIf.error().errorPct;
  const char* const measured = isOfSteps(whatIf) ? "Mean step" : "Recording of";
  ReportChart chart{"What if",
                    fmt::format("{} {} as recorded, and what would remain of it; replay error {:+.2f} %. "
                                "The schedule stays as recorded, so each answer is a bound.",
                                measured, timeText(whatIf.stepTime()), error),
                    {},
                    {},
                    "gains"};
  std::vector<WhatIfAnswer> answers = whatIf.answers(defaultScenarios());
  std::ranges::stable_sort(answers, std::greater<>(), [](const WhatIfAnswer& answer) { return answer.gain; });
  const bool sameRefusal = std::ranges::all_of(answers, [&](const WhatIfAnswer& answer) {
    return !answer.refused.empty() && answer.refused == answers.front().refused;
  });
  if (sameRefusal)
    chart.caption = fmt::format("{} {} as recorded. No answer: {}.", measured, timeText(whatIf.stepTime()),
                                answers.front().refused);
  drawRows(
      chart, whatIf.stepTime(),
      [&](Rows& rows) {
        for (const WhatIfAnswer& answer : answers) {
          rows.label(scenarioName(answer.scenario));
          if (answer.refused.empty()) {
            const ShownAnswer shown = shownAnswer(whatIf, answer);
            const std::string gain = shownGainText(shown, answer);
            rows.bar(0, std::min(shown.predicted, shown.stepTime), "kernel", timeText(shown.predicted));
            rows.bar(shown.predicted, shown.stepTime, "good", gain);
            rows.value(fmt::format("{} · {}", timeText(shown.predicted), gain));
          } else {
            rows.sentence(sameRefusal ? std::string("refused") : "refused: " + answer.refused);
          }
          rows.next();
        }
      },
      kNarrowWhatIf);
  return chart;
}

ReportChart pathChart(const WhatIf& whatIf, PathKey key) {
  const bool ofRanks = key == PathKey::Rank;
  ReportChart chart{ofRanks ? "Critical path by rank" : "Critical path by category",
                    "What decided how long the steps took, over all ranks; mean per step, from the end of "
                    "the step before on its last rank to its own.",
                    {},
                    {},
                    "gains"};
  const std::vector<PathSum> sums = pathSummary(whatIf, key);
  double largest = 0;
  for (const PathSum& sum : sums) largest = std::max(largest, sum.onPath);
  if (std::ranges::any_of(sums, [](const PathSum& sum) { return sum.onPath < 0; }))
    chart.caption += " Negative where the clock of the next rank seems to be ahead.";
  drawRows(chart, largest, [&](Rows& rows) {
    for (std::size_t i = 0; i < std::min(kMostRows, sums.size()); ++i) {
      const PathSum& sum = sums[i];
      std::string name = ofRanks ? "Rank " + sum.key : sum.key;
      std::ranges::replace(name, '_', ' ');
      rows.label(name);
      const std::string time = fmt::format("{} · {}", timeText(sum.onPath), percentText(100 * sum.share));
      rows.bar(0, sum.onPath,
               ofRanks ? std::string_view("kernel")
                       : kCategoryColors[static_cast<std::size_t>(sum.longest.category)],
               time);
      rows.value(time);
      rows.next();
    }
  });
  return chart;
}

// Nothing where steps are as they would be without slow ranks.
std::optional<ReportChart> slowdownChart(const JobSlowdown& slowdown) {
  ReportChart chart{"Slowdown by rank", {}, {}, {}, "gains"};
  std::vector<const SlowdownRow*> ranks;
  double largest = 0;
  for (const SlowdownRow& row : slowdown.rows) {
    if (row.by == "job" && row.slowdown)
      chart.caption =
          fmt::format("Steps take {:.1f} % longer than with typical times. Each bar: how much of it "
                      "is due to one rank alone.",
                      100 * (*row.slowdown - 1));
    if (row.by != "rank" || !row.slowdown || ranks.size() >= kMostRows) continue;
    ranks.push_back(&row);
    largest = std::max(largest, *row.slowdown - 1);
  }
  if (ranks.empty() || largest <= 0) return std::nullopt;
  drawRows(chart, largest, [&](Rows& rows) {
    for (const SlowdownRow* const row : ranks) {
      rows.label("Rank " + row->key);
      const double percent = 100 * (*row->slowdown - 1);
      const bool none = std::abs(percent) < 0.05; // no sign of what rounds to nothing
      const std::string longer = none ? "0 %" : fmt::format("{:+.1f} %", percent);
      rows.bar(0, std::max(0.0, *row->slowdown - 1), "exposed", longer);
      rows.value(longer);
      rows.next();
    }
  });
  return chart;
}

} // namespace

std::vector<ReportChart> graphCharts(const JobReport& report) {
  std::vector<ReportChart> charts;
  if (hasDigests(report.analysis().trace())) return charts;
  const WhatIf& whatIf = report.whatIf();
  if (whatIf.keptWindows().empty() || whatIf.base() <= 0) return charts;
  charts.push_back(whatIfChart(whatIf));
  charts.push_back(pathChart(whatIf, PathKey::Category));
  if (report.analysis().ranks().size() > 1) charts.push_back(pathChart(whatIf, PathKey::Rank));
  if (auto slowdown = slowdownChart(slowdownOfReport(report, false, 1)))
    charts.push_back(std::move(*slowdown));
  return charts;
}

} // namespace rankscope

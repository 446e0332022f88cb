// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compare_html.h"

#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/report/compare_column_texts.h"
#include "core/report/compare_figures.h"
#include "core/report/compare_tables.h"
#include "core/report/compare_text.h"
#include "core/report/html_page.h"
#include "core/report/html_report.h"
#include "core/report/leaf_texts.h"
#include "core/report/svg_drawing.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace rankscope {

namespace {

struct DrawingLayout {
  double width;
  double labels;
  double value; // each of the three columns of numbers beside the bars
};
constexpr DrawingLayout kWidePage{kChartWidth, 230, 110};
constexpr DrawingLayout kNarrowPage{kNarrowChartWidth, 196, 76};
constexpr double kBar = 13;
constexpr double kDot = 8;
// Parts of the step below this share of it are one row.
constexpr double kSmallPart = 0.005;

constexpr std::array<std::string_view, 10> kTables{
    "compare_classes", "compare_modules",  "compare_operators", "compare_kernels",    "compare_collectives",
    "compare_ranks",   "compare_parallel", "compare_findings",  "compare_statistics", "compare_steps"};

std::string nanosecondsText(double time) {
  return durationText(rounded(time));
}

std::string changeText(double time) {
  return signedDurationText(rounded(time));
}

std::string sideText(const SideFacts& side) {
  const std::size_t ranks = side.identity.ranks.size();
  std::string text =
      ranks == 1 ? fmt::format("rank {}", side.identity.ranks.front()) : fmt::format("{} ranks", ranks);
  if (side.areSteps)
    text += fmt::format(" · {} of {} step{}", side.keptCount(), side.samples.size(),
                        side.samples.size() == 1 ? "" : "s");
  if (side.identity.cycles > 1) text += fmt::format(" · {} captures", side.identity.cycles);
  if (!side.identity.devices.empty()) text += " · " + side.identity.devices;
  text +=
      fmt::format(" · {} {}", nanosecondsText(side.meanDuration()), side.areSteps ? "a step" : "recorded");
  return text;
}

std::string headOf(const Comparison& comparison) {
  std::string html;
  for (const auto& [name, side] : {std::pair("A", &comparison.a), std::pair("B", &comparison.b)})
    html += fmt::format("<p><b>{} {}</b> <span class=\"muted\">{}</span></p>\n", name,
                        htmlText(side->identity.job.empty() ? "unnamed job" : side->identity.job),
                        htmlProse(sideText(*side)));
  const std::string_view level = comparison.verdict == Verdict::Regression ? "critical" : "";
  std::string word(verdictText(comparison.verdict));
  std::ranges::replace(word, '_', ' ');
  html += fmt::format(
      "<div class=\"finding {}\"><div class=\"head\"><b>{}</b><span class=\"cost\">{}</span></div>\n"
      "<p>{}</p>",
      level, htmlProse(verdictSentence(comparison)), word, htmlProse(verdictExplanation(comparison)));
  for (const auto& [name, side] : {std::pair("A", &comparison.a), std::pair("B", &comparison.b)}) {
    const std::string left = stepsLeftOut(*side);
    if (!left.empty()) html += fmt::format("<p class=\"muted\">{} leaves out {}</p>", name, htmlProse(left));
  }
  for (const std::string& caution : comparison.cautions)
    html += fmt::format("<p class=\"muted\">Caution: {}</p>", htmlProse(caution));
  return html + "</div>\n";
}

std::string factsOf(const Comparison& comparison) {
  std::string html = "<h2>What is compared</h2>\n<div class=\"table\"><table>"
                     "<tr><th></th><th>A</th><th>B</th><th></th></tr>\n";
  for (const ComparedFact& fact : comparison.facts) {
    if (fact.a.empty() && fact.b.empty()) continue; // neither recording says so
    html += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", htmlText(fact.name),
                        htmlText(fact.a), htmlText(fact.b), factStateText(fact.state));
  }
  return html + "</table></div>\n";
}

// Every step as a mark over its duration, those that were left out pale, with the medians.
std::string stepsDrawing(const Comparison& comparison, const DrawingLayout& layout) {
  double from = INFINITY;
  double to = 0;
  for (const SideFacts* side : {&comparison.a, &comparison.b}) {
    for (const SideSample& sample : side->samples) {
      from = std::min(from, sample.duration);
      to = std::max(to, sample.duration);
    }
  }
  // Where B's mean would be, by A's mean and the interval of the difference.
  const std::optional<WelchTest> test = comparison.interval();
  const double base = comparison.tests.a.mean;
  if (test) {
    from = std::min(from, base + test->low);
    to = std::max(to, base + test->high);
  }
  const double room = std::max((to - from) * 0.06, to * 0.005);
  from = std::max(0.0, from - room);
  to += room;
  const double plot = layout.width - layout.labels - 2 * kChartPadding;
  const auto xOf = [&](double time) {
    return layout.labels + (time - from) / std::max(1.0, to - from) * plot;
  };
  SvgDrawing drawing(layout.width, "Steps");
  double y = kChartPadding;
  for (const auto& [name, side] : {std::pair("A", &comparison.a), std::pair("B", &comparison.b)}) {
    const std::vector<double> kept = side->durations();
    const double median = summaryOf(kept).median;
    drawing.text(4, y + kChartBaseLine, fmt::format("{}: median {}", name, nanosecondsText(median)),
                 layout.labels - 10, "text");
    drawing.line(layout.labels, y + kChartRow / 2, layout.width - kChartPadding, y + kChartRow / 2, "rule");
    for (const SideSample& sample : side->samples)
      drawing.box({xOf(sample.duration) - kDot / 2, y + (kChartRow - kDot) / 2, kDot, kDot},
                  sample.kept() ? "forward" : "other pale",
                  fmt::format("step {}: {}{}", sample.number, nanosecondsText(sample.duration),
                              sample.kept() ? "" : ", left out"));
    if (!kept.empty()) drawing.box({xOf(median) - 1, y, 2, kChartRow}, "text");
    y += kChartRow + kChartPadding;
  }
  if (test) {
    const double low = std::max(from, base + test->low);
    drawing.text(4, y + kChartBaseLine, "95 % interval of B's mean", layout.labels - 10, "muted");
    drawing.box({xOf(low), y + (kChartRow - 3) / 2, std::max(2.0, xOf(base + test->high) - xOf(low)), 3},
                "forward",
                fmt::format("difference of the means between {} and {}", changeText(test->low),
                            changeText(test->high)));
    y += kChartRow;
  }
  for (const double at : {from, (from + to) / 2, to})
    drawing.text(std::clamp(xOf(at), layout.labels + 30, layout.width - 40), y + kChartBaseLine - 2,
                 nanosecondsText(at), 90, "muted", SvgAlign::Middle);
  return drawing.markup(y + kChartRow);
}

struct Bar {
  std::string title;
  double a = 0;
  double b = 0;
};

// Compute and memcpy as a whole, of the others each cause that matters.
std::vector<Bar> barsOf(const Comparison& comparison) {
  std::vector<Bar> bars;
  const double least = kSmallPart * std::max(comparison.a.meanDuration(), comparison.b.meanDuration());
  for (std::size_t i = 0; i < comparison.classes.size(); ++i) {
    const ComparedClass& whole = comparison.classes[i];
    if (whole.leaf || (whole.a == 0 && whole.b == 0)) continue;
    const std::string_view name = timeClassTitle(whole.timeClass);
    std::string title(name);
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
    const bool split =
        whole.timeClass == TimeClass::ExposedCommunication || whole.timeClass == TimeClass::Idle;
    if (!split) {
      bars.push_back({title, whole.a, whole.b});
      continue;
    }
    Bar rest{fmt::format("Other {}", name), 0, 0};
    for (std::size_t l = i + 1; l < comparison.classes.size() && comparison.classes[l].leaf; ++l) {
      const ComparedClass& leaf = comparison.classes[l];
      if (std::max(leaf.a, leaf.b) >= least) {
        bars.push_back({std::string(leafTitle(*leaf.leaf)), leaf.a, leaf.b});
        continue;
      }
      rest.a += leaf.a;
      rest.b += leaf.b;
    }
    if (rest.a != 0 || rest.b != 0) bars.push_back(rest);
  }
  return bars;
}

// From A's step to B's, on one scale that leaves out what all rows have in common.
std::string waterfallDrawing(const Comparison& comparison, const DrawingLayout& layout) {
  const std::vector<Bar> bars = barsOf(comparison);
  const double stepA = comparison.a.meanDuration();
  const double stepB = comparison.b.meanDuration();
  double low = std::min(stepA, stepB);
  double high = std::max(stepA, stepB);
  double at = stepA;
  for (const Bar& bar : bars) {
    at += bar.b - bar.a;
    low = std::min(low, at);
    high = std::max(high, at);
  }
  const double room = std::max((high - low) * 0.15, high * 0.01);
  low = std::max(0.0, low - room);
  high += room / 4;
  const double plot = layout.width - layout.labels - 3 * layout.value;
  const auto xOf = [&](double time) {
    return layout.labels + (time - low) / std::max(1.0, high - low) * plot;
  };
  const auto rightOf = [&](std::size_t column) {
    return layout.labels + plot + layout.value * static_cast<double>(column + 1) - 6;
  };
  SvgDrawing drawing(layout.width, "Step time from A to B");
  double y = kChartPadding;
  const auto row = [&](const std::string& title, double from, double to, std::string_view color,
                       const std::array<std::string, 3>& numbers) {
    drawing.text(4, y + kChartBaseLine, title, layout.labels - 10, "text");
    drawing.box({xOf(std::min(from, to)), y + (kChartRow - kBar) / 2,
                 std::max(1.5, std::abs(xOf(to) - xOf(from))), kBar},
                color);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      drawing.text(rightOf(i), y + kChartBaseLine, numbers[i], layout.value - 6, i == 2 ? "strong" : "muted",
                   SvgAlign::Right);
    y += kChartRow;
  };
  constexpr std::array<std::string_view, 3> kHeads{"A", "B", "B − A"};
  for (std::size_t i = 0; i < kHeads.size(); ++i)
    drawing.text(rightOf(i), y + kChartBaseLine, kHeads[i], layout.value, "muted", SvgAlign::Right);
  y += kChartRow;
  row("A", low, stepA, "other", {nanosecondsText(stepA), "", ""});
  at = stepA;
  for (const Bar& bar : bars) {
    const double next = at + bar.b - bar.a;
    row(bar.title, at, next, next > at ? "exposed" : "forward",
        {nanosecondsText(bar.a), nanosecondsText(bar.b), changeText(bar.b - bar.a)});
    at = next;
  }
  row("B", low, stepB, "text", {"", nanosecondsText(stepB), changeText(stepB - stepA)});
  return drawing.markup(y + kChartPadding);
}

std::string tablesOf(const Comparison& comparison, const CompareHtmlOptions& options) {
  std::string html;
  for (const std::string_view name : kTables) {
    const ResultTable table = compareTableSpec(name)->make(comparison);
    if (table.rowCount() == 0) continue;
    html += fmt::format("<h2>{}</h2>\n", compareTableTitle(name)) + htmlTable(table, options.maxRows);
    if (table.rowCount() > options.maxRows)
      html += fmt::format("<p class=\"muted\">The first {} of {} rows.</p>\n", options.maxRows,
                          groupedText(static_cast<std::int64_t>(table.rowCount())));
  }
  return html;
}

} // namespace

std::string comparisonHtml(const Comparison& comparison, std::span<const ReportPicture> pictures,
                           const CompareHtmlOptions& options) {
  std::string html = htmlPageBegin("Comparison", options.dark) + "<h1>Comparison</h1>\n" + headOf(comparison);
  if (comparison.a.areSteps && comparison.b.areSteps)
    html +=
        htmlFigure("Steps",
                   "Each mark is a step; the strokes are the medians, the bar is the interval of B's mean "
                   "seen from A's.",
                   stepsDrawing(comparison, kWidePage), stepsDrawing(comparison, kNarrowPage));
  html += htmlFigure("Step time from A to B", "Mean of the kept steps; a part of B less that of A.",
                     waterfallDrawing(comparison, kWidePage), waterfallDrawing(comparison, kNarrowPage));
  for (const ReportPicture& picture : pictures)
    html += htmlFigure({}, picture.caption, htmlImage(picture.title, picture.mimeType, picture.base64));
  html += factsOf(comparison) + tablesOf(comparison, options);
  return html + std::string(htmlPageEnd());
}

} // namespace rankscope

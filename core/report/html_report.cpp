// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/html_report.h"

#include "core/analysis/job/scope.h"
#include "core/base/unit_text.h"
#include "core/model/rank_digest.h"
#include "core/report/digest_tables.h"
#include "core/report/efficiency_view.h"
#include "core/report/findings_table.h"
#include "core/report/graph_charts.h"
#include "core/report/html_page.h"
#include "core/report/job_totals.h"
#include "core/report/key_figures.h"
#include "core/report/report_charts.h"
#include "core/report/summary_json.h"
#include "core/report/summary_parts.h"
#include "core/report/tables.h"
#include "core/report/timeline_drawing.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace rankscope {

namespace {

struct Section {
  std::string_view table;
  std::string_view title;
  std::string_view note = {};
};

constexpr std::array kSections{Section{"ranks", "Ranks",
                                       "Step mean is of the kept steps. Other times are totals of the "
                                       "recording, from its first to its last device activity."},
                               Section{"steps", "Steps"},
                               Section{"collectives", "Collectives"},
                               Section{"kernel_totals", "Kernels"},
                               Section{"operators", "Operators"},
                               Section{"memory", "Memory"},
                               Section{"gaps", "Idle gaps"},
                               Section{"critical_path_summary", "Critical path"},
                               Section{"what_if", "What if"},
                               Section{"slowdown", "Slowdown"},
                               Section{"files", "Files"}};

std::string headOf(const Analysis& analysis, const HtmlReportOptions& options) {
  const JobTotals totals = jobTotals(analysis);
  const auto counted = [](std::int64_t count, std::string_view one, std::string_view many) {
    return countText(count) + " " + std::string(count == 1 ? one : many);
  };
  std::string line = counted(totals.distinctRanks, "rank", "ranks");
  if (analysis.trace().hostCount() > 0)
    line += " · " + counted(static_cast<std::int64_t>(analysis.trace().hostCount()), "host", "hosts");
  if (totals.steps > 0) line += " · " + counted(totals.steps, "step", "steps");
  line += " · " + counted(static_cast<std::int64_t>(totals.events), "event", "events");
  if (isOfRange(analysis)) line += " in the whole recordings";
  line += " · " + bytesText(static_cast<std::int64_t>(totals.bytes));
  line += " · " + recordedText(analysis);
  const std::string_view scope = options.scope.empty() ? std::string_view("Whole trace") : options.scope;
  return fmt::format("<h1>{}</h1>\n<p class=\"muted\">{}</p>\n<p class=\"muted\">{} · Rankscope {}</p>\n",
                     htmlText(analysis.trace().jobName()), htmlProse(line), htmlProse(scope),
                     RANKSCOPE_VERSION);
}

// Its lines break before options only, so that no option is apart from its value.
std::string commandOf(const std::string& command) {
  if (command.empty()) return {};
  std::string html = htmlText(command);
  constexpr std::string_view kOption = " --";
  constexpr std::string_view kBreak = "</span> <span>--";
  for (std::size_t at = html.find(kOption); at != std::string::npos;
       at = html.find(kOption, at + kBreak.size()))
    html.replace(at, kOption.size(), kBreak);
  return fmt::format("<code><span>{}</span></code>\n", html);
}

// Beside the key figures of the Overview, which do not read the arguments of operators.
std::string mfuCard(const JobReport& report) {
  if (!knowsEfficiency(report, report.efficiencySettings())) return {};
  const MfuText text = mfuText(efficiencyFigures(report, report.efficiencySettings()));
  return fmt::format("<div class=\"card fine\" title=\"Model FLOPs utilization: FLOPs without recomputation "
                     "over step time and peak, over all ranks and kept steps\">MFU<b>{}</b><span "
                     "class=\"muted\">{}</span></div>\n",
                     text.value.empty() ? "–" : htmlProse(text.value), htmlNarrowText(text.note));
}

std::string keyFigureCards(const JobReport& report) {
  const auto texts =
      keyFigureTexts(overviewFigures(report.analysis(), report.account()), report.analysis().trace());
  std::string html = "<div class=\"cards\">\n";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto figure = static_cast<KeyFigure>(i);
    const std::string_view severity = texts[i].severity ? severityText(*texts[i].severity) : "fine";
    std::string definition(keyFigureDefinition(figure));
    if (!texts[i].more.empty()) definition += " " + texts[i].more;
    html +=
        fmt::format("<div class=\"card {}\" title=\"{}\">{}<b>{}</b><span class=\"muted\">{}</span></div>\n",
                    severity, htmlText(definition), htmlText(keyFigureTitle(figure)),
                    texts[i].value.empty() ? "–" : htmlProse(texts[i].value), htmlNarrowText(texts[i].note));
  }
  return html + mfuCard(report) + "</div>\n";
}

std::string findingCard(const JobReport& report, std::size_t position, const HtmlReportOptions& options) {
  const Finding& finding = report.findings()[position];
  const std::string cost = findingCostText(report, finding);
  const std::string title = titleWithoutCost(finding.title, finding.gain ? gainText(*finding.gain) : cost);
  std::string html = fmt::format(
      "<div class=\"finding {}\"><div class=\"head\"><b>{}. {}</b><span class=\"cost\">{}</span></div>\n"
      "<p class=\"muted\">{}</p><p>{}</p>",
      severityText(finding.severity), position + 1, htmlProse(title), htmlProse(cost),
      htmlProse(findingPlaceText(report.analysis(), finding)), htmlProse(finding.evidence));
  if (!finding.fix.empty()) html += fmt::format("<p class=\"fix\">Fix: {}</p>", htmlProse(finding.fix));
  if (const AcceptedFinding* const as = acceptedAs(report, finding, options.accepted))
    html +=
        fmt::format("<p class=\"muted\">Accepted{}{}</p>", as->note.empty() ? "" : ": ", htmlText(as->note));
  return html + commandOf(options.commands.ofFinding(report, position)) + "</div>\n";
}

std::string findingCards(const JobReport& report, const HtmlReportOptions& options) {
  std::string html = fmt::format("<h2>Findings ({})</h2>\n", report.findings().size());
  if (const std::string note = costsNote(report.analysis()); !report.findings().empty() && !note.empty())
    html += fmt::format("<p class=\"muted\">{}</p>\n", htmlText(note));
  for (std::size_t i = 0; i < report.findings().size(); ++i) html += findingCard(report, i, options);
  if (!report.findings().empty()) return html;
  html += "<p>No findings. Checks:</p>\n<ul>\n";
  for (const FindingKind kind : checkedKinds(report))
    html += fmt::format("<li>{}</li>\n", htmlText(findingKindTitle(kind)));
  return html + "</ul>\n";
}

// What the first finding is about.
std::string timelineOf(const JobReport& report, const OpenCommands& commands) {
  const Finding* const first = report.findings().empty() ? nullptr : &report.findings().front();
  const auto drawing = timelineDrawing(report, first);
  const auto place = timelinePlace(report.analysis(), first);
  if (!drawing || !place) return {};
  return htmlFigure(drawing->title, drawing->caption, drawing->svg, drawing->narrow) +
         commandOf(commands.ofRange(report, place->range));
}

// The window draws the title of a chart into its picture.
std::string pictureOf(const JobReport& report, const ReportPicture& picture, const OpenCommands& commands) {
  const auto image = [&picture](const std::string& base64) {
    return base64.empty() ? std::string() : htmlImage(picture.title, picture.mimeType, base64);
  };
  return htmlFigure({}, picture.caption, image(picture.base64), image(picture.narrow)) +
         (picture.tab.empty() ? std::string() : commandOf(commands.ofTab(report, picture.tab)));
}

std::string chartsOf(const JobReport& report, std::span<const ReportPicture> pictures,
                     const OpenCommands& commands) {
  std::string html;
  for (const ReportPicture& picture : pictures) html += pictureOf(report, picture, commands);
  if (!pictures.empty()) return html;
  std::vector<ReportChart> charts = reportCharts(report);
  std::ranges::move(graphCharts(report), std::back_inserter(charts));
  for (const ReportChart& chart : charts)
    html += htmlFigure(chart.title, chart.caption, chart.svg, chart.narrow) +
            commandOf(commands.ofTab(report, chart.tab));
  return html;
}

std::string sectionOf(const JobReport& report, const Section& section, const HtmlReportOptions& options) {
  const TableSpec* const spec = tableSpec(section.table);
  if (spec != nullptr && !whyAbsent(report, *spec).empty()) return {};
  const ResultTable table = spec != nullptr ? spec->make(report) : kernelTotalsTable(report.analysis());
  if (table.rowCount() == 0) return {};
  std::string html = fmt::format("<h2>{}</h2>\n", section.title);
  if (!section.note.empty()) html += fmt::format("<p class=\"muted\">{}</p>\n", htmlProse(section.note));
  html += htmlTable(table, options.maxRows);
  if (table.rowCount() > options.maxRows)
    html += fmt::format("<p class=\"muted\">The first {} of {} rows.</p>\n", options.maxRows,
                        groupedText(static_cast<std::int64_t>(table.rowCount())));
  const std::string_view name = spec != nullptr ? section.table : std::string_view("kernels");
  return html + commandOf(options.commands.ofTable(report, name));
}

std::string definitionsOf() {
  std::string html = "<details><summary>Definitions</summary><dl>\n";
  for (const auto& [name, meaning] : definitions())
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", htmlText(name), htmlProse(meaning));
  return html + "</dl></details>\n";
}

} // namespace

std::string htmlReport(const JobReport& report, std::span<const ReportPicture> pictures,
                       const HtmlReportOptions& options) {
  const Analysis& analysis = report.analysis();
  std::string html = htmlPageBegin(analysis.trace().jobName(), options.dark);
  html += headOf(analysis, options) + keyFigureCards(report) + findingCards(report, options);
  html += timelineOf(report, options.commands) + chartsOf(report, pictures, options.commands);
  for (const Section& section : kSections) html += sectionOf(report, section, options);
  return html + definitionsOf() + std::string(htmlPageEnd());
}

} // namespace rankscope

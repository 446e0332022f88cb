// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/html_report.h"

#include "core/base/unit_text.h"
#include "core/export/cell_text.h"
#include "core/report/digest_tables.h"
#include "core/report/findings_table.h"
#include "core/report/graph_charts.h"
#include "core/report/job_totals.h"
#include "core/report/key_figures.h"
#include "core/report/report_charts.h"
#include "core/report/summary_json.h"
#include "core/report/tables.h"
#include "core/report/timeline_drawing.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace rankscope {

namespace {

constexpr std::string_view kStyle = R"(
:root { --ground: #f6f7f9; --panel: #ffffff; --line: #d5dbe5; --text: #1a202b; --muted: #566173;
  --bad: #cf2438; --warn: #b06c00; --info: #1b6fd8; --good: #0f8557; --kernel: #52b47e; --exposed: #f5783f;
  --communication: #a493f5; --copy: #d6a377; --idle: #dfe4ec; --forward: #6aabf7; --backward: #4cc3ae;
  --optimizer: #ebb752; --dataloader: #b9c663; --annotation: #a9b7cd; --operator: #b2c0d3; --python: #c3cce4;
  --runtime: #cfd5de; --other: #939daf; --on: #10151d; --place: #1b6fd822; }
:root.dark { --ground: #14171c; --panel: #1a1e25; --line: #2c333f; --text: #e6e9ef; --muted: #8d97a8;
  --bad: #ff5563; --warn: #ffb02e; --info: #5aa9ff; --good: #3ecf8e; --kernel: #57b67a; --exposed: #ff7a45;
  --communication: #8f7cf0; --copy: #b98557; --idle: #39414f; --forward: #4f9cf9; --backward: #2fb8a0;
  --optimizer: #e2a93b; --dataloader: #a9b84a; --annotation: #8f9db5; --operator: #8496ae; --python: #8793b3;
  --runtime: #7f8b9c; --other: #5b6575; --on: #0d1117; --place: #5aa9ff2e; }
body { background: var(--ground); color: var(--text); font: 14px/1.45 Inter, system-ui, sans-serif;
  margin: 0 auto; max-width: 1200px; padding: 24px; }
h1 { font-size: 22px; margin: 0; overflow-wrap: anywhere; } h2 { font-size: 16px; margin: 28px 0 10px; }
p { margin: 4px 0; overflow-wrap: break-word; } .muted { color: var(--muted); }
code { color: var(--muted); display: block; font: 12px/1.5 "JetBrains Mono", ui-monospace, monospace;
  margin: 4px 0; overflow-wrap: anywhere; white-space: pre-wrap; user-select: all; }
.cards { display: grid; gap: 10px; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr));
  margin-top: 18px; }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; }
.card b { display: block; font-size: 22px; font-weight: 600; }
.card.warning b { color: var(--warn); } .card.critical b { color: var(--bad); }
.finding { background: var(--panel); border-left: 4px solid var(--info); border-radius: 6px; margin: 8px 0;
  padding: 10px 14px; }
.finding.warning { border-color: var(--warn); } .finding.critical { border-color: var(--bad); }
.head { display: flex; flex-wrap: wrap; gap: 0 16px; justify-content: space-between; }
.head b { flex: 1 1 320px; overflow-wrap: break-word; } .cost { font-weight: 600; }
.fix { color: var(--good); }
figure { margin: 14px 0; } figcaption { color: var(--muted); margin-bottom: 4px; }
figure img, figure svg { background: var(--panel); border: 1px solid var(--line); border-radius: 8px;
  box-sizing: border-box; display: block; height: auto; max-width: 100%; }
figure svg { font: 12px Inter, system-ui, sans-serif; width: 100%; }
.table { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; overflow-x: auto; }
table { border-collapse: collapse; font-size: 12px; white-space: nowrap; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: 4px 9px; text-align: left; }
th { color: var(--muted); font-weight: 500; } tr:last-child td { border-bottom: none; }
.n { font-variant-numeric: tabular-nums; text-align: right; }
td.t { max-width: 420px; overflow: hidden; text-overflow: ellipsis; }
details { margin-top: 28px; } dt { font-weight: 600; margin-top: 6px; } dd { color: var(--muted); margin: 0; }
@media print { body { max-width: none; } .finding, figure { break-inside: avoid; } }
)";

// Colors of drawings: a class for the fill of boxes and texts, and for lines.
constexpr std::array<std::string_view, 20> kFills{
    "text",    "muted",    "good",      "kernel",     "exposed",    "communication", "copy",   "idle",
    "forward", "backward", "optimizer", "dataloader", "annotation", "operator",      "python", "runtime",
    "other",   "on",       "place",     "bad"};

std::string drawingStyle() {
  std::string style;
  for (const std::string_view fill : kFills) style += fmt::format("svg .{0}{{fill:var(--{0})}}", fill);
  return style + "svg .strong{fill:var(--text);font-weight:600}svg .pale{opacity:.5}"
                 "svg .rule{stroke:var(--line)}svg .tick{stroke:var(--other)}"
                 "svg .step{stroke:var(--muted);stroke-dasharray:2 3}";
}

struct Section {
  std::string_view table;
  std::string_view title;
};

constexpr std::array kSections{Section{"ranks", "Ranks"},
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
  line += " · " + bytesText(static_cast<std::int64_t>(totals.bytes));
  line += " · " + durationText(analysis.extent().length()) + " recorded";
  const std::string_view scope = options.scope.empty() ? std::string_view("Whole trace") : options.scope;
  return fmt::format("<h1>{}</h1>\n<p class=\"muted\">{}</p>\n<p class=\"muted\">{} · Rankscope {}</p>\n",
                     htmlText(analysis.trace().jobName()), htmlText(line), htmlText(scope),
                     RANKSCOPE_VERSION);
}

std::string commandOf(const std::string& command) {
  return command.empty() ? std::string() : fmt::format("<code>{}</code>\n", htmlText(command));
}

std::string keyFigureCards(const JobReport& report) {
  const auto texts =
      keyFigureTexts(overviewFigures(report.analysis(), report.account()), report.analysis().trace());
  std::string html = "<div class=\"cards\">\n";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto figure = static_cast<KeyFigure>(i);
    const std::string_view severity = texts[i].severity ? severityText(*texts[i].severity) : "fine";
    html +=
        fmt::format("<div class=\"card {}\" title=\"{}\">{}<b>{}</b><span class=\"muted\">{}</span></div>\n",
                    severity, htmlText(keyFigureDefinition(figure)), htmlText(keyFigureTitle(figure)),
                    texts[i].value.empty() ? "–" : htmlText(texts[i].value), htmlText(texts[i].note));
  }
  return html + "</div>\n";
}

std::string findingCard(const JobReport& report, std::size_t position, const HtmlReportOptions& options) {
  const Finding& finding = report.findings()[position];
  const std::string cost = findingCostText(report, finding);
  const std::string title = titleWithoutCost(finding.title, finding.gain ? gainText(*finding.gain) : cost);
  std::string html = fmt::format(
      "<div class=\"finding {}\"><div class=\"head\"><b>{}. {}</b><span class=\"cost\">{}</span></div>\n"
      "<p class=\"muted\">{}</p><p>{}</p>",
      severityText(finding.severity), position + 1, htmlText(title), htmlText(cost),
      htmlText(findingPlaceText(report.analysis(), finding)), htmlText(finding.evidence));
  if (!finding.fix.empty()) html += fmt::format("<p class=\"fix\">Fix: {}</p>", htmlText(finding.fix));
  if (const AcceptedFinding* const as = acceptedAs(report, finding, options.accepted))
    html +=
        fmt::format("<p class=\"muted\">Accepted{}{}</p>", as->note.empty() ? "" : ": ", htmlText(as->note));
  return html + commandOf(options.commands.ofFinding(report, position)) + "</div>\n";
}

std::string findingCards(const JobReport& report, const HtmlReportOptions& options) {
  std::string html = fmt::format("<h2>Findings ({})</h2>\n", report.findings().size());
  for (std::size_t i = 0; i < report.findings().size(); ++i) html += findingCard(report, i, options);
  if (!report.findings().empty()) return html;
  html += "<p>No findings. Checks:</p>\n<ul>\n";
  for (const FindingKind kind : checkedKinds(report))
    html += fmt::format("<li>{}</li>\n", htmlText(findingKindTitle(kind)));
  return html + "</ul>\n";
}

std::string figureOf(std::string_view title, std::string_view caption, std::string_view picture,
                     const std::string& command) {
  return fmt::format("<figure><figcaption><b>{}</b> {}</figcaption>\n{}\n{}</figure>\n", htmlText(title),
                     htmlText(caption), picture, commandOf(command));
}

// What the first finding is about.
std::string timelineOf(const JobReport& report, const OpenCommands& commands) {
  const Finding* const first = report.findings().empty() ? nullptr : &report.findings().front();
  const auto drawing = timelineDrawing(report, first);
  const auto place = timelinePlace(report.analysis(), first);
  if (!drawing || !place) return {};
  return figureOf(drawing->title, drawing->caption, drawing->svg, commands.ofRange(report, place->range));
}

std::string pictureOf(const JobReport& report, const ReportPicture& picture, const OpenCommands& commands) {
  const std::string image = fmt::format("<img alt=\"{}\" src=\"data:{};base64,{}\">", htmlText(picture.title),
                                        htmlText(picture.mimeType), htmlText(picture.base64));
  return figureOf(picture.title, picture.caption, image,
                  picture.tab.empty() ? std::string() : commands.ofTab(report, picture.tab));
}

std::string chartsOf(const JobReport& report, std::span<const ReportPicture> pictures,
                     const OpenCommands& commands) {
  std::string html;
  for (const ReportPicture& picture : pictures) html += pictureOf(report, picture, commands);
  if (!pictures.empty()) return html;
  std::vector<ReportChart> charts = reportCharts(report);
  std::ranges::move(graphCharts(report), std::back_inserter(charts));
  for (const ReportChart& chart : charts)
    html += figureOf(chart.title, chart.caption, chart.svg, commands.ofTab(report, chart.tab));
  return html;
}

// Columns that have a value in any of the rows.
std::vector<std::size_t> columnsShown(const ResultTable& table, std::size_t rows) {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < table.columns().size(); ++column) {
    std::size_t row = 0;
    while (row < rows && table.isEmpty(row, column)) ++row;
    if (row < rows) columns.push_back(column);
  }
  return columns;
}

// Title of a column: its name without the unit, which is shown in the cells.
std::string titleOf(std::string_view name) {
  for (const std::string_view unit : {"_us", "_bytes", "_pct", "_gb_s"}) {
    if (name.ends_with(unit)) name.remove_suffix(unit.size());
  }
  std::string title(name);
  std::ranges::replace(title, '_', ' ');
  return title;
}

std::string rowsOf(const ResultTable& table, std::size_t maxRows) {
  const std::size_t rows = std::min(maxRows, table.rowCount());
  const std::vector<std::size_t> columns = columnsShown(table, rows);
  std::string html = "<div class=\"table\"><table><tr>";
  for (const std::size_t column : columns) {
    const TableColumn& of = table.columns()[column];
    html += fmt::format("<th{}>{}</th>", of.alignsRight() ? " class=\"n\"" : "", htmlText(titleOf(of.name)));
  }
  html += "</tr>\n";
  for (std::size_t row = 0; row < rows; ++row) {
    html += "<tr>";
    for (const std::size_t column : columns) {
      const std::string text = htmlText(cellText(table, row, column));
      if (table.columns()[column].alignsRight())
        html += fmt::format("<td class=\"n\">{}</td>", text);
      else
        html += fmt::format("<td class=\"t\" title=\"{}\">{}</td>", text, text);
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string sectionOf(const JobReport& report, const Section& section, const HtmlReportOptions& options) {
  const TableSpec* const spec = tableSpec(section.table);
  if (spec != nullptr && !whyAbsent(report, *spec).empty()) return {};
  const ResultTable table = spec != nullptr ? spec->make(report) : kernelTotalsTable(report.analysis());
  if (table.rowCount() == 0) return {};
  std::string html = fmt::format("<h2>{}</h2>\n", section.title) + rowsOf(table, options.maxRows);
  if (table.rowCount() > options.maxRows)
    html += fmt::format("<p class=\"muted\">The first {} of {} rows.</p>\n", options.maxRows,
                        groupedText(static_cast<std::int64_t>(table.rowCount())));
  const std::string_view name = spec != nullptr ? section.table : std::string_view("kernels");
  return html + commandOf(options.commands.ofTable(report, name));
}

std::string definitionsOf() {
  std::string html = "<details><summary>Definitions</summary><dl>\n";
  for (const auto& [name, meaning] : definitions())
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", htmlText(name), htmlText(meaning));
  return html + "</dl></details>\n";
}

} // namespace

std::string htmlReport(const JobReport& report, std::span<const ReportPicture> pictures,
                       const HtmlReportOptions& options) {
  const Analysis& analysis = report.analysis();
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"{}>\n<head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'\">\n<title>{} – Rankscope</title>\n<style>{}{}</style></head>\n<body>\n",
      options.dark ? " class=\"dark\"" : "", htmlText(analysis.trace().jobName()), kStyle, drawingStyle());
  html += headOf(analysis, options) + keyFigureCards(report) + findingCards(report, options);
  html += timelineOf(report, options.commands) + chartsOf(report, pictures, options.commands);
  for (const Section& section : kSections) html += sectionOf(report, section, options);
  return html + definitionsOf() + "</body>\n</html>\n";
}

} // namespace rankscope

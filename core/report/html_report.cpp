// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/html_report.h"

#include "core/base/unit_text.h"
#include "core/base/utf8.h"
#include "core/export/cell_text.h"
#include "core/report/findings_table.h"
#include "core/report/job_totals.h"
#include "core/report/summary_json.h"
#include "core/report/tables.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace rankscope {

namespace {

constexpr std::string_view kStyle = R"(
:root { --ground: #f6f7f9; --panel: #ffffff; --line: #d5dbe5; --text: #1a202b; --muted: #566173;
  --bad: #cf2438; --warn: #b06c00; --info: #1b6fd8; --good: #0f8557; }
:root.dark { --ground: #14171c; --panel: #1a1e25; --line: #2c333f; --text: #e6e9ef; --muted: #8d97a8;
  --bad: #ff5563; --warn: #ffb02e; --info: #5aa9ff; --good: #3ecf8e; }
body { background: var(--ground); color: var(--text); font: 14px/1.45 Inter, system-ui, sans-serif;
  margin: 0 auto; max-width: 1200px; padding: 24px; }
h1 { font-size: 22px; margin: 0; overflow-wrap: anywhere; } h2 { font-size: 16px; margin: 28px 0 10px; }
p { margin: 4px 0; overflow-wrap: anywhere; } .muted { color: var(--muted); }
.finding { background: var(--panel); border-left: 4px solid var(--info); border-radius: 6px; margin: 8px 0;
  padding: 10px 14px; }
.finding.warning { border-color: var(--warn); } .finding.critical { border-color: var(--bad); }
.finding b { overflow-wrap: anywhere; } .cost { float: right; margin-left: 12px; font-weight: 600; }
.fix { color: var(--good); }
figure { margin: 14px 0; } figure img { border: 1px solid var(--line); border-radius: 8px; max-width: 100%; }
figcaption { color: var(--muted); margin-bottom: 4px; }
.table { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; overflow-x: auto; }
table { border-collapse: collapse; font-size: 12px; white-space: nowrap; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: 4px 9px; text-align: left; }
th { color: var(--muted); font-weight: 500; } tr:last-child td { border-bottom: none; }
.n { font-variant-numeric: tabular-nums; text-align: right; }
td.t { max-width: 420px; overflow: hidden; text-overflow: ellipsis; }
details { margin-top: 28px; } dt { font-weight: 600; margin-top: 6px; } dd { color: var(--muted); margin: 0; }
)";

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

std::string findingCards(const JobReport& report) {
  const Analysis& analysis = report.analysis();
  std::string html = fmt::format("<h2>Findings ({})</h2>\n", report.findings().size());
  for (const Finding& finding : report.findings()) {
    html += fmt::format("<div class=\"finding {}\"><span class=\"cost\">{}</span><b>{}</b>\n"
                        "<p class=\"muted\">{}</p><p>{}</p>",
                        severityText(finding.severity), htmlText(findingCostText(report, finding)),
                        htmlText(finding.title), htmlText(findingPlaceText(analysis, finding)),
                        htmlText(finding.evidence));
    if (!finding.fix.empty()) html += fmt::format("<p class=\"fix\">Fix: {}</p>", htmlText(finding.fix));
    html += "</div>\n";
  }
  if (!report.findings().empty()) return html;
  html += "<p>No findings. Checks:</p>\n<ul>\n";
  for (int kind = 0; kind < kFindingKindCount; ++kind)
    html += fmt::format("<li>{}</li>\n", htmlText(findingKindTitle(static_cast<FindingKind>(kind))));
  return html + "</ul>\n";
}

std::string pictureOf(const ReportPicture& picture) {
  return fmt::format("<figure><figcaption><b>{}</b> {}</figcaption>"
                     "<img alt=\"{}\" src=\"data:{};base64,{}\"></figure>\n",
                     htmlText(picture.title), htmlText(picture.caption), htmlText(picture.title),
                     htmlText(picture.mimeType), htmlText(picture.base64));
}

// Columns in which no row has anything stay away.
std::vector<std::size_t> columnsShown(const ResultTable& table, std::size_t rows) {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < table.columns().size(); ++column) {
    std::size_t row = 0;
    while (row < rows && table.isEmpty(row, column)) ++row;
    if (row < rows) columns.push_back(column);
  }
  return columns;
}

// A column's title is its name without the unit, which is in the cells.
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

std::string sectionOf(const JobReport& report, const Section& section, std::size_t maxRows) {
  const TableSpec* const spec = tableSpec(section.table);
  const ResultTable table = spec != nullptr ? spec->make(report) : kernelTotalsTable(report.analysis());
  if (table.rowCount() == 0) return {};
  std::string html = fmt::format("<h2>{}</h2>\n", section.title) + rowsOf(table, maxRows);
  if (table.rowCount() > maxRows)
    html += fmt::format("<p class=\"muted\">The first {} of {} rows.</p>\n", maxRows,
                        groupedText(static_cast<std::int64_t>(table.rowCount())));
  return html;
}

std::string definitionsOf() {
  std::string html = "<details><summary>Definitions</summary><dl>\n";
  for (const auto& [name, meaning] : definitions())
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", htmlText(name), htmlText(meaning));
  return html + "</dl></details>\n";
}

} // namespace

std::string htmlText(std::string_view text) {
  std::string html;
  for (const char c : validUtf8(text)) {
    switch (c) {
    case '&':
      html += "&amp;";
      break;
    case '<':
      html += "&lt;";
      break;
    case '>':
      html += "&gt;";
      break;
    case '"':
      html += "&quot;";
      break;
    case '\'':
      html += "&#39;";
      break;
    default:
      html += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  return html;
}

std::string htmlReport(const JobReport& report, std::span<const ReportPicture> pictures,
                       const HtmlReportOptions& options) {
  const Analysis& analysis = report.analysis();
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"{}>\n<head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'\">\n<title>{} – Rankscope</title>\n<style>{}</style></head>\n<body>\n",
      options.dark ? " class=\"dark\"" : "", htmlText(analysis.trace().jobName()), kStyle);
  html += headOf(analysis, options) + findingCards(report);
  for (const ReportPicture& picture : pictures) html += pictureOf(picture);
  for (const Section& section : kSections) html += sectionOf(report, section, options.maxRows);
  return html + definitionsOf() + "</body>\n</html>\n";
}

} // namespace rankscope

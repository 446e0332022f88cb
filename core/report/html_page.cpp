// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/html_page.h"

#include "core/report/column_texts.h"
#include "core/report/html_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

namespace rankscope {

namespace {

// Inter draws the x of 128x64 as a multiplication sign where ligatures depend on what is beside a letter.
constexpr std::string_view kStyle = R"(
:root { --ground: #f6f7f9; --panel: #ffffff; --line: #d5dbe5; --text: #1a202b; --muted: #566173;
  --bad: #cf2438; --warn: #965c00; --info: #1a67c8; --good: #0d784e; --kernel: #52b47e; --exposed: #f5783f;
  --communication: #a493f5; --copy: #d6a377; --idle: #dfe4ec; --forward: #6aabf7; --backward: #4cc3ae;
  --optimizer: #ebb752; --dataloader: #b9c663; --annotation: #a9b7cd; --operator: #b2c0d3; --python: #c3cce4;
  --runtime: #cfd5de; --other: #707d95; --on: #10151d; --place: #1a67c822; }
:root.dark { --ground: #14171c; --panel: #1a1e25; --line: #2c333f; --text: #e6e9ef; --muted: #8d97a8;
  --bad: #ff5563; --warn: #ffb02e; --info: #5aa9ff; --good: #3ecf8e; --kernel: #57b67a; --exposed: #ff7a45;
  --communication: #8f7cf0; --copy: #b98557; --idle: #39414f; --forward: #4f9cf9; --backward: #2fb8a0;
  --optimizer: #e2a93b; --dataloader: #a9b84a; --annotation: #8f9db5; --operator: #8496ae; --python: #8793b3;
  --runtime: #7f8b9c; --other: #707c8f; --on: #0d1117; --place: #5aa9ff2e; }
body { background: var(--ground); color: var(--text); font: 14px/1.45 Inter, system-ui, sans-serif;
  font-variant-ligatures: no-contextual; margin: 0 auto; max-width: 1200px; padding: 24px; }
h1 { font-size: 22px; margin: 0; overflow-wrap: anywhere; } h2 { font-size: 16px; margin: 28px 0 10px; }
p { margin: 4px 0; overflow-wrap: break-word; } .muted { color: var(--muted); }
code { color: var(--muted); display: block; font: 12px/1.5 "JetBrains Mono", ui-monospace, monospace;
  font-variant-ligatures: no-contextual; margin: 4px 0; overflow-x: auto; user-select: all; }
code span { display: inline-block; max-width: 100%; overflow-wrap: anywhere; white-space: normal; }
.cards { display: grid; gap: 10px; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr));
  margin-top: 18px; }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; overflow-wrap: anywhere;
  padding: 10px 14px; }
.card .word { display: inline-block; max-width: 100%; vertical-align: top; }
.card b { display: block; font-size: 22px; font-weight: 600; }
.card.warning b { color: var(--warn); } .card.critical b { color: var(--bad); }
.finding { background: var(--panel); border-left: 4px solid var(--info); border-radius: 6px; margin: 8px 0;
  padding: 10px 14px; }
.finding.warning { border-color: var(--warn); } .finding.critical { border-color: var(--bad); }
.head { display: flex; flex-wrap: wrap; gap: 0 16px; justify-content: space-between; }
.head b { flex: 1 1 320px; overflow-wrap: break-word; } .cost { font-weight: 600; }
.fix { color: var(--good); }
figure { margin: 14px 0; } figcaption { color: var(--muted); margin-bottom: 4px; }
.chart { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; overflow-x: auto; }
.chart img, .chart svg { display: block; height: auto; }
.chart img { max-width: 100%; }
.chart svg { font: 12px Inter, system-ui, sans-serif; font-variant-ligatures: no-contextual; width: 100%; }
.narrow { display: none; }
.chart.narrow svg { max-width: 900px; }
@media (max-width: 1180px) { .wide { display: none; } .narrow { display: block; } }
.table { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; overflow-x: auto; }
table { border-collapse: collapse; font-size: 12px; white-space: nowrap; width: 100%; }
th, td { border-bottom: 1px solid var(--line); padding: 4px 9px; text-align: left; }
th { color: var(--muted); font-weight: 500; }
th[title] { cursor: help; text-decoration: underline dotted var(--line) 1px; text-underline-offset: 4px; }
tr:last-child td { border-bottom: none; }
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

// The title of a column, with its definition and unit as a tooltip.
std::string headCell(const ResultTable& table, std::size_t column) {
  const TableColumn& of = table.columns()[column];
  std::string tip = columnDefinition(table.name(), of.name);
  const std::string_view unit = unitNote(of.unit);
  if (!tip.empty() && !unit.empty()) tip += ". ";
  tip += unit;
  return fmt::format("<th{}{}>{}</th>", of.alignsRight() ? " class=\"n\"" : "",
                     tip.empty() ? std::string() : fmt::format(" title=\"{}\"", htmlText(tip)),
                     htmlText(columnTitle(table, column)));
}

} // namespace

std::string htmlPageBegin(std::string_view title, bool dark) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"{}>\n<head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
      "style-src 'unsafe-inline'\">\n<title>{} – Rankscope</title>\n<style>{}{}</style></head>\n<body>\n",
      dark ? " class=\"dark\"" : "", htmlText(title), kStyle, drawingStyle());
}

std::string htmlFigure(std::string_view title, std::string_view caption, std::string_view picture,
                       std::string_view narrow) {
  std::string head = title.empty() ? std::string() : fmt::format("<b>{}</b> ", htmlProse(title));
  head += htmlProse(caption);
  if (!head.empty()) head = "<figcaption>" + head + "</figcaption>\n";
  if (narrow.empty())
    return fmt::format("<figure>{}<div class=\"chart\">{}</div>\n</figure>\n", head, picture);
  return fmt::format("<figure>{}<div class=\"chart wide\">{}</div>\n<div class=\"chart narrow\">{}</div>\n"
                     "</figure>\n",
                     head, picture, narrow);
}

std::string htmlImage(std::string_view title, std::string_view mimeType, std::string_view base64) {
  return fmt::format("<img alt=\"{}\" src=\"data:{};base64,{}\">", htmlText(title), htmlText(mimeType),
                     htmlText(base64));
}

std::string htmlTable(const ResultTable& table, std::size_t maxRows) {
  const std::size_t rows = std::min(maxRows, table.rowCount());
  const std::vector<std::size_t> columns = columnsShown(table, rows);
  std::string html = "<div class=\"table\"><table><tr>";
  for (const std::size_t column : columns) html += headCell(table, column);
  html += "</tr>\n";
  for (std::size_t row = 0; row < rows; ++row) {
    html += "<tr>";
    for (const std::size_t column : columns) {
      const std::string text = htmlText(shownText(table, row, column));
      if (table.columns()[column].alignsRight())
        html += fmt::format("<td class=\"n\">{}</td>", text);
      else
        html += fmt::format("<td class=\"t\" title=\"{}\">{}</td>", text, text);
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

} // namespace rankscope

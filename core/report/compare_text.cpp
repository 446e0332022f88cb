// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compare_text.h"

#include "core/base/unit_text.h"
#include "core/export/json.h"
#include "core/report/column_texts.h"
#include "core/report/compare_column_texts.h"
#include "core/report/compare_figures.h"
#include "core/report/compare_tables.h"
#include "core/report/leaf_texts.h"
#include "core/report/text_table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace rankscope {

namespace {

std::string sideLine(const SideFacts& side) {
  std::string text = side.identity.job.empty() ? std::string("unnamed job") : side.identity.job;
  const std::size_t ranks = side.identity.ranks.size();
  text +=
      ranks == 1 ? fmt::format(", rank {}", side.identity.ranks.front()) : fmt::format(", {} ranks", ranks);
  if (side.areSteps) {
    const std::size_t kept = side.keptCount();
    text += fmt::format(", {} of {} step{}", kept, side.samples.size(), side.samples.size() == 1 ? "" : "s");
  }
  if (side.identity.cycles > 1) text += fmt::format(", {} captures", side.identity.cycles);
  if (!side.identity.devices.empty()) text += ", " + side.identity.devices;
  return printableText(text);
}

std::string percentOrNothing(TimeNs part, TimeNs whole) {
  if (whole == 0) return {};
  return percentText(100 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string waterfallText(const Comparison& comparison) {
  const WholeClasses whole = wholeClasses(comparison);
  TextTable table({"<", "A", "B", "difference", "of the difference", "<"});
  const TimeNs delta = whole.stepB - whole.stepA;
  const auto row = [&](std::string title, TimeNs a, TimeNs b, std::string_view words = {}) {
    table.addRow({std::move(title), durationText(a), durationText(b), signedDurationText(b - a),
                  percentOrNothing(b - a, delta), std::string(words)});
  };
  row("step", whole.stepA, whole.stepB);
  for (std::size_t i = 0; i < comparison.classes.size(); ++i) {
    const ComparedClass& one = comparison.classes[i];
    if (one.leaf)
      row(fmt::format("    {}", leafText(*one.leaf)), whole.a[i], whole.b[i], leafTitle(*one.leaf));
    else
      row(fmt::format("  {}", timeClassTitle(one.timeClass)), whole.a[i], whole.b[i]);
  }
  return table.text();
}

// What of a table fits a terminal.
std::vector<std::size_t> columnsForText(const ResultTable& table) {
  constexpr std::array<std::string_view, 20> kShown = {
      "path",  "shapes", "operator",   "kernel_a",        "kernel_b",     "group",       "operation",
      "bytes", "rank",   "matched_by", "a_calls",         "b_calls",      "a_device_us", "b_device_us",
      "a_us",  "b_us",   "delta_us",   "contribution_us", "a_exposed_us", "b_exposed_us"};
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const std::string& name = table.columns()[i].name;
    const bool ofRanks = table.name() == "compare_ranks";
    if (ofRanks || std::ranges::find(kShown, name) != kShown.end()) columns.push_back(i);
  }
  return columns;
}

// The first rows of a table, with the columns that people read.
std::string tableText(const ResultTable& table, std::size_t maxRows) {
  const std::vector<std::size_t> columns = columnsForText(table);
  std::vector<std::string> titles;
  titles.reserve(columns.size());
  for (const std::size_t column : columns) {
    const std::string title = columnTitle(table, column);
    titles.push_back(table.columns()[column].alignsRight() ? title : "<" + title);
  }
  TextTable text(std::move(titles));
  for (std::size_t row = 0; row < std::min(maxRows, table.rowCount()); ++row) {
    std::vector<std::string> cells;
    cells.reserve(columns.size());
    for (const std::size_t column : columns)
      cells.push_back(printableText(shownText(table, row, column), 40));
    text.addRow(std::move(cells));
  }
  std::string result = text.text();
  if (table.rowCount() > maxRows)
    result += fmt::format("  {} more row{}\n", table.rowCount() - maxRows,
                          table.rowCount() == maxRows + 1 ? "" : "s");
  return result;
}

std::string factsText(const Comparison& comparison) {
  TextTable table({"<differs", "<A", "<B"});
  for (const ComparedFact& fact : comparison.facts) {
    if (fact.state == FactState::Differs)
      table.addRow({fact.name, printableText(fact.a, 60), printableText(fact.b, 60)});
  }
  return table.empty() ? std::string() : table.text() + "\n";
}

void addSide(JsonWriter& json, std::string_view name, const SideFacts& side) {
  json.beginObject(name);
  json.text("job", side.identity.job);
  json.beginArray("ranks");
  for (const int rank : side.identity.ranks) json.integer({}, rank);
  json.endArray();
  json.text("device", side.identity.devices);
  json.text("hosts", side.identity.hosts);
  json.integer("steps", static_cast<std::int64_t>(side.areSteps ? side.samples.size() : 0));
  json.integer("kept_steps", static_cast<std::int64_t>(side.areSteps ? side.keptCount() : 0));
  json.integer("captures", static_cast<std::int64_t>(side.identity.cycles));
  json.text("left_out", stepsLeftOut(side));
  json.endObject();
}

} // namespace

std::string stepsLeftOut(const SideFacts& side) {
  std::string text;
  for (const StepStatus status :
       {StepStatus::WarmUp, StepStatus::OtherKind, StepStatus::Cut, StepStatus::Twice}) {
    std::string numbers;
    for (const SideSample& sample : side.samples) {
      if (sample.status != status) continue;
      numbers += numbers.empty() ? "" : ", ";
      numbers += fmt::format("{}", sample.number);
    }
    if (numbers.empty()) continue;
    text += text.empty() ? "" : "; ";
    text += fmt::format("step {}: {}", numbers, stepStatusText(status));
  }
  return text;
}

std::string comparisonHead(const Comparison& comparison) {
  std::string text = "A  " + sideLine(comparison.a) + "\nB  " + sideLine(comparison.b) + "\n\n";
  text += factsText(comparison);
  text += verdictSentence(comparison) + "\n" + verdictExplanation(comparison) + "\n";
  for (const auto& [name, side] : {std::pair("A", &comparison.a), std::pair("B", &comparison.b)}) {
    const std::string left = stepsLeftOut(*side);
    if (!left.empty()) text += fmt::format("{} leaves out {}\n", name, left);
  }
  for (const std::string& caution : comparison.cautions) text += "Caution: " + printableText(caution) + "\n";
  return text;
}

std::string comparisonText(const Comparison& comparison, std::string_view by) {
  std::string text = comparisonHead(comparison);
  text += "\n" + waterfallText(comparison) + "\n";
  for (const CompareTableSpec& spec : compareTableSpecs()) {
    if (by.empty() || spec.by != by || by == "class") continue;
    text += fmt::format("{}\n{}\n", compareTableTitle(spec.name), tableText(spec.make(comparison), 25));
  }
  text += fmt::format("verdict: {}\n", verdictText(comparison.verdict));
  return text;
}

std::string comparisonJson(const Comparison& comparison) {
  JsonWriter json;
  json.beginObject();
  json.integer("schema", 1);
  addSide(json, "a", comparison.a);
  addSide(json, "b", comparison.b);
  json.beginArray("comparability");
  for (const ComparedFact& fact : comparison.facts) {
    json.beginObject();
    json.text("name", fact.name);
    json.text("state", factStateText(fact.state));
    json.text("a", fact.a);
    json.text("b", fact.b);
    json.endObject();
  }
  json.endArray();
  json.text("verdict", verdictText(comparison.verdict));
  json.text("sentence", verdictSentence(comparison));
  json.text("explanation", verdictExplanation(comparison));
  json.beginArray("cautions");
  for (const std::string& caution : comparison.cautions) json.text({}, caution);
  json.endArray();
  json.beginObject("tables");
  for (const CompareTableSpec& spec : compareTableSpecs())
    json.literal(spec.name, toJson(spec.make(comparison)));
  json.endObject();
  json.endObject();
  return json.take();
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/column_texts.h"

#include "core/analysis/findings/finding_kinds.h"
#include "core/analysis/graph/scenario.h"
#include "core/base/unit_text.h"
#include "core/export/cell_text.h"
#include "core/report/compare_column_texts.h"
#include "core/report/leaf_texts.h"
#include "core/report/scenario_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <utility>

namespace rankscope {

namespace {

using NameAndText = std::pair<std::string_view, std::string_view>;

// Words of names that are no plain words.
constexpr std::array<NameAndText, 26> kNameWords{{{"algbw", "algorithm bandwidth"},
                                                  {"busbw", "bus bandwidth"},
                                                  {"cpu", "CPU"},
                                                  {"ddp", "DDP"},
                                                  {"dataloader", "DataLoader"},
                                                  {"dtype", "data type"},
                                                  {"exec", "operators"},
                                                  {"flops", "FLOPs"},
                                                  {"fsdp", "FSDP"},
                                                  {"gpu", "GPU"},
                                                  {"hfu", "HFU"},
                                                  {"json", "JSON"},
                                                  {"kernel", "kernel"},
                                                  {"max", "max"},
                                                  {"mean", "mean"},
                                                  {"mfu", "MFU"},
                                                  {"nccl", "NCCL"},
                                                  {"p10", "10th percentile"},
                                                  {"p90", "90th percentile"},
                                                  {"p99", "99th percentile"},
                                                  {"r2", "R²"},
                                                  {"sm", "SM"},
                                                  {"stddev", "std dev"},
                                                  {"tflops", "TFLOP/s"},
                                                  {"tpot", "time per output token"},
                                                  {"z", "z"}}};

// Columns whose values are ids of several words.
constexpr std::array<std::string_view, 6> kIdColumns{"cause", "rank_from", "category",
                                                     "kind",  "state",     "next_category"};

std::string_view withoutUnit(std::string_view name) {
  for (const std::string_view unit : {"_us", "_bytes", "_pct", "_gb_s"}) {
    if (name.ends_with(unit)) name.remove_suffix(unit.size());
  }
  return name;
}

std::string capitalized(std::string text) {
  // Words with capitals of their own stay.
  const bool plain = std::ranges::none_of(text.substr(0, text.find(' ')),
                                          [](unsigned char c) { return std::isupper(c) != 0; });
  if (plain && !text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string spaced(std::string_view id) {
  std::string text(id);
  std::ranges::replace(text, '_', ' ');
  return text;
}

// "gpu_busy" as "GPU busy".
std::string titleFromName(std::string_view name) {
  std::string title;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('_'), name.size());
    const std::string_view word = name.substr(0, end);
    const auto* const known = std::ranges::find(kNameWords, word, &NameAndText::first);
    if (!title.empty()) title += ' ';
    title += known != kNameWords.end() ? known->second : word;
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return capitalized(std::move(title));
}

// Markdown of a cell without its marks: "`leaf`" and "[Findings](findings.md)".
std::string plainText(std::string_view markdown) {
  std::string text;
  while (!markdown.empty()) {
    const std::size_t middle = markdown.front() == '[' ? markdown.find("](") : std::string_view::npos;
    const std::size_t end = middle == std::string_view::npos ? middle : markdown.find(')', middle);
    if (end != std::string_view::npos) {
      text += plainText(markdown.substr(1, middle - 1));
      markdown.remove_prefix(end + 1);
      continue;
    }
    if (markdown.front() != '`') text += markdown.front();
    markdown.remove_prefix(1);
  }
  return text;
}

using Definitions = std::map<std::string, std::map<std::string, std::string>, std::less<>>; // column, table

// "`name`" at the begin of the text, after what stands before it; empty if there is none.
std::string_view nameAfter(std::string_view text, std::string_view before) {
  if (!text.starts_with(before)) return {};
  text.remove_prefix(before.size());
  return text.substr(0, std::min(text.find('`'), text.size()));
}

// Rows "| `name` | unit | definition |" below a heading "## `table`".
Definitions readDefinitions() {
  Definitions read;
  const std::string page = columnGuide();
  std::string table;
  std::string_view rest = page;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with("## ")) table = nameAfter(line, "## `");
    const std::string_view column = nameAfter(line, "| `");
    const std::size_t unit = line.find("| ", column.size() + 4);
    const std::size_t definition = unit == std::string_view::npos ? unit : line.find("| ", unit + 2);
    if (table.empty() || column.empty() || definition == std::string_view::npos || !line.ends_with(" |"))
      continue;
    const std::string_view text = line.substr(definition + 2, line.size() - definition - 4);
    read[std::string(column)].emplace(table, plainText(text));
  }
  return read;
}

std::size_t sameBegin(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// "memory.near_limit" is about no part of the step.
std::string leafWords(std::string_view id) {
  const std::string_view title = leafOrParentTitle(id);
  if (title != id) return std::string(title);
  std::string text = spaced(id);
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos) return text;
  text.replace(dot, 1, ": ");
  return capitalized(std::move(text));
}

std::string classWords(std::string_view id) {
  for (std::size_t i = 0; i < kTimeClassCount; ++i) {
    const auto known = static_cast<TimeClass>(i);
    if (timeClassText(known) == id) return std::string(timeClassTitle(known));
  }
  return std::string(id);
}

std::string findingKindWords(std::string_view id) {
  for (int i = 0; i < kFindingKindCount; ++i) {
    const auto kind = static_cast<FindingKind>(i);
    if (findingKindText(kind) == id) return std::string(findingKindTitle(kind));
  }
  return spaced(id);
}

// Whether values of the column are differences, of which people ask for the sign.
bool holdsDifferences(std::string_view column) {
  return column.starts_with("delta_") || column.starts_with("contribution_") || column.starts_with("ci_") ||
         column.ends_with("_effect_us");
}

// Calls of a step, which are whole unless steps differ.
bool holdsCalls(std::string_view column) {
  return column == "a_calls" || column == "b_calls";
}

// Whether 0 and 1 stand for no and yes.
bool holdsFlags(std::string_view column) {
  constexpr std::array<std::string_view, 4> kFlags{"kept", "straggler", "tensor_core_eligible",
                                                   "tensor_cores"};
  return std::ranges::find(kFlags, column) != kFlags.end();
}

bool isPositive(const Cell& cell) {
  if (const auto* number = std::get_if<double>(&cell)) return *number > 0;
  const auto* whole = std::get_if<std::int64_t>(&cell);
  return whole != nullptr && *whole > 0;
}

// A text of the table as words; the text itself where it is no id.
std::string valueWords(const ResultTable& table, std::size_t row, std::size_t column, std::string_view text) {
  const std::string& name = table.columns()[column].name;
  if (std::string words = compareValueWords(table.name(), name, text); !words.empty()) return words;
  if (name == "leaf" || name == "gap_leaf") return leafWords(text);
  if (name == "class" && table.columnNamed("leaf")) return classWords(text);
  if (name == "kind" && table.columnNamed("severity")) return findingKindWords(text);
  if (name == "scenario") {
    const Result<Scenario> scenario = scenarioFromText(text);
    return scenario ? scenarioName(*scenario) : std::string(text);
  }
  // Keys of others are names that were recorded.
  const auto by = name == "key" ? table.columnNamed("by") : std::nullopt;
  const bool ofCategories = by && table.at(row, *by) == Cell(std::string_view("category"));
  return ofCategories || std::ranges::find(kIdColumns, name) != kIdColumns.end() ? spaced(text)
                                                                                 : std::string(text);
}

} // namespace

std::string columnTitle(const ResultTable& table, std::size_t column) {
  const TableColumn& of = table.columns()[column];
  if (const std::string_view title = compareColumnTitle(table.name(), of.name); !title.empty())
    return std::string(title);
  const std::string_view name = withoutUnit(of.name);
  const auto count = std::ranges::count_if(
      table.columns(), [&](const TableColumn& other) { return withoutUnit(other.name) == name; });
  std::string title = titleFromName(name);
  return of.unit == Unit::Percent && count > 1 ? title + " in %" : title;
}

std::string columnDefinition(std::string_view table, std::string_view column) {
  if (const std::string_view own = compareColumnDefinition(table, column); !own.empty())
    return std::string(own);
  static const Definitions kDefinitions = readDefinitions();
  const auto named = kDefinitions.find(column);
  if (named == kDefinitions.end()) return {};
  // The table itself, else the one with the most similar name: "kernel_totals" are "kernels".
  const std::string* best = nullptr;
  std::size_t most = 0;
  for (const auto& [of, definition] : named->second) {
    if (of == table) return definition;
    if (best != nullptr && sameBegin(of, table) <= most) continue;
    most = sameBegin(of, table);
    best = &definition;
  }
  return *best;
}

std::string_view unitNote(Unit unit) {
  switch (unit) {
  case Unit::Text:
    break;
  case Unit::Identity:
    return "Unit: none, a number that names something";
  case Unit::Count:
    return "Unit: count";
  case Unit::Nanoseconds:
    return "Unit: time; µs in exports";
  case Unit::Bytes:
    return "Unit: bytes";
  case Unit::Percent:
    return "Unit: %";
  case Unit::GigabytesPerSecond:
    return "Unit: GB/s, 10⁹ bytes per second";
  case Unit::Ratio:
    return "Unit: none, a ratio";
  }
  return {};
}

std::string shownText(const ResultTable& table, std::size_t row, std::size_t column) {
  const std::string& name = table.columns()[column].name;
  const Cell cell = table.at(row, column);
  if (const auto* text = std::get_if<std::string_view>(&cell)) return valueWords(table, row, column, *text);
  if (const auto* flag = std::get_if<std::int64_t>(&cell); flag != nullptr && holdsFlags(name))
    return *flag != 0 ? "yes" : "no";
  if (const auto* calls = std::get_if<double>(&cell); calls != nullptr && holdsCalls(name)) {
    constexpr double kMostWhole = 1e15;
    if (std::abs(*calls) < kMostWhole && std::abs(*calls - std::round(*calls)) < 1e-6)
      return groupedText(std::llround(*calls));
  }
  const std::string text = cellText(table, row, column);
  return holdsDifferences(name) && isPositive(cell) ? "+" + text : text;
}

} // namespace rankscope

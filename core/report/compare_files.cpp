// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compare_files.h"

#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/export/json.h"
#include "core/export/whole_file.h"
#include "core/report/compare_html.h"
#include "core/report/compare_tables.h"
#include "core/report/compare_text.h"
#include "core/report/html_report.h"
#include "core/report/report_files.h"
#include "core/report/text_table.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <simdjson.h>
#include <utility>

namespace rankscope {

namespace {

namespace dom = simdjson::dom;

Error formatError(const std::string& path, std::string reason) {
  return {ErrorKind::Format, std::move(reason), path, std::nullopt};
}

Result<dom::element> rootOf(dom::parser& parser, const std::string& path) {
  dom::element root;
  if (const auto error = parser.load(path).get(root); error != simdjson::SUCCESS) {
    if (error == simdjson::IO_ERROR) return Error{ErrorKind::Io, "cannot be read", path, std::nullopt};
    return formatError(path, fmt::format("not valid JSON: {}", simdjson::error_message(error)));
  }
  return root;
}

bool isNumber(const dom::element& value, double& number) {
  return value.get(number) == simdjson::SUCCESS && std::isfinite(number);
}

// Empty: understood.
std::string readRuleMember(std::string_view key, const dom::element& value, GateRule& rule) {
  std::string_view text;
  double number = 0;
  bool flag = false;
  if (key == "figure") {
    if (value.get(text) != simdjson::SUCCESS) return "\"figure\" is no text";
    rule.figure = text;
    return {};
  }
  if (key == "optional") {
    if (value.get(flag) != simdjson::SUCCESS) return "\"optional\" is neither true nor false";
    rule.mayBeMissing = flag;
    return {};
  }
  if (key == "test") {
    if (value.get(text) != simdjson::SUCCESS || (text != "none" && text != "both"))
      return "\"test\" is neither none nor both";
    rule.plain = text == "none";
    return {};
  }
  const bool percent = key == "max_increase_pct";
  if (!percent && key != "max_increase_us" && key != "max_increase_bytes" && key != "max_increase")
    return fmt::format("\"{}\" is unknown", key);
  if (!isNumber(value, number)) return fmt::format("\"{}\" is no number", key);
  (percent ? rule.maxPercent : rule.maxIncrease) = number;
  return {};
}

std::string readRule(const dom::element& entry, Gate& gate) {
  dom::object members;
  const std::string where = fmt::format("rule {}: ", gate.rules.size() + 1);
  if (entry.get(members) != simdjson::SUCCESS) return where + "not an object";
  GateRule rule;
  for (const auto& [key, value] : members) {
    if (const std::string problem = readRuleMember(key, value, rule); !problem.empty())
      return where + problem;
  }
  if (rule.figure.empty()) return where + "\"figure\" is missing";
  if (!rule.maxPercent && !rule.maxIncrease)
    return where + "a limit is missing, such as \"max_increase_pct\"";
  gate.rules.push_back(std::move(rule));
  return {};
}

std::string readGateMember(std::string_view key, const dom::element& value, Gate& gate) {
  double number = 0;
  if (key == "rules") {
    dom::array rules;
    if (value.get(rules) != simdjson::SUCCESS) return "\"rules\" is no array";
    for (const dom::element rule : rules) {
      if (std::string problem = readRule(rule, gate); !problem.empty()) return problem;
    }
    return {};
  }
  if (key != "schema" && key != "alpha" && key != "min_steps") return fmt::format("\"{}\" is unknown", key);
  if (!isNumber(value, number)) return fmt::format("\"{}\" is no number", key);
  if (key == "schema" && number != 1) return "\"schema\" is not 1";
  if (key == "alpha" && !(number > 0 && number < 1)) return "\"alpha\" is not between 0 and 1";
  if (key == "min_steps" && !(number >= 2 && number <= 1'000'000)) return "\"min_steps\" is less than 2";
  if (key == "alpha") gate.alpha = number;
  if (key == "min_steps") gate.minSteps = static_cast<std::size_t>(number);
  return {};
}

std::string amountText(double amount, FigureUnit unit) {
  if (unit == FigureUnit::Nanoseconds) return durationText(rounded(amount));
  if (unit == FigureUnit::Bytes) return bytesText(rounded(amount));
  return fmt::format("{:g}", amount);
}

} // namespace

Result<Gate> readGate(const std::string& path) {
  dom::parser parser;
  auto root = rootOf(parser, path);
  if (!root) return root.error();
  dom::object members;
  if (root->get(members) != simdjson::SUCCESS) return formatError(path, "not an object with \"rules\"");
  Gate gate;
  for (const auto& [key, value] : members) {
    if (std::string problem = readGateMember(key, value, gate); !problem.empty())
      return formatError(path, std::move(problem));
  }
  if (gate.rules.empty()) return formatError(path, "\"rules\" is missing or empty");
  return gate;
}

std::string gateText(std::span<const RuleOutcome> outcomes) {
  TextTable table({"<figure", "A", "B", "difference", "limit", "p", "<result"});
  for (const RuleOutcome& outcome : outcomes) {
    const bool known = outcome.result != RuleResult::Missing && outcome.result != RuleResult::Skipped;
    const auto text = [&](double amount) { return known ? amountText(amount, outcome.unit) : std::string(); };
    table.addRow({printableText(outcome.rule.figure, 60), text(outcome.a), text(outcome.b),
                  known && outcome.unit == FigureUnit::Nanoseconds
                      ? signedDurationText(rounded(outcome.b - outcome.a))
                      : text(outcome.b - outcome.a),
                  outcome.limit ? text(*outcome.limit) : std::string(),
                  outcome.p ? fmt::format("{:.3g}", *outcome.p) : std::string(),
                  std::string(ruleResultText(outcome.result))});
  }
  return table.text();
}

std::optional<Error> writeBaseline(const SideFacts& side, const std::string& path) {
  return writeWholeFile(path, baselineText(side));
}

Result<SideFacts> readBaseline(const std::string& path) {
  auto text = simdjson::padded_string::load(path);
  if (text.error() != simdjson::SUCCESS) return Error{ErrorKind::Io, "cannot be read", path, std::nullopt};
  return baselineFrom(std::string_view(text.value_unsafe().data(), text.value_unsafe().size()), path);
}

std::optional<Error> writeComparison(const Comparison& comparison, const std::string& folder,
                                     std::span<const ReportPicture> pictures, bool dark) {
  const std::filesystem::path place(folder);
  for (const CompareTableSpec& spec : compareTableSpecs()) {
    const std::string path = (place / fmt::format("{}.csv", spec.name)).string();
    if (auto error = writeWholeFile(path, formattedTable(spec.make(comparison), TableFormat::Csv)))
      return error;
  }
  if (auto error = writeWholeFile((place / "compare.html").string(),
                                  comparisonHtml(comparison, pictures, {.dark = dark, .maxRows = 40})))
    return error;
  return writeWholeFile((place / "compare.json").string(), comparisonJson(comparison));
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/accepted_findings.h"

#include "core/export/json.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <simdjson.h>
#include <utility>

namespace rankscope {

namespace {

namespace dom = simdjson::dom;

// Rank numbers of a finding; empty if it is about all ranks.
std::vector<int> rankNumbers(const JobReport& report, const Finding& finding) {
  std::set<int> numbers;
  for (const RankIndex rank : finding.ranks) numbers.insert(report.analysis().trace().rank(rank).rank);
  if (numbers.empty() && finding.rank.valid())
    numbers.insert(report.analysis().trace().rank(finding.rank).rank);
  return {numbers.begin(), numbers.end()};
}

Error formatError(const std::string& path, std::string reason) {
  return {ErrorKind::Format, std::move(reason), path, std::nullopt};
}

// What an entry asks for: "rule R60, leaf host.dispatch, ranks 1, 3".
std::string entryText(const AcceptedFinding& entry) {
  std::vector<std::string> parts;
  if (!entry.rule.empty()) parts.push_back("rule " + entry.rule);
  if (entry.leaf) parts.push_back(entry.leaf->empty() ? "no leaf" : "leaf " + *entry.leaf);
  if (entry.ranks)
    parts.push_back(entry.ranks->empty() ? "all ranks"
                                         : fmt::format("ranks {}", fmt::join(*entry.ranks, ", ")));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Returns an error, or empty if valid.
std::string readRanks(const dom::element& value, AcceptedFinding& accepted) {
  dom::array numbers;
  if (value.get(numbers) != simdjson::SUCCESS) return "\"ranks\" is no array";
  std::vector<int>& ranks = accepted.ranks.emplace();
  for (const dom::element number : numbers) {
    std::int64_t rank = 0;
    if (number.get(rank) != simdjson::SUCCESS || !std::in_range<int>(rank))
      return "\"ranks\" holds no rank number";
    ranks.push_back(static_cast<int>(rank));
  }
  std::ranges::sort(ranks);
  return {};
}

std::string readMember(std::string_view key, const dom::element& value, AcceptedFinding& accepted) {
  if (key == "ranks") return readRanks(value, accepted);
  std::string_view text;
  if (key != "rule" && key != "leaf" && key != "note") return fmt::format("\"{}\" is unknown", key);
  if (value.get(text) != simdjson::SUCCESS) return fmt::format("\"{}\" is no text", key);
  if (key == "rule") accepted.rule = text;
  if (key == "leaf") accepted.leaf = std::string(text);
  if (key == "note") accepted.note = text;
  return {};
}

} // namespace

AcceptedFinding acceptanceOf(const JobReport& report, const Finding& finding, std::string note) {
  return {std::string(findingRule(finding.kind)), finding.leaf, rankNumbers(report, finding),
          std::move(note)};
}

const AcceptedFinding* acceptedAs(const JobReport& report, const Finding& finding,
                                  std::span<const AcceptedFinding> accepted) {
  const std::string_view rule = findingRule(finding.kind);
  const std::vector<int> ranks = rankNumbers(report, finding);
  const auto found = std::ranges::find_if(accepted, [&](const AcceptedFinding& one) {
    return (one.rule.empty() || one.rule == rule) && (!one.leaf || *one.leaf == finding.leaf) &&
           (!one.ranks || *one.ranks == ranks);
  });
  return found != accepted.end() ? &*found : nullptr;
}

std::string acceptanceText(const JobReport& report, const Finding& finding,
                           std::span<const AcceptedFinding> accepted) {
  const AcceptedFinding* const as = acceptedAs(report, finding, accepted);
  if (as == nullptr) return {};
  return as->note.empty() ? "yes" : as->note;
}

std::vector<std::string> uselessAcceptances(const JobReport& report,
                                            std::span<const AcceptedFinding> accepted) {
  std::vector<std::string> lines;
  if (!report.hasFindings()) return lines;
  for (std::size_t i = 0; i < accepted.size(); ++i) {
    const std::span<const AcceptedFinding> one = accepted.subspan(i, 1);
    if (std::ranges::any_of(report.findings(), [&](const Finding& finding) {
          return acceptedAs(report, finding, one) != nullptr;
        }))
      continue;
    lines.push_back(fmt::format("entry {} ({}) matches no finding", i + 1, entryText(accepted[i])));
  }
  return lines;
}

std::string acceptedFindingsText(std::span<const AcceptedFinding> accepted) {
  JsonWriter json;
  json.beginArray();
  for (const AcceptedFinding& one : accepted) {
    json.beginObject();
    if (!one.rule.empty()) json.text("rule", one.rule);
    if (one.leaf) json.text("leaf", *one.leaf);
    if (one.ranks) {
      json.beginArray("ranks");
      for (const int rank : *one.ranks) json.integer({}, rank);
      json.endArray();
    }
    json.text("note", one.note);
    json.endObject();
  }
  json.endArray();
  return json.take();
}

Result<std::vector<AcceptedFinding>> readAcceptedFindings(const std::string& path) {
  dom::parser parser;
  dom::element root;
  if (const auto error = parser.load(path).get(root); error != simdjson::SUCCESS) {
    if (error == simdjson::IO_ERROR) return Error{ErrorKind::Io, "cannot be read", path, std::nullopt};
    return formatError(path, fmt::format("not valid JSON: {}", simdjson::error_message(error)));
  }
  dom::array entries;
  if (root.get(entries) != simdjson::SUCCESS) return formatError(path, "not an array of accepted findings");
  std::vector<AcceptedFinding> accepted;
  for (const dom::element entry : entries) {
    const std::string where = fmt::format("entry {}: ", accepted.size() + 1);
    dom::object members;
    if (entry.get(members) != simdjson::SUCCESS) return formatError(path, where + "not an object");
    AcceptedFinding one;
    for (const auto& [key, value] : members) {
      const std::string problem = readMember(key, value, one);
      if (!problem.empty()) return formatError(path, where + problem);
    }
    // An entry without rule and leaf would accept every finding.
    if (one.rule.empty() && !one.leaf) return formatError(path, where + "\"rule\" or \"leaf\" is missing");
    accepted.push_back(std::move(one));
  }
  return accepted;
}

} // namespace rankscope

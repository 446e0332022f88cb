// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/digest_tables.h"

#include "core/analysis/digest/digest_bounds.h"
#include "core/analysis/digest/digested_results.h"
#include "core/base/unit_text.h"
#include "core/io/load/rank_events.h"
#include "core/model/rank_digest.h"
#include "core/model/side_files.h"
#include "core/report/digest_rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace rankscope {

namespace {

constexpr std::string_view kReplay = "it replays all events of all ranks";

// In the order of the tables.
constexpr auto kNeeds = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"critical_path", kReplay},
    {"critical_path_summary", kReplay},
    {"what_if", kReplay},
    {"slowdown", kReplay},
});

// What they read of single events was asked when the digest was made.
constexpr auto kAnswered = std::to_array<std::string_view>(
    {"findings", "parallel_groups", "parallel_ranks", "parallel_summary", "ddp_buckets", "fsdp_units",
     "zero_stages", "tp_layers", "pipeline_actions", "pipeline_stages", "expert_traffic", "expert_ranks",
     "bucket_advice"});
// Those that were asked about all ranks together.
constexpr auto kOfWholeJob = std::to_array<std::string_view>({"findings", "bucket_advice"});

std::string keptRowsText(std::string_view table) {
  const DigestBounds bounds;
  const auto number = [](std::size_t count) { return groupedText(static_cast<std::int64_t>(count)); };
  if (table == "gaps") return "only the longest " + number(bounds.gaps);
  if (table == "memory_curve") return "only " + number(bounds.levels) + " points";
  if (dependsOnSettings(table) && table != "memory_expected")
    return "only the first " + number(bounds.rows) + " rows";
  if (table == "memory_roles" || table == "modules" || table == "frames" || table == "memory_expected" ||
      table == "compiled_regions")
    return "only the first " + number(bounds.names) + " rows";
  return "only the costliest " + number(bounds.names);
}

} // namespace

std::string_view neededForTable(std::string_view table) {
  const auto found = std::ranges::find(kNeeds, table, &std::pair<std::string_view, std::string_view>::first);
  return found == kNeeds.end() ? std::string_view() : found->second;
}

bool needsAllRanks(std::string_view table) {
  return neededForTable(table) == kReplay;
}

bool isAnswered(std::string_view table) {
  return std::ranges::find(kAnswered, table) != kAnswered.end();
}

namespace {

// Of a table made of arguments, where events were read and their arguments cannot be.
std::string withoutArguments(const JobReport& report, std::string_view table) {
  const Analysis& analysis = report.analysis();
  if (!readsArguments(table)) return {};
  for (const RankIndex rank : analysis.ranks()) {
    const bool others =
        analysis.window(rank) != kWholeRecording || report.efficiencySettings() != EfficiencySettings();
    if (!others || hasArguments(analysis.trace(), rank)) continue;
    return "it is made of arguments of operators, which only traces have: that of rank " +
           std::to_string(analysis.trace().rank(rank).rank) + " cannot be reached at " +
           digestedTrace(analysis.trace(), rank);
  }
  return {};
}

} // namespace

std::string whyAbsent(const JobReport& report, const TableSpec& spec) {
  const Analysis& analysis = report.analysis();
  if (!isDigest(analysis.trace())) return {};
  const bool digests = hasDigests(analysis.trace(), analysis.ranks());
  std::string_view why = neededForTable(spec.name);
  if (needsAllRanks(spec.name) ? !hasDigests(analysis.trace()) : !digests) why = {};
  if (digests && (dependsOnSettings(spec.name) || spec.name == "findings") &&
      report.efficiencySettings() != EfficiencySettings())
    why = "there it was made without the given model and peaks";
  if (std::ranges::find(kOfWholeJob, spec.name) != kOfWholeJob.end() && !report.hasFindings())
    why = "there it was made of all ranks, not of some";
  if (digests && spec.account && !analysis.options().alignClocks) why = "there it was made on aligned clocks";
  if (digests && isAnswered(spec.name) && !report.asDigested())
    why =
        "there it was made with aligned clocks, the steps that means are over, and the layout as recognized";
  if (isAnswered(spec.name) && !hasAnswers(analysis.trace(), analysis.ranks()))
    why = "it reads who issued each collective and what ran around it";
  const std::string missing = why.empty() && !digests ? withoutArguments(report, spec.name) : std::string();
  if (!missing.empty()) why = missing;
  if (why.empty()) return {};
  return std::string(spec.name) + ": not in a digest, because " + std::string(why);
}

namespace {

// Of a rank whose events were read, but not their arguments: what is made of these is that of its digest.
std::vector<std::string> shortenedWithoutArguments(const TraceSet& trace, RankIndex rank) {
  if (hasArguments(trace, rank)) return {};
  return shortenedRows(trace.side().readSince[rank.value]->section(DigestSection::JudgedRows));
}

} // namespace

std::vector<std::string> shortenedTables(const JobReport& report, std::span<const TableSpec* const> specs) {
  std::map<std::string, std::int64_t, std::less<>> ranks; // by table
  for (const RankIndex rank : report.analysis().ranks()) {
    const RankDigest* const digest = digestOf(report.analysis().trace(), rank);
    if (digest == nullptr) {
      for (const std::string& table : shortenedWithoutArguments(report.analysis().trace(), rank))
        ++ranks[table];
      continue;
    }
    for (const std::string& table : shortenedTables(*digest)) ++ranks[table];
    for (const std::string& table : shortenedRows(digest->section(DigestSection::JudgedRows))) ++ranks[table];
  }
  const std::vector<std::string> beside = shortenedRows(report.analysis().trace().side().digestedRows);
  std::vector<std::string> lines;
  for (const TableSpec* const spec : specs) {
    if (std::ranges::find(beside, spec->name) != beside.end()) {
      std::string& line = lines.emplace_back(spec->name);
      line += ": only the first ";
      line += groupedText(static_cast<std::int64_t>(DigestBounds().rows));
      line += " rows";
    }
    const auto found = ranks.find(spec->name);
    if (found == ranks.end()) continue;
    std::string line(spec->name);
    line += ": ";
    line += keptRowsText(spec->name);
    line += " of each of ";
    line += found->second == 1 ? "1 rank" : groupedText(found->second) + " ranks";
    lines.push_back(std::move(line));
  }
  return lines;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/digest_tables.h"

#include "core/analysis/digest/digest_bounds.h"
#include "core/analysis/digest/digested_results.h"
#include "core/base/unit_text.h"
#include "core/model/rank_digest.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace rankscope {

namespace {

constexpr std::string_view kArguments = "it reads the arguments of operators in the traces";
constexpr std::string_view kLayout = "it reads who issued each collective and what ran around it";
constexpr std::string_view kReplay = "it replays all events of all ranks";
constexpr std::string_view kBeside = "it is made of files beside the traces";
constexpr std::string_view kBlocks = "it follows every block of memory";

// In the order of the tables.
constexpr auto kNeeds = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"memory_expected", kBlocks},
    {"snapshots", kBeside},
    {"snapshot_blocks", kBeside},
    {"snapshot_segments", kBeside},
    {"flight_recorder", kBeside},
    {"findings", "its rules look at single events"},
    {"flops", kArguments},
    {"gemms", kArguments},
    {"mfu", kArguments},
    {"efficiency", kArguments},
    {"iterations", kArguments},
    {"parallel_groups", kLayout},
    {"parallel_ranks", kLayout},
    {"parallel_summary", kLayout},
    {"ddp_buckets", kLayout},
    {"fsdp_units", kLayout},
    {"tp_layers", kLayout},
    {"pipeline_actions", kLayout},
    {"pipeline_stages", kLayout},
    {"expert_traffic", kLayout},
    {"expert_ranks", kLayout},
    {"critical_path", kReplay},
    {"critical_path_summary", kReplay},
    {"what_if", kReplay},
    {"slowdown", kReplay},
    {"bucket_advice", kLayout},
});

std::string keptRowsText(std::string_view table) {
  const DigestBounds bounds;
  const auto number = [](std::size_t count) { return groupedText(static_cast<std::int64_t>(count)); };
  if (table == "gaps") return "only the longest " + number(bounds.gaps);
  if (table == "memory_curve") return "only " + number(bounds.levels) + " points";
  if (table == "memory_roles" || table == "modules" || table == "frames")
    return "only the first " + number(bounds.names) + " rows";
  return "only the costliest " + number(bounds.names);
}

} // namespace

std::string_view neededForTable(std::string_view table) {
  const auto found = std::ranges::find(kNeeds, table, &std::pair<std::string_view, std::string_view>::first);
  return found == kNeeds.end() ? std::string_view() : found->second;
}

std::string whyAbsent(const JobReport& report, const TableSpec& spec) {
  const std::string_view why = neededForTable(spec.name);
  if (why.empty() || !hasDigests(report.analysis().trace())) return {};
  return std::string(spec.name) + ": not in a digest, because " + std::string(why);
}

std::vector<std::string> shortenedTables(const JobReport& report, std::span<const TableSpec* const> specs) {
  std::map<std::string, std::int64_t, std::less<>> ranks; // by table
  for (const RankIndex rank : report.analysis().ranks()) {
    const RankDigest* const digest = digestOf(report.analysis().trace(), rank);
    if (digest == nullptr) continue;
    for (const std::string& table : shortenedTables(*digest)) ++ranks[table];
  }
  std::vector<std::string> lines;
  for (const TableSpec* const spec : specs) {
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/slowdown_table.h"

#include "core/analysis/parallel/job_parallel.h"
#include "core/report/job_report.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace rankscope {

ResultTable slowdownTable(const JobSlowdown& slowdown) {
  ResultTable table(
      "slowdown",
      {{"by", Unit::Text}, {"key", Unit::Text}, {"slowdown", Unit::Ratio}, {"explained_pct", Unit::Percent}});
  for (const SlowdownRow& row : slowdown.rows)
    table.addRow({textCell(row.by), textCell(row.key), cellOf(row.slowdown),
                  row.explained ? Cell(100 * *row.explained) : Cell()});
  return table;
}

namespace {

// Ranks with one part of the model are numbered along the axes that copy it; none if the job has no pipeline,
// because then they are the ranks, or if a rank's place is not known.
std::vector<RankCoordinates> coordinatesOf(const JobReport& report, unsigned threadCount) {
  const JobLayout& layout = report.parallel(threadCount).layout;
  const auto degree = [&](LayoutAxis axis) { return layout.degrees.of[static_cast<std::size_t>(axis)]; };
  if (degree(LayoutAxis::Pipeline) < 2) return {};
  std::vector<RankCoordinates> coordinates;
  for (const RankEntry& entry : report.analysis().trace().ranks()) {
    if (entry.rank < 0 || static_cast<std::size_t>(entry.rank) >= layout.ranks.size()) return {};
    const RankPlace& place = layout.ranks[static_cast<std::size_t>(entry.rank)];
    const auto stage = place.along(LayoutAxis::Pipeline);
    if (!stage || *stage < 0 || *stage >= degree(LayoutAxis::Pipeline)) return {};
    std::int64_t dp = 0;
    for (const LayoutAxis axis : {LayoutAxis::Data, LayoutAxis::Sharded}) {
      const std::int64_t at = place.along(axis).value_or(0);
      if (at < 0 || at >= degree(axis)) return {};
      dp = dp * degree(axis) + at;
    }
    coordinates.push_back({static_cast<std::uint32_t>(dp), static_cast<std::uint32_t>(*stage)});
  }
  return coordinates;
}

} // namespace

JobSlowdown slowdownOfReport(const JobReport& report, bool asPublished, unsigned threadCount) {
  return jobSlowdown(report.whatIf(threadCount), asPublished, coordinatesOf(report, threadCount),
                     threadCount);
}

ResultTable slowdownTable(const JobReport& report) {
  return slowdownTable(slowdownOfReport(report, false, 1));
}

namespace {

std::string_view slowdownHead(std::string_view by, bool oneRank) {
  if (by == "worst_workers" && oneRank) return "If the slowest rank were as the others";
  using NameAndTitle = std::pair<std::string_view, std::string_view>;
  constexpr std::array<NameAndTitle, 9> kHeads{
      {{"job", "Job"},
       {"step", "Steps"},
       {"rank", "Ranks"},
       {"dp", "Ranks with the same data-parallel index"},
       {"stage", "Stages of the pipeline"},
       {"worker", "Workers: data-parallel index, stage"},
       {"type", "Kinds of work"},
       {"worst_workers", "If the slowest 3 % of ranks were as the others"},
       {"last_stage", "If the last stage were as the others"}}};
  const auto* const known = std::ranges::find(kHeads, by, &NameAndTitle::first);
  return known == kHeads.end() ? by : known->second;
}

std::string slowdownKey(const SlowdownRow& row) {
  return row.by == "step" || row.by == "rank" || row.by == "stage" ? row.by + " " + row.key : row.key;
}

} // namespace

std::string slowdownText(const JobSlowdown& slowdown) {
  if (!slowdown.refused.empty()) return fmt::format("Refused: {}\n", slowdown.refused);
  std::string text = "How many times as long steps take as if everything took the median of its peers; of a "
                     "rank or kind of work: with only its times as recorded\n";
  const bool oneRank = worstRankCount(slowdown.ofRankAndStep.size()) == 1;
  std::string_view by;
  for (const SlowdownRow& row : slowdown.rows) {
    if (row.by != by) fmt::format_to(std::back_inserter(text), "\n{}\n", slowdownHead(row.by, oneRank));
    by = row.by;
    if (row.slowdown)
      fmt::format_to(std::back_inserter(text), "  {:.3f}{}\n", *row.slowdown,
                     row.key.empty() ? std::string() : "  " + slowdownKey(row));
    if (row.explained)
      fmt::format_to(std::back_inserter(text), "  {} of the loss would go\n",
                     *row.explained >= 1 ? std::string("all")
                                         : fmt::format("{:.0f} %", 100 * shownShare(*row.explained)));
  }
  return text;
}

} // namespace rankscope

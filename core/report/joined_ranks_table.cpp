// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/joined_ranks_table.h"

#include "core/base/exact_sum.h"
#include "core/base/statistics.h"
#include "core/model/rank_recordings.h"
#include "core/report/gpu_means.h"
#include "core/report/rank_shares.h"
#include "core/report/tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rankscope {

namespace {

using Recordings = std::vector<RankIndex>; // of one rank

constexpr std::array<std::string_view, 13> kRankSums{
    "steps",      "events",           "gpu_span_us", "gpu_busy_us",
    "compute_us", "communication_us", "overlap_us",  "exposed_communication_us",
    "memory_us",  "idle_us",          "wait_us",     "transfer_us",
    "collectives"};
constexpr std::array<std::string_view, 4> kRankMaxima{"straggler", "clock_residual_us",
                                                      "peak_allocated_bytes", "peak_reserved_bytes"};

std::optional<TimeNs> joinedStepMean(const Analysis& analysis, const Recordings& recordings) {
  const bool kept =
      std::ranges::any_of(recordings, [&](RankIndex rank) { return keepsSteps(analysis, rank); });
  ExactSum sum;
  TimeNs count = 0;
  for (const RankIndex rank : recordings) {
    if (keepsSteps(analysis, rank) != kept) continue;
    for (const std::size_t step : analysis.countedSteps(rank)) {
      sum += analysis.stepWindows(rank).steps[step].range.length();
      ++count;
    }
  }
  return count > 0 ? std::optional<TimeNs>((sum + count / 2) / count) : std::nullopt;
}

GpuMeans joinedGpuMeans(const Analysis& analysis, const Recordings& recordings) {
  return gpuMeansOfRanks(analysis, recordings);
}

RankArrivals joinedArrivals(const Analysis& analysis, const Recordings& recordings) {
  RankArrivals joined;
  for (const RankIndex rank : recordings) {
    const RankArrivals& of = analysis.arrivals(rank);
    joined.collectives += of.collectives;
    joined.last += of.last;
    joined.lateness += of.lateness;
  }
  return joined;
}

// Of ranks by number: like RankPace, of all captures that are shown.
struct JoinedPace {
  double own = 0;
  double slowdown = 0;
  std::optional<double> zScore;
};

std::map<int, JoinedPace> joinedPaces(const Analysis& analysis) {
  std::set<int> captures;
  for (const RankIndex rank : analysis.ranks()) captures.insert(analysis.trace().rank(rank).capture);
  std::map<int, std::pair<std::vector<TimeNs>, std::vector<double>>> values;
  const std::vector<RankPace>& paces = analysis.stragglers().ranks;
  for (std::size_t i = 0; i < paces.size(); ++i) {
    const RankEntry& entry = analysis.trace().ranks()[i];
    if (!paces[i].slowdown || !captures.contains(entry.capture)) continue;
    auto& [own, slowdowns] = values[entry.rank];
    for (const RankStep& step : paces[i].steps) {
      if (!step.kept) continue;
      own.push_back(step.own);
      slowdowns.push_back(step.slowdown);
    }
  }
  std::map<int, JoinedPace> joined;
  std::vector<double> owns;
  for (auto& [rank, of] : values) {
    const double own = median(std::move(of.first));
    owns.push_back(own);
    joined[rank] = {own, median(std::move(of.second)), std::nullopt};
  }
  const double mean = meanOf(owns);
  double squares = 0;
  for (const double own : owns) squares += (own - mean) * (own - mean);
  const double deviation = owns.empty() ? 0 : std::sqrt(squares / static_cast<double>(owns.size()));
  if (deviation > 0)
    for (auto& [rank, of] : joined) of.zScore = (of.own - mean) / deviation;
  return joined;
}

// Rows of the table that is joined, by rank.
class RanksJoiner {
 public:
  RanksJoiner(const Analysis& analysis, const ResultTable& each)
      : m_analysis(analysis), m_each(each), m_paces(joinedPaces(analysis)) {}

  [[nodiscard]] std::vector<Cell> joined(const Recordings& recordings, const std::vector<std::size_t>& rows) {
    m_cells.clear();
    for (std::size_t column = 0; column < m_each.columns().size(); ++column)
      m_cells.push_back(cellOfAll(m_each.columns()[column].name, column, rows));
    setMeans(recordings);
    m_cells.erase(m_cells.begin() + static_cast<std::ptrdiff_t>(*m_each.columnNamed("capture")));
    return std::move(m_cells);
  }

 private:
  // What the rows have in common is that of the first one.
  [[nodiscard]] Cell cellOfAll(std::string_view name, std::size_t column,
                               const std::vector<std::size_t>& rows) const {
    const bool sums = std::ranges::find(kRankSums, name) != kRankSums.end();
    if (!sums && std::ranges::find(kRankMaxima, name) == kRankMaxima.end())
      return m_each.at(rows.front(), column);
    std::optional<ExactSum> sum;
    std::optional<std::int64_t> largest;
    for (const std::size_t row : rows) {
      const Cell cell = m_each.at(row, column);
      const auto* const value = std::get_if<std::int64_t>(&cell);
      if (value == nullptr) continue;
      sum = sum.value_or(0) + *value;
      largest = std::max(largest.value_or(*value), *value);
    }
    return sums ? cellOf(sum) : cellOf(largest);
  }

  void setMeans(const Recordings& recordings) {
    const auto cell = [&](std::string_view column) -> Cell& { return m_cells[*m_each.columnNamed(column)]; };
    cell("step_mean_us") = cellOf(joinedStepMean(m_analysis, recordings));
    const auto communication = std::get<std::int64_t>(cell("communication_us"));
    const auto overlap = std::get<std::int64_t>(cell("overlap_us"));
    cell("overlap_pct") =
        communication > 0 ? Cell(100.0 * static_cast<double>(overlap) / static_cast<double>(communication))
                          : Cell();
    const GpuMeans gpu = joinedGpuMeans(m_analysis, recordings);
    cell("gpu_utilization_pct") = cellOf(gpu.utilizationPct);
    cell("sm_efficiency_pct") = cellOf(gpu.smEfficiencyPct);
    cell("occupancy_pct") = cellOf(gpu.occupancyPct);
    const RankArrivals arrivals = joinedArrivals(m_analysis, recordings);
    cell("last_arrivals") = cellOf(arrivals.lastShare());
    cell("lateness_mean_us") = cellOf(arrivals.latenessMean());
    const auto pace = m_paces.find(m_analysis.trace().rank(recordings.front()).rank);
    cell("z_score") = pace == m_paces.end() ? Cell() : cellOf(pace->second.zScore);
    cell("slowdown") = pace == m_paces.end() ? Cell() : Cell(pace->second.slowdown);
  }

  const Analysis& m_analysis;
  const ResultTable& m_each;
  std::map<int, JoinedPace> m_paces;
  std::vector<Cell> m_cells;
};

} // namespace

ResultTable joinedRanksTable(const Analysis& analysis) {
  ResultTable each = ranksTable(analysis);
  const RankRows ranks = rankRows(analysis.trace(), analysis.ranks());
  if (!ranks.joins()) return each;
  std::vector<Recordings> recordings(ranks.count());
  std::vector<std::vector<std::size_t>> rows(ranks.count());
  for (std::size_t i = 0; i < analysis.ranks().size(); ++i) {
    recordings[ranks.rowOf[i]].push_back(analysis.ranks()[i]);
    rows[ranks.rowOf[i]].push_back(i);
  }
  std::vector<TableColumn> columns = each.columns();
  std::erase_if(columns, [](const TableColumn& column) { return column.name == "capture"; });
  ResultTable table(each.name(), std::move(columns));
  RanksJoiner joiner(analysis, each);
  for (std::size_t row = 0; row < ranks.count(); ++row)
    table.addRow(joiner.joined(recordings[row], rows[row]));
  return table;
}

} // namespace rankscope

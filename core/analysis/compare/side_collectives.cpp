// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/compare/side_collectives.h"

#include "core/analysis/parallel/group_dimensions.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// The order of so many calls of one row is kept; of more, the row has sums only.
constexpr std::size_t kMaxInStep = 4096;

// The rank's own part of what a call belongs to; null of one that is alone.
const Participant* partOfRank(const CollectiveMatch& match, const CollectiveInstance& instance,
                              RankIndex rank, std::uint32_t call) {
  if (!instance.matched()) return nullptr;
  const std::span<const Participant> all = match.of(instance);
  const auto found = std::ranges::lower_bound(all, std::pair(rank, call), {},
                                              [](const Participant& p) { return std::pair(p.rank, p.call); });
  return found != all.end() ? &*found : nullptr;
}

// "8 by 4"; the stride is left out where it is not known.
std::string groupRanksText(const JobGroup& group) {
  if (group.size <= 0) return {};
  const std::int64_t stride = strideOf(group.members);
  return stride > 0 ? fmt::format("{} by {}", group.size, stride) : fmt::format("{}", group.size);
}

class CollectiveCollector {
 public:
  CollectiveCollector(const Analysis& analysis, RankIndex rank, std::span<const RowWindow> windows)
      : m_analysis(analysis), m_rank(rank), m_match(analysis.collectives().match), m_windows(windows) {}

  RankCollectives take() {
    const std::vector<CollectiveCall>& calls = m_analysis.collectiveCalls(m_rank);
    const RowWindow* last = nullptr;
    for (std::uint32_t c = 0; c < calls.size(); ++c) {
      const RowWindow* const window = windowAt(m_windows, calls[c].range.begin.ns());
      if (window == nullptr) continue;
      if (window != last) beginStep();
      last = window;
      addCall(calls[c], c, window->weight);
    }
    RankCollectives result;
    result.waited = m_waited;
    result.rows.reserve(m_rows.size());
    for (auto& [key, row] : m_rows) {
      if (row.inStep == kMaxInStep) row.sums.inStep.clear();
      result.rows.push_back(std::move(row.sums));
    }
    return result;
  }

 private:
  struct KnownRow {
    SideCollective sums;
    std::size_t inStep = 0; // calls of the current step; stays kMaxInStep
  };

  void beginStep() {
    m_places.clear();
    for (auto& [key, row] : m_rows) {
      if (row.inStep < kMaxInStep) row.inStep = 0;
    }
  }

  // A text for each group once.
  const std::string& labelOf(GroupIndex index) {
    const auto [at, isNew] = m_labels.try_emplace(index.value);
    if (isNew) at->second = m_match.groups[index.value].label();
    return at->second;
  }

  KnownRow& rowOf(GroupIndex index, CollectiveOperation operation, std::int64_t bytes) {
    const JobGroup& group = m_match.groups[index.value];
    const auto [at, isNew] = m_rows.try_emplace(std::tuple(labelOf(index), operation, bytes));
    KnownRow& row = at->second;
    if (!isNew) return row;
    row.sums.group = labelOf(index);
    row.sums.operation = operationText(operation);
    row.sums.bytes = bytes;
    row.sums.ranks = groupRanksText(group);
    return row;
  }

  void addCall(const CollectiveCall& call, std::uint32_t c, double weight) {
    const CollectiveInstance& instance = m_match.instance(m_match.instanceOfCall[m_rank.value][c]);
    const JobGroup& group = m_match.group(instance);
    const std::int64_t bytes = bytesOfCall(call, group.size, m_analysis.trace().names()).value_or(-1);
    KnownRow& row = rowOf(instance.group, call.operation, bytes);
    const CollectiveTimes times = timesOf(call, instance, c);
    row.sums.add(times, weight);
    const std::size_t place = m_places[labelOf(instance.group)]++;
    if (row.inStep >= kMaxInStep) return;
    if (row.inStep >= row.sums.inStep.size()) row.sums.inStep.emplace_back();
    CollectiveInStep& one = row.sums.inStep[row.inStep++];
    one.add(times, weight);
    one.place += weight * static_cast<double>(place);
  }

  CollectiveTimes timesOf(const CollectiveCall& call, const CollectiveInstance& instance, std::uint32_t c) {
    CollectiveTimes times;
    times.calls = 1;
    times.exposed =
        static_cast<double>(m_analysis.exposedCommunication(m_rank).coveredWithin(call.range.ns()));
    const Participant* const part = partOfRank(m_match, instance, m_rank, c);
    if (part == nullptr) return times;
    times.wait = static_cast<double>(part->wait);
    times.transfer = static_cast<double>(part->transfer);
    m_waited += times.wait;
    const JobGroup& group = m_match.group(instance);
    const auto factor = busFactor(instance.operation, group.size > 0 ? group.size : instance.count);
    if (!instance.bytes || !factor || instance.transfer <= 0) return times;
    times.busBytes = *factor * static_cast<double>(*instance.bytes);
    times.busTime = static_cast<double>(instance.transfer);
    return times;
  }

  const Analysis& m_analysis;
  RankIndex m_rank;
  const CollectiveMatch& m_match;
  std::span<const RowWindow> m_windows;
  std::map<std::tuple<std::string, CollectiveOperation, std::int64_t>, KnownRow> m_rows;
  std::map<std::size_t, std::string> m_labels;      // by group; nodes do not move
  std::map<std::string_view, std::size_t> m_places; // calls of the current step, by label
  double m_waited = 0;
};

} // namespace

RankCollectives rankCollectives(const Analysis& analysis, RankIndex rank,
                                std::span<const RowWindow> windows) {
  return CollectiveCollector(analysis, rank, windows).take();
}

} // namespace rankscope

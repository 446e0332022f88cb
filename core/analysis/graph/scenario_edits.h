// SPDX-License-Identifier: GPL-3.0-or-later
// What a scenario does to the lags of a graph. Every change is one pass over the edges or the peers; several
// are applied in order to the same lags. Private to the graph.
#pragma once

#include "core/analysis/account/idle_times.h"
#include "core/analysis/graph/peer_sets.h"
#include "core/analysis/graph/scenario.h"

#include <functional>
#include <string>
#include <vector>

namespace rankscope {

class ScenarioEdits {
 public:
  // idle: of the analysis; asked for when a scenario is about it. All must outlive this.
  ScenarioEdits(const Analysis& analysis, const JobGraph& job, const PeerSets& peers,
                std::function<const IdleTimes&()> idle)
      : m_analysis(analysis), m_job(job), m_peers(peers), m_idle(std::move(idle)) {}

  // Why the scenario cannot be answered, with what to record; empty when it can.
  [[nodiscard]] std::string refusal(const Scenario& scenario) const;
  // What of the scenario names a rank, kernel or link that the job does not have; empty if nothing does. Part
  // of the refusal.
  [[nodiscard]] std::string unmatched(const Scenario& scenario) const;
  [[nodiscard]] GraphLags edited(const Scenario& scenario) const;
  // Of the graph's windows with the ranks that do not count in the scenario taken out; the same otherwise.
  [[nodiscard]] std::vector<std::vector<GraphPoint>> windowEnds(const Scenario& scenario) const;

 private:
  using RankSet = std::vector<bool>; // by RankIndex

  [[nodiscard]] std::vector<RankIndex> ranksOf(const ScenarioPart& part) const;
  [[nodiscard]] RankSet setOf(const ScenarioPart& part, bool complement) const;
  [[nodiscard]] std::string refusalOf(const ScenarioPart& part) const;
  [[nodiscard]] std::string unmatchedOf(const ScenarioPart& part) const;
  [[nodiscard]] static bool isScaled(const ScenarioPart& part, const GraphActivity& activity);
  [[nodiscard]] std::string linkRefusal(const ScenarioPart& part) const;
  [[nodiscard]] std::string deviceRefusal(std::optional<int> rank) const;
  [[nodiscard]] bool isOfLink(const GraphJoin& join, std::string_view group) const;
  [[nodiscard]] bool spansHosts(const GraphJoin& join) const;

  void apply(const ScenarioPart& part, GraphLags& lags) const;
  void equalize(const RankSet& ranks, bool amongOthers, GraphLags& lags) const;
  void equalizeTransfers(const RankSet& ranks, GraphLags& lags) const;
  void removeRank(const RankSet& ranks, GraphLags& lags) const;
  void scaleKernels(const ScenarioPart& part, GraphLags& lags) const;
  void scaleLinks(const ScenarioPart& part, GraphLags& lags) const;
  void removeContention(GraphLags& lags) const;
  void scaleHost(double factor, GraphLags& lags) const;
  void removeGaps(const ScenarioPart& of, GraphLags& lags) const;
  void removeGap(RankIndex rank, TimeRange gap, GraphLags& lags) const;
  void removeEdges(ScenarioKind kind, GraphLags& lags) const;
  void moveWithEnds(GraphLags& lags) const;
  template <class Visit> void forEachJoinEdge(Visit&& visit) const;

  const Analysis& m_analysis;
  const JobGraph& m_job;
  const PeerSets& m_peers;
  std::function<const IdleTimes&()> m_idle;
};

} // namespace rankscope

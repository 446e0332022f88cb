// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/clock_ratios.h"

#include "core/analysis/account/call_facts.h"
#include "core/analysis/account/kernel_pace.h"
#include "core/analysis/account/pace_digest.h"
#include "core/analysis/account/work_peers.h"
#include "core/base/parallel_for.h"
#include "core/base/statistics.h"
#include "core/model/rank_digest.h"
#include "core/model/side_files.h"
#include "core/model/trace_pages.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

constexpr double kMinShareOfKinds = 0.7;
constexpr double kCallsAlike = 0.1; // difference in the number of calls, relative
constexpr std::size_t kPeersRead = 2;

// From the rank's events, or its digest.
std::vector<KernelPace> pacesOf(const Analysis& analysis, RankIndex rank) {
  if (const RankDigest* const digest = digestOf(analysis.trace(), rank)) return unpackedPaces(*digest);
  std::vector<KernelPace> paces = kernelPaces(analysis, rank);
  giveBackPages(*analysis.trace().rank(rank).trace);
  return paces;
}

class Clocks {
 public:
  Clocks(const Analysis& analysis, unsigned threadCount, const Progress* progress)
      : m_analysis(analysis), m_ranks(analysis.ranks()), m_paces(analysis.trace().ranks().size()),
        m_shapesRead(m_paces.size(), false) {
    std::vector<std::vector<KernelPace>> paces(m_ranks.size());
    parallelFor(m_ranks.size(), threadCount, [&](std::size_t i) {
      if (progress == nullptr || !progress->cancelled()) paces[i] = pacesOf(analysis, m_ranks[i]);
    });
    for (std::size_t i = 0; i < m_ranks.size(); ++i) m_paces[m_ranks[i].value] = std::move(paces[i]);
    const std::vector<std::uint32_t> sets = workPeers(analysis);
    for (const RankIndex rank : m_ranks) m_peers[sets[rank.value]].push_back(rank);
  }

  void run(std::vector<double>& ratios) {
    for (const auto& [set, peers] : m_peers) {
      if (peers.size() < 2) continue;
      const Durations durations = durationsOf(peers);
      for (const RankIndex rank : peers) {
        const auto any = [](const KernelPace&) { return true; };
        if (ratioOf(m_paces[rank.value], durations, any) > 1)
          ratios[rank.value] = ratioWithShapes(rank, peers, durations);
      }
    }
  }

 private:
  struct OfKind {
    std::array<std::vector<double>, kPacePercents.size()> durations; // of the peers
    std::vector<std::int64_t> calls;
  };
  using Durations = std::unordered_map<KernelKind, OfKind>;

  [[nodiscard]] Durations durationsOf(const std::vector<RankIndex>& peers) const {
    Durations all;
    for (const RankIndex rank : peers) {
      for (const KernelPace& pace : m_paces[rank.value]) {
        OfKind& of = all[pace.kind];
        of.calls.push_back(pace.calls);
        for (std::size_t i = 0; i < kPacePercents.size(); ++i) of.durations[i].push_back(pace.durations[i]);
      }
    }
    return all;
  }

  static double ratioOf(const std::vector<KernelPace>& paces, const Durations& durations,
                        const std::function<bool(const KernelPace&)>& isComparable) {
    double own = 0, usual = 0;
    std::size_t compared = 0, slower = 0;
    for (const KernelPace& pace : paces) {
      const OfKind& of = durations.at(pace.kind);
      if (of.calls.size() < 2 || !isComparable(pace)) continue;
      const auto calls = static_cast<double>(pace.calls);
      if (std::abs(calls - median(of.calls)) > kCallsAlike * calls) continue;
      ++compared;
      bool isSlower = true;
      for (std::size_t i = 0; i < kPacePercents.size(); ++i)
        isSlower &= pace.durations[i] >= kMinSlowClock * median(of.durations[i]);
      if (isSlower) ++slower;
      own += pace.total();
      usual += pace.total() * median(of.durations[kPacePercents.size() / 2]) / pace.median();
    }
    if (compared == 0 || static_cast<double>(slower) < kMinShareOfKinds * static_cast<double>(compared))
      return 1;
    const double ratio = own / usual;
    return ratio >= kMinSlowClock ? ratio : 1;
  }

  // Of kinds whose operators have inputs of the same shapes on this rank and on two others.
  double ratioWithShapes(RankIndex rank, const std::vector<RankIndex>& peers, const Durations& durations) {
    readShapes(rank);
    std::vector<RankIndex> others;
    for (const RankIndex peer : peers) {
      if (peer == rank || others.size() == kPeersRead) continue;
      readShapes(peer);
      others.push_back(peer);
    }
    return ratioOf(m_paces[rank.value], durations, [&](const KernelPace& pace) {
      return std::ranges::all_of(others, [&](RankIndex other) {
        const auto found = std::ranges::find(m_paces[other.value], pace.kind, &KernelPace::kind);
        return found == m_paces[other.value].end() || found->shapes == pace.shapes;
      });
    });
  }

  // A digest has them.
  void readShapes(RankIndex rank) {
    if (m_shapesRead[rank.value]) return;
    m_shapesRead[rank.value] = true;
    if (digestOf(m_analysis.trace(), rank) == nullptr) readPaceShapes(m_analysis, rank, m_paces[rank.value]);
  }

  const Analysis& m_analysis;
  const std::vector<RankIndex>& m_ranks;
  std::vector<std::vector<KernelPace>> m_paces; // by RankIndex
  std::vector<bool> m_shapesRead;               // by RankIndex
  std::unordered_map<std::uint32_t, std::vector<RankIndex>> m_peers;
};

} // namespace

std::vector<double> clockRatios(const Analysis& analysis, unsigned threadCount, const Progress* progress) {
  std::vector<double> ratios(analysis.trace().ranks().size(), 1);
  const std::vector<RankIndex>& ranks = analysis.ranks();
  for (const RankIndex rank : ranks)
    if (const RankFacts* const told = toldFacts(analysis, rank)) ratios[rank.value] = told->clockRatio;
  if (ranks.size() < 2 || !analysis.trace().side().jobFacts.empty()) return ratios;
  Clocks(analysis, threadCount, progress).run(ratios);
  return ratios;
}

} // namespace rankscope

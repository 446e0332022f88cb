// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/pipeline_rebuild.h"

#include "core/analysis/parallel/pipeline_schedule.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::int64_t kUnknown = -1;

struct Place { // a stretch of a rank
  std::size_t rank = kNone;
  std::size_t stretch = kNone;
};

struct Node {
  Place from; // whose output it received; none of the first stage's forward and the last stage's backward
  std::int64_t stage = kUnknown;
  std::int64_t microbatch = kUnknown;
};

class Rebuilder {
 public:
  explicit Rebuilder(std::span<const RankWork> ranks) : m_ranks(ranks), m_nodes(ranks.size()) {
    for (std::size_t r = 0; r < ranks.size(); ++r) m_nodes[r].resize(ranks[r].stretches.size());
  }

  [[nodiscard]] std::vector<std::vector<RebuiltAction>> actions() {
    matchTransfers();
    for (std::size_t r = 0; r < m_ranks.size(); ++r) consumeReceives(r);
    if (numberFirstStage() && numberForwards() && numberBackwards() && isWhole()) return rebuilt();
    return planned();
  }

 private:
  struct Receive {
    TimeNs done = 0;
    Place from;
    bool taken = false;
  };

  // The last stretch of a rank that had begun and ended before its send.
  [[nodiscard]] Place workBefore(std::size_t rank, TimeNs time) const {
    const std::vector<HostStretchOfWork>& work = m_ranks[rank].stretches;
    const auto after = std::ranges::upper_bound(
        work, time, {}, [](const HostStretchOfWork& stretch) { return stretch.range.begin; });
    if (after == work.begin()) return {};
    return {rank, static_cast<std::size_t>(after - work.begin()) - 1};
  }

  void matchTransfers() {
    std::map<int, std::size_t> placeOf;
    for (std::size_t r = 0; r < m_ranks.size(); ++r) placeOf.emplace(m_ranks[r].rank, r);
    std::map<std::pair<std::size_t, std::size_t>, std::vector<const HostTransfer*>> sends;
    m_receives.resize(m_ranks.size());
    for (std::size_t r = 0; r < m_ranks.size(); ++r) {
      for (const HostTransfer& transfer : m_ranks[r].transfers) {
        const auto peer = placeOf.find(transfer.peer);
        if (peer == placeOf.end()) m_complete = false;
        if (transfer.send && peer != placeOf.end()) sends[{r, peer->second}].push_back(&transfer);
      }
    }
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> next;
    for (std::size_t r = 0; r < m_ranks.size(); ++r) {
      for (const HostTransfer& transfer : m_ranks[r].transfers) {
        const auto peer = placeOf.find(transfer.peer);
        if (transfer.send || peer == placeOf.end()) continue;
        const std::pair<std::size_t, std::size_t> from{peer->second, r};
        const std::size_t k = next[from]++;
        const auto of = sends.find(from);
        const bool matched = of != sends.end() && k < of->second.size();
        const Place source = matched ? workBefore(peer->second, of->second[k]->begin) : Place();
        if (source.rank == kNone) m_complete = false;
        m_receives[r].push_back({transfer.done, source});
      }
    }
  }

  // The oldest receive of the same direction that was there when the work began.
  void consumeReceives(std::size_t rank) {
    const std::vector<HostStretchOfWork>& work = m_ranks[rank].stretches;
    for (std::size_t i = 0; i < work.size(); ++i) {
      for (Receive& receive : m_receives[rank]) {
        if (receive.taken || receive.done > work[i].range.begin || receive.from.rank == kNone) continue;
        const HostStretchOfWork& source = m_ranks[receive.from.rank].stretches[receive.from.stretch];
        if (source.backward != work[i].backward) continue;
        receive.taken = true;
        m_nodes[rank][i].from = receive.from;
        break;
      }
    }
  }

  // Microbatches of the first stage: forward work without a receive, on one rank only.
  [[nodiscard]] bool numberFirstStage() {
    std::size_t first = kNone;
    std::int64_t microbatch = 0;
    for (std::size_t r = 0; r < m_ranks.size(); ++r) {
      for (std::size_t i = 0; i < m_nodes[r].size(); ++i) {
        if (m_ranks[r].stretches[i].backward || m_nodes[r][i].from.rank != kNone) continue;
        if (first != kNone && first != r) return false;
        first = r;
        m_nodes[r][i].stage = 0;
        m_nodes[r][i].microbatch = microbatch++;
      }
    }
    m_microbatches = microbatch;
    return m_complete && first != kNone;
  }

  // Numbers the work of one direction from what it received, as long as something new becomes known.
  void follow(bool backward, std::int64_t ahead) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t r = 0; r < m_ranks.size(); ++r) {
        for (std::size_t i = 0; i < m_nodes[r].size(); ++i) {
          Node& node = m_nodes[r][i];
          if (m_ranks[r].stretches[i].backward != backward || node.stage != kUnknown ||
              node.from.rank == kNone)
            continue;
          const Node& source = m_nodes[node.from.rank][node.from.stretch];
          if (source.stage == kUnknown) continue;
          node.stage = source.stage + ahead;
          node.microbatch = source.microbatch;
          changed = true;
        }
      }
    }
  }

  [[nodiscard]] bool numberForwards() {
    follow(false, 1);
    for (std::size_t r = 0; r < m_ranks.size(); ++r) {
      for (std::size_t i = 0; i < m_nodes[r].size(); ++i) {
        if (m_ranks[r].stretches[i].backward) continue;
        if (m_nodes[r][i].stage == kUnknown) return false;
        m_lastStage = std::max(m_lastStage, m_nodes[r][i].stage);
      }
    }
    return m_lastStage > 0;
  }

  // The last stage goes back through its microbatches in the order in which they came.
  [[nodiscard]] bool numberBackwards() {
    for (std::size_t r = 0; r < m_ranks.size(); ++r) {
      std::vector<std::int64_t> came;
      std::size_t next = 0;
      for (std::size_t i = 0; i < m_nodes[r].size(); ++i) {
        Node& node = m_nodes[r][i];
        if (!m_ranks[r].stretches[i].backward) {
          if (node.stage == m_lastStage) came.push_back(node.microbatch);
        } else if (node.from.rank == kNone) {
          if (next >= came.size()) return false;
          node.stage = m_lastStage;
          node.microbatch = came[next++];
        }
      }
    }
    follow(true, -1);
    return true;
  }

  // Every stage has every microbatch once in each direction, on one rank.
  [[nodiscard]] bool isWhole() const {
    std::map<std::pair<bool, std::int64_t>, std::pair<std::size_t, std::int64_t>> stages; // rank and actions
    for (std::size_t r = 0; r < m_ranks.size(); ++r) {
      for (std::size_t i = 0; i < m_nodes[r].size(); ++i) {
        const Node& node = m_nodes[r][i];
        if (node.stage == kUnknown) return false;
        const auto [place, isNew] =
            stages.try_emplace({m_ranks[r].stretches[i].backward, node.stage}, r, std::int64_t{0});
        if (place->second.first != r) return false;
        ++place->second.second;
      }
    }
    return std::ranges::all_of(stages,
                               [&](const auto& stage) { return stage.second.second == m_microbatches; }) &&
           static_cast<std::int64_t>(stages.size()) == 2 * (m_lastStage + 1);
  }

  [[nodiscard]] std::vector<std::vector<RebuiltAction>> rebuilt() const {
    std::vector<std::vector<RebuiltAction>> result(m_ranks.size());
    for (std::size_t r = 0; r < m_ranks.size(); ++r) {
      result[r].reserve(m_nodes[r].size());
      for (std::size_t i = 0; i < m_nodes[r].size(); ++i) {
        const HostStretchOfWork& work = m_ranks[r].stretches[i];
        result[r].push_back({work.range, work.backward, m_nodes[r][i].stage, m_nodes[r][i].microbatch});
      }
    }
    return result;
  }

  // Where receives could not be followed: the schedule with the same directions of work on every rank. Which
  // rank comes first is known by who sends forward without having received.
  [[nodiscard]] std::vector<std::vector<RebuiltAction>> planned() const {
    const std::vector<std::size_t> chain = chainOfRanks();
    if (chain.size() != m_ranks.size() || chain.size() < 2) return {};
    std::vector<std::vector<ActionKind>> kinds;
    kinds.reserve(chain.size());
    for (const std::size_t r : chain) {
      std::vector<ActionKind>& of = kinds.emplace_back();
      of.reserve(m_ranks[r].stretches.size());
      for (const HostStretchOfWork& work : m_ranks[r].stretches)
        of.push_back(work.backward ? ActionKind::Backward : ActionKind::Forward);
    }
    const std::vector<ActionOrder> orders = orderOfKinds(kinds);
    if (orders.empty()) return {};
    std::vector<std::vector<RebuiltAction>> result(m_ranks.size());
    for (std::size_t place = 0; place < chain.size(); ++place) {
      const std::vector<HostStretchOfWork>& work = m_ranks[chain[place]].stretches;
      result[chain[place]].reserve(work.size());
      for (std::size_t i = 0; i < work.size(); ++i)
        result[chain[place]].push_back(
            {work[i].range, work[i].backward, orders[place][i].stage, orders[place][i].microbatch});
    }
    return result;
  }

  // Each rank after the one that sends it its first forward result.
  [[nodiscard]] std::vector<std::size_t> chainOfRanks() const {
    std::map<int, std::size_t> placeOf;
    for (std::size_t r = 0; r < m_ranks.size(); ++r) placeOf.emplace(m_ranks[r].rank, r);
    std::size_t at = kNone;
    for (std::size_t r = 0; r < m_ranks.size(); ++r) {
      const RankWork& work = m_ranks[r];
      if (work.stretches.empty() || work.transfers.empty()) return {};
      const auto receive =
          std::ranges::find_if(work.transfers, [](const HostTransfer& transfer) { return !transfer.send; });
      const bool waits =
          receive != work.transfers.end() && receive->begin < work.stretches.front().range.begin;
      if (waits) continue;
      if (at != kNone) return {};
      at = r;
    }
    std::vector<std::size_t> chain;
    while (at != kNone && std::ranges::find(chain, at) == chain.end()) {
      chain.push_back(at);
      const auto send = std::ranges::find_if(m_ranks[at].transfers, &HostTransfer::send);
      if (send == m_ranks[at].transfers.end()) break;
      const auto next = placeOf.find(send->peer);
      at = next == placeOf.end() ? kNone : next->second;
    }
    return chain;
  }

  std::span<const RankWork> m_ranks;
  std::vector<std::vector<Node>> m_nodes; // by rank and stretch
  std::vector<std::vector<Receive>> m_receives;
  bool m_complete = true; // every receive has its send
  std::int64_t m_microbatches = 0;
  std::int64_t m_lastStage = 0;
};

} // namespace

std::vector<std::vector<RebuiltAction>> rebuiltPipeline(std::span<const RankWork> ranks) {
  if (ranks.size() < 2) return {};
  return Rebuilder(ranks).actions();
}

} // namespace rankscope

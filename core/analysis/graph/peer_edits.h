// SPDX-License-Identifier: GPL-3.0-or-later
// Makes ranks as their peers: each kernel, copy and stretch of a host thread takes the median of those of its
// peers, and what most of them have not takes no time. One pass over the peers. Private to the graph.
#pragma once

#include "core/analysis/graph/peer_sets.h"

#include <vector>

namespace rankscope {

class PeerEdits {
 public:
  using RankSet = std::vector<bool>; // by RankIndex

  // Both must outlive this.
  PeerEdits(const JobGraph& job, const PeerSets& peers) : m_job(job), m_peers(peers) {}

  // amongOthers: the median of a rank's peers without itself.
  void equalize(const RankSet& ranks, bool amongOthers, GraphLags& lags) const;

 private:
  void equalizeKernels(const RankSet& ranks, bool amongOthers, GraphLags& lags) const;
  void equalizeCopies(const RankSet& ranks, bool amongOthers, GraphLags& lags) const;
  void equalizeHost(const RankSet& ranks, bool amongOthers, GraphLags& lags) const;
  [[nodiscard]] bool mostWait(const HostPeerGroup& group, std::size_t i, std::size_t without) const;
  void setStretch(const HostStretch& stretch, TimeNs time, GraphLags& lags) const;

  const JobGraph& m_job;
  const PeerSets& m_peers;
};

} // namespace rankscope

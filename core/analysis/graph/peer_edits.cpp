// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/peer_edits.h"

#include "core/analysis/graph/lag_edits.h"
#include "core/base/statistics.h"
#include "core/base/whole_number.h"

#include <map>
#include <span>
#include <utility>

namespace rankscope {

void PeerEdits::equalize(const RankSet& ranks, bool amongOthers, GraphLags& lags) const {
  equalizeKernels(ranks, amongOthers, lags);
  equalizeCopies(ranks, amongOthers, lags);
  equalizeHost(ranks, amongOthers, lags);
}

void PeerEdits::equalizeKernels(const RankSet& ranks, bool amongOthers, GraphLags& lags) const {
  std::vector<TimeNs> others;
  for (const PeerGroup& group : m_peers.groups) {
    for (const std::size_t member : group.members) {
      const PeerStep& step = m_peers.steps[member];
      if (!ranks[step.rank.value]) continue;
      for (std::size_t i = 0; i < step.activities.size(); ++i) {
        TimeNs median = group.medians[i];
        if (amongOthers) {
          others.clear();
          for (const std::size_t other : group.members) {
            if (other != member)
              others.push_back(recordedDuration(m_job, m_peers.steps[other].activities[i]));
          }
          median = wholeMedian(others);
        }
        setDuration(m_job, step.activities[i], median, lags);
        setResidual(m_job, m_job.activities[step.activities[i]].begin, group.residuals[i], lags);
      }
    }
  }
}

// What most peers do not have takes no time.
void PeerEdits::equalizeCopies(const RankSet& ranks, bool amongOthers, GraphLags& lags) const {
  for (const PeerGroup& group : m_peers.groups) {
    std::map<std::uint64_t, std::vector<std::pair<std::size_t, TimeNs>>> times; // of members, by key
    for (const std::size_t member : group.members) {
      for (const PeerCopy& copy : m_peers.steps[member].copies)
        times[copy.key].emplace_back(member, recordedDuration(m_job, copy.activity));
    }
    for (const std::size_t member : group.members) {
      const PeerStep& step = m_peers.steps[member];
      if (!ranks[step.rank.value]) continue;
      for (const PeerCopy& copy : step.copies) {
        if (!copy.usual) {
          setDuration(m_job, copy.activity, 0, lags);
          setResidual(m_job, m_job.activities[copy.activity].begin, 0, lags);
          continue;
        }
        std::vector<TimeNs> of;
        for (const auto& [owner, time] : times.at(copy.key))
          if (!amongOthers || owner != member) of.push_back(time);
        if (!of.empty()) setDuration(m_job, copy.activity, wholeMedian(std::move(of)), lags);
      }
    }
  }
}

void PeerEdits::equalizeHost(const RankSet& ranks, bool amongOthers, GraphLags& lags) const {
  std::vector<TimeNs> others;
  for (const HostPeerGroup& group : m_peers.hostGroups) {
    for (const std::size_t member : group.members) {
      const PeerStep& step = m_peers.steps[member];
      if (!ranks[step.rank.value]) continue;
      for (std::size_t i = 0; i < step.stretches.size(); ++i) {
        const HostStretch& stretch = step.stretches[i];
        TimeNs median = group.medians[i];
        if (amongOthers) {
          others.clear();
          for (const std::size_t other : group.members) {
            if (other != member) others.push_back(m_peers.steps[other].stretches[i].time);
          }
          median = wholeMedian(others);
        }
        setStretch(stretch, median, lags);
        if (stretch.waits > 0 && !mostWait(group, i, amongOthers ? member : PeerSets::kNone))
          for (const std::uint32_t edge : m_peers.waitsOf(stretch)) lags.edges[edge] = kRemovedEdge;
      }
    }
  }
}

// Whether most of the members, without one of them, wait for the device in their i-th stretch.
bool PeerEdits::mostWait(const HostPeerGroup& group, std::size_t i, std::size_t without) const {
  std::size_t members = 0, waiting = 0;
  for (const std::size_t member : group.members) {
    if (member == without) continue;
    ++members;
    waiting += m_peers.steps[member].stretches[i].waits > 0 ? 1 : 0;
  }
  return 2 * waiting > members;
}

// In proportion, so that marks within stay where they were among the rest.
void PeerEdits::setStretch(const HostStretch& stretch, TimeNs time, GraphLags& lags) const {
  const std::span<const std::uint32_t> edges = m_peers.edgesOf(stretch);
  TimeNs before = 0, movedBefore = 0;
  for (const std::uint32_t edge : edges) {
    before += m_job.graph.lags.edges[edge];
    const TimeNs moved = stretch.time > 0
                             ? scaled(time, static_cast<double>(before) / static_cast<double>(stretch.time))
                             : (edge == edges.back() ? time : 0);
    lags.edges[edge] = moved - movedBefore;
    movedBefore = moved;
  }
}

} // namespace rankscope

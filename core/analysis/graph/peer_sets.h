// SPDX-License-Identifier: GPL-3.0-or-later
// Which ranks do the same in a step, and what each of them should take for it: ranks whose sequence of
// kernels, without communication, is the same are peers, and so the i-th kernel of one is that of the others.
// The time of a host thread up to its i-th launch of a kernel is compared in the same way. Copies and waits
// for the device need not be the same, so that a rank that alone reads a value has peers: where most of them
// have none, it should have none. A rank without peers is compared with itself in other steps. O(activities).
#pragma once

#include "core/analysis/graph/joint_graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

// What a thread of a rank did up to one of its launches or to the mark of a step: edges of the graph.
struct HostStretch {
  std::uint32_t firstEdge = 0; // of PeerSets::stretchEdges
  std::uint32_t count = 0;
  std::uint32_t waits = 0; // how many edges that follow these are waits for the device
  TimeNs time = 0;
};

// A copy or memset, and what it is among those of a step: its stream, its name, the kernels of the stream
// before it and how many alike came after these.
struct PeerCopy {
  std::uint64_t key = 0;
  std::uint32_t activity = 0;
  bool usual = true; // most peers have it
};

// A rank in a window.
struct PeerStep {
  RankIndex rank;
  std::size_t window = 0;
  std::uint64_t sequence = 0;            // hash of what its streams ran
  std::uint64_t hostSequence = 0;        // of the number of stretches of its threads
  std::vector<std::uint32_t> activities; // kernels, without communication
  std::vector<PeerCopy> copies;          // by key
  std::vector<HostStretch> stretches;    // thread after thread
};

// Steps of several ranks or of one that can be compared, and their medians.
struct PeerGroup {
  std::vector<std::size_t> members; // of PeerSets::steps
  std::vector<TimeNs> medians;      // by position in activities
  std::vector<TimeNs> residuals;    // the same of residuals
};

struct HostPeerGroup {
  std::vector<std::size_t> members;
  std::vector<TimeNs> medians; // by position in stretches
};

struct PeerSets {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::vector<PeerStep> steps;
  std::vector<std::uint32_t> stretchEdges;
  std::vector<PeerGroup> groups;
  std::vector<HostPeerGroup> hostGroups;
  std::vector<std::size_t> groupOf;     // by step; kNone: nothing to compare with
  std::vector<std::size_t> hostGroupOf; // by step
  bool overSteps = false;               // at least one rank is compared with its own other steps

  [[nodiscard]] std::span<const std::uint32_t> edgesOf(const HostStretch& stretch) const {
    return std::span(stretchEdges).subspan(stretch.firstEdge, stretch.count);
  }
  [[nodiscard]] std::span<const std::uint32_t> waitsOf(const HostStretch& stretch) const {
    return std::span(stretchEdges).subspan(stretch.firstEdge + stretch.count, stretch.waits);
  }
};

[[nodiscard]] PeerSets peerSets(const Analysis& analysis, const JobGraph& job);

} // namespace rankscope

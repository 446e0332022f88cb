// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/rings.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace rankscope {

namespace {

// What is known of one channel of a communicator.
struct ChannelFacts {
  std::vector<std::int32_t> header;                          // as rank 0 printed it
  std::map<std::int32_t, std::int32_t> next;                 // as ranks printed them
  std::map<std::int32_t, std::vector<std::int32_t>> linksTo; // in order of the lines
  std::map<std::int32_t, NcclTreeNode> tree;
};

using CommunicatorFacts = std::map<std::int32_t, ChannelFacts>; // by channel

bool isPermutation(const std::vector<std::int32_t>& ranks, std::int64_t size) {
  if (static_cast<std::int64_t>(ranks.size()) != size) return false;
  std::set<std::int32_t> seen(ranks.begin(), ranks.end());
  return static_cast<std::int64_t>(seen.size()) == size && *seen.begin() >= 0 && *seen.rbegin() < size;
}

bool inTree(const ChannelFacts& facts, std::int32_t from, std::int32_t to) {
  const auto node = facts.tree.find(from);
  if (node == facts.tree.end()) return false;
  return node->second.up == to || std::ranges::find(node->second.down, to) != node->second.down.end();
}

// The next rank of each rank by its links. first: the first link of each; else the first that is no edge of
// the tree.
std::map<std::int32_t, std::int32_t> nextByLinks(const ChannelFacts& facts, bool first) {
  std::map<std::int32_t, std::int32_t> next = facts.next;
  for (std::size_t i = 0; i + 1 < facts.header.size(); ++i) next[facts.header[i]] = facts.header[i + 1];
  for (const auto& [from, targets] : facts.linksTo) {
    if (next.contains(from)) continue;
    std::int32_t chosen = targets.front();
    if (!first) {
      const auto other = std::ranges::find_if(
          targets, [&, rank = from](std::int32_t to) { return !inTree(facts, rank, to); });
      if (other != targets.end()) chosen = *other;
    }
    next[from] = chosen;
  }
  return next;
}

std::vector<std::int32_t> chain(const std::map<std::int32_t, std::int32_t>& next, bool& closes) {
  std::vector<std::int32_t> ranks;
  std::set<std::int32_t> seen;
  closes = false;
  if (next.empty()) return ranks;
  const std::int32_t start = next.begin()->first;
  for (std::int32_t at = start; seen.insert(at).second;) {
    ranks.push_back(at);
    const auto to = next.find(at);
    if (to == next.end()) return ranks;
    at = to->second;
    closes = at == start;
  }
  return ranks;
}

NetRing ringOf(std::int32_t channel, const ChannelFacts& facts, std::int64_t size) {
  NetRing ring;
  ring.channel = channel;
  if (isPermutation(facts.header, size)) {
    ring.ranks = facts.header;
    ring.closed = true;
    return ring;
  }
  for (const bool first : {true, false}) {
    bool closes = false;
    std::vector<std::int32_t> ranks = chain(nextByLinks(facts, first), closes);
    const bool whole = closes && isPermutation(ranks, size);
    if (whole || ranks.size() > ring.ranks.size()) ring.ranks = std::move(ranks);
    ring.closed = whole;
    if (whole) break;
  }
  return ring;
}

void addRingsAndTrees(const NcclLog& log, NetTopology& topology) {
  std::vector<CommunicatorFacts> facts(topology.communicators.size());
  const auto channelOf = [&](std::uint32_t instance, std::int32_t channel) -> ChannelFacts* {
    if (instance == kNoNcclIndex) return nullptr;
    const std::uint32_t of = topology.communicatorOf[instance];
    if (of == kNoNcclIndex || topology.communicators[of].ranks < 2) return nullptr;
    return &facts[of][channel];
  };
  for (const NcclRingLine& line : log.rings)
    if (ChannelFacts* const channel = channelOf(line.instance, line.channel)) channel->header = line.ranks;
  for (const NcclRingStep& step : log.ringSteps) {
    ChannelFacts* const channel = channelOf(step.instance, step.channel);
    if (channel == nullptr) continue;
    channel->next[step.rank] = step.next;
    channel->next[step.previous] = step.rank;
  }
  for (const NcclTreeNode& node : log.treeNodes)
    if (ChannelFacts* const channel = channelOf(node.instance, node.channel)) channel->tree[node.rank] = node;
  for (const NcclLink& link : log.links) {
    if (link.connection > 0 || link.direction == NcclDirection::Receive) continue;
    if (ChannelFacts* const channel = channelOf(link.instance, link.channel))
      channel->linksTo[link.from].push_back(link.to);
  }
  for (std::size_t i = 0; i < facts.size(); ++i) {
    NetCommunicator& communicator = topology.communicators[i];
    for (const auto& [channel, known] : facts[i]) {
      NetRing ring = ringOf(channel, known, communicator.ranks);
      if (!ring.ranks.empty()) communicator.rings.push_back(std::move(ring));
      if (known.tree.empty()) continue;
      NetTree tree;
      tree.channel = channel;
      tree.nodes.reserve(known.tree.size());
      for (const auto& [rank, node] : known.tree) tree.nodes.push_back(node);
      communicator.trees.push_back(std::move(tree));
    }
  }
}

} // namespace

NetTopology topologyOf(const NcclLog& log) {
  NetTopology topology = communicatorsOf(log);
  addRingsAndTrees(log, topology);
  return topology;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/placement/rank_guess.h"

#include "core/base/natural_order.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

namespace rankscope {

namespace {

struct NaturalLess {
  bool operator()(const std::string& a, const std::string& b) const { return naturalLess(a, b); }
};

template <class Value> using ByNode = std::map<std::string, Value, NaturalLess>;

bool rankedByNameOnly(const RankCandidate& candidate) {
  return candidate.rank && candidate.from == RankSource::Name && candidate.facts->name.rank == candidate.rank;
}

// Whether the folders of several nodes contain the same ranks, so that these are ranks within a node.
bool nodesRepeatRanks(const ByNode<std::set<int>>& ranksOfNode) {
  std::set<int> seen;
  for (const auto& [node, ranks] : ranksOfNode)
    for (const int rank : ranks)
      if (!seen.insert(rank).second) return true;
  return false;
}

void decideByNode(const RankCandidates& files, const ByNode<std::set<int>>& localsOfNode) {
  int perNode = 0;
  for (const auto& [node, locals] : localsOfNode) perNode = std::max(perNode, *locals.rbegin() + 1);
  for (RankCandidate* candidate : files) {
    const std::string& node = candidate->node();
    const auto order = static_cast<int>(std::distance(localsOfNode.begin(), localsOfNode.find(node)));
    const int local = candidate->rank ? *candidate->rank : *candidate->facts->name.localRank;
    candidate->decide(order * perNode + local, RankSource::Folder,
                      "rank " + std::to_string(local) + " counts within " + node + " only; guessed as node " +
                          std::to_string(order) + " × " + std::to_string(perNode) + " + " +
                          std::to_string(local));
  }
}

using Index = std::vector<std::pair<std::string, int>>; // sorted by axis

Index indexOf(const RankCandidate& candidate) {
  Index index;
  for (const Coordinate& c : candidate.facts->name.coordinates) index.emplace_back(c.axis, c.index);
  std::ranges::sort(index);
  return index;
}

int valueOn(const Index& index, std::string_view axis) {
  const auto at = std::ranges::find(index, axis, &Index::value_type::first);
  return at == index.end() ? 0 : at->second;
}

// The minimal set of axes, slowest first, that distinguishes all coordinates. With data-parallel attention,
// for example, the dp index follows from the tp index and must not multiply the number of ranks.
std::vector<std::string> distinguishingAxes(const std::set<Index>& indices) {
  std::set<std::string> all;
  for (const Index& index : indices)
    for (const auto& [axis, value] : index) all.insert(axis);
  const std::array<std::vector<std::string>, 3> choices = {
      {{"pp", "tp"}, {"pp", "dp", "tp"}, {"pp", "dp", "cp", "tp"}}};
  for (std::vector<std::string> axes : choices) {
    std::erase_if(axes, [&](const std::string& axis) { return !all.contains(axis); });
    std::set<std::vector<int>> seen;
    for (const Index& index : indices) {
      std::vector<int> values;
      for (const std::string& axis : axes) values.push_back(valueOn(index, axis));
      seen.insert(std::move(values));
    }
    if (!axes.empty() && seen.size() == indices.size()) return axes;
  }
  return {all.begin(), all.end()};
}

std::set<int> takenRanks(const JobCandidate& job) {
  std::set<int> taken;
  for (const RankUnit& unit : job)
    if (unit.rank()) taken.insert(*unit.rank());
  return taken;
}

std::vector<RankUnit*> unrankedOf(JobCandidate& job) {
  std::vector<RankUnit*> units;
  for (RankUnit& unit : job)
    if (!unit.rank()) units.push_back(&unit);
  std::ranges::sort(units, [](const RankUnit* a, const RankUnit* b) {
    const RankCandidate& left = *a->files.front();
    const RankCandidate& right = *b->files.front();
    if (const auto node = naturalOrder(left.node(), right.node()); node != 0) return node < 0;
    const auto& pidL = left.facts->name.pid;
    const auto& pidR = right.facts->name.pid;
    if (pidL != pidR) return pidL < pidR;
    return a->files.front() < b->files.front();
  });
  return units;
}

void decideUnit(const RankUnit& unit, int rank, RankSource from, const std::string& why) {
  for (RankCandidate* file : unit.files) file->decide(rank, from, why);
}

// If each process uses a different device: the rank follows from node and device.
void rankByDevice(const std::vector<RankUnit*>& units, const std::set<int>& taken) {
  if (units.size() < 2) return;
  ByNode<std::set<int>> devicesOfNode;
  int perNode = 0;
  for (const RankUnit* unit : units) {
    const RankCandidate& file = *unit->files.front();
    const bool one = std::ranges::all_of(unit->files, [&](const RankCandidate* other) {
      return other->facts->devices.size() == 1 && other->facts->devices == file.facts->devices;
    });
    if (!one || !devicesOfNode[file.node()].insert(file.facts->devices.front()).second) return;
    perNode = std::max({perNode, file.facts->deviceCount, file.facts->devices.front() + 1});
  }
  std::vector<int> ranks;
  for (const RankUnit* unit : units) {
    const RankCandidate& file = *unit->files.front();
    const auto order = std::distance(devicesOfNode.begin(), devicesOfNode.find(file.node()));
    ranks.push_back(static_cast<int>(order) * perNode + file.facts->devices.front());
    if (taken.contains(ranks.back())) return;
  }
  for (std::size_t i = 0; i < units.size(); ++i) {
    const int device = units[i]->files.front()->facts->devices.front();
    const bool other = units[i]->files.front()->facts->otherProgram;
    decideUnit(*units[i], ranks[i], other ? RankSource::Device : RankSource::Content,
               "rank taken from device " + std::to_string(device) +
                   (devicesOfNode.size() > 1 ? " and the order of the nodes" : ""));
  }
}

std::vector<int> unassignedPeers(const RankUnit& unit, const std::set<int>& taken) {
  const std::vector<int>& peers = unit.files.front()->facts->peers;
  std::set<int> free;
  std::ranges::copy_if(peers, std::inserter(free, free.end()),
                       [&](int rank) { return rank >= 0 && !taken.contains(rank); });
  return {free.begin(), free.end()};
}

void rankByPeers(const std::vector<RankUnit*>& units, std::set<int>& taken) {
  for (bool found = true; found;) {
    found = false;
    for (const RankUnit* unit : units) {
      if (unit->rank()) continue;
      const std::vector<int> free = unassignedPeers(*unit, taken);
      if (free.size() != 1) continue;
      decideUnit(*unit, free.front(), RankSource::Content,
                 "the only rank of its process groups without a file");
      taken.insert(free.front());
      found = true;
    }
  }
}

} // namespace

void resolveLocalRanks(const RankCandidates& candidates) {
  ByNode<std::set<int>> named, local;
  RankCandidates namedFiles, localFiles;
  bool certain = false;
  for (RankCandidate* candidate : candidates) {
    if (rankedByNameOnly(*candidate)) {
      // Only folders may overrule a rank in a name; a host name does not show that ranks count within a node.
      named[candidate->nodeFolder].insert(*candidate->rank);
      namedFiles.push_back(candidate);
    } else if (candidate->rank) {
      certain = true;
    } else if (candidate->facts->name.localRank) {
      local[candidate->node()].insert(*candidate->facts->name.localRank);
      localFiles.push_back(candidate);
    }
  }
  if (!certain && named.size() > 1 && !named.contains("") && nodesRepeatRanks(named))
    decideByNode(namedFiles, named);
  if (local.size() > 1 && nodesRepeatRanks(local)) {
    decideByNode(localFiles, local);
  } else {
    for (RankCandidate* candidate : localFiles)
      candidate->decide(*candidate->facts->name.localRank, RankSource::Name,
                        "the name gives the local rank; used as the global rank, as there is only one node");
  }
}

void resolveCoordinates(const RankCandidates& candidates) {
  std::set<Index> indices;
  RankCandidates files;
  for (RankCandidate* candidate : candidates) {
    if (candidate->rank || candidate->facts->name.coordinates.empty()) return;
    indices.insert(indexOf(*candidate));
    files.push_back(candidate);
  }
  if (files.empty()) return;
  const std::vector<std::string> axes = distinguishingAxes(indices);
  std::string list;
  for (const std::string& axis : axes) list += (list.empty() ? "" : ", ") + axis;
  for (RankCandidate* candidate : files) {
    const Index own = indexOf(*candidate);
    int rank = 0;
    for (const std::string& axis : axes) {
      int size = 1;
      for (const Index& index : indices) size = std::max(size, valueOn(index, axis) + 1);
      rank = rank * size + valueOn(own, axis);
    }
    candidate->decide(rank, RankSource::Name,
                      "rank computed from the parallel coordinates in the name (" + list + ")");
  }
}

void fillRanks(JobCandidate& job) {
  std::set<int> taken = takenRanks(job);
  const std::vector<RankUnit*> units = unrankedOf(job);
  if (units.empty()) return;
  if (job.size() == 1 && job.front().files.front()->facts->peers.size() != 1) {
    decideUnit(job.front(), 0, RankSource::Guess, "rank unknown; treated as rank 0");
    return;
  }
  rankByDevice(units, taken);
  taken = takenRanks(job);
  rankByPeers(units, taken);
  int next = 0;
  for (const RankUnit* unit : units) {
    if (unit->rank()) continue;
    const std::vector<int> free = unassignedPeers(*unit, taken);
    while (taken.contains(next)) ++next;
    const int rank = free.empty() ? next : free.front();
    taken.insert(rank);
    decideUnit(*unit, rank, RankSource::Guess,
               "rank unknown; guessed from the order of hosts, processes and names");
  }
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/communicators.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// What a process says about another member.
struct Neighbor {
  std::int32_t rank = 0;
  std::uint32_t device = 0;
  bool sameHost = false;
};

bool withinHost(std::string_view kind) {
  return (kind.starts_with("P2P/") && kind != "P2P/MNNVL") || kind.starts_with("SHM/");
}

std::vector<std::vector<Neighbor>> neighborsOf(const NcclLog& log) {
  std::vector<std::vector<Neighbor>> neighbors(log.instances.size());
  for (const NcclLink& link : log.links) {
    if (link.instance == kNoNcclIndex) continue;
    const bool receives = link.direction == NcclDirection::Receive;
    neighbors[link.instance].push_back({receives ? link.from : link.to,
                                        receives ? link.fromDevice : link.toDevice,
                                        withinHost(log.kinds[link.kind])});
  }
  for (std::vector<Neighbor>& of : neighbors) {
    const auto key = [](const Neighbor& n) { return std::tuple(n.rank, n.device, n.sameHost); };
    std::ranges::sort(of, {}, key);
    of.erase(std::unique(of.begin(), of.end(),
                         [&](const Neighbor& a, const Neighbor& b) { return key(a) == key(b); }),
             of.end());
  }
  return neighbors;
}

class Grouping {
 public:
  explicit Grouping(const NcclLog& log) : m_log(log), m_neighbors(neighborsOf(log)) {
    m_of.assign(log.instances.size(), kNoNcclIndex);
  }

  void run() {
    for (std::uint32_t i = 0; i < m_log.instances.size(); ++i) {
      const NcclInstance& instance = m_log.instances[i];
      // Made up for a call, or too damaged to say who it is.
      if (instance.ranks < 1 || instance.rank < 0 || instance.rank >= instance.ranks) continue;
      if (!instance.commId.empty())
        put(i, named(i, "id/" + instance.commId), MembersBy::CommId);
      else if (instance.parent != 0 && !instance.splitKey.empty())
        put(i, named(i, "split/" + parentKey(instance) + "/" + instance.splitKey), MembersBy::Split);
      else
        put(i, byNeighbors(i), MembersBy::Neighbors);
    }
  }

  std::vector<NetCommunicator> communicators;
  std::vector<std::uint32_t> take() { return std::move(m_of); }

 private:
  [[nodiscard]] std::string parentKey(const NcclInstance& instance) const {
    // The parent is a communicator of the same process that came before.
    for (std::size_t i = m_log.instances.size(); i-- > 0;) {
      const NcclInstance& candidate = m_log.instances[i];
      if (candidate.process == instance.process && candidate.pointer == instance.parent &&
          m_of[i] != kNoNcclIndex)
        return std::to_string(m_of[i]);
    }
    return "?";
  }

  std::uint32_t named(std::uint32_t index, std::string key) {
    const NcclInstance& instance = m_log.instances[index];
    key.append("/").append(std::to_string(instance.ranks));
    const auto [known, isNew] = m_named.emplace(key, static_cast<std::uint32_t>(communicators.size()));
    if (isNew) create(instance);
    return known->second;
  }

  std::uint32_t create(const NcclInstance& instance) {
    NetCommunicator communicator;
    communicator.number = static_cast<std::int64_t>(communicators.size()) + 1;
    communicator.commId = instance.commId;
    communicator.ranks = instance.ranks;
    communicators.push_back(std::move(communicator));
    m_members.emplace_back();
    return static_cast<std::uint32_t>(communicators.size() - 1);
  }

  // Before NCCL 2.16 no id is logged: the first communicator of this size that has a place for the rank and
  // whose members' links agree.
  std::uint32_t byNeighbors(std::uint32_t index) {
    const NcclInstance& instance = m_log.instances[index];
    std::vector<std::uint32_t>& open = m_open[instance.ranks];
    std::uint32_t chosen = kNoNcclIndex;
    bool several = false;
    for (const std::uint32_t candidate : open) {
      if (!agrees(index, candidate)) continue;
      several = chosen != kNoNcclIndex;
      if (several) break;
      chosen = candidate;
    }
    if (chosen == kNoNcclIndex) {
      chosen = create(instance);
      open.push_back(chosen);
    }
    if (several) communicators[chosen].by = MembersBy::Guess;
    if (static_cast<std::int64_t>(m_members[chosen].size()) + 1 >= instance.ranks) std::erase(open, chosen);
    return chosen;
  }

  // Whether what `says` tells of `other` is possible.
  [[nodiscard]] bool allows(std::uint32_t says, std::uint32_t other) const {
    const NcclInstance& of = m_log.instances[other];
    const NcclInstance& self = m_log.instances[says];
    for (const Neighbor& neighbor : m_neighbors[says]) {
      if (neighbor.rank != of.rank) continue;
      const bool sameHost = m_log.processes[self.process].host == m_log.processes[of.process].host;
      if (neighbor.sameHost != sameHost) return false;
      if (neighbor.device == 0 || (of.busId.empty() && of.nvmlDevice < 0)) continue;
      if (neighbor.device != ncclDeviceHash(of.busId) &&
          neighbor.device != ncclDeviceHash(std::to_string(of.nvmlDevice)) &&
          neighbor.device != ncclDeviceHash(std::to_string(of.cudaDevice)))
        return false;
    }
    return true;
  }

  [[nodiscard]] bool agrees(std::uint32_t index, std::uint32_t candidate) const {
    const NcclInstance& instance = m_log.instances[index];
    const auto& members = m_members[candidate];
    if (members.contains(instance.rank)) return false;
    return std::ranges::all_of(members, [&](const auto& member) {
      return m_log.instances[member.second].process != instance.process && allows(index, member.second) &&
             allows(member.second, index);
    });
  }

  void put(std::uint32_t index, std::uint32_t to, MembersBy by) {
    const NcclInstance& instance = m_log.instances[index];
    NetCommunicator& communicator = communicators[to];
    if (communicator.by == MembersBy::CommId) communicator.by = by;
    m_members[to].emplace(instance.rank, index); // the first of a rank
    m_of[index] = to;
  }

 public:
  [[nodiscard]] const std::map<std::int64_t, std::uint32_t>& members(std::size_t of) const {
    return m_members[of];
  }

 private:
  const NcclLog& m_log;
  std::vector<std::vector<Neighbor>> m_neighbors;
  std::vector<std::uint32_t> m_of;
  std::map<std::string, std::uint32_t> m_named;
  std::map<std::int64_t, std::vector<std::uint32_t>> m_open; // by ranks: with free places
  std::vector<std::map<std::int64_t, std::uint32_t>> m_members;
};

template <class T> void takeLarger(std::optional<T>& to, const std::optional<T>& from) {
  if (from && (!to || *from > *to)) to = from;
}

constexpr std::int64_t kMaxMembersListed = 1 << 20;

// Figures of the whole from those of its members.
void summarize(const NcclLog& log, NetCommunicator& communicator,
               const std::map<std::int64_t, std::uint32_t>& members) {
  communicator.membersKnown = static_cast<std::int64_t>(members.size());
  const std::int64_t listed = std::min(communicator.ranks, kMaxMembersListed);
  communicator.members.assign(static_cast<std::size_t>(listed), kNoNcclIndex);
  std::map<std::string_view, std::int64_t> hosts;
  std::set<std::string_view> versions;
  std::set<std::uint32_t> processes;
  communicator.completed = !members.empty();
  for (const auto& [rank, index] : members) {
    if (rank >= listed) continue;
    const NcclInstance& instance = log.instances[index];
    const NcclProcess& process = log.processes[instance.process];
    communicator.members[static_cast<std::size_t>(rank)] = index;
    ++hosts[process.host];
    if (!process.version.empty()) versions.insert(process.version);
    processes.insert(instance.process);
    takeLarger(communicator.nodes, instance.nodes);
    takeLarger(communicator.localRanks, instance.localRanks);
    takeLarger(communicator.collChannels, instance.collChannels);
    takeLarger(communicator.p2pChannels, instance.p2pChannels);
    takeLarger(communicator.nvlsChannels, instance.nvlsChannels);
    communicator.completed = communicator.completed && instance.completed;
    if (instance.initSeconds && instance.initSeconds > communicator.initSeconds) {
      communicator.initSeconds = instance.initSeconds;
      communicator.initLargest = instance.initLargest;
      communicator.initRank = rank;
    }
  }
  if (communicator.membersKnown == communicator.ranks) {
    if (!communicator.nodes) communicator.nodes = static_cast<std::int64_t>(hosts.size());
    if (!communicator.localRanks && !hosts.empty())
      communicator.localRanks =
          std::ranges::max_element(hosts, {}, [](const auto& host) { return host.second; })->second;
  }
  for (const std::string_view version : versions) {
    if (!communicator.version.empty()) communicator.version += ", ";
    communicator.version += version;
  }
  for (const NcclWarning& warning : log.warnings)
    for (const auto& [process, count] : warning.processes)
      if (processes.contains(process)) communicator.warnings += count;
}

struct LinkKey {
  std::int32_t channel, connection, from, to;
  auto operator<=>(const LinkKey&) const = default;
};

struct JoinedLink {
  NetLink link;
  std::set<std::uint32_t> files;
  bool sender = false; // the sender has told of it
};

void join(JoinedLink& joined, const NcclLink& line) {
  const bool sends = line.direction != NcclDirection::Receive;
  const bool isNew = joined.files.empty();
  NetLink& link = joined.link;
  if (isNew) {
    link.channel = line.channel;
    link.connection = line.connection;
    link.from = line.from;
    link.to = line.to;
    link.kind = line.kind;
    link.gdr = line.gdr;
    link.at = line.at;
  }
  link.gdr = link.gdr && line.gdr;
  link.shared = link.shared || line.shared;
  if (sends) {
    link.nic = line.nic;
    link.kind = line.kind;
    link.viaRank = line.viaRank;
    joined.sender = true;
  } else {
    link.receiverNic = line.nic;
    if (!joined.sender) link.nic = line.nic;
  }
  joined.files.insert(line.at.file);
}

} // namespace

std::string_view membersByText(MembersBy by) {
  switch (by) {
  case MembersBy::CommId:
    return "comm_id";
  case MembersBy::Split:
    return "split";
  case MembersBy::Neighbors:
    return "neighbors";
  case MembersBy::Guess:
    return "guess";
  }
  return {};
}

NetTopology communicatorsOf(const NcclLog& log) {
  NetTopology topology;
  Grouping grouping(log);
  grouping.run();
  topology.communicators = std::move(grouping.communicators);
  for (std::size_t i = 0; i < topology.communicators.size(); ++i)
    summarize(log, topology.communicators[i], grouping.members(i));
  topology.communicatorOf = grouping.take();
  std::vector<std::map<LinkKey, JoinedLink>> joined(topology.communicators.size() + 1);
  for (const NcclLink& line : log.links) {
    const std::uint32_t of =
        line.instance == kNoNcclIndex ? kNoNcclIndex : topology.communicatorOf[line.instance];
    const std::size_t place = of == kNoNcclIndex ? topology.communicators.size() : of;
    join(joined[place][{line.channel, line.connection, line.from, line.to}], line);
  }
  for (std::size_t i = 0; i < joined.size(); ++i) {
    std::vector<NetLink>& links =
        i < topology.communicators.size() ? topology.communicators[i].links : topology.unassigned;
    links.reserve(joined[i].size());
    for (auto& [key, link] : joined[i]) {
      link.link.seenBy = static_cast<std::int64_t>(link.files.size());
      links.push_back(link.link);
    }
  }
  return topology;
}

std::string_view hostOf(const NcclLog& log, const NetCommunicator& communicator, std::int64_t rank) {
  if (rank < 0 || rank >= static_cast<std::int64_t>(communicator.members.size())) return {};
  const std::uint32_t index = communicator.members[static_cast<std::size_t>(rank)];
  return index == kNoNcclIndex ? std::string_view()
                               : std::string_view(log.processes[log.instances[index].process].host);
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/group_join.h"

#include "core/analysis/network/nccl_calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kNamesShown = 3;

// Logs have the host up to its first dot.
std::string_view shortHost(std::string_view host) {
  return host.substr(0, std::min(host.find('.'), host.size()));
}

// Global ranks of processes, by what the traces say of theirs.
class ProcessRanks {
 public:
  explicit ProcessRanks(const TraceSet& trace) {
    for (const RankEntry& entry : trace.ranks()) {
      std::string_view host = entry.trace->metadata.hostName;
      if (host.empty()) host = entry.host;
      for (const Track& track : entry.trace->tracks)
        if (track.device < 0 && !track.process.empty())
          m_places[track.process].insert({std::string(shortHost(host)), entry.rank});
    }
  }

  // -1 where none or several fit. In containers hosts may differ: a process id of one rank only is enough.
  [[nodiscard]] int rankOf(const NcclProcess& process) const {
    const auto found = m_places.find(std::to_string(process.pid));
    if (found == m_places.end()) return -1;
    std::set<int> onHost, anywhere;
    for (const auto& [host, rank] : found->second) {
      anywhere.insert(rank);
      if (!host.empty() && host == shortHost(process.host)) onHost.insert(rank);
    }
    const std::set<int>& fitting = onHost.empty() ? anywhere : onHost;
    return fitting.size() == 1 ? *fitting.begin() : -1;
  }

 private:
  std::map<std::string, std::set<std::pair<std::string, int>>> m_places; // by process id
};

// The number of ranks of the job, as far as it is known.
std::int64_t sizeOf(const Analysis& analysis) {
  if (const auto size = analysis.trace().worldSize()) return *size;
  std::int64_t largest = 0;
  for (const JobGroup& group : analysis.collectives().match.groups) largest = std::max(largest, group.size);
  return largest;
}

std::vector<int> ranksBy(const NcclLog& log, const NetCommunicator& communicator,
                         const std::vector<int>& ofProcess) {
  std::vector<int> ranks(communicator.members.size(), -1);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (communicator.members[i] != kNoNcclIndex)
      ranks[i] = ofProcess[log.instances[communicator.members[i]].process];
  // Two members of one rank: what was found cannot be right, or one process drives several GPUs.
  std::set<int> seen;
  for (const int rank : ranks)
    if (rank >= 0 && !seen.insert(rank).second) return std::vector<int>(ranks.size(), -1);
  return ranks;
}

bool anyKnown(const std::vector<int>& ranks) {
  return std::ranges::any_of(ranks, [](int rank) { return rank >= 0; });
}

// Groups of as many ranks among which are all that are known; nothing if they have different members.
std::vector<GroupIndex> groupsOf(const std::vector<JobGroup>& groups, const JoinedCommunicator& joined,
                                 std::int64_t jobSize) {
  const auto size = static_cast<std::int64_t>(joined.ranks.size());
  const bool whole = size == jobSize;
  if (!whole && !anyKnown(joined.ranks)) return {};
  std::vector<GroupIndex> found;
  const std::vector<std::int32_t>* members = nullptr;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const JobGroup& group = groups[i];
    if (group.operation != CollectiveOperation::Unknown || group.size != size) continue;
    if (group.members.empty() && !whole) continue;
    const bool has = std::ranges::all_of(joined.ranks, [&](int rank) {
      return rank < 0 || whole || std::ranges::binary_search(group.members, rank);
    });
    if (!has) continue;
    if (!group.members.empty()) {
      if (members != nullptr && *members != group.members) return {};
      members = &group.members;
    }
    found.emplace_back(i);
  }
  return found;
}

std::string namesOf(const std::vector<JobGroup>& groups, const std::vector<GroupIndex>& of) {
  std::vector<std::string> names;
  for (const GroupIndex index : of) {
    std::string name = groups[index.value].label();
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamesShown); ++i) {
    if (i > 0) text += ", ";
    text += names[i];
  }
  return names.size() > kNamesShown ? text + ", ..." : text;
}

// An operation and its S.
using CallKey = std::pair<CollectiveOperation, std::int64_t>;

// The only place where the shorter sequence stands in the longer one; nothing if there is none or several.
std::optional<std::size_t> onlyPlace(const std::vector<CallKey>& in, const std::vector<CallKey>& of) {
  if (of.empty() || of.size() > in.size()) return std::nullopt;
  // Length of the longest start that ends before each place.
  std::vector<std::size_t> back(of.size(), 0);
  for (std::size_t i = 1, k = 0; i < of.size(); ++i) {
    while (k > 0 && of[i] != of[k]) k = back[k - 1];
    if (of[i] == of[k]) ++k;
    back[i] = k;
  }
  std::optional<std::size_t> found;
  for (std::size_t i = 0, k = 0; i < in.size(); ++i) {
    while (k > 0 && in[i] != of[k]) k = back[k - 1];
    if (in[i] == of[k]) ++k;
    if (k < of.size()) continue;
    if (found) return std::nullopt;
    found = i + 1 - k;
    k = back[k - 1];
  }
  return found;
}

class CallJoin {
 public:
  CallJoin(const Analysis& analysis, const NcclLog& log) : m_analysis(analysis), m_log(log) {
    m_operations.reserve(log.operations.size());
    for (const std::string& name : log.operations) m_operations.push_back(collectiveOperationOf(name));
    for (std::size_t i = 0; i < log.calls.size(); ++i)
      if (log.calls[i].instance != kNoNcclIndex) m_calls[log.calls[i].instance].push_back(i);
  }

  void add(const NetCommunicator& communicator, const JoinedCommunicator& joined, GroupJoin& join) const {
    for (std::size_t member = 0; member < joined.ranks.size(); ++member) {
      const auto calls = m_calls.find(communicator.members[member]);
      if (joined.ranks[member] < 0 || calls == m_calls.end()) continue;
      std::vector<CallKey> logged;
      logged.reserve(calls->second.size());
      for (const std::size_t call : calls->second) logged.push_back(keyOf(m_log.calls[call]));
      const TraceSet& trace = m_analysis.trace();
      for (std::size_t i = 0; i < trace.ranks().size(); ++i)
        if (trace.ranks()[i].rank == joined.ranks[member])
          addRecording(RankIndex(i), joined, calls->second, logged, join);
    }
  }

 private:
  [[nodiscard]] CallKey keyOf(const NcclCall& call) const {
    const CollectiveOperation operation =
        call.operation < m_operations.size() ? m_operations[call.operation] : CollectiveOperation::Unknown;
    return {operation, bytesOfNcclCall(m_log, call).value_or(-1)};
  }

  void addRecording(RankIndex rank, const JoinedCommunicator& joined, const std::vector<std::size_t>& calls,
                    const std::vector<CallKey>& logged, GroupJoin& join) const {
    const CollectiveMatch& match = m_analysis.collectives().match;
    std::vector<CallKey> recorded;
    std::vector<InstanceIndex> instances;
    for (const InstanceIndex index : match.instanceOfCall[rank.value]) {
      if (!index.valid()) continue;
      const CollectiveInstance& instance = match.instance(index);
      if (std::ranges::find(joined.groups, instance.group) == joined.groups.end()) continue;
      recorded.emplace_back(instance.operation, instance.bytes.value_or(-2));
      instances.push_back(index);
    }
    const auto place = onlyPlace(logged, recorded);
    if (!place) return;
    for (std::size_t i = 0; i < instances.size(); ++i) join.instanceOfCall[calls[*place + i]] = instances[i];
  }

  const Analysis& m_analysis;
  const NcclLog& m_log;
  std::vector<CollectiveOperation> m_operations;
  std::unordered_map<std::uint32_t, std::vector<std::size_t>> m_calls; // by instance
};

} // namespace

std::string_view ranksFromText(RanksFrom from) {
  switch (from) {
  case RanksFrom::Unknown:
    return {};
  case RanksFrom::Process:
    return "process";
  case RanksFrom::Launcher:
    return "launcher";
  case RanksFrom::WholeJob:
    return "whole_job";
  }
  return {};
}

GroupJoin joinGroups(const Analysis& analysis, const NcclLog& log, const NetTopology& topology) {
  GroupJoin join;
  if (analysis.trace().ranks().empty() || topology.communicators.empty()) return join;
  const ProcessRanks places(analysis.trace());
  std::vector<int> byProcess, byLauncher;
  byProcess.reserve(log.processes.size());
  byLauncher.reserve(log.processes.size());
  for (const NcclProcess& process : log.processes) {
    byProcess.push_back(places.rankOf(process));
    byLauncher.push_back(process.launcherRank.value_or(-1));
  }
  const std::vector<JobGroup>& groups = analysis.collectives().match.groups;
  const std::int64_t jobSize = sizeOf(analysis);
  std::map<std::vector<GroupIndex>, std::size_t> alike; // communicators of the same groups
  join.communicators.reserve(topology.communicators.size());
  for (const NetCommunicator& of : topology.communicators) {
    JoinedCommunicator& joined = join.communicators.emplace_back();
    joined.ranks = ranksBy(log, of, byProcess);
    joined.from = RanksFrom::Process;
    if (!anyKnown(joined.ranks)) {
      joined.ranks = ranksBy(log, of, byLauncher);
      joined.from = RanksFrom::Launcher;
    }
    if (!anyKnown(joined.ranks))
      joined.from = of.ranks > 1 && of.ranks == jobSize ? RanksFrom::WholeJob : RanksFrom::Unknown;
    if (of.ranks < 2) continue;
    joined.groups = groupsOf(groups, joined, jobSize);
    joined.name = namesOf(groups, joined.groups);
    if (!joined.groups.empty()) ++alike[joined.groups];
  }
  const CallJoin calls(analysis, log);
  for (std::size_t i = 0; i < join.communicators.size(); ++i) {
    const JoinedCommunicator& joined = join.communicators[i];
    // Which of several communicators of the same ranks a group uses, no log says.
    if (!joined.groups.empty() && alike[joined.groups] == 1)
      calls.add(topology.communicators[i], joined, join);
  }
  return join;
}

} // namespace rankscope

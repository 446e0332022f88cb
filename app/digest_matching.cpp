// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/digest_matching.h"

#include "app/digest_messages.h"
#include "app/digest_options.h"
#include "core/analysis/collectives/group_owners.h"

#include <iterator>
#include <optional>
#include <utility>

namespace rankscope {

namespace {

// What the owners are asked to match on; without clocks, they are done.
struct Request {
  std::optional<ComparableClocks> comparable;
  std::string clocks; // packedTold
};

} // namespace

template <class Archive, Described<Request> T> void describe(Archive& archive, T& request) {
  auto& [comparable, clocks] = request;
  archive(comparable, clocks);
}

namespace {

// Another process of this program cannot have sent anything else.
template <class T> T checked(std::optional<T> value, const DigestWork& work) {
  if (!value) work.team.abort(kNothingToDigest);
  return *std::move(value);
}

std::vector<const std::vector<CollectiveCall>*> callsOf(const Analysis& analysis) {
  std::vector<const std::vector<CollectiveCall>*> calls;
  const std::size_t count = analysis.trace().ranks().size();
  calls.reserve(count);
  for (std::size_t r = 0; r < count; ++r) calls.push_back(&analysis.collectiveCalls(RankIndex(r)));
  return calls;
}

// Of the ranks of each process, the groups of their calls.
std::vector<std::string> groupsForProcesses(const DigestWork& work, const ProcessGroups& groups) {
  std::vector<std::vector<std::vector<std::uint32_t>>> ofProcess(work.team.size());
  for (std::size_t r = 0; r < work.processOf.size(); ++r) {
    std::vector<std::uint32_t>& numbers = ofProcess[work.processOf[r]].emplace_back();
    numbers.reserve(groups.groupOfCall[r].size());
    for (const GroupIndex group : groups.groupOfCall[r]) numbers.push_back(group.value);
  }
  std::vector<std::string> parts;
  parts.reserve(ofProcess.size());
  for (auto& of : ofProcess) {
    parts.push_back(packed(of));
    of = {}; // not in memory twice
  }
  return parts;
}

// The calls of the groups of this process, from all processes.
OwnedCalls exchangedCalls(const DigestWork& work, const GroupedJob& job, const std::string& ownGroups) {
  const auto numbers = unpacked<std::vector<std::vector<std::uint32_t>>>(ownGroups);
  std::vector<std::vector<GroupIndex>> groups(numbers.size());
  std::vector<GroupedCalls> ranks;
  ranks.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    groups[i].reserve(numbers[i].size());
    for (const std::uint32_t number : numbers[i]) groups[i].emplace_back(number);
    const auto& calls = work.analysis->collectiveCalls(RankIndex(i));
    if (calls.size() != groups[i].size()) work.team.abort(kNothingToDigest);
    ranks.push_back({RankIndex(work.placed[i].rank), &calls, groups[i]});
  }
  const std::vector<std::string> parts = work.team.exchange(
      packedForOwners(ranks, job.groups, work.analysis->trace().names(), work.team.size()));
  return checked(OwnedCalls::of(job, parts), work);
}

// Answers what the first process asks until it is done.
void answerRequests(const DigestWork& work, const OwnedCalls& own) {
  for (;;) {
    const auto request = unpacked<Request>(work.team.broadcast(std::string()));
    if (!request.comparable) return;
    const ToldCollectives asked = checked(unpackedTold(request.clocks), work);
    static_cast<void>(work.team.gather(packedTold({{}, own.matches(asked.clocks, *request.comparable)})));
  }
}

// At the first process: what all owners match.
std::vector<CallMatch> askedOwners(const DigestWork& work, const OwnedCalls& own,
                                   const ClockAlignment& clocks, ComparableClocks comparable) {
  static_cast<void>(work.team.broadcast(packed(Request{comparable, packedTold({clocks, {}})})));
  std::vector<CallMatch> all = own.matches(clocks, comparable);
  for (std::string& bytes : work.team.gather(std::string())) {
    if (bytes.empty()) continue; // of this process
    std::vector<CallMatch> part = checked(unpackedTold(bytes), work).matches;
    bytes = {}; // not in memory twice
    all.insert(all.end(), std::move_iterator(part.begin()), std::move_iterator(part.end()));
  }
  return all;
}

} // namespace

std::shared_ptr<const ToldCollectives> matchedByOwners(const DigestWork& work, const Analysis* job) {
  if (work.team.size() == 1) return nullptr;
  std::vector<const std::vector<CollectiveCall>*> calls;
  ProcessGroups groups;
  std::string shape;
  std::vector<std::string> parts;
  if (work.first()) {
    calls = callsOf(*job);
    groups = processGroupsOf(job->trace(), calls);
    shape = packedJob({callingRanks(job->trace()), groups.groups});
    parts = groupsForProcesses(work, groups);
  }
  const GroupedJob grouped = checked(unpackedJob(work.team.broadcast(std::move(shape))), work);
  const std::string ownGroups = work.team.scatter(std::move(parts));
  std::string told;
  {
    const OwnedCalls own = exchangedCalls(work, grouped, ownGroups);
    if (work.first()) {
      const auto match = [&](const ClockAlignment& clocks, ComparableClocks comparable) {
        return askedOwners(work, own, clocks, comparable);
      };
      told = packedTold(toldCollectives(job->trace(), calls, groups, match));
      static_cast<void>(work.team.broadcast(packed(Request())));
    } else {
      answerRequests(work, own);
    }
  }
  return std::make_shared<const ToldCollectives>(
      checked(unpackedTold(work.team.broadcast(std::move(told))), work));
}

} // namespace rankscope

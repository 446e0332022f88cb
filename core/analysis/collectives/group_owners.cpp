// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/group_owners.h"

#include "core/base/byte_pack.h"
#include "core/base/hash.h"
#include "core/model/clock_times.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace rankscope {

namespace {

// Calls of a rank that one owner is sent, by column.
struct SentCalls {
  std::uint32_t rank = 0;
  std::vector<std::string> dtypes;
  std::vector<std::uint32_t> place; // in all calls of the rank
  std::vector<std::uint32_t> group;
  std::vector<std::uint32_t> dtype; // in dtypes; NameId::kNone
  std::vector<TimeNs> begin, end;
  std::vector<std::int64_t> inElements, outElements, sequence, step;
  std::vector<CollectiveOperation> operation;
  std::vector<std::uint64_t> commsId;
  std::vector<std::int32_t> peer;
  std::vector<PeerNumbering> numbering;

  [[nodiscard]] bool isWhole() const {
    const std::size_t count = place.size();
    const auto isLong = [&](const auto& column) { return column.size() == count; };
    return isLong(group) && isLong(dtype) && isLong(begin) && isLong(end) && isLong(inElements) &&
           isLong(outElements) && isLong(sequence) && isLong(step) && isLong(operation) && isLong(commsId) &&
           isLong(peer) && isLong(numbering);
  }

  void add(std::uint32_t at, GroupIndex of, const CollectiveCall& call, std::uint32_t type) {
    place.push_back(at);
    group.push_back(of.value);
    dtype.push_back(type);
    begin.push_back(call.range.begin.ns());
    end.push_back(call.range.end.ns());
    inElements.push_back(call.inElements);
    outElements.push_back(call.outElements);
    sequence.push_back(call.sequence);
    step.push_back(call.step);
    operation.push_back(call.operation);
    commsId.push_back(call.parties->commsId);
    peer.push_back(call.parties->peer.number);
    numbering.push_back(call.parties->peer.numbering);
  }

  [[nodiscard]] CollectiveCall callAt(std::size_t i, std::span<const NameId> names, PartyPool& pool) const {
    CollectiveCall call;
    if (dtype[i] < names.size()) call.dtype = names[dtype[i]];
    call.range = RankRange::of({begin[i], end[i]});
    call.inElements = inElements[i];
    call.outElements = outElements[i];
    call.sequence = sequence[i];
    call.step = step[i];
    call.operation = operation[i];
    CallParties parties;
    parties.commsId = commsId[i];
    parties.peer = {peer[i], numbering[i]};
    call.parties = pool.shared(parties);
    return call;
  }
};

// Numbers the types of the calls of a rank.
class TypeNumbers {
 public:
  TypeNumbers(const StringTable& names, std::vector<std::string>& texts) : m_names(names), m_texts(texts) {}

  [[nodiscard]] std::uint32_t of(NameId type) {
    if (!type.valid()) return NameId::kNone;
    const auto [number, isNew] = m_numbers.try_emplace(type, static_cast<std::uint32_t>(m_texts.size()));
    if (isNew) m_texts.emplace_back(m_names[type]);
    return number->second;
  }

 private:
  const StringTable& m_names;
  std::vector<std::string>& m_texts;
  std::map<NameId, std::uint32_t> m_numbers;
};

// Matches by column.
struct MatchColumns {
  std::vector<MatchedBy> by;
  std::vector<std::uint32_t> count; // of calls
  std::vector<std::uint32_t> rank, call;
  std::vector<std::uint8_t> certain;

  MatchColumns() = default;
  explicit MatchColumns(const std::vector<CallMatch>& matches) {
    for (const CallMatch& match : matches) {
      by.push_back(match.by);
      count.push_back(static_cast<std::uint32_t>(match.calls.size()));
      for (const CallRef& ref : match.calls) {
        rank.push_back(ref.rank);
        call.push_back(ref.call);
        certain.push_back(ref.certain ? 1 : 0);
      }
    }
  }

  // Empty if they do not fit together.
  [[nodiscard]] std::optional<std::vector<CallMatch>> matches() const {
    if (by.size() != count.size() || rank.size() != call.size() || rank.size() != certain.size())
      return std::nullopt;
    std::vector<CallMatch> matches(by.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < matches.size(); ++i) {
      if (count[i] == 0 || count[i] > rank.size() - next) return std::nullopt;
      matches[i].by = by[i];
      matches[i].calls.reserve(count[i]);
      for (const std::size_t end = next + count[i]; next < end; ++next)
        matches[i].calls.push_back({rank[next], call[next], certain[next] != 0});
    }
    return next == rank.size() ? std::optional(std::move(matches)) : std::nullopt;
  }
};

} // namespace

template <class Archive, class Clock> void describe(Archive& archive, const ClockTime<Clock>& time) {
  archive(time.ns());
}
template <class Archive, class Clock> void describe(Archive& archive, ClockTime<Clock>& time) {
  TimeNs ns = 0;
  archive(ns);
  time = ClockTime<Clock>(ns);
}

template <class Archive, Described<ClockCorrection> T> void describe(Archive& archive, T& correction) {
  auto& [offset, driftPpb, reference] = correction;
  archive(offset, driftPpb, reference);
}

template <class Archive, Described<RankClock> T> void describe(Archive& archive, T& clock) {
  auto& [correction, domain, residual, bounds, feasible] = clock;
  archive(correction, domain, residual, bounds, feasible);
}

template <class Archive, Described<ClockAlignment> T> void describe(Archive& archive, T& clocks) {
  auto& [ranks, domains, samples, unconnectedDomains] = clocks;
  archive(ranks, domains, samples, unconnectedDomains);
}

template <class Archive, Described<CallingRank> T> void describe(Archive& archive, T& rank) {
  auto& [number, host, byNsight] = rank;
  archive(number, host, byNsight);
}

template <class Archive, Described<JobGroup> T> void describe(Archive& archive, T& group) {
  auto& [name, description, members, size, capture, operation, dimension, mayBeSeveral] = group;
  archive(name, description, members, size, capture, operation, dimension, mayBeSeveral);
}

template <class Archive, Described<SentCalls> T> void describe(Archive& archive, T& calls) {
  auto& [rank, dtypes, place, group, dtype, begin, end, inElements, outElements, sequence, step, operation,
         commsId, peer, numbering] = calls;
  archive(rank, dtypes, place, group, dtype, begin, end, inElements, outElements, sequence, step, operation,
          commsId, peer, numbering);
}

template <class Archive, Described<MatchColumns> T> void describe(Archive& archive, T& columns) {
  auto& [by, count, rank, call, certain] = columns;
  archive(by, count, rank, call, certain);
}

std::string packedJob(const GroupedJob& job) {
  Packer packer;
  packer(job.ranks, job.groups);
  return packer.takeBytes();
}

std::optional<GroupedJob> unpackedJob(std::string_view bytes) {
  GroupedJob job;
  Unpacker unpacker(bytes);
  unpacker(job.ranks, job.groups);
  return unpacker.ok() && unpacker.atEnd() ? std::optional(std::move(job)) : std::nullopt;
}

std::size_t ownerOf(const JobGroup& group, std::size_t processes) {
  std::vector<std::uint64_t> identity(group.members.begin(), group.members.end());
  if (identity.empty()) {
    for (const char letter : group.name) identity.push_back(static_cast<unsigned char>(letter));
    identity.push_back(static_cast<std::uint64_t>(group.operation));
  }
  return hashOfNumbers(identity) % processes;
}

std::vector<std::string> packedForOwners(std::span<const GroupedCalls> ranks,
                                         std::span<const JobGroup> groups, const StringTable& names,
                                         std::size_t processes) {
  std::vector<std::size_t> owners;
  owners.reserve(groups.size());
  for (const JobGroup& group : groups) owners.push_back(ownerOf(group, processes));
  std::vector<Packer> packers(processes);
  for (const GroupedCalls& of : ranks) {
    std::vector<SentCalls> sent(processes);
    std::vector<TypeNumbers> types;
    types.reserve(processes);
    for (SentCalls& calls : sent) types.emplace_back(names, calls.dtypes);
    for (std::size_t i = 0; i < of.calls->size(); ++i) {
      const CollectiveCall& call = (*of.calls)[i];
      const std::size_t owner = owners[of.groups[i].value];
      sent[owner].add(static_cast<std::uint32_t>(i), of.groups[i], call, types[owner].of(call.dtype));
    }
    for (std::size_t owner = 0; owner < processes; ++owner) {
      if (sent[owner].place.empty()) continue;
      sent[owner].rank = of.rank.value;
      packers[owner](sent[owner]);
    }
  }
  std::vector<std::string> parts;
  parts.reserve(processes);
  for (Packer& packer : packers) parts.push_back(packer.takeBytes());
  return parts;
}

std::optional<OwnedCalls> OwnedCalls::of(GroupedJob job, std::span<const std::string> parts) {
  OwnedCalls owned;
  owned.m_ranks = std::move(job.ranks);
  owned.m_groups.groups = std::move(job.groups);
  owned.m_groups.groupOfCall.resize(owned.m_ranks.size());
  owned.m_calls.resize(owned.m_ranks.size());
  owned.m_places.resize(owned.m_ranks.size());
  StringInterner names;
  PartyPool pool;
  for (const std::string& part : parts) {
    for (Unpacker unpacker(part); !unpacker.atEnd();) {
      SentCalls sent;
      unpacker(sent);
      if (!unpacker.ok() || !sent.isWhole() || sent.rank >= owned.m_ranks.size()) return std::nullopt;
      std::vector<NameId> types;
      types.reserve(sent.dtypes.size());
      for (const std::string& type : sent.dtypes) types.push_back(names.intern(type));
      std::vector<CollectiveCall>& calls = owned.m_calls[sent.rank];
      std::vector<GroupIndex>& groups = owned.m_groups.groupOfCall[sent.rank];
      calls.reserve(sent.place.size());
      groups.reserve(sent.place.size());
      for (std::size_t i = 0; i < sent.place.size(); ++i) {
        if (sent.group[i] >= owned.m_groups.groups.size()) return std::nullopt;
        calls.push_back(sent.callAt(i, types, pool));
        groups.emplace_back(sent.group[i]);
      }
      owned.m_places[sent.rank] = std::move(sent.place);
    }
  }
  owned.m_names = names.snapshot();
  return owned;
}

std::vector<CallMatch> OwnedCalls::matches(const ClockAlignment& clocks, ComparableClocks comparable) const {
  std::vector<const std::vector<CollectiveCall>*> calls;
  calls.reserve(m_calls.size());
  for (const std::vector<CollectiveCall>& of : m_calls) calls.push_back(&of);
  std::vector<CallMatch> matches = matchedCalls(m_ranks, calls, m_groups, m_names, clocks, comparable);
  for (CallMatch& match : matches)
    for (CallRef& ref : match.calls) ref.call = m_places[ref.rank][ref.call];
  return matches;
}

std::string packedTold(const ToldCollectives& told) {
  Packer packer;
  packer(told.clocks, MatchColumns(told.matches));
  return packer.takeBytes();
}

std::optional<ToldCollectives> unpackedTold(std::string_view bytes) {
  ToldCollectives told;
  MatchColumns columns;
  Unpacker unpacker(bytes);
  unpacker(told.clocks, columns);
  auto matches = columns.matches();
  if (!unpacker.ok() || !unpacker.atEnd() || !matches) return std::nullopt;
  told.matches = *std::move(matches);
  return told;
}

} // namespace rankscope

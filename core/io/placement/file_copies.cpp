// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/placement/file_copies.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace rankscope {

namespace {

// 0 is the strongest; what is found later by comparing files comes last.
int weaknessOf(const RankCandidate& candidate) {
  if (!candidate.rank) {
    const NameFacts& name = candidate.facts->name;
    return name.localRank || !name.coordinates.empty() ? 5 : 6;
  }
  switch (candidate.from) {
  case RankSource::Nccl:
    return 0;
  case RankSource::Metadata:
  case RankSource::Environment:
    return 1;
  case RankSource::Content:
    return 2;
  case RankSource::Name:
    return 3;
  case RankSource::Folder:
  case RankSource::Guess:
  case RankSource::Device:
    break;
  }
  return 4;
}

// Whether they do not contradict each other. Names of files do not count: copies are renamed.
bool mayBeOfOneProcess(const FileFacts& a, const FileFacts& b) {
  if (a.metadataRank && b.metadataRank && a.metadataRank != b.metadataRank) return false;
  return a.hostName.empty() || b.hostName.empty() || a.hostName == b.hostName;
}

} // namespace

void leaveOutDuplicates(std::vector<RankCandidate>& candidates) {
  RankCandidates order;
  for (RankCandidate& candidate : candidates)
    if (!candidate.leftOut && candidate.facts->endNs > candidate.facts->beginNs &&
        candidate.facts->events > 0)
      order.push_back(&candidate);
  std::ranges::stable_sort(
      order, {}, [](const RankCandidate* d) { return std::ranges::count(d->facts->relativePath, '/'); });
  std::map<std::tuple<TimeNs, TimeNs, std::uint64_t, std::uint64_t>, RankCandidates> seen;
  for (RankCandidate* candidate : order) {
    const FileFacts& facts = *candidate->facts;
    RankCandidates& same = seen[{facts.beginNs, facts.endNs, facts.events, facts.textBytes}];
    const auto original = std::ranges::find_if(same, [&](const RankCandidate* other) {
      const NameFacts& a = other->facts->name;
      const NameFacts& b = facts.name;
      return other->rank == candidate->rank && other->process == candidate->process &&
             a.localRank == b.localRank && a.coordinates == b.coordinates &&
             other->nodeFolder == candidate->nodeFolder && a.step == b.step &&
             other->facts->hostName == facts.hostName && other->facts->devices == facts.devices &&
             other->facts->metadataWorldSize == facts.metadataWorldSize;
    });
    if (original != same.end())
      candidate->leaveOut("the same recording as " + (*original)->facts->path);
    else
      same.push_back(candidate);
  }
}

void leaveOutOtherExports(std::vector<RankCandidate>& candidates) {
  std::map<std::string_view, RankCandidates> bySession;
  for (RankCandidate& candidate : candidates) {
    if (!candidate.leftOut && !candidate.facts->session.empty())
      bySession[candidate.facts->session].push_back(&candidate);
  }
  for (auto& [session, files] : bySession) {
    std::ranges::stable_sort(files, {}, [](const RankCandidate* of) {
      return std::tuple(~of->facts->events, weaknessOf(*of),
                        std::ranges::count(of->facts->relativePath, '/'));
    });
    RankCandidates kept;
    for (RankCandidate* file : files) {
      const TimeRange own{file->facts->beginNs, file->facts->endNs};
      const auto found = std::ranges::find_if(kept, [&](const RankCandidate* other) {
        return own.overlaps({other->facts->beginNs, other->facts->endNs}) &&
               mayBeOfOneProcess(*file->facts, *other->facts);
      });
      if (found == kept.end()) {
        kept.push_back(file);
        continue;
      }
      RankCandidate& original = **found;
      if (file->rank && weaknessOf(*file) < weaknessOf(original)) {
        original.notes.clear(); // of the weaker evidence
        original.decide(*file->rank, file->from,
                        "rank as of another export of its report, " + file->facts->path);
      }
      file->leaveOut("another export of the same report as " + original.facts->path);
    }
  }
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/placement/rank_files.h"

#include "core/base/natural_order.h"
#include "core/io/placement/file_copies.h"
#include "core/io/placement/job_split.h"
#include "core/io/placement/rank_candidate.h"
#include "core/io/placement/rank_guess.h"
#include "core/io/placement/rank_names.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace rankscope {

namespace {

bool isMerged(const FileFacts& facts) {
  return facts.name.merged || !facts.mergedLabels.empty();
}

bool isWithin(std::string_view folder, std::string_view outer) {
  return outer.empty() || folder == outer ||
         (folder.starts_with(outer) && folder.size() > outer.size() && folder[outer.size()] == '/');
}

std::vector<RankCandidate> candidatesInOrder(std::span<const FileFacts> files) {
  std::vector<RankCandidate> candidates(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    RankCandidate& candidate = candidates[i];
    const FileFacts& facts = files[i];
    candidate.facts = &facts;
    candidate.input = i;
    candidate.when.step = facts.name.step;
    if (facts.beginNs != 0 || facts.endNs != 0) {
      candidate.when.window = {facts.beginNs, std::max(facts.beginNs, facts.endNs)};
      candidate.when.timeKnown = true;
    } else if (facts.name.stamp && stampIsWallTime(*facts.name.stamp)) {
      candidate.when.window = {*facts.name.stamp, *facts.name.stamp};
      candidate.when.timeKnown = true;
    }
    if (facts.name.pid) candidate.process = facts.name.host + '/' + std::to_string(*facts.name.pid);
    if (facts.oneOfSeveral) candidate.process = "recording " + std::to_string(*facts.oneOfSeveral);
  }
  std::ranges::sort(candidates, [](const RankCandidate& a, const RankCandidate& b) {
    const FileFacts& left = *a.facts;
    const FileFacts& right = *b.facts;
    if (left.relativePath != right.relativePath) return naturalLess(left.relativePath, right.relativePath);
    if (left.path != right.path) return naturalLess(left.path, right.path);
    return std::tie(left.oneOfSeveral, left.beginNs, left.endNs, left.events, a.input) <
           std::tie(right.oneOfSeveral, right.beginNs, right.endNs, right.events, b.input);
  });
  return candidates;
}

// Whether a merged file repeats the ranks of other files of its profile or in or below its folder.
bool repeatsOthers(const RankCandidate& merged, const std::vector<RankCandidate>& candidates) {
  return std::ranges::any_of(candidates, [&](const RankCandidate& other) {
    const NameFacts& name = other.facts->name;
    if (other.leftOut || isMerged(*other.facts) || other.facts->fromPyTorch != merged.facts->fromPyTorch)
      return false;
    if (name.ownJob && merged.facts->name.ownJob && name.group != merged.facts->name.group) return false;
    return isWithin(folderOf(other.facts->relativePath), folderOf(merged.facts->relativePath));
  });
}

void excludeNonRanks(std::vector<RankCandidate>& candidates) {
  bool anyRank = false;
  std::set<std::string_view> pytorchFolders;
  for (RankCandidate& candidate : candidates) {
    if (!candidate.facts->readable) {
      const std::string& why = candidate.facts->unreadableReason;
      candidate.leaveOut(why.empty() ? "could not be read" : why);
      continue;
    }
    anyRank = anyRank || !candidate.facts->name.notARank;
    if (candidate.facts->fromPyTorch) pytorchFolders.insert(folderOf(candidate.facts->relativePath));
  }
  for (RankCandidate& candidate : candidates) {
    if (candidate.leftOut) continue;
    if (candidate.facts->name.notARank && anyRank) {
      candidate.leaveOut(candidate.facts->name.reason);
    } else if (!candidate.facts->fromPyTorch &&
               pytorchFolders.contains(folderOf(candidate.facts->relativePath))) {
      candidate.leaveOut("a Chrome trace, but not of the PyTorch profiler; open it alone to see it");
    }
  }
  for (RankCandidate& candidate : candidates) {
    if (candidate.leftOut || !isMerged(*candidate.facts)) continue;
    const std::size_t ranks = candidate.facts->mergedLabels.size();
    const std::string what = ranks > 0
                                 ? "several ranks merged into one file (" +
                                       candidate.facts->mergedLabels.front() + (ranks > 1 ? ", ...)" : ")")
                                 : "by its name several ranks merged into one file";
    if (repeatsOthers(candidate, candidates))
      candidate.leaveOut(what + "; the files of its ranks are present");
    else
      candidate.decide(0, RankSource::Guess, what + "; shown as one rank");
  }
}

struct OwnEvidence {
  std::optional<int> rank;
  RankSource from = RankSource::Guess;
  std::string why;
};

// The rank from the file alone, without its folders.
OwnEvidence ownEvidence(const FileFacts& facts) {
  if (facts.metadataRank) return {facts.metadataRank, facts.metadataFrom, {}};
  if (facts.recordedRank)
    return {facts.recordedRank, RankSource::Content, "rank as recorded by its collectives"};
  if (facts.name.rank) return {facts.name.rank, RankSource::Name, {}};
  if (facts.traceName.empty()) return {};
  const NameFacts written = factsFromName(facts.traceName);
  const std::optional<int> rank = written.rank ? written.rank : written.folderRank;
  if (!rank) return {};
  return {rank, RankSource::Name,
          "rank from the name that the file was written under (" + facts.traceName + ")"};
}

// Folders for one rank each: all facts about the files in a folder agree with its name. A folder
// "ddp_leak_rank1" with files of all ranks is not one.
class RankFolders {
 public:
  explicit RankFolders(const std::vector<RankCandidate>& candidates) {
    for (const RankCandidate& candidate : candidates) {
      if (candidate.leftOut) continue;
      const std::string_view path = candidate.facts->relativePath;
      for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
           slash = path.find('/', slash + 1))
        see(path.substr(0, slash), candidate);
    }
  }
  [[nodiscard]] bool contains(std::string_view folder) const {
    const auto at = m_folders.find(folder);
    return at != m_folders.end() && at->second.agrees;
  }

 private:
  struct Seen {
    bool agrees = true;
    std::string process;
  };
  void see(std::string_view folder, const RankCandidate& candidate) {
    const std::size_t slash = folder.rfind('/');
    const auto named =
        factsFromFolder(slash == std::string_view::npos ? folder : folder.substr(slash + 1)).rank;
    if (!named) return;
    Seen& seen = m_folders[folder];
    const auto own = ownEvidence(*candidate.facts).rank;
    if (own && *own != *named) seen.agrees = false;
    if (!candidate.process.empty() && !seen.process.empty() && candidate.process != seen.process && !own)
      seen.agrees = false;
    if (!candidate.process.empty()) seen.process = candidate.process;
  }
  std::map<std::string_view, Seen> m_folders;
};

bool isHostsFolder(std::string_view folder, const FileFacts& facts) {
  const auto isHost = [&](std::string_view host) {
    return !folder.empty() && host.starts_with(folder) &&
           (host.size() == folder.size() || host[folder.size()] == '.');
  };
  return isHost(facts.hostName) || isHost(facts.name.host);
}

// Finds folders of a node, a step or a rank; the others form the run's folder.
void readFolders(RankCandidate& candidate, const RankFolders& rankFolders) {
  const std::string_view path = candidate.facts->relativePath;
  candidate.nodeFolder = candidate.facts->name.nodeKey;
  std::size_t begin = 0;
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', begin)) {
    const std::string_view name = path.substr(begin, slash - begin);
    begin = slash + 1;
    if (isHostsFolder(name, *candidate.facts)) {
      candidate.nodeFolder = std::string(name);
      continue;
    }
    const FolderFacts folder = factsFromFolder(name);
    const std::string& rest = rankFolders.contains(path.substr(0, slash)) ? folder.restNoRank : folder.rest;
    if (!rest.empty()) candidate.runFolder += (candidate.runFolder.empty() ? "" : "/") + rest;
  }
}

// The rank in the name of the innermost rank folder.
std::optional<int> folderRankOf(std::string_view path, const RankFolders& rankFolders) {
  for (std::string_view folder = folderOf(path); !folder.empty(); folder = folderOf(folder)) {
    if (!rankFolders.contains(folder)) continue;
    const std::size_t slash = folder.rfind('/');
    return factsFromFolder(slash == std::string_view::npos ? folder : folder.substr(slash + 1)).rank;
  }
  return std::nullopt;
}

void weighEvidence(std::vector<RankCandidate>& candidates) {
  const RankFolders rankFolders(candidates);
  for (RankCandidate& candidate : candidates) {
    if (candidate.leftOut) continue;
    const FileFacts& facts = *candidate.facts;
    readFolders(candidate, rankFolders);
    if (candidate.rank) continue;
    OwnEvidence own = ownEvidence(facts);
    if (own.rank) {
      candidate.decide(*own.rank, own.from, own.why);
      if (facts.name.rank && *facts.name.rank != *own.rank && facts.name.coordinates.empty())
        candidate.note("the name gives rank " + std::to_string(*facts.name.rank) + ", the file itself rank " +
                       std::to_string(*own.rank));
    } else if (!facts.name.localRank && facts.name.coordinates.empty()) {
      if (const auto folder = folderRankOf(facts.relativePath, rankFolders))
        candidate.decide(*folder, RankSource::Folder);
    }
  }
}

// For a single file opened from a folder that names the rank.
void useFolderOfLoneFile(std::vector<RankCandidate>& candidates) {
  if (candidates.size() != 1 || candidates.front().leftOut || candidates.front().rank) return;
  const FileFacts& facts = *candidates.front().facts;
  if (!folderOf(facts.relativePath).empty() || facts.name.localRank || !facts.name.coordinates.empty())
    return;
  const std::string_view folder = folderOf(facts.path);
  const std::size_t slash = folder.rfind('/');
  const auto rank = factsFromFolder(slash == std::string_view::npos ? folder : folder.substr(slash + 1)).rank;
  if (rank) candidates.front().decide(*rank, RankSource::Folder);
}

// If processes have separate worlds, all report rank 0. Then the names decide.
void preferNamesWhereMetadataRepeats(std::vector<RankCandidate>& candidates) {
  std::map<std::tuple<std::string, std::string, int>, RankCandidates> groups;
  for (RankCandidate& candidate : candidates)
    if (!candidate.leftOut && candidate.from == RankSource::Metadata && candidate.rank &&
        candidate.facts->metadataWorldSize.value_or(1) <= 1)
      groups[{candidate.runFolder, candidate.facts->name.group, *candidate.rank}].push_back(&candidate);
  for (const auto& [key, files] : groups) {
    std::set<int> named;
    for (const RankCandidate* file : files) named.insert(file->facts->name.rank.value_or(-1));
    if (named.size() < 2 || named.contains(-1)) continue;
    for (RankCandidate* file : files) {
      file->notes.clear();
      file->decide(*file->facts->name.rank, RankSource::Name,
                   "the metadata of several files gives rank " + std::to_string(std::get<2>(key)) +
                       " of a world size of 1; ranks taken from the names");
    }
  }
}

std::vector<JobCandidate> jobsOf(std::vector<RankCandidate>& candidates) {
  RankCandidates placed, merged;
  for (RankCandidate& candidate : candidates)
    if (!candidate.leftOut) (isMerged(*candidate.facts) ? merged : placed).push_back(&candidate);
  std::vector<JobCandidate> jobs;
  for (const RankCandidates& files : splitByIdentity(placed)) {
    resolveLocalRanks(files);
    resolveCoordinates(files);
    for (JobCandidate& job : splitByRankAndTime(files)) jobs.push_back(std::move(job));
  }
  jobs = joinProfilers(joinComplementaryJobs(std::move(jobs)));
  for (RankCandidate* file : merged) jobs.push_back({RankUnit{{file}}});
  for (JobCandidate& job : jobs) fillRanks(job);
  return jobs;
}

// Numbers the captures of these files from `first` on; returns the number after the last.
int numberCaptures(const std::map<int, RankCandidates>& filesOfRank, int first) {
  std::vector<std::vector<Recording>> recordings;
  std::vector<RankCandidates> ordered;
  for (const auto& [rank, files] : filesOfRank) {
    ordered.push_back(inOrderOfTime(files));
    auto& own = recordings.emplace_back();
    for (const RankCandidate* file : ordered.back()) own.push_back(file->when);
  }
  const auto numbers = alignCaptures(recordings);
  int next = first;
  for (std::size_t r = 0; r < ordered.size(); ++r) {
    for (std::size_t i = 0; i < ordered[r].size(); ++i) {
      ordered[r][i]->capture = first + numbers[r][i] - 1;
      next = std::max(next, ordered[r][i]->capture + 1);
    }
  }
  return next;
}

// A rank that two profilers recorded at the same time has a capture of each: those of PyTorch's come first.
void numberCaptures(const JobCandidate& job) {
  std::map<int, RankCandidates> all, own, others;
  for (const RankUnit& unit : job) {
    for (RankCandidate* file : unit.files) {
      all[*file->rank].push_back(file);
      (file->facts->otherProgram ? others : own)[*file->rank].push_back(file);
    }
  }
  const bool both = std::ranges::any_of(own, [&](const auto& of) { return others.contains(of.first); });
  if (!both)
    numberCaptures(all, 1);
  else
    numberCaptures(others, numberCaptures(own, 1));
}

void numberJobs(std::vector<JobCandidate>& jobs) {
  struct Size {
    std::size_t ranks = 0;
    std::uint64_t events = 0;
    const RankCandidate* first = nullptr;
  };
  std::vector<std::pair<Size, const JobCandidate*>> order;
  for (const JobCandidate& job : jobs) {
    Size size;
    std::set<int> ranks;
    for (const RankUnit& unit : job) {
      ranks.insert(*unit.rank());
      for (const RankCandidate* file : unit.files) {
        size.events += file->facts->events;
        if (size.first == nullptr || file < size.first) size.first = file;
      }
    }
    size.ranks = ranks.size();
    order.emplace_back(size, &job);
  }
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return std::tie(b.first.ranks, b.first.events, a.first.first) <
           std::tie(a.first.ranks, a.first.events, b.first.first);
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const RankUnit& unit : *order[i].second)
      for (RankCandidate* file : unit.files) file->job = static_cast<int>(i);
}

FilePlacement placementOf(const RankCandidate& candidate) {
  FilePlacement placement;
  placement.host = candidate.host();
  for (const std::string& note : candidate.notes)
    placement.note += (placement.note.empty() ? "" : "; ") + note;
  if (candidate.leftOut) return placement;
  placement.job = candidate.job;
  placement.rank = candidate.rank;
  placement.capture = candidate.capture;
  placement.from = candidate.from;
  const auto world = candidate.worldSize();
  if (world && candidate.rank && *candidate.rank >= *world && *world > 1)
    placement.note += (placement.note.empty() ? "" : "; ") +
                      ("the file records a world size of only " + std::to_string(*world));
  return placement;
}

} // namespace

std::string_view rankSourceText(RankSource source) {
  switch (source) {
  case RankSource::Metadata:
    return "metadata";
  case RankSource::Name:
    return "name";
  case RankSource::Folder:
    return "folder";
  case RankSource::Content:
    return "content";
  case RankSource::Guess:
    return "guess";
  case RankSource::Environment:
    return "environment";
  case RankSource::Nccl:
    return "nccl";
  case RankSource::Device:
    return "device";
  }
  return "guess";
}

std::vector<FilePlacement> placeFiles(std::span<const FileFacts> files) {
  std::vector<RankCandidate> candidates = candidatesInOrder(files);
  excludeNonRanks(candidates);
  weighEvidence(candidates);
  useFolderOfLoneFile(candidates);
  preferNamesWhereMetadataRepeats(candidates);
  leaveOutDuplicates(candidates);
  leaveOutOtherExports(candidates);
  std::vector<JobCandidate> jobs = jobsOf(candidates);
  for (const JobCandidate& job : jobs) numberCaptures(job);
  numberJobs(jobs);

  std::vector<FilePlacement> placements(files.size());
  for (const RankCandidate& candidate : candidates) placements[candidate.input] = placementOf(candidate);
  return placements;
}

} // namespace rankscope

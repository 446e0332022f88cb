// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/placement/rank_files.h"

#include "core/base/natural_order.h"
#include "core/io/placement/job_split.h"
#include "core/io/placement/rank_draft.h"
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

std::vector<Draft> draftsInOrder(std::span<const FileFacts> files) {
  std::vector<Draft> drafts(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    Draft& draft = drafts[i];
    const FileFacts& facts = files[i];
    draft.facts = &facts;
    draft.input = i;
    draft.when.step = facts.name.step;
    if (facts.beginNs != 0 || facts.endNs != 0) {
      draft.when.window = {facts.beginNs, std::max(facts.beginNs, facts.endNs)};
      draft.when.timeKnown = true;
    } else if (facts.name.stamp && stampIsWallTime(*facts.name.stamp)) {
      draft.when.window = {*facts.name.stamp, *facts.name.stamp};
      draft.when.timeKnown = true;
    }
    if (facts.name.pid) draft.process = facts.name.host + '/' + std::to_string(*facts.name.pid);
    if (facts.oneOfSeveral) draft.process = "recording " + std::to_string(*facts.oneOfSeveral);
  }
  std::ranges::sort(drafts, [](const Draft& a, const Draft& b) {
    const FileFacts& left = *a.facts;
    const FileFacts& right = *b.facts;
    if (left.relativePath != right.relativePath) return naturalLess(left.relativePath, right.relativePath);
    if (left.path != right.path) return naturalLess(left.path, right.path);
    return std::tie(left.oneOfSeveral, left.beginNs, left.endNs, left.events, a.input) <
           std::tie(right.oneOfSeveral, right.beginNs, right.endNs, right.events, b.input);
  });
  return drafts;
}

void leaveOut(Draft& draft, std::string why) {
  draft.leftOut = true;
  draft.note(std::move(why));
}

// A merged file repeats the ranks of other files when these are of its profile, or in its folder or below.
bool repeatsOthers(const Draft& merged, const std::vector<Draft>& drafts) {
  return std::ranges::any_of(drafts, [&](const Draft& other) {
    const NameFacts& name = other.facts->name;
    if (other.leftOut || isMerged(*other.facts) || other.facts->kineto != merged.facts->kineto) return false;
    if (name.ownJob && merged.facts->name.ownJob && name.group != merged.facts->name.group) return false;
    return isWithin(folderOf(other.facts->relativePath), folderOf(merged.facts->relativePath));
  });
}

void leaveOutWhatIsNoRank(std::vector<Draft>& drafts) {
  bool anyRank = false;
  std::set<std::string_view> kinetoFolders;
  for (Draft& draft : drafts) {
    if (!draft.facts->readable) {
      const std::string& why = draft.facts->unreadableReason;
      leaveOut(draft, why.empty() ? "could not be read" : why);
      continue;
    }
    anyRank = anyRank || !draft.facts->name.notARank;
    if (draft.facts->kineto) kinetoFolders.insert(folderOf(draft.facts->relativePath));
  }
  for (Draft& draft : drafts) {
    if (draft.leftOut) continue;
    if (draft.facts->name.notARank && anyRank) {
      leaveOut(draft, draft.facts->name.reason);
    } else if (!draft.facts->kineto && kinetoFolders.contains(folderOf(draft.facts->relativePath))) {
      leaveOut(draft, "a Chrome trace, but not of the PyTorch profiler; open it alone to see it");
    }
  }
  for (Draft& draft : drafts) {
    if (draft.leftOut || !isMerged(*draft.facts)) continue;
    const std::size_t ranks = draft.facts->mergedLabels.size();
    const std::string what = ranks > 0 ? "several ranks merged into one file (" +
                                             draft.facts->mergedLabels.front() + (ranks > 1 ? ", ...)" : ")")
                                       : "by its name several ranks merged into one file";
    if (repeatsOthers(draft, drafts))
      leaveOut(draft, what + "; the files of its ranks are present");
    else
      draft.decide(0, RankSource::Guess, what + "; shown as one rank");
  }
}

struct OwnEvidence {
  std::optional<int> rank;
  RankSource from = RankSource::Guess;
  std::string why;
};

// The rank according to the file alone, without its folders.
OwnEvidence ownEvidence(const FileFacts& facts) {
  if (facts.metadataRank) return {facts.metadataRank, RankSource::Metadata, {}};
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

// Folders that stand for one rank each: all that is known of the files in one agrees with its name.
// "ddp_leak_rank1" with the files of all ranks in it is none.
class RankFolders {
 public:
  explicit RankFolders(const std::vector<Draft>& drafts) {
    for (const Draft& draft : drafts) {
      if (draft.leftOut) continue;
      const std::string_view path = draft.facts->relativePath;
      for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
           slash = path.find('/', slash + 1))
        see(path.substr(0, slash), draft);
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
  void see(std::string_view folder, const Draft& draft) {
    const std::size_t slash = folder.rfind('/');
    const auto named =
        factsFromFolder(slash == std::string_view::npos ? folder : folder.substr(slash + 1)).rank;
    if (!named) return;
    Seen& seen = m_folders[folder];
    const auto own = ownEvidence(*draft.facts).rank;
    if (own && *own != *named) seen.agrees = false;
    if (!draft.process.empty() && !seen.process.empty() && draft.process != seen.process && !own)
      seen.agrees = false;
    if (!draft.process.empty()) seen.process = draft.process;
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

// Finds the folders that stand for a node, a step or a rank; the others make the run's folder.
void readFolders(Draft& draft, const RankFolders& rankFolders) {
  const std::string_view path = draft.facts->relativePath;
  draft.nodeFolder = draft.facts->name.nodeKey;
  std::size_t begin = 0;
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', begin)) {
    const std::string_view name = path.substr(begin, slash - begin);
    begin = slash + 1;
    if (isHostsFolder(name, *draft.facts)) {
      draft.nodeFolder = std::string(name);
      continue;
    }
    const FolderFacts folder = factsFromFolder(name);
    const std::string& rest = rankFolders.contains(path.substr(0, slash)) ? folder.restNoRank : folder.rest;
    if (!rest.empty()) draft.runFolder += (draft.runFolder.empty() ? "" : "/") + rest;
  }
}

// The rank that the nearest folder of one rank states.
std::optional<int> folderRankOf(std::string_view path, const RankFolders& rankFolders) {
  for (std::string_view folder = folderOf(path); !folder.empty(); folder = folderOf(folder)) {
    if (!rankFolders.contains(folder)) continue;
    const std::size_t slash = folder.rfind('/');
    return factsFromFolder(slash == std::string_view::npos ? folder : folder.substr(slash + 1)).rank;
  }
  return std::nullopt;
}

void weighEvidence(std::vector<Draft>& drafts) {
  const RankFolders rankFolders(drafts);
  for (Draft& draft : drafts) {
    if (draft.leftOut) continue;
    const FileFacts& facts = *draft.facts;
    readFolders(draft, rankFolders);
    if (draft.rank) continue;
    OwnEvidence own = ownEvidence(facts);
    if (own.rank) {
      draft.decide(*own.rank, own.from, own.why);
      if (facts.name.rank && *facts.name.rank != *own.rank && facts.name.coordinates.empty())
        draft.note("the name gives rank " + std::to_string(*facts.name.rank) + ", the file itself rank " +
                   std::to_string(*own.rank));
    } else if (!facts.name.localRank && facts.name.coordinates.empty()) {
      if (const auto folder = folderRankOf(facts.relativePath, rankFolders))
        draft.decide(*folder, RankSource::Folder);
    }
  }
}

// A file opened by itself out of a folder that names the rank.
void useFolderOfLoneFile(std::vector<Draft>& drafts) {
  if (drafts.size() != 1 || drafts.front().leftOut || drafts.front().rank) return;
  const FileFacts& facts = *drafts.front().facts;
  if (!folderOf(facts.relativePath).empty() || facts.name.localRank || !facts.name.coordinates.empty())
    return;
  const std::string_view folder = folderOf(facts.path);
  const std::size_t slash = folder.rfind('/');
  const auto rank = factsFromFolder(slash == std::string_view::npos ? folder : folder.substr(slash + 1)).rank;
  if (rank) drafts.front().decide(*rank, RankSource::Folder);
}

// Processes that each formed a separate world all report rank 0: then the names decide.
void preferNamesWhereMetadataRepeats(std::vector<Draft>& drafts) {
  std::map<std::tuple<std::string, std::string, int>, Drafts> groups;
  for (Draft& draft : drafts)
    if (!draft.leftOut && draft.from == RankSource::Metadata && draft.rank &&
        draft.facts->metadataWorldSize.value_or(1) <= 1)
      groups[{draft.runFolder, draft.facts->name.group, *draft.rank}].push_back(&draft);
  for (const auto& [key, files] : groups) {
    std::set<int> named;
    for (const Draft* file : files) named.insert(file->facts->name.rank.value_or(-1));
    if (named.size() < 2 || named.contains(-1)) continue;
    for (Draft* file : files) {
      file->notes.clear();
      file->decide(*file->facts->name.rank, RankSource::Name,
                   "the metadata of several files gives rank " + std::to_string(std::get<2>(key)) +
                       " of a world size of 1; ranks taken from the names");
    }
  }
}

void leaveOutDuplicates(std::vector<Draft>& drafts) {
  Drafts order;
  for (Draft& draft : drafts)
    if (!draft.leftOut && draft.facts->endNs > draft.facts->beginNs && draft.facts->events > 0)
      order.push_back(&draft);
  // The one nearest to the top is the original, a copy lies in a folder of its own.
  std::ranges::stable_sort(order, {},
                           [](const Draft* d) { return std::ranges::count(d->facts->relativePath, '/'); });
  std::map<std::tuple<TimeNs, TimeNs, std::uint64_t, std::uint64_t>, Drafts> seen;
  for (Draft* draft : order) {
    const FileFacts& facts = *draft->facts;
    Drafts& same = seen[{facts.beginNs, facts.endNs, facts.events, facts.textBytes}];
    const auto original = std::ranges::find_if(same, [&](const Draft* other) {
      const NameFacts& a = other->facts->name;
      const NameFacts& b = facts.name;
      return other->rank == draft->rank && other->process == draft->process && a.localRank == b.localRank &&
             a.coordinates == b.coordinates && other->nodeFolder == draft->nodeFolder && a.step == b.step &&
             other->facts->hostName == facts.hostName && other->facts->devices == facts.devices &&
             other->facts->metadataWorldSize == facts.metadataWorldSize;
    });
    if (original != same.end())
      leaveOut(*draft, "the same recording as " + (*original)->facts->path);
    else
      same.push_back(draft);
  }
}

std::vector<JobDraft> jobsOf(std::vector<Draft>& drafts) {
  Drafts placed, merged;
  for (Draft& draft : drafts)
    if (!draft.leftOut) (isMerged(*draft.facts) ? merged : placed).push_back(&draft);
  std::vector<JobDraft> jobs;
  for (const Drafts& files : splitByIdentity(placed)) {
    resolveLocalRanks(files);
    resolveCoordinates(files);
    for (JobDraft& job : splitByRankAndTime(files)) jobs.push_back(std::move(job));
  }
  jobs = joinComplements(std::move(jobs));
  for (Draft* file : merged) jobs.push_back({RankUnit{{file}}});
  for (JobDraft& job : jobs) fillRanks(job);
  return jobs;
}

void numberCaptures(const JobDraft& job) {
  std::map<int, Drafts> filesOfRank;
  for (const RankUnit& unit : job)
    for (Draft* file : unit.files) filesOfRank[*file->rank].push_back(file);
  std::vector<std::vector<Recording>> recordings;
  for (auto& [rank, files] : filesOfRank) {
    files = inOrderOfTime(std::move(files));
    auto& own = recordings.emplace_back();
    for (const Draft* file : files) own.push_back(file->when);
  }
  const auto numbers = alignCaptures(recordings);
  auto own = numbers.begin();
  for (auto& [rank, files] : filesOfRank) {
    for (std::size_t i = 0; i < files.size(); ++i) files[i]->capture = (*own)[i];
    ++own;
  }
}

void numberJobs(std::vector<JobDraft>& jobs) {
  struct Size {
    std::size_t ranks = 0;
    std::uint64_t events = 0;
    const Draft* first = nullptr;
  };
  std::vector<std::pair<Size, const JobDraft*>> order;
  for (const JobDraft& job : jobs) {
    Size size;
    std::set<int> ranks;
    for (const RankUnit& unit : job) {
      ranks.insert(*unit.rank());
      for (const Draft* file : unit.files) {
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
      for (Draft* file : unit.files) file->job = static_cast<int>(i);
}

FilePlacement placementOf(const Draft& draft) {
  FilePlacement placement;
  placement.host = draft.host();
  for (const std::string& note : draft.notes) placement.note += (placement.note.empty() ? "" : "; ") + note;
  if (draft.leftOut) return placement;
  placement.job = draft.job;
  placement.rank = draft.rank;
  placement.capture = draft.capture;
  placement.from = draft.from;
  const auto world = draft.worldSize();
  if (world && draft.rank && *draft.rank >= *world && *world > 1)
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
  }
  return "guess";
}

std::vector<FilePlacement> placeFiles(std::span<const FileFacts> files) {
  std::vector<Draft> drafts = draftsInOrder(files);
  leaveOutWhatIsNoRank(drafts);
  weighEvidence(drafts);
  useFolderOfLoneFile(drafts);
  preferNamesWhereMetadataRepeats(drafts);
  leaveOutDuplicates(drafts);
  std::vector<JobDraft> jobs = jobsOf(drafts);
  for (const JobDraft& job : jobs) numberCaptures(job);
  numberJobs(jobs);

  std::vector<FilePlacement> placements(files.size());
  for (const Draft& draft : drafts) placements[draft.input] = placementOf(draft);
  return placements;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/placement/job_split.h"

#include "core/base/natural_order.h"
#include "core/io/placement/rank_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace rankscope {

namespace {

// Recordings within this distance may be one capture, because clocks differ and ranks do not start together.
constexpr TimeNs kNearNs = 120'000'000'000;

// If the name contains a rank, the rest of it names the job. Otherwise its numbers may mean anything, so only
// the pattern is compared.
std::string nameKey(const RankCandidate& candidate) {
  const NameFacts& name = candidate.facts->name;
  if (name.ownJob) return "!" + name.group;
  return name.rank || name.localRank ? name.group : namePattern(name.group);
}

bool sameOrUnknown(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() || a == b;
}

std::optional<TimeRange> spanOf(const RankCandidates& files) {
  std::optional<TimeRange> span;
  for (const RankCandidate* file : files) {
    if (!file->when.timeKnown) return std::nullopt;
    const TimeRange window = file->when.window;
    span = span ? TimeRange{std::min(span->begin, window.begin), std::max(span->end, window.end)} : window;
  }
  return span;
}

std::optional<TimeRange> united(std::optional<TimeRange> a, std::optional<TimeRange> b) {
  if (!a || !b) return std::nullopt;
  return TimeRange{std::min(a->begin, b->begin), std::max(a->end, b->end)};
}

bool isKnown(const std::optional<int>& value) {
  return value.has_value();
}
bool isKnown(const std::string& value) {
  return !value.empty();
}

// Splits candidates by a property that some do not have; those join the nearest group in time.
template <class Key> std::vector<RankCandidates> splitByKnown(const RankCandidates& candidates, Key key) {
  std::map<decltype(key(*candidates.front())), RankCandidates> parts;
  RankCandidates unknown;
  for (RankCandidate* candidate : candidates) {
    auto value = key(*candidate);
    if (isKnown(value))
      parts[std::move(value)].push_back(candidate);
    else
      unknown.push_back(candidate);
  }
  if (parts.size() < 2) return {candidates};
  std::vector<RankCandidates> result;
  for (auto& [value, files] : parts) result.push_back(std::move(files));
  for (RankCandidate* candidate : unknown) {
    const auto gap = [&](const RankCandidates& files) {
      const auto own = spanOf({candidate});
      const auto span = spanOf(files);
      return own && span ? gapBetween(*own, *span) : INT64_MAX;
    };
    std::ranges::min_element(result, {}, gap)->push_back(candidate);
  }
  for (RankCandidates& files : result)
    std::ranges::sort(files, [](const RankCandidate* a, const RankCandidate* b) { return a < b; });
  return result;
}

using NamedSets = std::map<std::tuple<bool, bool, std::string, std::string>, RankCandidates>;

std::string workerKey(const RankCandidate& candidate) {
  std::string own = candidate.process;
  if (own.empty() || candidate.facts->oneOfSeveral) own.insert(0, candidate.facts->name.group);
  return candidate.node() + '\n' + own;
}

bool oneAfterAnother(const RankCandidates& files) {
  const RankCandidates ordered = inOrderOfTime(files);
  const bool timed = std::ranges::all_of(
      ordered, [](const RankCandidate* d) { return d->when.timeKnown && !d->when.window.empty(); });
  return timed && std::ranges::adjacent_find(ordered, [](const RankCandidate* a, const RankCandidate* b) {
                    return !otherCapture(*a, *b);
                  }) == ordered.end();
}

void addUnits(const RankCandidates& files, std::vector<RankUnit>& units) {
  const std::size_t first = units.size();
  for (RankCandidate* file : inOrderOfTime(files)) {
    const auto fits = std::find_if(
        units.begin() + static_cast<std::ptrdiff_t>(first), units.end(), [&](const RankUnit& unit) {
          return std::ranges::all_of(unit.files,
                                     [&](const RankCandidate* other) { return otherCapture(*file, *other); });
        });
    if (fits != units.end())
      fits->files.push_back(file);
    else
      units.push_back({{file}});
  }
}

std::vector<RankUnit> unitsOf(const RankCandidates& candidates) {
  std::map<int, RankCandidates> ranked;
  std::map<std::string, RankCandidates> workers;
  RankCandidates nameless;
  for (RankCandidate* candidate : candidates) {
    if (candidate->rank)
      ranked[*candidate->rank].push_back(candidate);
    else if (candidate->process.empty())
      nameless.push_back(candidate);
    else
      workers[workerKey(*candidate)].push_back(candidate);
  }
  // Recordings without rank and process: successive ones are cycles of one process, simultaneous ones are
  // ranks.
  if (nameless.size() > 1 && oneAfterAnother(nameless)) {
    workers["\n"] = nameless;
  } else {
    for (RankCandidate* candidate : nameless) workers[workerKey(*candidate)].push_back(candidate);
  }
  std::vector<RankUnit> units;
  for (const auto& [rank, files] : ranked) addUnits(files, units);
  for (const auto& [key, files] : workers) addUnits(files, units);
  return units;
}

// Earlier recordings first; recordings of one capture by name.
void sortForSplitting(std::vector<RankUnit>& units) {
  const auto byName = [](const RankUnit& unit) { return unit.files.front(); };
  std::ranges::sort(units, {}, byName);
  if (std::ranges::any_of(units, [](const RankUnit& unit) { return !spanOf(unit.files); })) return;
  std::ranges::stable_sort(units, {}, [](const RankUnit& unit) { return spanOf(unit.files)->begin; });
  std::vector<std::tuple<int, RankCandidate*, std::size_t>> order;
  int cluster = 0;
  TimeNs end = INT64_MIN;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const TimeRange span = *spanOf(units[i].files);
    if (i > 0 && span.begin > end + kNearNs) ++cluster;
    end = std::max(end, span.end);
    order.emplace_back(cluster, units[i].files.front(), i);
  }
  std::ranges::sort(order);
  std::vector<RankUnit> sorted;
  for (const auto& [number, file, i] : order) sorted.push_back(std::move(units[i]));
  units = std::move(sorted);
}

struct OpenJob {
  JobCandidate units;
  std::set<int> ranks;
  std::optional<TimeRange> span;

  void add(RankUnit unit) {
    const auto own = spanOf(unit.files);
    span = units.empty() ? own : united(span, own);
    if (unit.rank()) ranks.insert(*unit.rank());
    units.push_back(std::move(unit));
  }
};

void place(RankUnit unit, std::vector<OpenJob>& jobs) {
  const auto own = spanOf(unit.files);
  const bool namesRank = unit.files.front()->facts->name.rank.has_value();
  OpenJob* best = nullptr;
  TimeNs bestGap = 0;
  for (OpenJob& job : jobs) {
    if (unit.rank() && job.ranks.contains(*unit.rank())) continue;
    const TimeNs gap = own && job.span ? gapBetween(*own, *job.span) : 0;
    // A process with unknown rank is assigned to a job by time only.
    if (gap > (!unit.rank() ? kNearNs : namesRank ? INT64_MAX : kFarNs)) continue;
    if (best == nullptr || gap < bestGap) {
      best = &job;
      bestGap = gap;
    }
  }
  if (best == nullptr) best = &jobs.emplace_back();
  if (bestGap > kNearNs)
    for (RankCandidate* file : unit.files)
      file->note("recorded at a different time than the other ranks of its job");
  best->add(std::move(unit));
}

// Properties compared to decide whether two jobs are parts of one.
struct JobSignature {
  std::string folder, name, jobName, pattern;
  std::optional<int> world;
  bool fromPyTorch = true;
  bool ownJob = false;
  bool allRanked = true;
};

JobSignature signatureOf(const JobCandidate& job) {
  const RankCandidate& first = *job.front().files.front();
  JobSignature signature{first.runFolder,          first.facts->name.group,  {},  {}, {},
                         first.facts->fromPyTorch, first.facts->name.ownJob, true};
  signature.pattern = namePattern(signature.folder + '\n' + signature.name);
  for (const RankUnit& unit : job) {
    signature.allRanked = signature.allRanked && unit.rank();
    for (const RankCandidate* file : unit.files) {
      if (!signature.world) signature.world = file->worldSize();
      if (signature.jobName.empty()) signature.jobName = file->facts->jobName;
    }
  }
  return signature;
}

bool neighbors(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const std::string_view above = folderOf(a);
  const std::string_view beside = folderOf(b);
  return (above == beside) || above == b || beside == a;
}

bool mayBeOne(const OpenJob& a, const JobSignature& faceA, const OpenJob& b, const JobSignature& faceB) {
  if (!faceA.allRanked || !faceB.allRanked || faceA.fromPyTorch != faceB.fromPyTorch) return false;
  if ((faceA.ownJob || faceB.ownJob) && (faceA.ownJob != faceB.ownJob || faceA.name != faceB.name))
    return false;
  if (!sameOrUnknown(faceA.jobName, faceB.jobName) || !neighbors(faceA.folder, faceB.folder)) return false;
  if (faceA.world && faceB.world && *faceA.world != *faceB.world) return false;
  const std::optional<int> world = faceA.world ? faceA.world : faceB.world;
  if (world && a.ranks.size() + b.ranks.size() > static_cast<std::size_t>(*world)) return false;
  if (std::ranges::any_of(b.ranks, [&](int rank) { return a.ranks.contains(rank); })) return false;
  if (a.span && b.span) return gapBetween(*a.span, *b.span) <= kNearNs;
  const bool sameWorld = faceA.world && faceA.world == faceB.world;
  return faceA.pattern == faceB.pattern || (faceA.folder == faceB.folder && sameWorld);
}

bool byOtherProgram(const OpenJob& job) {
  return job.units.front().files.front()->facts->otherProgram;
}

std::map<int, RankUnit*> unitOfRank(OpenJob& job) {
  std::map<int, RankUnit*> units;
  for (RankUnit& unit : job.units) units.emplace(*unit.rank(), &unit);
  return units;
}

// Whether two profilers recorded the same job: same time, and the same hosts or number of ranks.
bool ofBothProfilers(OpenJob& a, const JobSignature& faceA, OpenJob& b, const JobSignature& faceB) {
  if (!faceA.allRanked || !faceB.allRanked || byOtherProgram(a) == byOtherProgram(b)) return false;
  if (faceA.fromPyTorch != faceB.fromPyTorch || faceA.ownJob || faceB.ownJob) return false;
  if (!sameOrUnknown(faceA.jobName, faceB.jobName) || !neighbors(faceA.folder, faceB.folder)) return false;
  if (!a.span || !b.span || gapBetween(*a.span, *b.span) > kNearNs) return false;
  if (faceA.world && faceB.world && faceA.world != faceB.world) return false;
  const std::map<int, RankUnit*> left = unitOfRank(a), right = unitOfRank(b);
  bool hosts = false, both = false;
  for (const auto& [rank, unit] : left) {
    const auto other = right.find(rank);
    if (other == right.end()) continue;
    both = true;
    const std::string& hostA = unit->files.front()->host();
    const std::string& hostB = other->second->files.front()->host();
    if (!sameOrUnknown(hostA, hostB)) return false;
    hosts = hosts || (!hostA.empty() && !hostB.empty());
  }
  return both && (hosts || (faceA.world && faceB.world) || a.ranks == b.ranks);
}

// Whether a file of unknown rank completes a job: a job nearby lacks exactly one rank of its groups.
bool completes(const OpenJob& job, const JobSignature& signature, const OpenJob& lone,
               const JobSignature& loneFace) {
  if (lone.units.size() != 1 || lone.units.front().rank() || !job.span || !lone.span) return false;
  const RankCandidate& file = *lone.units.front().files.front();
  if (file.facts->peers.empty() || signature.fromPyTorch != loneFace.fromPyTorch || signature.ownJob ||
      loneFace.ownJob)
    return false;
  if (!neighbors(signature.folder, loneFace.folder) || gapBetween(*job.span, *lone.span) > kNearNs)
    return false;
  if (signature.world && loneFace.world && *signature.world != *loneFace.world) return false;
  const std::set<int> peers(file.facts->peers.begin(), file.facts->peers.end());
  return std::ranges::includes(peers, job.ranks) && peers.size() == job.ranks.size() + 1;
}

} // namespace

std::vector<RankCandidates> splitByIdentity(const RankCandidates& candidates) {
  // Recordings of the same rank by two profilers are no captures of each other; joinProfilers finds them.
  NamedSets sets;
  for (RankCandidate* candidate : candidates)
    sets[{candidate->facts->fromPyTorch, candidate->facts->otherProgram, candidate->runFolder,
          nameKey(*candidate)}]
        .push_back(candidate);
  std::vector<RankCandidates> result;
  for (const auto& [key, files] : sets)
    for (const RankCandidates& world :
         splitByKnown(files, [](const RankCandidate& d) { return d.worldSize(); }))
      for (RankCandidates& part :
           splitByKnown(world, [](const RankCandidate& d) { return d.facts->jobName; }))
        result.push_back(std::move(part));
  return result;
}

std::vector<JobCandidate> joinProfilers(std::vector<JobCandidate> jobs) {
  std::vector<OpenJob> open;
  std::vector<JobSignature> faces;
  for (JobCandidate& job : jobs) {
    faces.push_back(signatureOf(job));
    OpenJob& added = open.emplace_back();
    for (RankUnit& unit : job) added.add(std::move(unit));
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (i == k || open[i].units.empty() || open[k].units.empty() || byOtherProgram(open[k]) ||
          !ofBothProfilers(open[k], faces[k], open[i], faces[i]))
        continue;
      const std::map<int, RankUnit*> known = unitOfRank(open[k]);
      std::vector<RankUnit> more;
      for (RankUnit& unit : open[i].units) {
        const auto same = known.find(*unit.rank());
        if (same == known.end()) {
          more.push_back(std::move(unit));
          continue;
        }
        for (RankCandidate* file : unit.files) {
          file->note("rank " + std::to_string(*file->rank) + " was recorded by both profilers");
          same->second->files.push_back(file);
        }
      }
      open[i].units.clear();
      for (RankUnit& unit : more) open[k].add(std::move(unit));
    }
  }
  std::vector<JobCandidate> result;
  for (OpenJob& job : open)
    if (!job.units.empty()) result.push_back(std::move(job.units));
  return result;
}

std::vector<JobCandidate> splitByRankAndTime(const RankCandidates& candidates) {
  std::vector<RankUnit> units = unitsOf(candidates);
  sortForSplitting(units);
  std::stable_partition(units.begin(), units.end(),
                        [](const RankUnit& unit) { return unit.rank().has_value(); });
  std::vector<OpenJob> jobs;
  for (RankUnit& unit : units) place(std::move(unit), jobs);

  std::map<int, int> jobsWithRank;
  for (const OpenJob& job : jobs)
    for (const int rank : job.ranks) ++jobsWithRank[rank];
  std::vector<JobCandidate> result;
  for (OpenJob& job : jobs) {
    for (RankUnit& unit : job.units)
      if (unit.rank() && jobsWithRank[*unit.rank()] > 1)
        for (RankCandidate* file : unit.files)
          file->note("several files here are rank " + std::to_string(*unit.rank()) +
                     " and cannot be captures of one process: treated as separate jobs");
    result.push_back(std::move(job.units));
  }
  return result;
}

std::vector<JobCandidate> joinComplementaryJobs(std::vector<JobCandidate> jobs) {
  const auto byFirst = [](const JobCandidate& job) {
    RankCandidate* first = job.front().files.front();
    for (const RankUnit& unit : job) first = std::min(first, *std::ranges::min_element(unit.files));
    return first;
  };
  std::ranges::sort(jobs, {}, byFirst);
  std::vector<OpenJob> open;
  std::vector<JobSignature> faces;
  for (JobCandidate& job : jobs) {
    const JobSignature signature = signatureOf(job);
    OpenJob candidate;
    for (RankUnit& unit : job) candidate.add(std::move(unit));
    std::size_t at = 0;
    while (at < open.size() && !mayBeOne(open[at], faces[at], candidate, signature)) ++at;
    if (at == open.size()) {
      open.emplace_back();
      faces.push_back(signature);
    } else if (!faces[at].world) {
      faces[at].world = signature.world;
    }
    for (RankUnit& unit : candidate.units) open[at].add(std::move(unit));
  }

  std::vector<JobCandidate> result;
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (std::size_t k = 0; k < open.size(); ++k) {
      if (k == i || open[k].units.empty() || !completes(open[k], faces[k], open[i], faces[i])) continue;
      open[k].add(std::move(open[i].units.front()));
      open[i].units.clear();
      break;
    }
  }
  for (OpenJob& job : open)
    if (!job.units.empty()) result.push_back(std::move(job.units));
  return result;
}

} // namespace rankscope

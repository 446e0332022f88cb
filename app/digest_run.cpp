// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/digest_run.h"

#include "app/digest_load.h"
#include "app/digest_plan.h"
#include "core/analysis/account/account_digest.h"
#include "core/analysis/account/clock_ratios.h"
#include "core/analysis/findings/beside_findings.h"
#include "core/analysis/job/analysis.h"
#include "core/base/byte_pack.h"
#include "core/base/hash.h"
#include "core/base/natural_order.h"
#include "core/base/parallel_for.h"
#include "core/base/unit_text.h"
#include "core/io/cache/job_identity.h"
#include "core/io/cache/trace_members.h"
#include "core/io/digest/digest_file.h"
#include "core/io/digest/nccl_image.h"
#include "core/io/load/job_assembly.h"
#include "core/io/load/kept_events.h"
#include "core/io/load/side_loader.h"
#include "core/io/load/trace_readers.h"
#include "core/io/nccl/nccl_files.h"
#include "core/model/retimed.h"
#include "core/model/side_files.h"
#include "core/report/digest_rows.h"
#include "core/report/job_digest.h"
#include "core/report/network_source.h"
#include "core/report/rank_questions.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope {

// What the processes send each other.

namespace {

// What one process found on its host.
struct Listing {
  std::string host;
  std::vector<DiscoveredFile> files;
  std::vector<DiscoveryProblem> problems;
  std::vector<std::string> beside;
  std::vector<std::uint64_t> states; // by file: hash of its size, time and samples; empty if not asked
  std::uint64_t left = 0;            // files beside the traces that are not read
};

// A recording as the first process placed it in the job.
struct PlacedRecording {
  std::uint64_t file = 0; // of the job's
  std::uint64_t recording = 0;
  std::uint64_t rank = 0; // index in the job
  int number = 0;
  int capture = 1;
  std::string host;
  std::string gpu;
  TimeNs baseTime = 0;
  FileRecord record;
};

} // namespace

template <class Archive, Described<DiscoveredFile> T> void describe(Archive& archive, T& file) {
  auto& [path, relativePath, bytes, rank] = file;
  archive(path, relativePath, bytes, rank);
}

template <class Archive, Described<DiscoveryProblem> T> void describe(Archive& archive, T& problem) {
  auto& [path, reason, notATrace] = problem;
  archive(path, reason, notATrace);
}

template <class Archive, Described<Listing> T> void describe(Archive& archive, T& listing) {
  auto& [host, files, problems, beside, states, left] = listing;
  archive(host, files, problems, beside, states, left);
}

template <class Archive, Described<DigestFile> T> void describe(Archive& archive, T& file) {
  auto& [found, path, process] = file;
  archive(found, path, process);
}

template <class Archive, Described<PlacedRecording> T> void describe(Archive& archive, T& placed) {
  auto& [file, recording, rank, number, capture, host, gpu, baseTime, record] = placed;
  archive(file, recording, rank, number, capture, host, gpu, baseTime, record);
}

namespace {

template <class T> std::string packed(const T& value) {
  Packer packer;
  packer(value);
  return packer.takeBytes();
}

// What another process of this program packed.
template <class T> T unpacked(std::string_view bytes) {
  T value{};
  Unpacker unpacker(bytes);
  unpacker(value);
  return value;
}

// The files of the job, in its order.
struct JobFiles {
  std::vector<DigestFile> files;
  Discovery discovery; // at the first process: the same files, and what was found beside them
  std::vector<std::string> notes;
};

Listing listingOf(const DigestOptions& options, const std::string& host) {
  const std::vector<std::string> paths = withoutNcclFiles(options.paths);
  const Discovery found = discoverTraceFiles(paths);
  Listing listing{host, found.files, found.problems, found.beside, {}, 0};
  if (!options.local) return listing;
  // Of one host alone they would say little.
  listing.left = found.beside.size() + findNcclFiles(paths).size();
  listing.beside.clear();
  for (const SourceStamp& stamp : identityOf(paths, found, {}, 1).files) {
    listing.states.push_back(hashOf(stamp.bytes, stamp.changed, stamp.samples));
  }
  return listing;
}

// A folder that several hosts see has the same files on all of them: each is read once.
void joinListings(const std::vector<Listing>& listings, JobFiles& job,
                  std::vector<std::vector<std::size_t>>& processes) {
  std::map<std::string, std::vector<std::size_t>> ofHost;
  for (std::size_t p = 0; p < listings.size(); ++p) ofHost[listings[p].host].push_back(p);
  struct Found {
    DigestFile file;
    std::vector<std::size_t> processes;
  };
  std::vector<Found> all;
  std::set<std::tuple<std::string, std::uint64_t>> known;
  std::size_t again = 0;
  std::uint64_t left = 0;
  for (const auto& [host, members] : ofHost) {
    const Listing& listing = listings[members.front()];
    for (std::size_t i = 0; i < listing.files.size(); ++i) {
      const DiscoveredFile& file = listing.files[i];
      if (!known.emplace(file.path, listing.states[i]).second) {
        ++again;
        continue;
      }
      DigestFile of{file, file.path, 0};
      if (ofHost.size() > 1) {
        of.found.path = host + ":" + std::filesystem::absolute(file.path).lexically_normal().string();
        of.found.relativePath = host + "/" + file.relativePath;
      }
      all.push_back({std::move(of), members});
    }
    job.discovery.problems.insert(job.discovery.problems.end(), listing.problems.begin(),
                                  listing.problems.end());
    left += listing.left;
  }
  if (left > 0)
    job.notes.push_back(std::to_string(left) + " logs of NCCL, memory snapshots and dumps beside the traces "
                                               "are not read with --local: the digest has nothing of them");
  if (again > 0)
    job.notes.push_back(std::to_string(again) + " files are seen by several hosts; each is read once");
  std::ranges::stable_sort(all, [](const Found& a, const Found& b) {
    return naturalLess(a.file.found.relativePath, b.file.found.relativePath);
  });
  for (Found& found : all) {
    job.files.push_back(std::move(found.file));
    processes.push_back(std::move(found.processes));
  }
}

// Every process gets the same list. Without files of its own on each host, the first process lists them.
JobFiles agreedFiles(const DigestOptions& options, DigestTeam& team) {
  JobFiles job;
  std::vector<std::vector<std::size_t>> processes;
  if (options.local) {
    const std::vector<std::string> all = team.gather(packed(listingOf(options, team.host())));
    std::vector<Listing> listings;
    listings.reserve(all.size());
    for (const std::string& bytes : all) listings.push_back(unpacked<Listing>(bytes));
    if (team.index() == 0) joinListings(listings, job, processes);
  } else if (team.index() == 0) {
    Listing listing = listingOf(options, team.host());
    std::vector<std::size_t> everyone(team.size());
    for (std::size_t p = 0; p < everyone.size(); ++p) everyone[p] = p;
    for (DiscoveredFile& file : listing.files) {
      std::string path = file.path;
      job.files.push_back({std::move(file), std::move(path), 0});
    }
    processes.assign(job.files.size(), everyone);
    job.discovery.problems = std::move(listing.problems);
    job.discovery.beside = std::move(listing.beside);
  }
  if (team.index() == 0) {
    dealFiles(job.files, processes, team.size());
    for (const DigestFile& file : job.files) job.discovery.files.push_back(file.found);
  }
  job.files = unpacked<std::vector<DigestFile>>(team.broadcast(packed(job.files)));
  return job;
}

// The part of one process.
class DigestProcess {
 public:
  DigestProcess(const DigestOptions& options, DigestTeam& team)
      : m_options(options), m_team(team), m_began(std::chrono::steady_clock::now()),
        m_threads(options.threads > 0 ? options.threads : defaultThreadCount()) {}

  int run() {
    m_digest.madeIn = m_team.broadcast(std::filesystem::current_path().string());
    if (first() && m_options.keepEvents) removeAbandoned(m_options.out);
    m_job = agreedFiles(m_options, m_team);
    for (std::size_t i = 0; i < m_job.files.size(); ++i)
      if (m_job.files[i].process == m_team.index()) m_own.push_back(i);
    if (first())
      for (const std::string& note : m_job.notes) tell(note);
    if (const auto stop = plan()) return *stop;
    load();
    if (!place()) return kNothingToDigest;
    reduce();
    if (!judge()) return kNothingToDigest;
    if (!answer()) return kNothingToDigest;
    return write();
  }

 private:
  [[nodiscard]] bool first() const { return m_team.index() == 0; }
  // The text that the first process has, for all.
  [[nodiscard]] int agreed(int code) { return unpacked<int>(m_team.broadcast(packed(code))); }

  // The exit code if that is all, or the job does not fit.
  std::optional<int> plan() {
    std::vector<std::string> paths;
    paths.reserve(m_own.size());
    for (const std::size_t i : m_own) paths.push_back(m_job.files[i].path);
    const auto all = m_team.gather(packedPlan(planOf(paths, m_team.host(), m_threads, m_options.keepEvents)));
    constexpr int kGoOn = -1;
    int code = m_options.plan ? kDigested : kGoOn;
    if (first()) {
      std::vector<ProcessPlan> plans;
      plans.reserve(all.size());
      for (const std::string& bytes : all) plans.push_back(unpackedPlan(bytes));
      addOpenedRanks(plans);
      if (m_options.plan) std::fputs(planText(plans).c_str(), stdout);
      if (const std::string shortage = shortageText(plans); !shortage.empty()) {
        tell(shortage);
        code = kDigestIncomplete;
      }
    }
    code = agreed(code);
    return code == kGoOn ? std::nullopt : std::optional(code);
  }

  // A fifth of the time is for what follows.
  void load() {
    std::vector<std::string> paths;
    paths.reserve(m_own.size());
    for (const std::size_t i : m_own) paths.push_back(m_job.files[i].path);
    std::optional<std::chrono::steady_clock::time_point> until;
    if (m_options.time) until = m_began + std::chrono::milliseconds(*m_options.time) * 4 / 5;
    m_loaded = loadFiles(paths, m_threads, until, keptFiles());
    tellOfKept();
  }

  // By own file, where its events are kept; empty if they are not.
  [[nodiscard]] std::vector<std::string> keptFiles() const {
    std::vector<std::string> kept;
    if (!m_options.keepEvents) return kept;
    kept.reserve(m_own.size());
    for (const std::size_t i : m_own)
      kept.push_back(keptEventsPath(m_options.out, m_job.files[i].found.path, m_digest.madeIn));
    return kept;
  }

  // Files whose events an earlier run has kept, and those whose events could not be kept.
  void tellOfKept() {
    if (!m_options.keepEvents) return;
    std::vector<std::string> problems;
    for (const Error& error : m_loaded.notKept) problems.push_back(error.text());
    Packer own;
    own(std::uint64_t{m_loaded.known}, problems);
    std::uint64_t known = 0;
    for (const std::string& bytes : m_team.gather(own.takeBytes())) {
      std::uint64_t count = 0;
      std::vector<std::string> texts;
      Unpacker unpacker(bytes);
      unpacker(count, texts);
      known += count;
      for (const std::string& text : texts) tell("events were not kept: " + text);
      m_notKept = m_notKept || !texts.empty();
    }
    if (first() && known > 0)
      tell(groupedText(static_cast<std::int64_t>(known)) + (known == 1 ? " file was" : " files were") +
           " read by an earlier run");
  }

  // The first process decides about all recordings from what they say without their events. False if there is
  // none.
  bool place() {
    std::vector<std::string> arrivals;
    arrivals.reserve(m_own.size());
    for (std::size_t i = 0; i < m_own.size(); ++i)
      arrivals.push_back(
          JobAssembly::packedArrival(m_job.files[m_own[i]].found, m_loaded.files[i], m_loaded.names));
    const auto all = m_team.gather(packed(arrivals));
    std::vector<std::string> parts;
    if (first()) parts = placedParts(all);
    m_placed = unpacked<std::vector<PlacedRecording>>(m_team.scatter(std::move(parts)));
    return agreed(m_digest.ranks.empty() ? 0 : 1) == 1;
  }

  std::vector<std::string> placedParts(const std::vector<std::string>& arrivals) {
    JobAssembly assembly(withoutNcclFiles(m_options.paths), m_job.discovery, std::nullopt, false);
    std::vector<std::vector<std::size_t>> ofProcess(m_team.size());
    for (std::size_t i = 0; i < m_job.files.size(); ++i) ofProcess[m_job.files[i].process].push_back(i);
    for (std::size_t p = 0; p < arrivals.size(); ++p) {
      const auto files = unpacked<std::vector<std::string>>(arrivals[p]);
      for (std::size_t i = 0; i < files.size(); ++i)
        if (!assembly.arrivedPacked(ofProcess[p][i], files[i])) m_team.abort(kNothingToDigest);
    }
    const auto job = assembly.traces(StringTable());
    if (job->ranks().empty()) {
      tell(assembly.nothingRead(searchedNames()).text());
      return {};
    }
    m_digest.name = job->jobName();
    m_digest.files = filesOf(*job);
    if (!m_options.local) m_digest.ncclRecords = networkInputOf(m_options.paths).records();
    for (const FileRecord& file : m_digest.files) {
      if (!file.rank && file.status != FileStatus::Beside)
        tell(file.path + ": " + (file.note.empty() ? "not loaded" : file.note));
    }
    return partsOf(*job, assembly);
  }

  // With what lies beside the traces, as when they are opened.
  [[nodiscard]] std::vector<FileRecord> filesOf(const TraceSet& job) {
    std::set<std::string> paths(m_job.discovery.beside.begin(), m_job.discovery.beside.end());
    if (!m_options.local)
      for (const FileRecord& file : job.files())
        if (file.status == FileStatus::NotATrace) paths.insert(file.path);
    if (paths.empty()) return job.files();
    const std::vector<std::string> all(paths.begin(), paths.end());
    const Progress progress;
    const auto whole = withSideFiles(job, readSideFiles(all, m_threads, progress));
    if (!whole->side().empty()) {
      const auto alone =
          std::make_shared<const TraceSet>(std::string(), StringTable(), std::vector<RankEntry>(),
                                           std::vector<FileRecord>(), TraceOrigin(), whole->sharedSide());
      const JobReport beside(std::make_shared<const Analysis>(alone));
      m_digest.sideRows = sideRows(beside, DigestBounds().rows);
      m_digest.sideFindings = packedBesideFindings(besideFindings(alone->side()));
    }
    return whole->files();
  }

  std::vector<std::string> partsOf(const TraceSet& job, const JobAssembly& assembly) {
    std::vector<std::size_t> firstRecord; // by file
    std::size_t records = 0;
    firstRecord.reserve(assembly.size());
    for (std::size_t i = 0; i < assembly.size(); ++i) {
      firstRecord.push_back(records);
      records += assembly.recordsOf(i);
    }
    std::vector<std::vector<PlacedRecording>> placed(m_team.size());
    for (std::size_t r = 0; r < job.ranks().size(); ++r) {
      const RankEntry& entry = job.ranks()[r];
      m_digest.ranks.push_back({entry.rank, entry.capture, entry.host, entry.gpu, entry.file, {}, {}});
      const auto after = std::ranges::upper_bound(firstRecord, std::size_t{entry.file.value});
      const auto file = static_cast<std::size_t>(after - firstRecord.begin()) - 1;
      const std::size_t process = m_job.files[file].process;
      m_processOf.push_back(process);
      placed[process].push_back({file, entry.file.value - firstRecord[file], r, entry.rank, entry.capture,
                                 entry.host, entry.gpu, entry.trace->metadata.baseTime,
                                 job.file(entry.file)});
    }
    std::vector<std::string> parts;
    parts.reserve(placed.size());
    for (const auto& of : placed) parts.push_back(packed(of));
    return parts;
  }

  // The ranks of this process as a job of their own, in the order of the whole job.
  void reduce() {
    std::vector<RankEntry> ranks;
    std::vector<FileRecord> files;
    for (PlacedRecording& placed : m_placed) {
      const auto own = static_cast<std::size_t>(std::ranges::lower_bound(m_own, placed.file) - m_own.begin());
      const LoadedRecording& recorded = m_loaded.files[own]->recordings[placed.recording];
      std::shared_ptr<const RankTrace> trace = recorded.trace;
      const TimeNs shift = placed.baseTime - trace->metadata.baseTime;
      if (shift != 0) trace = movedInTime(*trace, shift);
      ranks.push_back({placed.number, placed.capture, std::move(placed.host), std::move(placed.gpu),
                       FileIndex(files.size()), std::move(trace), recorded.details});
      files.push_back(std::move(placed.record));
    }
    m_loaded.files.clear();
    m_analysis = std::make_unique<const Analysis>(std::make_shared<const TraceSet>(
        std::string(), std::move(m_loaded.names), std::move(ranks), std::move(files)));
    std::vector<std::string> images(m_placed.size());
    parallelFor(images.size(), m_threads,
                [&](std::size_t i) { images[i] = packedRank(digestedRank(*m_analysis, RankIndex(i))); });
    collect(m_team.gather(packed(images)), &DigestEntry::image);
  }

  // Takes what each process made of its ranks.
  void collect(const std::vector<std::string>& all, std::shared_ptr<const std::string> DigestEntry::*member) {
    if (!first()) return;
    std::vector<std::vector<std::string>> parts;
    parts.reserve(all.size());
    for (const std::string& bytes : all) parts.push_back(unpacked<std::vector<std::string>>(bytes));
    std::vector<std::size_t> next(parts.size());
    for (std::size_t r = 0; r < m_digest.ranks.size(); ++r) {
      const std::size_t process = m_processOf[r];
      m_digest.ranks[r].*member =
          std::make_shared<const std::string>(std::move(parts[process].at(next[process]++)));
    }
  }

  // What the whole job says about the calls of each rank, and what its steps were spent on then.
  bool judge() {
    std::vector<std::string> parts;
    bool whole = true;
    if (first()) {
      const auto job = openedDigest(m_digest);
      whole = job.ok();
      if (!whole) tell(job.error().text());
      if (whole) parts = factsOf(Analysis(*job));
    }
    const auto own = unpacked<std::vector<std::string>>(m_team.scatter(std::move(parts)));
    if (agreed(whole ? 1 : 0) == 0) return false;
    const Analysis told(toldJob(own), m_analysis.get());
    AccountFacts facts;
    facts.clockRatios = clockRatios(told, 1);
    std::vector<std::string> accounts(own.size());
    parallelFor(own.size(), m_threads,
                [&](std::size_t i) { accounts[i] = digestedAccount(told, RankIndex(i), facts); });
    collect(m_team.gather(packed(accounts)), &DigestEntry::account);
    return true;
  }

  // What results of the job ask about single events. Each process answers about its own ranks; what another
  // one has to answer first is known in the next round.
  bool answer() {
    if (m_team.size() > 1 && !shareDigests()) return false;
    constexpr int kMostRounds = 16;
    for (int round = 0; round < kMostRounds; ++round) {
      const auto job = jobWithOwnEvents();
      if (job == nullptr) return false;
      const AnswerRound asked = askedAboutRanks(*job, m_analysis.get(), m_threads);
      std::vector<std::string> own;
      own.reserve(m_placed.size());
      for (const PlacedRecording& placed : m_placed) own.push_back(asked.answers[placed.rank]);
      collect(m_team.gather(packed(own)), &DigestEntry::answers);
      std::size_t missing = 0;
      for (const std::string& of : m_team.gather(packed(asked.missing))) missing += unpacked<std::size_t>(of);
      if (agreed(missing > 0 ? 1 : 0) == 0) return true;
      shareAnswers();
    }
    if (first()) tell("some results could not be asked for: the digest has no findings and no layout");
    for (DigestEntry& entry : m_digest.ranks) entry.answers = nullptr;
    return true;
  }

  // Every process gets the digests of all ranks. False if they are damaged.
  bool shareDigests() {
    Packer packer;
    if (first()) {
      packer(m_digest.name, m_digest.files, m_digest.sideRows, m_digest.sideFindings,
             m_digest.ncclRecords ? packedNccl(*m_digest.ncclRecords) : std::string(),
             std::uint64_t{m_digest.ranks.size()});
      for (const DigestEntry& entry : m_digest.ranks)
        packer(entry.rank, entry.capture, entry.host, entry.gpu, entry.file, *entry.image, *entry.account);
    }
    const std::string bytes = m_team.broadcast(packer.takeBytes());
    if (first()) return true;
    Unpacker unpacker(bytes);
    std::uint64_t ranks = 0;
    std::string logs;
    unpacker(m_digest.name, m_digest.files, m_digest.sideRows, m_digest.sideFindings, logs, ranks);
    if (!logs.empty()) m_digest.ncclRecords = unpackedNccl(logs);
    for (std::uint64_t i = 0; i < ranks && unpacker.ok(); ++i) {
      DigestEntry& entry = m_digest.ranks.emplace_back();
      std::string image;
      std::string account;
      unpacker(entry.rank, entry.capture, entry.host, entry.gpu, entry.file, image, account);
      entry.image = std::make_shared<const std::string>(std::move(image));
      entry.account = std::make_shared<const std::string>(std::move(account));
    }
    return unpacker.ok() && unpacker.atEnd();
  }

  void shareAnswers() {
    std::vector<std::string> all;
    if (first())
      for (const DigestEntry& entry : m_digest.ranks) all.push_back(*entry.answers);
    all = unpacked<std::vector<std::string>>(m_team.broadcast(packed(all)));
    for (std::size_t r = 0; r < all.size(); ++r)
      m_digest.ranks[r].answers = std::make_shared<const std::string>(std::move(all[r]));
  }

  // All ranks of the job, those of this process with their events. Null if a digest is damaged.
  [[nodiscard]] std::shared_ptr<const TraceSet> jobWithOwnEvents() {
    const TraceSet& own = m_analysis->trace();
    const auto digests = openedDigest(m_digest, own.names());
    if (!digests.ok()) {
      tell(digests.error().text());
      return nullptr;
    }
    const TraceSet& all = **digests;
    auto side = std::make_shared<SideFiles>(all.side());
    std::vector<RankEntry> ranks = all.ranks();
    for (std::size_t i = 0; i < m_placed.size(); ++i) {
      RankEntry& entry = ranks[m_placed[i].rank];
      entry.trace = own.ranks()[i].trace;
      entry.details = own.ranks()[i].details;
      side->digests[m_placed[i].rank] = nullptr;
    }
    return std::make_shared<const TraceSet>(all.jobName(), all.names(), std::move(ranks), all.files(),
                                            TraceOrigin(), std::move(side));
  }

  // The ranks of this process with what the whole job says about them.
  [[nodiscard]] std::shared_ptr<const TraceSet> toldJob(const std::vector<std::string>& facts) {
    const TraceSet& own = m_analysis->trace();
    auto side = std::make_shared<SideFiles>();
    side->jobFacts.reserve(facts.size());
    for (std::size_t i = 0; i < facts.size(); ++i) {
      side->jobFacts.push_back(unpackedFacts(facts[i], m_analysis->collectiveCalls(RankIndex(i))));
      if (side->jobFacts.back() == nullptr) m_team.abort(kNothingToDigest);
    }
    return std::make_shared<const TraceSet>(own.jobName(), own.names(), own.ranks(), own.files(),
                                            TraceOrigin(), std::move(side));
  }

  [[nodiscard]] std::vector<std::string> factsOf(const Analysis& analysis) const {
    const AccountFacts facts = accountFacts(analysis, m_threads);
    std::vector<std::vector<std::string>> ofProcess(m_team.size());
    for (std::size_t r = 0; r < m_processOf.size(); ++r)
      ofProcess[m_processOf[r]].push_back(packedFacts(analysis, RankIndex(r), facts));
    std::vector<std::string> parts;
    parts.reserve(ofProcess.size());
    for (const auto& of : ofProcess) parts.push_back(packed(of));
    return parts;
  }

  int write() {
    int code = kDigested;
    const auto late = m_team.gather(packed(m_loaded.incomplete));
    if (first()) {
      if (m_notKept) code = kDigestUsage;
      if (std::ranges::any_of(late, [](const std::string& of) { return unpacked<bool>(of); }))
        code = kDigestIncomplete;
      if (const auto error = writeDigest(m_digest, m_options.out)) {
        tell(error->text());
        code = kDigestUsage;
      }
    }
    return agreed(code);
  }

  const DigestOptions& m_options;
  DigestTeam& m_team;
  std::chrono::steady_clock::time_point m_began;
  unsigned m_threads;
  JobFiles m_job;
  std::vector<std::size_t> m_own; // files of this process, ascending
  LoadedFiles m_loaded;
  std::vector<PlacedRecording> m_placed; // recordings of this process, by rank of the job
  std::unique_ptr<const Analysis> m_analysis;
  // At the first process.
  DigestJob m_digest;
  std::vector<std::size_t> m_processOf; // by rank of the job
  bool m_notKept = false;               // events of some files, as asked
};

} // namespace

int runDigest(const DigestOptions& options, DigestTeam& team) {
  return DigestProcess(options, team).run();
}

} // namespace rankscope

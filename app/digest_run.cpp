// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/digest_run.h"

#include "app/digest_beside.h"
#include "app/digest_files.h"
#include "app/digest_judgement.h"
#include "app/digest_load.h"
#include "app/digest_messages.h"
#include "app/digest_paths.h"
#include "app/digest_placement.h"
#include "app/digest_plan.h"
#include "app/digest_questions.h"
#include "app/digest_work.h"
#include "core/base/byte_pack.h"
#include "core/base/parallel_for.h"
#include "core/base/unit_text.h"
#include "core/io/load/kept_events.h"
#include "core/model/retimed.h"
#include "core/report/job_digest.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

namespace rankscope {

namespace {

// The part of one process.
class DigestProcess {
 public:
  DigestProcess(const DigestOptions& options, DigestTeam& team)
      : m_options(options), m_began(std::chrono::steady_clock::now()),
        m_work{team,    options.threads > 0 ? options.threads : defaultThreadCount(),
               {},      nullptr,
               {},      {},
               nullptr, {},
               {}} {}

  int run() {
    if (const int code = checkPaths(); code != kDigested) return code;
    m_work.digest.madeIn = m_work.team.broadcast(std::filesystem::current_path().string());
    if (m_work.first() && m_options.keepEvents) removeAbandoned(m_options.out);
    m_files = agreedFiles(m_options, m_work.team);
    if (m_work.first())
      for (const std::string& note : m_files.notes) tell(note);
    if (const auto stop = plan()) return *stop;
    load();
    const bool hasRanks = placeRecordings(m_options, m_files, m_loaded, m_work);
    readBeside(m_options, m_files, m_work);
    if (!isAnything()) return kNothingToDigest;
    if (!hasRanks) return write(); // dumps of a hang, or logs, that lie on many hosts
    reduce();
    if (!judgeRanks(m_work) || !answerQuestions(m_work)) return kNothingToDigest;
    return write();
  }

 private:
  int checkPaths() {
    const std::string problem = m_work.first() ? pathProblem(m_options) : std::string();
    if (!problem.empty()) tell(problem);
    return m_work.agreed(problem.empty() ? kDigested : kDigestUsage);
  }

  // The exit code if that is all, or the job does not fit.
  std::optional<int> plan() {
    const std::vector<std::string> paths = m_files.ownPaths();
    const auto all = m_work.team.gather(
        packedPlan(planOf(paths, m_work.team.host(), m_work.threads, m_options.keepEvents)));
    constexpr int kGoOn = -1;
    int code = m_options.plan ? kDigested : kGoOn;
    if (m_work.first()) {
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
    code = m_work.agreed(code);
    return code == kGoOn ? std::nullopt : std::optional(code);
  }

  // Of many small traces, what follows takes up to twice as long as reading.
  void load() {
    std::optional<std::chrono::steady_clock::time_point> until;
    if (m_options.time) until = m_began + std::chrono::milliseconds(*m_options.time) / 3;
    m_loaded = loadFiles(m_files.ownPaths(), m_work.threads, until, keptFiles());
    tellOfKept();
  }

  // By own file, where its events are kept; empty if they are not.
  [[nodiscard]] std::vector<std::string> keptFiles() const {
    std::vector<std::string> kept;
    if (!m_options.keepEvents) return kept;
    kept.reserve(m_files.own.size());
    for (const std::size_t i : m_files.own)
      kept.push_back(keptEventsPath(m_options.out, m_files.files[i].found.path, m_work.digest.madeIn));
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
    for (const std::string& bytes : m_work.team.gather(own.takeBytes())) {
      std::uint64_t count = 0;
      std::vector<std::string> texts;
      Unpacker unpacker(bytes);
      unpacker(count, texts);
      known += count;
      for (const std::string& text : texts) tell("events were not kept: " + text);
      m_notKept = m_notKept || !texts.empty();
    }
    if (m_work.first() && known > 0)
      tell(groupedText(static_cast<std::int64_t>(known)) + (known == 1 ? " file was" : " files were") +
           " read by an earlier run");
  }

  // Says what was not read.
  [[nodiscard]] bool isAnything() {
    bool any = false;
    if (m_work.first()) {
      const DigestJob& job = m_work.digest;
      any = !job.ranks.empty() || !job.sideRows.empty() || !m_work.flights.empty() ||
            job.ncclRecords != nullptr;
      if (!any) tell(m_work.nothingRead);
      for (const FileRecord& file : job.files)
        if (any && !file.rank && file.status != FileStatus::Beside)
          tell(file.path + ": " + (file.note.empty() ? "not loaded" : file.note));
    }
    return m_work.agreed(any ? 1 : 0) == 1;
  }

  // The ranks of this process as a job of their own, in the order of the whole job.
  void reduce() {
    std::vector<RankEntry> ranks;
    std::vector<FileRecord> files;
    for (PlacedRecording& placed : m_work.placed) {
      const auto own =
          static_cast<std::size_t>(std::ranges::lower_bound(m_files.own, placed.file) - m_files.own.begin());
      const LoadedRecording& recorded = m_loaded.files[own]->recordings[placed.recording];
      std::shared_ptr<const RankTrace> trace = recorded.trace;
      const TimeNs shift = placed.baseTime - trace->metadata.baseTime;
      if (shift != 0) trace = movedInTime(*trace, shift);
      ranks.push_back({placed.number, placed.capture, std::move(placed.host), std::move(placed.gpu),
                       FileIndex(files.size()), std::move(trace), recorded.details});
      files.push_back(std::move(placed.record));
    }
    m_loaded.files.clear();
    m_work.analysis = std::make_unique<const Analysis>(std::make_shared<const TraceSet>(
        std::string(), std::move(m_loaded.names), std::move(ranks), std::move(files)));
    std::vector<std::string> images(m_work.placed.size());
    parallelFor(images.size(), m_work.threads,
                [&](std::size_t i) { images[i] = packedRank(digestedRank(*m_work.analysis, RankIndex(i))); });
    m_work.collect(images, &DigestEntry::image);
  }

  int write() {
    int code = kDigested;
    const auto late = m_work.team.gather(packed(m_loaded.incomplete));
    if (m_work.first()) {
      if (m_notKept) code = kDigestUsage;
      if (std::ranges::any_of(late, [](const std::string& of) { return unpacked<bool>(of); }))
        code = kDigestIncomplete;
      m_work.digest.flights = std::move(m_work.flights);
      if (const auto error = writeDigest(m_work.digest, m_options.out)) {
        tell(error->text());
        code = kDigestUsage;
      }
    }
    return m_work.agreed(code);
  }

  const DigestOptions& m_options;
  std::chrono::steady_clock::time_point m_began;
  DigestWork m_work;
  JobFiles m_files;
  LoadedFiles m_loaded;
  bool m_notKept = false; // events of some files, as asked; at the first process
};

} // namespace

int runDigest(const DigestOptions& options, DigestTeam& team) {
  return DigestProcess(options, team).run();
}

} // namespace rankscope

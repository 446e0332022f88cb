// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/digest_placement.h"

#include "app/digest_messages.h"
#include "core/io/cache/trace_members.h"
#include "core/io/load/job_assembly.h"
#include "core/io/load/trace_readers.h"
#include "core/io/nccl/nccl_files.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace rankscope {

template <class Archive, Described<PlacedRecording> T> void describe(Archive& archive, T& placed) {
  auto& [file, recording, rank, number, capture, host, gpu, baseTime, record] = placed;
  archive(file, recording, rank, number, capture, host, gpu, baseTime, record);
}

namespace {

// What the first process does.
class Placement {
 public:
  Placement(const DigestOptions& options, const JobFiles& files, DigestWork& work)
      : m_options(options), m_files(files), m_work(work) {}

  // What each process is told of its recordings. arrivals: of all of them.
  std::vector<std::string> parts(const std::vector<std::string>& arrivals) {
    JobAssembly assembly(withoutNcclFiles(m_options.paths), m_files.discovery, std::nullopt, false);
    std::vector<std::vector<std::size_t>> ofProcess(m_work.team.size());
    for (std::size_t i = 0; i < m_files.files.size(); ++i) ofProcess[m_files.files[i].process].push_back(i);
    for (std::size_t p = 0; p < arrivals.size(); ++p) {
      const auto files = unpacked<std::vector<std::string>>(arrivals[p]);
      for (std::size_t i = 0; i < files.size(); ++i)
        if (!assembly.arrivedPacked(ofProcess[p][i], files[i])) m_work.team.abort(kNothingToDigest);
    }
    const auto job = assembly.traces(StringTable());
    m_work.digest.name = job->jobName();
    m_work.digest.files = job->files();
    if (job->ranks().empty()) {
      m_work.nothingRead = assembly.nothingRead(searchedNames()).text();
      return {};
    }
    return partsOf(*job, assembly);
  }

 private:
  std::vector<std::string> partsOf(const TraceSet& job, const JobAssembly& assembly) {
    std::vector<std::size_t> firstRecord; // by file
    std::size_t records = 0;
    firstRecord.reserve(assembly.size());
    for (std::size_t i = 0; i < assembly.size(); ++i) {
      firstRecord.push_back(records);
      records += assembly.recordsOf(i);
    }
    std::vector<std::vector<PlacedRecording>> placed(m_work.team.size());
    for (std::size_t r = 0; r < job.ranks().size(); ++r) {
      const RankEntry& entry = job.ranks()[r];
      m_work.digest.ranks.push_back({entry.rank, entry.capture, entry.host, entry.gpu, entry.file, {}, {}});
      const auto after = std::ranges::upper_bound(firstRecord, std::size_t{entry.file.value});
      const auto file = static_cast<std::size_t>(after - firstRecord.begin()) - 1;
      const std::size_t process = m_files.files[file].process;
      m_work.processOf.push_back(process);
      placed[process].push_back({file, entry.file.value - firstRecord[file], r, entry.rank, entry.capture,
                                 entry.host, entry.gpu, entry.trace->metadata.baseTime,
                                 job.file(entry.file)});
    }
    std::vector<std::string> parts;
    parts.reserve(placed.size());
    for (const auto& of : placed) parts.push_back(packed(of));
    return parts;
  }

  const DigestOptions& m_options;
  const JobFiles& m_files;
  DigestWork& m_work;
};

} // namespace

bool placeRecordings(const DigestOptions& options, const JobFiles& files, const LoadedFiles& loaded,
                     DigestWork& work) {
  std::vector<std::string> arrivals;
  arrivals.reserve(files.own.size());
  for (std::size_t i = 0; i < files.own.size(); ++i)
    arrivals.push_back(
        JobAssembly::packedArrival(files.files[files.own[i]].found, loaded.files[i], loaded.names));
  const auto all = work.team.gather(packed(arrivals));
  std::vector<std::string> parts;
  if (work.first()) parts = Placement(options, files, work).parts(all);
  work.placed = unpacked<std::vector<PlacedRecording>>(work.team.scatter(std::move(parts)));
  return work.agreed(work.digest.ranks.empty() ? 0 : 1) == 1;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Files that lie beside traces and answer what a trace cannot: memory snapshots, memory timelines, Flight
// Recorder dumps; and digests, which stand for the events of ranks. Immutable once read.
#pragma once

#include "core/model/flight_record.h"
#include "core/model/memory_snapshot.h"
#include "core/model/memory_timeline.h"

#include <memory>
#include <string>
#include <vector>

namespace rankscope {

class AnswerLog;        // core/model/answer_log.h
struct NcclRecords;     // core/model/nccl_records.h
struct RankDigest;      // core/model/rank_digest.h
struct RankFacts;       // core/model/rank_facts.h
struct ToldCollectives; // core/analysis/collectives/job_collectives.h

struct SideFiles {
  std::vector<MemorySnapshot> snapshots;   // by path in natural order
  std::vector<MemoryTimeline> timelines;   // by path in natural order
  std::vector<FlightRecord> flightRecords; // of one job, by rank; each rank once
  // Ranks of that job whose dump is there and could not be read, ascending: they did not die before it.
  std::vector<int> unreadableDumps;

  // By RankIndex, null for a rank whose events were read; empty if all were.
  std::vector<std::shared_ptr<const RankDigest>> digests;
  // The same for ranks whose events were read after their digest; empty if there are none.
  std::vector<std::shared_ptr<const RankDigest>> readSince;
  // What a digest has of the files above and of NCCL's logs, which lie elsewhere then: rows of tables
  // (core/report), findings (core/analysis/findings), and what the logs say; null where it has none.
  std::string digestedRows;
  std::string digestedFindings;
  std::shared_ptr<const NcclRecords> ncclRecords;
  // Of a digest: its own folder, and the one that relative paths of its files are of. Empty for no digest.
  std::string digestFolder;
  std::string digestedIn;
  // Collects what is asked about ranks; null but while a digest is made.
  std::shared_ptr<AnswerLog> answerLog;
  // By RankIndex, what the whole job says about a rank, where only a part of the job is at hand; else empty.
  std::vector<std::shared_ptr<const RankFacts>> jobFacts;
  // Where other processes matched the collectives of the job; else null.
  std::shared_ptr<const ToldCollectives> toldCollectives;

  // Ranks that were found and left out as asked, ascending: neither missing nor loaded.
  std::vector<int> leftOutRanks;

  // Whether there are none but digests.
  [[nodiscard]] bool empty() const { return snapshots.empty() && timelines.empty() && flightRecords.empty(); }
};

} // namespace rankscope

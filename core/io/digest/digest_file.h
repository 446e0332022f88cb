// SPDX-License-Identifier: GPL-3.0-or-later
// A job as a digest on disk: a folder with one file, "job.digest", which has the files of the job with what
// became of them and the digest of each rank. Written whole or not at all, protected by checksums, mapped
// when opened.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/trace_set.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct NcclRecords; // core/model/nccl_records.h

inline constexpr std::string_view kDigestFileName = "job.digest";

// A rank of the job; see RankEntry.
struct DigestEntry {
  int rank = 0;
  int capture = 1;
  std::string host;
  std::string gpu;
  FileIndex file;
  std::shared_ptr<const std::string> image;        // packedRank; not null
  std::shared_ptr<const std::string> account;      // DigestSection::Account; null as long as it is not known
  std::shared_ptr<const std::string> answers = {}; // packedAnswers; null as long as nothing was asked
};

struct DigestJob {
  std::string name;
  std::vector<FileRecord> files;
  std::vector<DigestEntry> ranks; // by rank, capture, file
  std::string madeIn = {};        // SideFiles::digestedIn
  // What lies beside the traces: see SideFiles.
  std::string sideRows = {};
  std::string sideFindings = {};
  std::vector<std::string> flights = {};               // packedFlight, by rank; each rank once
  std::vector<int> unreadableDumps = {};               // SideFiles::unreadableDumps
  std::shared_ptr<const NcclRecords> ncclRecords = {}; // null without logs
};

// The file of a digest that a user named as the folder or the file in it; empty for anything else.
[[nodiscard]] std::optional<std::string> digestFileOf(const std::string& path);

// The job with its digests (SideFiles::digests). An Error names a rank whose image is damaged. names: a table
// whose names keep their ids, for ranks whose events are at hand.
[[nodiscard]] Result<std::shared_ptr<const TraceSet>> openedDigest(const DigestJob& job,
                                                                   const StringTable& names = {});

// Creates the folder if it does not exist.
[[nodiscard]] std::optional<Error> writeDigest(const DigestJob& job, const std::string& folder);

// As openedDigest, from the file, which is mapped. Checksums on up to threadCount threads.
[[nodiscard]] Result<std::shared_ptr<const TraceSet>> readDigest(const std::string& file,
                                                                 unsigned threadCount, Progress& progress);

} // namespace rankscope

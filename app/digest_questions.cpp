// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/digest_questions.h"

#include "app/digest_messages.h"
#include "app/digest_options.h"
#include "core/base/byte_pack.h"
#include "core/io/cache/trace_members.h"
#include "core/io/digest/nccl_image.h"
#include "core/model/side_files.h"
#include "core/report/rank_questions.h"

#include <utility>

namespace rankscope {

namespace {

// Every process gets the digests of all ranks, a piece at a time: they are not in memory twice. False if they
// are damaged.
bool shareDigests(DigestWork& work) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 26;
  DigestJob& job = work.digest;
  Packer head;
  if (work.first())
    head(job.name, job.files, job.sideRows, job.sideFindings,
         job.ncclRecords ? packedNccl(*job.ncclRecords) : std::string(), std::uint64_t{job.ranks.size()});
  std::uint64_t ranks = job.ranks.size();
  const std::string told = work.team.broadcast(head.takeBytes());
  if (!work.first()) {
    std::string logs;
    Unpacker unpacker(told);
    unpacker(job.name, job.files, job.sideRows, job.sideFindings, logs, ranks);
    if (!unpacker.ok() || !unpacker.atEnd()) return false;
    if (!logs.empty()) job.ncclRecords = unpackedNccl(logs);
  }
  for (std::uint64_t next = 0; next < ranks;) {
    Packer piece;
    for (; work.first() && next < ranks && piece.bytes().size() < kPieceBytes; ++next) {
      const DigestEntry& entry = job.ranks[next];
      piece(entry.rank, entry.capture, entry.host, entry.gpu, entry.file, *entry.image, *entry.account);
    }
    const std::string bytes = work.team.broadcast(piece.takeBytes());
    if (work.first()) continue;
    for (Unpacker unpacker(bytes); !unpacker.atEnd(); ++next) {
      DigestEntry& entry = job.ranks.emplace_back();
      std::string image;
      std::string account;
      unpacker(entry.rank, entry.capture, entry.host, entry.gpu, entry.file, image, account);
      if (!unpacker.ok()) return false;
      entry.image = std::make_shared<const std::string>(std::move(image));
      entry.account = std::make_shared<const std::string>(std::move(account));
    }
  }
  return true;
}

void shareAnswers(DigestWork& work) {
  std::vector<std::string> all;
  if (work.first())
    for (const DigestEntry& entry : work.digest.ranks) all.push_back(*entry.answers);
  all = unpacked<std::vector<std::string>>(work.team.broadcast(packed(all)));
  for (std::size_t r = 0; r < all.size(); ++r)
    work.digest.ranks[r].answers = std::make_shared<const std::string>(std::move(all[r]));
}

// All ranks of the job, those of this process with their events. Null if a digest is damaged.
std::shared_ptr<const TraceSet> jobWithOwnEvents(const DigestWork& work) {
  const TraceSet& own = work.analysis->trace();
  const auto digests = openedDigest(work.digest, own.names());
  if (!digests.ok()) {
    tell(digests.error().text());
    return nullptr;
  }
  const TraceSet& all = **digests;
  auto side = std::make_shared<SideFiles>(all.side());
  side->toldCollectives = work.collectives;
  std::vector<RankEntry> ranks = all.ranks();
  for (std::size_t i = 0; i < work.placed.size(); ++i) {
    RankEntry& entry = ranks[work.placed[i].rank];
    entry.trace = own.ranks()[i].trace;
    entry.details = own.ranks()[i].details;
    side->digests[work.placed[i].rank] = nullptr;
  }
  return std::make_shared<const TraceSet>(all.jobName(), all.names(), std::move(ranks), all.files(),
                                          TraceOrigin(), std::move(side));
}

} // namespace

bool answerQuestions(DigestWork& work) {
  if (work.team.size() > 1 && !shareDigests(work)) return false;
  constexpr int kMostRounds = 16;
  for (int round = 0; round < kMostRounds; ++round) {
    const auto job = jobWithOwnEvents(work);
    if (job == nullptr) return false;
    const AnswerRound asked = askedAboutRanks(*job, work.analysis.get(), work.threads);
    std::vector<std::string> own;
    own.reserve(work.placed.size());
    for (const PlacedRecording& placed : work.placed) own.push_back(asked.answers[placed.rank]);
    work.collect(own, &DigestEntry::answers);
    std::size_t missing = 0;
    for (const std::string& of : work.team.gather(packed(asked.missing)))
      missing += unpacked<std::size_t>(of);
    if (work.agreed(missing > 0 ? 1 : 0) == 0) return true;
    shareAnswers(work);
  }
  if (work.first()) tell("some results could not be asked for: the digest has no findings and no layout");
  for (DigestEntry& entry : work.digest.ranks) entry.answers = nullptr;
  return true;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/digest_judgement.h"

#include "app/digest_matching.h"
#include "app/digest_messages.h"
#include "app/digest_options.h"
#include "core/analysis/account/account_digest.h"
#include "core/analysis/account/clock_ratios.h"
#include "core/base/parallel_for.h"
#include "core/model/side_files.h"
#include "core/report/job_digest.h"

#include <memory>
#include <utility>

namespace rankscope {

namespace {

// The ranks of this process with what the whole job says about them.
std::shared_ptr<const TraceSet> toldJob(const DigestWork& work, const std::vector<std::string>& facts) {
  const TraceSet& own = work.analysis->trace();
  auto side = std::make_shared<SideFiles>();
  side->jobFacts.reserve(facts.size());
  for (std::size_t i = 0; i < facts.size(); ++i) {
    side->jobFacts.push_back(unpackedFacts(facts[i], work.analysis->collectiveCalls(RankIndex(i))));
    if (side->jobFacts.back() == nullptr) work.team.abort(kNothingToDigest);
  }
  return std::make_shared<const TraceSet>(own.jobName(), own.names(), own.ranks(), own.files(), TraceOrigin(),
                                          std::move(side));
}

std::vector<std::string> factsOf(const DigestWork& work, const Analysis& analysis) {
  const AccountFacts facts = accountFacts(analysis, work.threads);
  std::vector<std::vector<std::string>> ofProcess(work.team.size());
  for (std::size_t r = 0; r < work.processOf.size(); ++r)
    ofProcess[work.processOf[r]].push_back(packedFacts(analysis, RankIndex(r), facts));
  std::vector<std::string> parts;
  parts.reserve(ofProcess.size());
  for (const auto& of : ofProcess) parts.push_back(packed(of));
  return parts;
}

// With what the processes matched together.
std::unique_ptr<const Analysis> toldAnalysis(const DigestWork& work, const Analysis& job) {
  const TraceSet& all = job.trace();
  auto side = std::make_shared<SideFiles>(all.side());
  side->toldCollectives = work.collectives;
  return std::make_unique<const Analysis>(std::make_shared<const TraceSet>(all.jobName(), all.names(),
                                                                           all.ranks(), all.files(),
                                                                           TraceOrigin(), std::move(side)),
                                          &job);
}

} // namespace

bool judgeRanks(DigestWork& work) {
  std::unique_ptr<const Analysis> job;
  bool whole = true;
  if (work.first()) {
    const auto opened = openedDigest(work.digest);
    whole = opened.ok();
    if (whole)
      job = std::make_unique<const Analysis>(*opened);
    else
      tell(opened.error().text());
  }
  if (work.agreed(whole ? 1 : 0) == 0) return false;
  work.collectives = matchedByOwners(work, job.get());
  std::vector<std::string> parts;
  if (work.first()) {
    job = toldAnalysis(work, *job);
    parts = factsOf(work, *job);
    job = nullptr;
  }
  const auto own = unpacked<std::vector<std::string>>(work.team.scatter(std::move(parts)));
  const Analysis told(toldJob(work, own), work.analysis.get());
  AccountFacts facts;
  facts.clockRatios = clockRatios(told, 1);
  std::vector<std::string> accounts(own.size());
  parallelFor(own.size(), work.threads,
              [&](std::size_t i) { accounts[i] = digestedAccount(told, RankIndex(i), facts); });
  work.collect(accounts, &DigestEntry::account);
  return true;
}

} // namespace rankscope

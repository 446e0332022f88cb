// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about the links that NCCL logged.
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/network/net_problems.h"
#include "core/base/exact_sum.h"
#include "core/base/whole_number.h"

#include <cstdint>
#include <fmt/format.h>
#include <unordered_map>
#include <vector>

namespace rankscope {

namespace {

FindingKind kindOf(NetRule rule) {
  switch (rule) {
  case NetRule::SlowFabric:
    return FindingKind::SlowLink;
  case NetRule::FewChannels:
    return FindingKind::FewChannels;
  case NetRule::Socket:
    return FindingKind::NetSocket;
  case NetRule::NoGdr:
    return FindingKind::NetNoGdr;
  case NetRule::Shm:
    return FindingKind::NetShm;
  case NetRule::NicUnused:
    return FindingKind::NetNicUnused;
  case NetRule::NvlsOff:
    return FindingKind::NetNvlsOff;
  case NetRule::Pinned:
    return FindingKind::NetPinned;
  case NetRule::Choice:
    return FindingKind::NetChoice;
  case NetRule::MixedVersion:
    return FindingKind::NetMixedVersion;
  case NetRule::InitSlow:
    return FindingKind::NetInitSlow;
  case NetRule::Warning:
    return FindingKind::NetWarning;
  case NetRule::Incomplete:
    break;
  }
  return FindingKind::NetIncomplete;
}

// By InstanceIndex: the share of the transfer that would be saved.
using SavedShares = std::unordered_map<InstanceIndex, double>;

// What of a rank's transfers nothing hides, and how much of that would be saved, per kept step.
struct ExposedTransfer {
  double time = 0;
  double saved = 0;
};

ExposedTransfer exposedOf(const FindingContext& context, const SavedShares& shares, RankIndex rank) {
  const CollectiveMatch& match = context.analysis().collectives().match;
  const IntervalSet& exposed = context.analysis().exposedCommunication(rank);
  const std::vector<CollectiveCall>& calls = context.analysis().collectiveCalls(rank);
  ExactSum time;
  double saved = 0;
  for (std::uint32_t c = 0; c < calls.size(); ++c) {
    const InstanceIndex instance = match.instanceOfCall[rank.value][c];
    const auto share = shares.find(instance);
    const TimeRange range = calls[c].range.ns();
    if (share == shares.end() || !context.windowAt(rank, range.begin)) continue;
    for (const Participant& part : match.of(match.instance(instance))) {
      if (part.rank != rank || part.call != c) continue;
      const TimeNs shown = exposed.coveredWithin({range.end - part.transfer, range.end});
      time += shown;
      saved += share->second * static_cast<double>(shown);
    }
  }
  return {context.perStep(rank, time), context.perStep(rank, rounded(saved))};
}

// The whole of what is saved at best, half of it at least: other work may take the place of transfers.
void setSavedTransfer(const FindingContext& context, const NetProblem& problem, Finding& finding) {
  SavedShares shares;
  for (const SavedTransfer& of : problem.saved) shares.emplace(of.instance, of.share);
  ExposedTransfer all;
  std::size_t ranks = 0;
  for (const RankIndex rank : context.ranks()) {
    if (context.kept().windows[rank.value].empty()) continue;
    const ExposedTransfer own = exposedOf(context, shares, rank);
    all.time += own.time;
    all.saved += own.saved;
    ++ranks;
  }
  if (ranks == 0 || all.saved <= 0) return;
  const auto count = static_cast<double>(ranks);
  finding.leaf = "comm.transfer";
  finding.confidence = Confidence::Likely;
  context.setGain(finding, all.time / count, all.saved / count / 2, all.saved / count);
  finding.title += ", " + context.gainText(finding);
  finding.evidence +=
      fmt::format(" Transfers over them that nothing hides take {}; the gain is what they take "
                  "beyond the speed of the links that are there.",
                  context.timeText(all.time / count));
}

} // namespace

void addNetworkFindings(FindingContext& context, const std::vector<NetProblem>& problems) {
  for (const NetProblem& problem : problems) {
    Finding finding;
    finding.kind = kindOf(problem.rule);
    finding.severity = problem.warning ? Severity::Warning : Severity::Info;
    finding.title = problem.title;
    finding.evidence = problem.evidence;
    finding.fix = problem.fix;
    if (!problem.saved.empty()) setSavedTransfer(context, problem, finding);
    context.add(std::move(finding));
  }
}

} // namespace rankscope

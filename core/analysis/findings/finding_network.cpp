// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about the links that NCCL logged.
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/network/net_problems.h"

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

} // namespace

void addNetworkFindings(FindingContext& context, const std::vector<NetProblem>& problems) {
  for (const NetProblem& problem : problems) {
    Finding finding;
    finding.kind = kindOf(problem.rule);
    finding.severity = problem.warning ? Severity::Warning : Severity::Info;
    finding.title = problem.title;
    finding.evidence = problem.evidence;
    finding.fix = problem.fix;
    context.add(std::move(finding));
  }
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/job_report.h"

#include "core/analysis/account/account_digest.h"
#include "core/analysis/findings/findings.h"
#include "core/analysis/graph/what_if.h"
#include "core/analysis/network/bandwidth.h"
#include "core/analysis/network/job_network.h"
#include "core/analysis/network/net_problems.h"
#include "core/analysis/network/slow_fabric.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/base/parallel_for.h"
#include "core/model/rank_digest.h"
#include "core/model/side_files.h"
#include "core/report/replayed_gains.h"
#include "core/report/side_results.h"

#include <set>
#include <string>
#include <utility>

namespace rankscope {

JobReport::JobReport(std::shared_ptr<const Analysis> analysis, EfficiencySettings efficiency,
                     GainMethod gains, NetworkInput network, LayoutSettings layout)
    : m_analysis(std::move(analysis)), m_settings(std::move(efficiency)), m_gains(gains),
      m_networkInput(std::move(network)), m_layout(layout) {}

bool JobReport::hasFindings() const {
  const TraceSet& trace = m_analysis->trace();
  const std::vector<RankIndex>& ranks = m_analysis->ranks();
  if (withEvents(trace, ranks).size() == ranks.size()) return true;
  return asDigested() && hasAnswers(trace, ranks) && ranks.size() == trace.ranks().size();
}

bool JobReport::asDigested() const {
  return m_analysis->options() == AnalysisOptions() && m_layout == LayoutSettings();
}

const std::vector<Finding>& JobReport::findings(unsigned threadCount) const {
  return m_findings.get([&] {
    const bool digests = hasDigests(m_analysis->trace());
    const bool asking = m_analysis->trace().side().answerLog != nullptr;
    if (!asking && !hasFindings()) return std::vector<Finding>();
    GainSource replayed;
    if (m_gains == GainMethod::Replay && !digests) // a replay takes all events
      replayed = [&](const Finding& finding) -> std::optional<Gain> {
        const std::optional<Scenario> scenario = scenarioWithout(*m_analysis, finding);
        return scenario ? replayedGain(whatIf(threadCount), *scenario) : std::nullopt;
      };
    const std::vector<NetProblem> network = networkProblems();
    const JobIterations iterations = jobIterations(*m_analysis, account(threadCount),
                                                   [&]() -> const JobFlops& { return flops(threadCount); });
    SideConclusions known;
    const SideResults& beside = side(threadCount);
    if (beside.hang) known.hang = &*beside.hang;
    for (const SnapshotResults& snapshot : beside.snapshots) {
      for (const DeviceReplay& replay : snapshot.devices) known.replays.push_back(&replay);
    }
    const EfficiencySource source{&m_settings,
                                  [&]() -> const JobEfficiency& { return efficiency(threadCount); }};
    return findingsOf(*m_analysis, account(threadCount), replayed, &parallel(threadCount), &network,
                      iterations.empty() ? nullptr : &iterations, &known, &source);
  });
}

std::vector<NetProblem> JobReport::networkProblems() const {
  std::vector<NetProblem> problems = slowFabrics(bandwidth());
  if (network().records->empty()) return problems;
  std::set<std::string> gpus;
  for (const RankIndex rank : m_analysis->ranks()) gpus.insert(m_analysis->trace().rank(rank).gpu);
  for (const NcclTestTable& table : network().records->tables) gpus.insert(table.gpu);
  gpus.erase(std::string());
  for (NetProblem& problem : netProblems(network(), bandwidth(), {gpus.begin(), gpus.end()}))
    problems.push_back(std::move(problem));
  return problems;
}

const JobAccount& JobReport::account(unsigned threadCount) const {
  return m_account.get([&] { return accountWithDigests(*m_analysis, threadCount); });
}

const KeptAccount& JobReport::keptAccount() const {
  return m_keptAccount.get([&] { return rankscope::keptAccount(*m_analysis, account()); });
}

const WhatIf& JobReport::whatIf(unsigned threadCount) const {
  return *m_whatIf.get([&] {
    // An account that is there need not be made again; one that is not need not be kept for this.
    const auto idle = [this, threadCount] {
      return m_account.isThere() ? idleTimes(*m_analysis, account()) : idleTimes(*m_analysis, threadCount);
    };
    return std::make_shared<const WhatIf>(*m_analysis, idle, threadCount);
  });
}

const JobFlops& JobReport::flops(unsigned threadCount) const {
  return m_flops.get([&] { return jobFlops(*m_analysis, m_settings, threadCount); });
}

const JobEfficiency& JobReport::efficiency(unsigned threadCount) const {
  return m_efficiency.get([&] {
    const JobFlops& known = flops(threadCount);
    return jobEfficiency(*m_analysis, account(threadCount), known, m_settings);
  });
}

const std::shared_ptr<const JobNetwork>& JobReport::sharedNetwork() const {
  return m_network.get([&] {
    // Logs that were named beside a digest stand instead of those that it has.
    std::shared_ptr<const NcclRecords> records = m_networkInput.records ? m_networkInput.records() : nullptr;
    if (records == nullptr) records = m_analysis->trace().side().ncclRecords;
    return std::make_shared<const JobNetwork>(jobNetwork(std::move(records), *m_analysis));
  });
}

const JobBandwidth& JobReport::bandwidth() const {
  return *m_bandwidth.get([&] {
    return std::make_shared<const JobBandwidth>(jobBandwidth(*m_analysis, network(), m_networkInput.fabrics));
  });
}

const std::vector<MemoryRoles>& JobReport::memoryRoles(unsigned threadCount) const {
  return m_memoryRoles.get([&] {
    const TraceSet& trace = m_analysis->trace();
    std::vector<MemoryRoles> roles(trace.ranks().size());
    const std::vector<RankIndex>& ranks = m_analysis->ranks();
    parallelFor(ranks.size(), threadCount, [&](std::size_t i) {
      const RankTrace& recording = *trace.rank(ranks[i]).trace;
      const MemoryBlocks blocks = memoryBlocks(recording, m_analysis->memoryOwners(ranks[i]));
      roles[ranks[i].value] =
          rankscope::memoryRoles(recording, trace.names(), blocks, m_analysis->window(ranks[i]).ns());
    });
    return roles;
  });
}

const std::shared_ptr<const SideResults>& JobReport::sharedSide(unsigned threadCount) const {
  return m_side.get([&] { return sideResults(m_analysis->trace().sharedSide(), threadCount); });
}

const JobParallel& JobReport::parallel(unsigned threadCount) const {
  return *m_parallel.get(
      [&] { return std::make_shared<const JobParallel>(jobParallel(*m_analysis, m_layout, threadCount)); });
}

void JobReport::computeAll(unsigned threadCount, const Progress* progress) const {
  m_analysis->computeAll(threadCount, progress);
  if (progress != nullptr && progress->cancelled()) return;
  static_cast<void>(account(threadCount));
  if (progress != nullptr && progress->cancelled()) return;
  static_cast<void>(findings(threadCount));
}

} // namespace rankscope

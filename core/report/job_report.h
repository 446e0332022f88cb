// SPDX-License-Identifier: GPL-3.0-or-later
// Results of a job: analysis and findings. Each is computed once, by the first caller, and cached. Tables,
// summary and window use both through this class. Findings depend on the analysis, never the reverse.
// Thread-safe. Once the analysis is computed, findings cost O(pieces of the account).
#pragma once

#include "core/analysis/account/attribution.h"
#include "core/analysis/account/kept_account.h"
#include "core/analysis/efficiency/job_efficiency.h"
#include "core/analysis/findings/finding_kinds.h"
#include "core/analysis/job/analysis.h"
#include "core/analysis/memory/trace_roles.h"
#include "core/analysis/network/network_input.h"
#include "core/analysis/parallel/layout_settings.h"
#include "core/base/lazy.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace rankscope {

struct SideResults;
class WhatIf;
struct JobNetwork;
struct JobBandwidth;
struct JobParallel;
struct NetProblem;

// Where the gains of findings come from. Replay: from a replay of the job without the cause, where one
// answers, else from the formula.
enum class GainMethod : std::uint8_t { Replay, Formula };

class JobReport {
 public:
  // REQUIRES: analysis is not null. What is concluded is of its ranks and windows.
  explicit JobReport(std::shared_ptr<const Analysis> analysis, EfficiencySettings efficiency = {},
                     GainMethod gains = GainMethod::Formula, NetworkInput network = {},
                     LayoutSettings layout = {});

  [[nodiscard]] const Analysis& analysis() const { return *m_analysis; }
  [[nodiscard]] const std::shared_ptr<const Analysis>& sharedAnalysis() const { return m_analysis; }

  // Whether it is asked with the options by which digests were made; whatever of peaks and models.
  [[nodiscard]] bool asDigested() const;

  // Whether findings of the analyzed ranks are known. Findings compare ranks, and digests were asked about
  // all ranks of the job together, which does not answer for some of them.
  [[nodiscard]] bool hasFindings() const;

  // Sorted by severity, then lower gain. Builds the graph where a replay says a gain.
  [[nodiscard]] const std::vector<Finding>& findings(unsigned threadCount = 1) const;

  // Means of the account over kept steps; shares and gains are relative to its step time.
  [[nodiscard]] const KeptAccount& keptAccount() const;

  // The account of every step. The first call computes it on up to threadCount threads.
  [[nodiscard]] const JobAccount& account(unsigned threadCount = 1) const;

  // The graph of the job, for its critical path and for what would be gained. Built on up to threadCount
  // threads by whoever asks first.
  [[nodiscard]] const WhatIf& whatIf(unsigned threadCount = 1) const;

  // What operators computed and devices could have, which reads their arguments again from the files; and
  // what became of it in each step. On up to threadCount threads by whoever asks first; not part of
  // computeAll.
  [[nodiscard]] const EfficiencySettings& efficiencySettings() const { return m_settings; }
  [[nodiscard]] const JobFlops& flops(unsigned threadCount = 1) const;
  [[nodiscard]] const JobEfficiency& efficiency(unsigned threadCount = 1) const;

  // What memory is used for, by RankIndex; empty for ranks that are not asked about.
  [[nodiscard]] const std::vector<MemoryRoles>& memoryRoles(unsigned threadCount = 1) const;

  // What follows from the files beside the recordings.
  [[nodiscard]] const SideResults& side(unsigned threadCount = 1) const { return *sharedSide(threadCount); }
  [[nodiscard]] const std::shared_ptr<const SideResults>& sharedSide(unsigned threadCount = 1) const;

  // What the NCCL logs of the job say, and what follows. Not part of computeAll.
  [[nodiscard]] const JobNetwork& network() const { return *sharedNetwork(); }
  [[nodiscard]] const std::shared_ptr<const JobNetwork>& sharedNetwork() const;
  [[nodiscard]] const NetworkInput& networkInput() const { return m_networkInput; }
  // How fast its collectives are, and what its links should give.
  [[nodiscard]] const JobBandwidth& bandwidth() const;
  // How the job is divided over its ranks. Computed on first use, on up to threadCount threads.
  [[nodiscard]] const LayoutSettings& layoutSettings() const { return m_layout; }
  [[nodiscard]] const JobParallel& parallel(unsigned threadCount = 1) const;
  // What is wrong with its links; nothing without logs.
  [[nodiscard]] std::vector<NetProblem> networkProblems() const;

  // Computes the analysis and the findings on up to threadCount threads; returns early when cancelled.
  void computeAll(unsigned threadCount, const Progress* progress = nullptr) const;

 private:
  std::shared_ptr<const Analysis> m_analysis;
  Lazy<std::vector<Finding>> m_findings;
  Lazy<JobAccount> m_account;
  Lazy<KeptAccount> m_keptAccount;
  Lazy<std::shared_ptr<const WhatIf>> m_whatIf;
  Lazy<std::shared_ptr<const SideResults>> m_side;
  Lazy<std::vector<MemoryRoles>> m_memoryRoles;
  EfficiencySettings m_settings;
  GainMethod m_gains;
  Lazy<JobFlops> m_flops;
  Lazy<JobEfficiency> m_efficiency;
  NetworkInput m_networkInput;
  Lazy<std::shared_ptr<const JobNetwork>> m_network;
  Lazy<std::shared_ptr<const JobBandwidth>> m_bandwidth;
  LayoutSettings m_layout;
  Lazy<std::shared_ptr<const JobParallel>> m_parallel;
};

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// The results of a job: its analysis and findings, each computed once, by the first caller,
// and cached. Findings stand right of the analysis and nothing points back; tables, summary and window
// take both from here. Any number of threads may ask. Cost: findings are O(pieces of the account) once the
// analysis is computed.
#pragma once

#include "core/analysis/account/attribution.h"
#include "core/analysis/account/kept_account.h"
#include "core/analysis/efficiency/job_efficiency.h"
#include "core/analysis/findings/finding_kinds.h"
#include "core/analysis/job/analysis.h"
#include "core/base/lazy.h"

#include <memory>
#include <vector>

namespace rankscope {

class WhatIf;

class JobReport {
 public:
  // REQUIRES: analysis is not null. What is concluded is of its ranks and windows.
  explicit JobReport(std::shared_ptr<const Analysis> analysis, EfficiencySettings efficiency = {});

  [[nodiscard]] const Analysis& analysis() const { return *m_analysis; }
  [[nodiscard]] const std::shared_ptr<const Analysis>& sharedAnalysis() const { return m_analysis; }

  // By severity, then lower gain.
  [[nodiscard]] const std::vector<Finding>& findings() const;

  // Its means over the kept steps: the step time that shares and gains are measured against.
  [[nodiscard]] const KeptAccount& keptAccount() const;

  // What every step was spent on. Computed on up to threadCount threads by whoever asks first.
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

  // Computes the analysis and the findings on up to threadCount threads; returns early when cancelled.
  void computeAll(unsigned threadCount, const Progress* progress = nullptr) const;

 private:
  std::shared_ptr<const Analysis> m_analysis;
  Lazy<std::vector<Finding>> m_findings;
  Lazy<JobAccount> m_account;
  Lazy<KeptAccount> m_keptAccount;
  Lazy<std::shared_ptr<const WhatIf>> m_whatIf;
  EfficiencySettings m_settings;
  Lazy<JobFlops> m_flops;
  Lazy<JobEfficiency> m_efficiency;
};

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/findings.h"

#include "core/analysis/findings/finding_rules.h"

#include <algorithm>
#include <tuple>

namespace rankscope {

std::vector<Finding> findingsOf(const Analysis& analysis) {
  FindingContext context(analysis);
  findStragglerFindings(context);
  findCommunicationFindings(context);
  findIdleFindings(context);
  findKernelFindings(context);
  findMemoryFindings(context);
  findHostFindings(context);
  findQualityFindings(context);
  std::vector<Finding> findings = context.take();
  std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
    return std::tuple(a.severity, a.cost.value_or(0), a.costBytes.value_or(0)) >
           std::tuple(b.severity, b.cost.value_or(0), b.costBytes.value_or(0));
  });
  return findings;
}

} // namespace rankscope

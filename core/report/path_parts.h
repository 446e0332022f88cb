// SPDX-License-Identifier: GPL-3.0-or-later
// What part of the model a segment of the critical path belongs to: what launched it, or the host time
// itself. Ranks are looked at when one of their segments is asked about. For one thread.
#pragma once

#include "core/analysis/graph/path_summary.h"
#include "core/analysis/stacks/call_groups.h"

#include <optional>
#include <string>
#include <vector>

namespace rankscope {

class PathParts {
 public:
  // analysis must outlive this.
  PathParts(const Analysis& analysis, CallGrouping grouping)
      : m_analysis(analysis), m_grouping(grouping), m_groups(analysis.trace().ranks().size()) {}

  // Empty for none.
  [[nodiscard]] std::string textOf(const PathSegment& segment);

 private:
  const Analysis& m_analysis;
  CallGrouping m_grouping;
  std::vector<std::optional<CallGroups>> m_groups; // by RankIndex
};

// pathSummary of any key.
[[nodiscard]] std::vector<PathSum> pathSums(const WhatIf& whatIf, PathKey key);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/path_parts.h"

namespace rankscope {

namespace {

CallGrouping pathGrouping(PathKey key) {
  if (key == PathKey::Class) return CallGrouping::Class;
  return key == PathKey::Layer ? CallGrouping::Layer : CallGrouping::Module;
}

} // namespace

std::string PathParts::textOf(const PathSegment& segment) {
  std::optional<CallGroups>& groups = m_groups[segment.rank.value];
  if (!groups) groups = callGroups(m_analysis, segment.rank, m_grouping);
  const RankTrace& trace = *m_analysis.trace().rank(segment.rank).trace;
  const std::uint32_t group = groups->of(trace, segment.launch.valid() ? segment.launch : segment.event);
  return group == 0 ? std::string() : groups->texts[group];
}

std::vector<PathSum> pathSums(const WhatIf& whatIf, PathKey key) {
  if (!isModelPart(key)) return pathSummary(whatIf, key);
  PathParts parts(whatIf.analysis(), pathGrouping(key));
  return pathSummary(whatIf, key, [&](const PathSegment& segment) { return parts.textOf(segment); });
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/path_summary.h"

#include "core/analysis/classify/phase_text.h"
#include "core/base/statistics.h"
#include "core/model/trace_pages.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace rankscope {

namespace {

PathCategory deviceCategory(EventKind kind) {
  if (kind == EventKind::Kernel) return PathCategory::Compute;
  return kind == EventKind::Collective ? PathCategory::Transfer : PathCategory::Copy;
}

// What device activities of a key there are, on the path or not.
struct Population {
  std::vector<TimeNs> slack;
  double total = 0;
};

class Summing {
 public:
  Summing(const WhatIf& whatIf, PathKey key, const PathPartText& partOf)
      : m_whatIf(whatIf), m_analysis(whatIf.analysis()), m_trace(whatIf.analysis().trace()), m_key(key),
        m_partOf(partOf) {}

  std::vector<PathSum> sums() {
    for (const WindowPath& path : m_whatIf.path().windows) {
      const std::vector<std::size_t>& kept = m_whatIf.keptWindows();
      if (std::ranges::find(kept, path.window) == kept.end()) continue;
      std::map<std::string, TimeNs> ofStep;
      for (const PathSegment& segment : path.segments) {
        const std::string key = keyOf(segment);
        ofStep[key] += segment.duration();
        PathSegment& longest = m_sums[key].longest;
        if (segment.duration() > longest.duration()) longest = segment;
      }
      for (const auto& [text, time] : ofStep) {
        PathSum& sum = m_sums[text];
        sum.onPath += static_cast<double>(time);
        ++sum.steps;
      }
    }
    if (m_key != PathKey::Rank && m_key != PathKey::Phase && !isModelPart(m_key)) addPopulations();
    return finished();
  }

 private:
  [[nodiscard]] std::string nameOf(RankIndex rank, EventIndex event) const {
    if (!event.valid()) return {};
    return std::string(m_trace.names()[m_trace.rank(rank).trace->events.name[event]]);
  }

  std::string keyOf(const PathSegment& segment) {
    switch (m_key) {
    case PathKey::Category:
      return std::string(pathCategoryText(segment.category));
    case PathKey::Rank:
      return std::to_string(m_trace.rank(segment.rank).rank);
    case PathKey::Operator:
      return nameOf(segment.rank, operatorOfSegment(m_analysis, segment));
    case PathKey::Module:
    case PathKey::Class:
    case PathKey::Layer:
      return m_partOf ? m_partOf(segment) : std::string();
    case PathKey::Phase:
      return std::string(phaseText(phaseOfSegment(m_analysis, segment)));
    case PathKey::Kernel:
      break;
    }
    const bool device =
        segment.event.valid() && m_trace.rank(segment.rank).trace->isDeviceEvent(segment.event);
    return device ? nameOf(segment.rank, segment.event) : std::string();
  }

  std::string keyOf(const GraphActivity& activity) const {
    if (m_key == PathKey::Category) return std::string(pathCategoryText(deviceCategory(activity.eventKind)));
    if (m_key == PathKey::Kernel) return nameOf(activity.rank, activity.event);
    const RankTrace& trace = *m_trace.rank(activity.rank).trace;
    return nameOf(activity.rank, m_analysis.operatorTree(activity.rank).workOf(trace, activity.event));
  }

  [[nodiscard]] bool isInKeptWindow(TimeNs time) const {
    return std::ranges::any_of(m_whatIf.keptWindows(), [&](std::size_t window) {
      return m_whatIf.graph().windows[window].range.contains(time);
    });
  }

  void addPopulations() {
    const JobGraph& job = m_whatIf.graph();
    std::unordered_map<std::string, Population> found;
    for (const RankPart& part : job.ranks) {
      for (std::uint32_t i = part.firstActivity; i < part.firstActivity + part.activityCount; ++i) {
        const GraphActivity& activity = job.activities[i];
        if (activity.kind != GraphActivityKind::Device || !isInKeptWindow(job.graph.time[activity.begin]))
          continue;
        Population& of = found[keyOf(activity)];
        of.total += static_cast<double>(job.graph.time[activity.end] - job.graph.time[activity.begin]);
        const TimeNs slack = m_whatIf.path().slack[i];
        if (slack != kAllTime.end) of.slack.push_back(slack);
      }
      giveBackPages(*m_trace.rank(part.rank).trace);
    }
    for (auto& [text, of] : found) {
      const auto sum = m_sums.find(text);
      if (sum == m_sums.end() || text.empty()) continue;
      if (!of.slack.empty()) sum->second.slack = percentile(of.slack, 50);
      const double mean = of.total / static_cast<double>(job.ranks.size());
      sum->second.imbalance = std::max(0.0, sum->second.onPath - mean);
    }
  }

  std::vector<PathSum> finished() {
    const auto steps = static_cast<double>(std::max<std::size_t>(1, m_whatIf.keptWindows().size()));
    std::vector<PathSum> result;
    result.reserve(m_sums.size());
    for (auto& [text, sum] : m_sums) {
      sum.key = text;
      sum.onPath /= steps;
      if (sum.imbalance) *sum.imbalance /= steps;
      if (m_whatIf.base() > 0) sum.share = sum.onPath / m_whatIf.base();
      result.push_back(std::move(sum));
    }
    std::ranges::stable_sort(result, std::greater<>{}, &PathSum::onPath);
    return result;
  }

  const WhatIf& m_whatIf;
  const Analysis& m_analysis;
  const TraceSet& m_trace;
  PathKey m_key;
  const PathPartText& m_partOf;
  std::map<std::string, PathSum> m_sums;
};

} // namespace

std::vector<PathSum> pathSummary(const WhatIf& whatIf, PathKey key, const PathPartText& partOf) {
  return Summing(whatIf, key, partOf).sums();
}

} // namespace rankscope

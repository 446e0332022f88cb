// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/timeline_path.h"

#include "core/analysis/graph/what_if.h"
#include "core/base/thread_team.h"
#include "core/model/rank_digest.h"

#include <algorithm>
#include <tuple>

namespace rankscope::ui {

TimelinePath::TimelinePath(std::shared_ptr<const JobReport> report) : m_report(std::move(report)) {
  const TraceSet& trace = m_report->analysis().trace();
  if (hasDigests(trace)) {
    m_whyEmpty = "The critical path needs the events of the ranks: open their traces.";
    return;
  }
  addWindows();
  if (m_segments.empty()) m_whyEmpty = "No step was recorded.";
  sortTimes();
  addSlack();
}

void TimelinePath::addWindows() {
  const WhatIf& whatIf = m_report->whatIf(defaultThreadCount());
  std::size_t count = 0;
  for (const WindowPath& window : whatIf.path().windows) count += window.segments.size();
  m_segments.reserve(count);
  for (const WindowPath& window : whatIf.path().windows) {
    if (window.segments.empty()) continue;
    m_windows.push_back(
        {m_segments.size(), stepNumberOf(whatIf.analysis(), whatIf.graph().windows[window.window])});
    m_segments.insert(m_segments.end(), window.segments.begin(), window.segments.end());
  }
}

void TimelinePath::sortTimes() {
  m_latestEnd.resize(m_segments.size());
  m_earliestBegin.resize(m_segments.size());
  m_ofRank.resize(m_report->analysis().trace().ranks().size());
  TimeNs latest = kAllTime.begin;
  for (std::size_t i = 0; i < m_segments.size(); ++i) {
    const PathSegment& segment = m_segments[i];
    latest = std::max({latest, segment.range.begin, segment.range.end});
    m_latestEnd[i] = latest;
    if (segment.event.valid() && isOwnTime(segment)) m_byEvent.push_back(static_cast<std::uint32_t>(i));
    if (segment.range.empty()) continue;
    auto& parts = m_ofRank[segment.rank.value];
    const TimeNs before = parts.empty() ? 0 : parts.back().before + parts.back().range.length();
    parts.push_back({segment.range, before});
  }
  TimeNs earliest = kAllTime.end;
  for (std::size_t i = m_segments.size(); i-- > 0;) {
    earliest = std::min({earliest, m_segments[i].range.begin, m_segments[i].range.end});
    m_earliestBegin[i] = earliest;
  }
  std::ranges::sort(m_byEvent, {}, [this](std::uint32_t i) {
    return std::tuple(m_segments[i].rank, m_segments[i].event, m_segments[i].duration());
  });
}

void TimelinePath::addSlack() {
  if (m_segments.empty()) return;
  const WhatIf& whatIf = m_report->whatIf(defaultThreadCount());
  const JobPath& path = whatIf.path();
  m_slack.resize(m_ofRank.size());
  for (std::size_t i = 0; i < path.slack.size(); ++i) {
    const GraphActivity& activity = whatIf.graph().activities[i];
    if (activity.kind != GraphActivityKind::Device || path.slack[i] == kAllTime.end) continue;
    m_slack[activity.rank.value].emplace_back(activity.event, std::max<TimeNs>(0, path.slack[i]));
  }
  for (auto& ofRank : m_slack) std::ranges::sort(ofRank);
}

std::pair<std::size_t, std::size_t> TimelinePath::within(JobRange range) const {
  const TimeRange ns = range.ns();
  const auto first = std::ranges::upper_bound(m_latestEnd, ns.begin) - m_latestEnd.begin();
  const auto last = std::ranges::lower_bound(m_earliestBegin, ns.end) - m_earliestBegin.begin();
  return {static_cast<std::size_t>(first), static_cast<std::size_t>(std::max(first, last))};
}

std::optional<std::size_t> TimelinePath::segmentOf(EventRef event) const {
  if (!event.valid()) return std::nullopt;
  const auto end =
      std::ranges::upper_bound(m_byEvent, std::pair(event.rank, event.event), {}, [this](std::uint32_t i) {
        return std::pair(m_segments[i].rank, m_segments[i].event);
      });
  if (end == m_byEvent.begin()) return std::nullopt;
  const PathSegment& segment = m_segments[*(end - 1)];
  if (segment.rank != event.rank || segment.event != event.event) return std::nullopt;
  return *(end - 1);
}

std::optional<std::size_t> TimelinePath::find(const PathSegment& segment) const {
  const auto [first, last] = within(JobRange::of({segment.range.begin, segment.range.begin + 1}));
  for (std::size_t i = first; i < last; ++i) {
    const PathSegment& here = m_segments[i];
    if (here.range == segment.range && here.rank == segment.rank && here.category == segment.category)
      return i;
  }
  return std::nullopt;
}

const GraphLane* TimelinePath::laneOf(const PathSegment& segment) const {
  if (segment.lane == kNoPoint) return nullptr;
  return &m_report->whatIf(defaultThreadCount()).graph().part(segment.rank).lanes[segment.lane];
}

EventRef TimelinePath::placeOf(const PathSegment& segment) const {
  if (segment.event.valid()) return {segment.rank, segment.event};
  const GraphLane* const lane = laneOf(segment);
  if (!lane || !lane->track.valid()) return {};
  return {segment.rank,
          m_report->analysis().trace().rank(segment.rank).trace->tracks[lane->track.value].firstEvent};
}

bool TimelinePath::isOwnTime(const PathSegment& segment) {
  switch (segment.category) {
  case PathCategory::Launch:
  case PathCategory::KernelGap:
  case PathCategory::HandOff:
  case PathCategory::Unexplained:
  case PathCategory::Clock:
    return false;
  default:
    return true;
  }
}

std::optional<std::int64_t> TimelinePath::stepOf(std::size_t segment) const {
  const auto next = std::ranges::upper_bound(m_windows, segment, {}, &Window::first);
  return next == m_windows.begin() ? std::nullopt : (next - 1)->step;
}

std::size_t TimelinePath::positionOf(std::size_t segment) const {
  const auto next = std::ranges::upper_bound(m_windows, segment, {}, &Window::first);
  return next == m_windows.begin() ? segment : segment - (next - 1)->first;
}

bool TimelinePath::isJump(std::size_t segment) const {
  return segment > 0 && m_segments[segment].rank != m_segments[segment - 1].rank;
}

TimeNs TimelinePath::clockErrorOf(std::size_t first, std::size_t last) const {
  const auto& ranks = m_report->analysis().clocks().ranks;
  TimeNs error = 0;
  for (std::size_t i = first; i < last; ++i)
    if (isJump(i)) error += ranks[m_segments[i].rank.value].residual.value_or(0);
  return error;
}

TimeNs TimelinePath::onPath(RankIndex rank, JobRange range) const {
  if (rank.value >= m_ofRank.size()) return 0;
  const auto& parts = m_ofRank[rank.value];
  // Time on the path before t; parts of one rank lie end to end or apart.
  const auto before = [&](TimeNs t) -> TimeNs {
    const auto next =
        std::ranges::upper_bound(parts, t, {}, [](const RankPathPart& part) { return part.range.begin; });
    if (next == parts.begin()) return 0;
    const RankPathPart& last = *(next - 1);
    return last.before + std::min(t, last.range.end) - last.range.begin;
  };
  return std::max<TimeNs>(0, before(range.end.ns()) - before(range.begin.ns()));
}

std::optional<TimeNs> TimelinePath::slackOf(EventRef event) const {
  if (!event.valid() || event.rank.value >= m_slack.size()) return std::nullopt;
  const auto& ofRank = m_slack[event.rank.value];
  const auto found =
      std::ranges::lower_bound(ofRank, event.event, {}, [](const auto& entry) { return entry.first; });
  if (found == ofRank.end() || found->first != event.event) return std::nullopt;
  return found->second;
}

} // namespace rankscope::ui

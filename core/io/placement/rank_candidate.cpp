// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/placement/rank_candidate.h"

#include <algorithm>

namespace rankscope {

const std::string& RankCandidate::host() const {
  if (!facts->hostName.empty()) return facts->hostName;
  return facts->name.host.empty() ? nodeFolder : facts->name.host;
}

const std::string& RankCandidate::node() const {
  return nodeFolder.empty() ? host() : nodeFolder;
}

std::string_view folderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

TimeNs gapBetween(TimeRange a, TimeRange b) {
  return std::max<TimeNs>({0, a.begin - b.end, b.begin - a.end});
}

bool otherCapture(const RankCandidate& a, const RankCandidate& b) {
  if (!a.process.empty() && !b.process.empty() && a.process != b.process) return false;
  if (a.when.step && b.when.step && *a.when.step != *b.when.step) return true;
  const bool oneName = a.facts->name.rank || a.facts->name.group == b.facts->name.group;
  if (a.when.timeKnown && b.when.timeKnown && !oneName && gapBetween(a.when.window, b.when.window) > kFarNs)
    return false;
  if (a.when.timeKnown && b.when.timeKnown)
    return !a.when.window.overlaps(b.when.window) && a.when.window.begin != b.when.window.begin;
  const auto& left = a.facts->name.stamp;
  const auto& right = b.facts->name.stamp;
  return left && right && *left != *right;
}

RankCandidates inOrderOfTime(RankCandidates candidates) {
  const auto every = [&](auto has) { return std::ranges::all_of(candidates, has); };
  const auto stepOf = [](const RankCandidate* d) { return d->when.step; };
  const auto stampOf = [](const RankCandidate* d) { return d->facts->name.stamp; };
  if (every([](const RankCandidate* d) { return d->when.timeKnown; }))
    std::ranges::stable_sort(candidates, {}, [](const RankCandidate* d) { return d->when.window.begin; });
  else if (every([](const RankCandidate* d) { return d->facts->name.stamp.has_value(); }))
    std::ranges::stable_sort(candidates, {}, stampOf);
  if (every([](const RankCandidate* d) { return d->when.step.has_value(); }))
    std::ranges::stable_sort(candidates, {}, stepOf);
  return candidates;
}

} // namespace rankscope

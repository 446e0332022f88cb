// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/arrival_matrix.h"

#include "core/analysis/account/communication_leaves.h"
#include "core/model/rank_recordings.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

namespace rankscope {

namespace {

constexpr std::size_t kNoRow = SIZE_MAX;

bool inScope(const Analysis& analysis, const CollectiveMatch& match, const CollectiveInstance& instance) {
  return std::ranges::any_of(match.of(instance), [&](const Participant& part) {
    const CollectiveCall& call = analysis.collectiveCalls(part.rank)[part.call];
    return analysis.window(part.rank).contains(call.range.begin);
  });
}

bool shareRank(const JobGroup& a, const JobGroup& b) {
  // Groups with unknown members cannot be compared; assume that they share a rank.
  if (a.members.empty() || b.members.empty()) return true;
  auto i = a.members.begin();
  auto j = b.members.begin();
  while (i != a.members.end() && j != b.members.end()) {
    if (*i == *j) return true;
    ++(*i < *j ? i : j);
  }
  return false;
}

using GroupCategoryKey = std::tuple<bool, ParallelDimension, std::int64_t, std::string>;

GroupCategoryKey keyOf(const JobGroup& group, bool pointToPoint) {
  const bool known = group.dimension != ParallelDimension::Unknown;
  return {pointToPoint, group.dimension, group.size, known ? std::string() : group.label()};
}

} // namespace

std::vector<GroupCategory> groupCategories(const Analysis& analysis) {
  const CollectiveMatch& match = analysis.collectives().match;
  std::vector<GroupCategory> categories;
  std::map<GroupCategoryKey, std::vector<std::size_t>> byKey;
  std::map<std::pair<bool, GroupIndex>, std::size_t> familyOf;
  const auto familyFor = [&](GroupIndex index, bool pointToPoint) {
    const auto known = familyOf.find({pointToPoint, index});
    if (known != familyOf.end()) return known->second;
    const JobGroup& group = match.groups[index.value];
    std::vector<std::size_t>& alike = byKey[keyOf(group, pointToPoint)];
    const bool recorded = group.operation == CollectiveOperation::Unknown;
    const auto fits = [&](std::size_t category) {
      return (!recorded && !categories[category].recorded) ||
             std::ranges::none_of(categories[category].groups, [&](GroupIndex other) {
               return group.capture == match.groups[other.value].capture &&
                      shareRank(group, match.groups[other.value]);
             });
    };
    auto found = std::ranges::find_if(alike, fits);
    if (found == alike.end()) {
      alike.push_back(categories.size());
      found = alike.end() - 1;
      categories.push_back(
          {{}, 0, recorded, pointToPoint, group.dimension, group.label(), group.size, {}, 0});
    }
    GroupCategory& category = categories[*found];
    category.groups.push_back(index);
    const auto ofCapture = std::ranges::count(
        category.groups, group.capture, [&](GroupIndex other) { return match.groups[other.value].capture; });
    category.groupCount = std::max(category.groupCount, static_cast<std::size_t>(ofCapture));
    return familyOf[{pointToPoint, index}] = *found;
  };
  for (std::size_t i = 0; i < match.instances.size(); ++i) {
    const CollectiveInstance& instance = match.instances[i];
    if (!instance.matched() || !inScope(analysis, match, instance)) continue;
    GroupCategory& category = categories[familyFor(instance.group, isPointToPoint(instance.operation))];
    category.instances.push_back(InstanceIndex(i));
    category.lateness += instance.skew();
  }
  std::ranges::stable_sort(categories, std::greater<>(), &GroupCategory::lateness);
  return categories;
}

ArrivalMatrix::ArrivalMatrix(const Analysis& analysis, const GroupCategory& category)
    : m_rowOf(analysis.trace().ranks().size(), kNoRow) {
  const CollectiveMatch& match = analysis.collectives().match;
  std::vector<bool> takesPart(m_rowOf.size(), false);
  for (const InstanceIndex index : category.instances)
    for (const Participant& part : match.of(match.instance(index))) takesPart[part.rank.value] = true;
  std::vector<RankIndex> taking;
  for (const RankIndex rank : analysis.ranks())
    if (takesPart[rank.value]) taking.push_back(rank);
  const RankRows rows = rankRows(analysis.trace(), taking);
  for (std::size_t i = 0; i < taking.size(); ++i) m_rowOf[taking[i].value] = rows.rowOf[i];
  m_rows = rows.first;
  addColumns(analysis, category);
  const FirstOfGroups first = firstOfGroups(analysis);
  for (const InstanceIndex index : category.instances) {
    if (first[index.value] == 0) continue;
    m_starts.push_back(index);
    m_startSkew = std::max(m_startSkew, match.instance(index).skew());
  }
  std::ranges::sort(m_starts);
}

void ArrivalMatrix::addColumns(const Analysis& analysis, const GroupCategory& category) {
  const CollectiveMatch& match = analysis.collectives().match;
  const auto captureOf = [&](InstanceIndex index) {
    return match.groups[match.instance(index).group.value].capture;
  };
  std::vector<InstanceIndex> instances = category.instances;
  std::ranges::stable_sort(instances, {}, captureOf);
  std::map<GroupIndex, std::size_t> next; // next column, by group
  std::size_t firstOfCapture = 0;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const InstanceIndex index = instances[i];
    const CollectiveInstance& instance = match.instance(index);
    if (i > 0 && captureOf(index) != captureOf(instances[i - 1])) {
      firstOfCapture = m_columns.size();
      next.clear();
    }
    const auto place =
        next.try_emplace(category.recorded ? instance.group : GroupIndex(), firstOfCapture).first;
    const std::size_t column = place->second++;
    if (column == m_columns.size()) {
      m_columns.emplace_back();
      m_lateness.resize(m_columns.size() * m_rows.size(), kAbsent);
    }
    m_columns[column].push_back(index);
    for (const Participant& part : match.of(instance)) {
      const std::optional<std::size_t> row = rowOf(part.rank);
      if (!row || analysis.window(part.rank).empty()) continue;
      float& cell = m_lateness[column * m_rows.size() + *row];
      cell = std::max(cell, static_cast<float>(part.range.begin - instance.firstBegin));
    }
  }
}

bool ArrivalMatrix::isOfStart(InstanceIndex instance) const {
  return std::ranges::binary_search(m_starts, instance);
}

std::optional<std::size_t> ArrivalMatrix::rowOf(RankIndex recording) const {
  if (recording.value >= m_rowOf.size() || m_rowOf[recording.value] == kNoRow) return std::nullopt;
  return m_rowOf[recording.value];
}

std::optional<ArrivalMatrix::Place> ArrivalMatrix::placeOf(const CollectiveMatch& match, std::size_t column,
                                                           std::size_t row) const {
  std::optional<Place> found;
  for (const InstanceIndex index : m_columns[column]) {
    const CollectiveInstance& instance = match.instance(index);
    for (const Participant& part : match.of(instance))
      if (rowOf(part.rank) == row && (!found || part.range.begin > found->part->range.begin))
        found = Place{&instance, &part, isOfStart(index)};
  }
  return found;
}

double ArrivalMatrix::scaleTop() const {
  constexpr double kMuchMore = 1.5;
  std::vector<float> worst;
  worst.reserve(m_columns.size());
  for (std::size_t column = 0; column < m_columns.size(); ++column) {
    const auto cells = std::span(m_lateness).subspan(column * m_rows.size(), m_rows.size());
    worst.push_back(cells.empty() ? 0 : *std::ranges::max_element(cells));
  }
  if (worst.empty()) return 1;
  const double largest = *std::ranges::max_element(worst);
  const auto place = worst.begin() + static_cast<std::ptrdiff_t>((worst.size() - 1) * 99 / 100);
  std::ranges::nth_element(worst, place);
  const double usual = *place;
  return std::max(1.0, usual > 0 && largest > kMuchMore * usual ? usual : largest);
}

} // namespace rankscope

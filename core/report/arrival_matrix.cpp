// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/arrival_matrix.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace rankscope {

namespace {

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

using GroupCategoryKey = std::tuple<bool, int, ParallelDimension, std::int64_t, std::string>;

GroupCategoryKey keyOf(const JobGroup& group, bool pointToPoint) {
  const bool known = group.dimension != ParallelDimension::Unknown;
  return {pointToPoint, group.capture, group.dimension, group.size, known ? std::string() : group.label()};
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
               return shareRank(group, match.groups[other.value]);
             });
    };
    auto found = std::ranges::find_if(alike, fits);
    if (found == alike.end()) {
      alike.push_back(categories.size());
      found = alike.end() - 1;
      categories.push_back({{}, recorded, pointToPoint, group.dimension, group.label(), group.size, {}, 0});
    }
    categories[*found].groups.push_back(index);
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

ArrivalMatrix::ArrivalMatrix(const Analysis& analysis, const GroupCategory& category) {
  const CollectiveMatch& match = analysis.collectives().match;
  std::vector<std::size_t> rowOf(analysis.trace().ranks().size(), SIZE_MAX);
  for (const InstanceIndex index : category.instances)
    for (const Participant& part : match.of(match.instance(index))) rowOf[part.rank.value] = 0;
  for (const RankIndex rank : analysis.ranks()) {
    if (rowOf[rank.value] == SIZE_MAX) continue;
    rowOf[rank.value] = m_rows.size();
    m_rows.push_back(rank);
  }
  std::map<GroupIndex, std::size_t> next; // next column, by group
  for (const InstanceIndex index : category.instances) {
    const CollectiveInstance& instance = match.instance(index);
    const std::size_t column = next[category.recorded ? instance.group : GroupIndex()]++;
    if (column == m_columns.size()) {
      m_columns.emplace_back();
      m_lateness.resize(m_columns.size() * m_rows.size(), kAbsent);
    }
    m_columns[column].push_back(index);
    for (const Participant& part : match.of(instance)) {
      if (analysis.window(part.rank).empty()) continue;
      float& cell = m_lateness[column * m_rows.size() + rowOf[part.rank.value]];
      cell = std::max(cell, static_cast<float>(part.range.begin - instance.firstBegin));
    }
  }
}

std::optional<ArrivalMatrix::Place> ArrivalMatrix::placeOf(const CollectiveMatch& match, std::size_t column,
                                                           std::size_t row) const {
  std::optional<Place> found;
  for (const InstanceIndex index : m_columns[column]) {
    const CollectiveInstance& instance = match.instance(index);
    const auto parts = match.of(instance);
    const auto first = std::ranges::lower_bound(parts, m_rows[row], {}, &Participant::rank);
    const auto last = std::ranges::upper_bound(first, parts.end(), m_rows[row], {}, &Participant::rank);
    for (auto part = first; part != last; ++part)
      if (!found || part->range.begin > found->part->range.begin) found = Place{&instance, &*part};
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

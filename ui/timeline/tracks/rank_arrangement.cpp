// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/tracks/rank_arrangement.h"

#include "core/model/rank_recordings.h"
#include "ui/base/ui_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr std::size_t kRecordingsToOpen = 8; // up to this number, the first rank shows its captures
const QString kGroupPrefix = QStringLiteral("group:");

// Groups of one kind differ only in the numbers in their names.
QString divisionName(const JobGroup& group) {
  if (const std::string_view dimension = dimensionText(group.dimension); !dimension.empty())
    return QString::fromUtf8(dimension.data(), static_cast<qsizetype>(dimension.size()));
  QString name = QString::fromStdString(group.label());
  name.removeIf([](QChar c) { return c.isDigit(); });
  return name.isEmpty() ? tr("process group") : name;
}

std::vector<RankFiguresForOrder::Division> divisionsOf(const TraceSet& traces,
                                                       const std::vector<JobGroup>& groups) {
  std::map<QString, std::set<std::vector<std::int32_t>>> members;
  for (const JobGroup& group : groups)
    if (group.members.size() > 1 && group.members.size() < traces.ranks().size())
      members[divisionName(group)].insert(group.members);
  std::vector<RankFiguresForOrder::Division> divisions;
  for (const auto& [name, sets] : members) {
    RankFiguresForOrder::Division division{name, {}};
    std::set<std::int32_t> seen;
    bool disjoint = true;
    for (const auto& ranks : sets) {
      std::vector<RankIndex> found;
      for (std::size_t i = 0; i < traces.ranks().size(); ++i)
        if (std::ranges::binary_search(ranks, traces.ranks()[i].rank)) found.emplace_back(i);
      for (const std::int32_t rank : ranks) disjoint = seen.insert(rank).second && disjoint;
      if (!found.empty()) division.groups.push_back(std::move(found));
    }
    if (disjoint && division.groups.size() > 1) divisions.push_back(std::move(division));
  }
  return divisions;
}

void sortRanks(std::vector<RankIndex>& ranks, const TraceSet& traces, const RankFiguresForOrder* figures,
               const TimelineChoice& choice) {
  if (choice.sort == RankSort::ByHand) {
    std::ranges::stable_sort(ranks, {}, [&](RankIndex rank) {
      return std::ranges::find(choice.order, keyOf(traces, rank)) - choice.order.begin();
    });
    return;
  }
  if (choice.sort == RankSort::Rank || !figures) return;
  if (choice.sort == RankSort::Outliers) {
    const std::vector<RankIndex>& first = figures->similar.outliers;
    std::ranges::stable_sort(ranks, {},
                             [&](RankIndex rank) { return std::ranges::find(first, rank) - first.begin(); });
    return;
  }
  const auto& values = choice.sort == RankSort::StepTime   ? figures->stepTime
                       : choice.sort == RankSort::Lateness ? figures->lateness
                                                           : figures->exposed;
  std::ranges::stable_sort(ranks, std::greater<>(), [&](RankIndex rank) {
    return rank.value < values.size() ? values[rank.value].value_or(-1) : -1;
  });
}

// Groups by their first rank, as all ranks would be ordered.
void sortGroups(std::vector<RankGroup>& groups, const TraceSet& traces, const RankFiguresForOrder* figures,
                const TimelineChoice& choice) {
  if (choice.sort == RankSort::Rank || choice.sort == RankSort::ByHand || !figures) return;
  std::vector<RankIndex> firsts;
  for (const RankGroup& group : groups)
    if (!group.ranks.empty()) firsts.push_back(group.ranks.front());
  sortRanks(firsts, traces, figures, choice);
  std::ranges::stable_sort(groups, {}, [&](const RankGroup& group) {
    return group.ranks.empty() ? std::ssize(firsts)
                               : std::ranges::find(firsts, group.ranks.front()) - firsts.begin();
  });
}

// A row for each rank, however often it was recorded. Of a small job the first is open.
std::vector<RankGroup> groupsOfCaptures(const TraceSet& traces) {
  if (!traces.severalCaptures()) return {};
  const bool few = traces.ranks().size() <= kRecordingsToOpen;
  std::vector<RankGroup> groups;
  for (std::vector<RankIndex>& of : recordingsByRank(traces)) {
    const int rank = traces.rank(of.front()).rank;
    groups.push_back({.label = tr("Rank %1").arg(rank),
                      .ranks = std::move(of),
                      .id = "captures/" + std::to_string(rank),
                      .captures = true,
                      .startsOpen = few && groups.empty()});
  }
  return groups;
}

} // namespace

RankFiguresForOrder figuresForOrder(const Analysis& analysis) {
  const TraceSet& traces = analysis.trace();
  const std::size_t count = traces.ranks().size();
  RankFiguresForOrder figures;
  figures.lateness.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const RankStatistics& statistics = analysis.statistics(RankIndex(i));
    figures.stepTime.push_back(analysis.stepMean(RankIndex(i)));
    figures.exposed.push_back(statistics.hasDeviceActivity ? std::optional(statistics.exposedCommunication)
                                                           : std::nullopt);
  }
  const CollectiveMatch& match = analysis.collectives().match;
  for (const CollectiveInstance& instance : match.instances) {
    if (!instance.matched()) continue;
    for (const Participant& part : match.of(instance)) {
      auto& late = figures.lateness[part.rank.value];
      late = late.value_or(0) + (part.range.begin - instance.firstBegin);
    }
  }
  figures.divisions = divisionsOf(traces, match.groups);
  figures.similar = similarRanks(analysis);
  return figures;
}

bool needsFigures(const TimelineChoice& choice) {
  return choice.sort == RankSort::StepTime || choice.sort == RankSort::Lateness ||
         choice.sort == RankSort::ExposedCommunication || choice.sort == RankSort::Outliers ||
         choice.grouping == kSimilarGrouping || choice.grouping.startsWith(kGroupPrefix);
}

std::vector<RankGroup> arrangeRanks(const TraceSet& traces, const RankFiguresForOrder* figures,
                                    const TimelineChoice& choice) {
  if (choice.sort == RankSort::Rank && choice.grouping.isEmpty())
    return choice.capture == 0 ? groupsOfCaptures(traces) : std::vector<RankGroup>();
  std::vector<RankGroup> groups;
  std::vector<RankIndex> rest;
  for (std::size_t i = 0; i < traces.ranks().size(); ++i) rest.emplace_back(i);
  if (choice.grouping == kHostGrouping) {
    std::map<std::string, std::size_t> places;
    for (const RankIndex rank : std::exchange(rest, {})) {
      const std::string& host = traces.rank(rank).host;
      const auto [place, fresh] = places.emplace(host, groups.size());
      if (fresh)
        groups.push_back(
            {.label = host.empty() ? tr("unknown host") : QString::fromStdString(host), .ranks = {}});
      groups[place->second].ranks.push_back(rank);
    }
  } else if (choice.grouping == kSimilarGrouping && figures) {
    rest.clear();
    const SimilarRanks& similar = figures->similar;
    groups.reserve(similar.groups.size() + 1);
    if (!similar.outliers.empty())
      groups.push_back({.label = tr("outliers and stragglers"), .ranks = similar.outliers, .id = "outliers"});
    for (std::size_t i = 0; i < similar.groups.size(); ++i)
      groups.push_back({.label = {},
                        .ranks = similar.groups[i],
                        .id = "similar/" + std::to_string(i),
                        .alike = true,
                        .startsOpen = false});
  } else if (choice.grouping.startsWith(kGroupPrefix) && figures) {
    const QString name = choice.grouping.mid(kGroupPrefix.size());
    const auto division = std::ranges::find(figures->divisions, name, &RankFiguresForOrder::Division::name);
    if (division != figures->divisions.end()) {
      for (const auto& ranks : division->groups) {
        groups.push_back({.label = QStringLiteral("%1 %2").arg(name).arg(groups.size()), .ranks = ranks});
        std::erase_if(rest, [&](RankIndex rank) { return std::ranges::find(ranks, rank) != ranks.end(); });
      }
    }
  }
  for (RankGroup& group : groups) sortRanks(group.ranks, traces, figures, choice);
  if (choice.grouping != kSimilarGrouping) sortGroups(groups, traces, figures, choice);
  if (!rest.empty()) {
    sortRanks(rest, traces, figures, choice);
    groups.push_back(
        {.label = groups.empty() ? QString() : tr("not in such a group"), .ranks = std::move(rest)});
  }
  return groups;
}

QString sortTitle(RankSort sort) {
  switch (sort) {
  case RankSort::StepTime:
    return tr("Ranks by step time, descending");
  case RankSort::Lateness:
    return tr("Ranks by lateness, descending");
  case RankSort::ExposedCommunication:
    return tr("Ranks by exposed communication, descending");
  case RankSort::ByHand:
    return tr("Ranks in custom order");
  case RankSort::Outliers:
    return tr("Outliers and stragglers first");
  case RankSort::Rank:
    break;
  }
  return tr("Ranks by number");
}

QString groupingTitle(const QString& grouping) {
  if (grouping == kHostGrouping) return tr("grouped by host");
  if (grouping == kSimilarGrouping) return tr("similar ranks folded");
  return tr("grouped by process group %1").arg(grouping.mid(kGroupPrefix.size()));
}

} // namespace rankscope::ui

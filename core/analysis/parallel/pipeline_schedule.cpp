// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/pipeline_schedule.h"

#include "core/analysis/graph/max_plus.h"
#include "core/base/exact_sum.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

constexpr std::int64_t kMaxActions = 1 << 18;      // of a rank; more is damage
constexpr TimeNs kLongestAction = TimeNs{1} << 42; // over an hour; sums of all actions stay within 64 bits

ActionOrder gpipe(std::int64_t stage, std::int64_t microbatches) {
  ActionOrder order;
  order.reserve(static_cast<std::size_t>(2 * microbatches));
  for (std::int64_t m = 0; m < microbatches; ++m) order.push_back({ActionKind::Forward, stage, m});
  for (std::int64_t m = 0; m < microbatches; ++m) order.push_back({ActionKind::Backward, stage, m});
  return order;
}

// Every forward action of `forwards` and backward action of `backwards`: `warmup` forward actions, then one
// backward and one forward each, then the rest.
ActionOrder alternating(const ActionOrder& forwards, const ActionOrder& backwards, std::int64_t warmup) {
  ActionOrder order;
  order.reserve(forwards.size() + backwards.size());
  std::size_t f = 0;
  while (f < forwards.size() && static_cast<std::int64_t>(f) < warmup) order.push_back(forwards[f++]);
  for (const PlannedAction& backward : backwards) {
    order.push_back(backward);
    if (f < forwards.size()) order.push_back(forwards[f++]);
  }
  return order;
}

ActionOrder oneForwardOneBackward(std::int64_t stage, std::int64_t ranks, std::int64_t microbatches) {
  ActionOrder forwards;
  ActionOrder backwards;
  forwards.reserve(static_cast<std::size_t>(microbatches));
  backwards.reserve(static_cast<std::size_t>(microbatches));
  for (std::int64_t m = 0; m < microbatches; ++m) {
    forwards.push_back({ActionKind::Forward, stage, m});
    backwards.push_back({ActionKind::Backward, stage, m});
  }
  return alternating(forwards, backwards, std::min(microbatches, ranks - stage));
}

// Groups of microbatches pass all stages of a rank in turn.
ActionOrder interleaved(std::int64_t rank, std::int64_t ranks, std::int64_t v, std::int64_t microbatches) {
  const std::int64_t rounds = std::max<std::int64_t>(1, microbatches / ranks);
  const std::int64_t group = microbatches / rounds;
  if (group == 0 || microbatches % rounds != 0) return {};
  ActionOrder forwards;
  ActionOrder backwards;
  forwards.reserve(static_cast<std::size_t>(v * microbatches));
  backwards.reserve(static_cast<std::size_t>(v * microbatches));
  for (std::int64_t i = 0; i < v * microbatches; ++i) {
    const std::int64_t chunk = (i / group) % v;
    const std::int64_t microbatch = i / (group * v) * group + i % group;
    forwards.push_back({ActionKind::Forward, chunk * ranks + rank, microbatch});
    backwards.push_back({ActionKind::Backward, (v - 1 - chunk) * ranks + rank, microbatch});
  }
  return alternating(forwards, backwards, 2 * (ranks - rank - 1) + (v - 1) * group + 1);
}

ActionOrder loopedBfs(std::int64_t rank, std::int64_t ranks, std::int64_t v, std::int64_t microbatches) {
  ActionOrder order;
  order.reserve(static_cast<std::size_t>(2 * v * microbatches));
  for (std::int64_t chunk = 0; chunk < v; ++chunk) {
    for (std::int64_t m = 0; m < microbatches; ++m)
      order.push_back({ActionKind::Forward, chunk * ranks + rank, m});
  }
  for (std::int64_t chunk = v; chunk-- > 0;) {
    for (std::int64_t m = microbatches; m-- > 0;)
      order.push_back({ActionKind::Backward, chunk * ranks + rank, m});
  }
  return order;
}

// Without weight gradients; those of inputs count as backward.
ActionOrder mainActions(const ActionOrder& order) {
  ActionOrder kept;
  kept.reserve(order.size());
  for (PlannedAction action : order) {
    if (action.kind == ActionKind::WeightGradient) continue;
    if (action.kind == ActionKind::InputGradient) action.kind = ActionKind::Backward;
    kept.push_back(action);
  }
  return kept;
}

std::vector<ActionKind> kindsOf(const ActionOrder& order) {
  std::vector<ActionKind> kinds;
  kinds.reserve(order.size());
  for (const PlannedAction& action : order) kinds.push_back(action.kind);
  return kinds;
}

struct Sizes {
  std::int64_t ranks = 0;
  std::int64_t stagesPerRank = 0;
  std::int64_t microbatches = 0;
  bool splitsBackward = false;
  bool isV = false; // a rank has the stages r and 2P - 1 - r
};

Sizes sizesOf(std::span<const ActionOrder> orders) {
  Sizes sizes;
  sizes.ranks = static_cast<std::int64_t>(orders.size());
  sizes.isV = sizes.ranks > 1;
  for (std::size_t r = 0; r < orders.size(); ++r) {
    std::vector<std::int64_t> stages;
    for (const PlannedAction& action : orders[r]) {
      if (std::ranges::find(stages, action.stage) == stages.end()) stages.push_back(action.stage);
      sizes.microbatches = std::max(sizes.microbatches, action.microbatch + 1);
      sizes.splitsBackward |= action.kind == ActionKind::WeightGradient;
    }
    sizes.stagesPerRank = std::max(sizes.stagesPerRank, static_cast<std::int64_t>(stages.size()));
    const auto rank = static_cast<std::int64_t>(r);
    if (orders[r].empty()) continue;
    sizes.isV &= stages.size() == 2 && stages[0] + stages[1] == 2 * sizes.ranks - 1 &&
                 std::min(stages[0], stages[1]) == rank;
  }
  return sizes;
}

bool agrees(std::span<const ActionOrder> recorded, const std::vector<ActionOrder>& planned) {
  if (planned.size() != recorded.size()) return false;
  for (std::size_t r = 0; r < recorded.size(); ++r) {
    if (!recorded[r].empty() && recorded[r] != planned[r]) return false;
  }
  return true;
}

// All forward actions before all backward ones, in whatever order the microbatches come back.
bool allForwardFirst(std::span<const ActionOrder> orders) {
  return std::ranges::all_of(orders, [](const ActionOrder& order) {
    const auto firstBackward =
        std::ranges::find_if(order, [](const PlannedAction& a) { return a.kind != ActionKind::Forward; });
    return std::all_of(firstBackward, order.end(),
                       [](const PlannedAction& a) { return a.kind != ActionKind::Forward; });
  });
}

} // namespace

std::string_view scheduleText(ScheduleKind kind) {
  constexpr std::array<std::string_view, 11> kTexts{"",
                                                    "GPipe",
                                                    "1F1B",
                                                    "interleaved 1F1B",
                                                    "looped BFS",
                                                    "zero bubble",
                                                    "interleaved zero bubble",
                                                    "ZBV",
                                                    "DualPipeV",
                                                    "DualPipe",
                                                    "custom"};
  return kTexts[static_cast<std::size_t>(kind)];
}

std::vector<ActionOrder> plannedSchedule(ScheduleKind kind, std::int64_t ranks, std::int64_t stagesPerRank,
                                         std::int64_t microbatches) {
  if (ranks <= 0 || stagesPerRank <= 0 || microbatches <= 0 || ranks > kMaxActions ||
      stagesPerRank > kMaxActions || microbatches > kMaxActions || stagesPerRank * microbatches > kMaxActions)
    return {};
  std::vector<ActionOrder> orders;
  orders.reserve(static_cast<std::size_t>(ranks));
  for (std::int64_t r = 0; r < ranks; ++r) {
    ActionOrder order;
    if (kind == ScheduleKind::GPipe && stagesPerRank == 1) order = gpipe(r, microbatches);
    if (kind == ScheduleKind::OneForwardOneBackward && stagesPerRank == 1)
      order = oneForwardOneBackward(r, ranks, microbatches);
    if (kind == ScheduleKind::Interleaved && stagesPerRank > 1)
      order = interleaved(r, ranks, stagesPerRank, microbatches);
    if (kind == ScheduleKind::LoopedBfs && stagesPerRank > 1)
      order = loopedBfs(r, ranks, stagesPerRank, microbatches);
    if (order.empty()) return {};
    orders.push_back(std::move(order));
  }
  return orders;
}

ScheduleKind scheduleOf(std::span<const ActionOrder> orders) {
  const Sizes sizes = sizesOf(orders);
  if (sizes.ranks < 2 || sizes.microbatches == 0) return ScheduleKind::Unknown;
  std::vector<ActionOrder> main;
  main.reserve(orders.size());
  for (const ActionOrder& order : orders) main.push_back(mainActions(order));
  const auto is = [&](ScheduleKind kind) {
    return agrees(main, plannedSchedule(kind, sizes.ranks, sizes.stagesPerRank, sizes.microbatches));
  };
  if (sizes.isV) return sizes.splitsBackward ? ScheduleKind::ZeroBubbleV : ScheduleKind::DualPipeV;
  const bool several = sizes.stagesPerRank > 1;
  const bool alternates = is(several ? ScheduleKind::Interleaved : ScheduleKind::OneForwardOneBackward);
  if (sizes.splitsBackward) {
    // The interleaved variant of PyTorch warms up by other numbers than interleaved 1F1B.
    if (several) return ScheduleKind::InterleavedZeroBubble;
    return alternates ? ScheduleKind::ZeroBubble : ScheduleKind::Custom;
  }
  // With one microbatch all schedules are the same; and so may be the orders of a few ranks of many.
  const bool partial = std::ranges::any_of(main, [](const ActionOrder& order) { return order.empty(); });
  if (partial && alternates && allForwardFirst(main)) return ScheduleKind::Unknown;
  if (allForwardFirst(main)) return several ? ScheduleKind::LoopedBfs : ScheduleKind::GPipe;
  if (alternates) return several ? ScheduleKind::Interleaved : ScheduleKind::OneForwardOneBackward;
  return ScheduleKind::Custom;
}

std::vector<ActionOrder> orderOfKinds(std::span<const std::vector<ActionKind>> kinds) {
  std::int64_t forwards = 0;
  for (const std::vector<ActionKind>& of : kinds)
    forwards = std::max(forwards, static_cast<std::int64_t>(std::ranges::count(of, ActionKind::Forward)));
  const auto fits = [&](const std::vector<ActionOrder>& planned) {
    if (planned.size() != kinds.size()) return false;
    for (std::size_t r = 0; r < kinds.size(); ++r) {
      if (!kinds[r].empty() && kindsOf(planned[r]) != kinds[r]) return false;
    }
    return true;
  };
  const auto ranks = static_cast<std::int64_t>(kinds.size());
  for (std::int64_t v = 1; v <= std::min<std::int64_t>(forwards, 64); ++v) {
    if (forwards % v != 0) continue;
    for (const ScheduleKind kind : {ScheduleKind::OneForwardOneBackward, ScheduleKind::GPipe,
                                    ScheduleKind::Interleaved, ScheduleKind::LoopedBfs}) {
      std::vector<ActionOrder> planned = plannedSchedule(kind, ranks, v, forwards / v);
      if (fits(planned)) return planned;
    }
  }
  return {};
}

std::optional<double> idealBubble(ScheduleKind kind, std::int64_t ranks, std::int64_t stagesPerRank,
                                  std::int64_t microbatches, const StageTimes& times) {
  if (ranks < 1 || microbatches < 1) return std::nullopt;
  const auto p = static_cast<double>(ranks - 1);
  const auto m = static_cast<double>(microbatches);
  const auto v = static_cast<double>(std::max<std::int64_t>(stagesPerRank, 1));
  switch (kind) {
  case ScheduleKind::GPipe:
  case ScheduleKind::OneForwardOneBackward:
    return p / (m + p);
  case ScheduleKind::Interleaved:
  case ScheduleKind::LoopedBfs:
    return p / (v * m + p);
  case ScheduleKind::ZeroBubble: {
    const double waits = p * std::max(0.0, times.forward + times.inputGradient - times.weightGradient);
    const double works = m * (times.forward + times.inputGradient + times.weightGradient);
    return works + waits > 0 ? std::optional(waits / (works + waits)) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

namespace {

// What an action waits for besides the action before it on its rank.
std::vector<PlannedAction> neededBy(const PlannedAction& action, std::int64_t lastStage, bool splits) {
  const auto [kind, stage, microbatch] = action;
  const ActionKind backward = splits ? ActionKind::InputGradient : ActionKind::Backward;
  if (kind == ActionKind::Forward) {
    if (stage == 0) return {};
    return {{ActionKind::Forward, stage - 1, microbatch}};
  }
  if (kind == ActionKind::WeightGradient) return {{ActionKind::InputGradient, stage, microbatch}};
  std::vector<PlannedAction> needed{{ActionKind::Forward, stage, microbatch}};
  if (stage < lastStage) {
    needed.push_back({backward, stage + 1, microbatch});
    if (splits) needed.push_back({ActionKind::Backward, stage + 1, microbatch});
  }
  return needed;
}

using ActionKey = std::tuple<ActionKind, std::int64_t, std::int64_t>;

ActionKey keyOf(const PlannedAction& action) {
  return {action.kind, action.stage, action.microbatch};
}

struct Extent {
  std::int64_t lastStage = 0;
  bool splits = false;
};

Extent extentOf(std::span<const ActionOrder> orders) {
  Extent extent;
  for (const ActionOrder& order : orders) {
    for (const PlannedAction& action : order) {
      extent.lastStage = std::max(extent.lastStage, action.stage);
      extent.splits |= action.kind == ActionKind::InputGradient;
    }
  }
  return extent;
}

// Calls visit(rank, position, rank and end of what is needed) for each action and each that it needs.
template <class Visit>
void forEachNeed(std::span<const ActionOrder> orders, std::span<const std::vector<TimeRange>> times,
                 Visit&& visit) {
  std::map<ActionKey, std::pair<std::size_t, TimeNs>> ends;
  for (std::size_t r = 0; r < orders.size(); ++r) {
    for (std::size_t i = 0; i < orders[r].size(); ++i)
      ends.try_emplace(keyOf(orders[r][i]), r, times[r][i].end);
  }
  const Extent extent = extentOf(orders);
  for (std::size_t r = 0; r < orders.size(); ++r) {
    for (std::size_t i = 0; i < orders[r].size(); ++i) {
      for (const PlannedAction& needed : neededBy(orders[r][i], extent.lastStage, extent.splits)) {
        const auto end = ends.find(keyOf(needed));
        if (end != ends.end()) visit(r, i, end->second.first, end->second.second);
      }
    }
  }
}

} // namespace

std::optional<TimeNs> leastTransfer(std::span<const ActionOrder> orders,
                                    std::span<const std::vector<TimeRange>> times) {
  std::optional<TimeNs> least;
  forEachNeed(orders, times, [&](std::size_t r, std::size_t i, std::size_t from, TimeNs end) {
    if (from == r) return;
    const TimeNs time = std::clamp<TimeNs>(times[r][i].begin - end, 0, kLongestAction);
    least = std::min(least.value_or(time), time);
  });
  return least;
}

std::vector<std::vector<TimeNs>> ownDurations(std::span<const ActionOrder> orders,
                                              std::span<const std::vector<TimeRange>> times,
                                              TimeNs transfer) {
  std::vector<std::vector<TimeNs>> ready(orders.size());
  const TimeNs begin = hullOf(times).begin;
  for (std::size_t r = 0; r < orders.size(); ++r) {
    ready[r].assign(orders[r].size(), begin);
    for (std::size_t i = 1; i < orders[r].size(); ++i) ready[r][i] = times[r][i - 1].end;
  }
  forEachNeed(orders, times, [&](std::size_t r, std::size_t i, std::size_t from, TimeNs end) {
    ready[r][i] = std::max(ready[r][i], from == r ? end : end + transfer);
  });
  for (std::size_t r = 0; r < orders.size(); ++r) {
    for (std::size_t i = 0; i < orders[r].size(); ++i)
      ready[r][i] = std::max<TimeNs>(0, times[r][i].end - ready[r][i]);
  }
  return ready;
}

TimeRange hullOf(std::span<const std::vector<TimeRange>> times) {
  TimeRange hull;
  for (const std::vector<TimeRange>& of : times) {
    for (const TimeRange range : of) hull = hull.unitedWith(range);
  }
  return hull;
}

ReplayedPipeline replayOf(std::span<const ActionOrder> orders, std::span<const std::vector<TimeNs>> durations,
                          TimeNs transfer) {
  std::map<ActionKey, std::pair<std::size_t, GraphPoint>> pointOf; // with its rank
  const Extent extent = extentOf(orders);
  GraphPoint next = 1; // 0 is the begin
  for (std::size_t r = 0; r < orders.size(); ++r) {
    for (const PlannedAction& action : orders[r]) pointOf.try_emplace(keyOf(action), r, next++);
  }
  MaxPlusGraph graph;
  std::vector<PointRun> runs{{0, 1}};
  runs.reserve(orders.size() + 1);
  graph.addPoint(0);
  ReplayedPipeline result;
  std::vector<ExactSum> busy(orders.size());
  for (std::size_t r = 0; r < orders.size(); ++r) {
    const auto begin = static_cast<GraphPoint>(graph.points());
    for (std::size_t i = 0; i < orders[r].size(); ++i) {
      const TimeNs lag = std::clamp<TimeNs>(durations[r][i], 0, kLongestAction);
      graph.addEdge(i == 0 ? 0 : static_cast<GraphPoint>(graph.points() - 1), lag);
      for (const PlannedAction& needed : neededBy(orders[r][i], extent.lastStage, extent.splits)) {
        const auto found = pointOf.find(keyOf(needed));
        if (found != pointOf.end())
          graph.addEdge(found->second.second, lag + (found->second.first == r ? 0 : transfer));
      }
      graph.addPoint(0);
      busy[r] += lag;
    }
    runs.push_back({begin, static_cast<GraphPoint>(graph.points())});
  }
  if (graph.points() < 2 || !orderPoints(graph, runs)) return result;
  const std::vector<TimeNs> times = replayedTimes(graph, graph.lags);
  result.window = *std::ranges::max_element(times);
  result.bubbles.reserve(orders.size());
  for (const ExactSum& of : busy)
    result.bubbles.push_back(
        result.window > 0 ? 1 - static_cast<double>(of) / static_cast<double>(result.window) : 0.0);
  return result;
}

} // namespace rankscope

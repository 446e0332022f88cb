// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/placement/capture_order.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <set>

namespace rankscope {

namespace {

using Ranks = std::span<const std::vector<Recording>>;

bool all(Ranks ranks, bool (*holds)(const Recording&)) {
  return std::ranges::all_of(ranks, [&](const auto& files) { return std::ranges::all_of(files, holds); });
}

bool stepsIncrease(Ranks ranks) {
  return std::ranges::all_of(ranks, [](const std::vector<Recording>& files) {
    return std::ranges::adjacent_find(files, [](const Recording& a, const Recording& b) {
             return *a.step >= *b.step;
           }) == files.end();
  });
}

std::vector<std::vector<int>> byStep(Ranks ranks) {
  std::set<std::int64_t> steps;
  for (const auto& files : ranks)
    for (const Recording& file : files) steps.insert(*file.step);
  std::vector<std::vector<int>> numbers;
  for (const auto& files : ranks) {
    auto& own = numbers.emplace_back();
    for (const Recording& file : files)
      own.push_back(static_cast<int>(std::distance(steps.begin(), steps.find(*file.step))) + 1);
  }
  return numbers;
}

std::vector<std::vector<int>> byIndex(Ranks ranks) {
  std::vector<std::vector<int>> numbers;
  for (const auto& files : ranks) {
    auto& own = numbers.emplace_back();
    for (std::size_t i = 0; i < files.size(); ++i) own.push_back(static_cast<int>(i) + 1);
  }
  return numbers;
}

struct Cycle {
  TimeRange window;
  std::size_t id = 0;
};

double distance(TimeRange a, TimeRange b) {
  return std::abs(static_cast<double>(a.begin) - static_cast<double>(b.begin));
}

// Shortest time between the begins of two cycles; infinite if no rank has two.
double shortestPeriod(Ranks ranks) {
  double period = std::numeric_limits<double>::infinity();
  for (const auto& files : ranks)
    for (std::size_t i = 1; i < files.size(); ++i)
      if (const double gap = distance(files[i - 1].window, files[i].window); gap > 0)
        period = std::min(period, gap);
  return period;
}

// Matches one rank's recordings to cycles, in order, with the minimal sum of distances. A recording may
// become a new cycle at the cost newCycle. Returns indices into cycles, or cycles.size() for a new cycle.
std::vector<std::size_t> match(const std::vector<Recording>& files, const std::vector<Cycle>& cycles,
                               double newCycle) {
  const std::size_t rows = files.size() + 1;
  const std::size_t columns = cycles.size() + 1;
  std::vector<double> cost(rows * columns, std::numeric_limits<double>::infinity());
  const auto at = [&](std::size_t file, std::size_t cycle) -> double& {
    return cost[file * columns + cycle];
  };
  const auto matched = [&](std::size_t f, std::size_t c) {
    return at(f - 1, c - 1) + distance(files[f - 1].window, cycles[c - 1].window);
  };
  for (std::size_t c = 0; c < columns; ++c) at(0, c) = 0;
  for (std::size_t f = 1; f < rows; ++f) {
    for (std::size_t c = 0; c < columns; ++c) {
      at(f, c) = at(f - 1, c) + newCycle;
      if (c > 0) at(f, c) = std::min({at(f, c), at(f, c - 1), matched(f, c)});
    }
  }
  std::vector<std::size_t> chosen(files.size(), cycles.size());
  std::size_t c = cycles.size();
  for (std::size_t f = files.size(); f > 0;) {
    if (c > 0 && at(f, c) == at(f, c - 1)) {
      --c;
    } else if (c > 0 && at(f, c) == matched(f, c)) {
      chosen[--f] = --c;
    } else {
      --f;
    }
  }
  return chosen;
}

bool anyOverlap(const std::vector<Recording>& files, const std::vector<Cycle>& cycles) {
  return std::ranges::any_of(files, [&](const Recording& file) {
    return std::ranges::any_of(cycles,
                               [&](const Cycle& cycle) { return cycle.window.overlaps(file.window); });
  });
}

std::vector<std::vector<int>> byTime(Ranks ranks) {
  const auto longest = std::ranges::max_element(ranks, {}, &std::vector<Recording>::size);
  const double period = shortestPeriod(ranks);
  std::vector<Cycle> cycles;
  for (const Recording& file : *longest) cycles.push_back({file.window, cycles.size()});

  std::vector<std::vector<std::size_t>> ids(ranks.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    // Clocks of two hosts may differ by more than a cycle. So a recording without overlap is a new cycle only
    // if other recordings of the rank overlap known cycles.
    const double newCycle =
        anyOverlap(ranks[r], cycles) ? 0.6 * period : std::numeric_limits<double>::infinity();
    const std::vector<std::size_t> chosen = match(ranks[r], cycles, newCycle);
    const std::size_t known = cycles.size();
    for (std::size_t f = 0; f < chosen.size(); ++f) {
      if (chosen[f] == known) cycles.push_back({ranks[r][f].window, cycles.size()});
      ids[r].push_back(chosen[f] == known ? cycles.back().id : cycles[chosen[f]].id);
    }
    std::ranges::stable_sort(cycles, {}, [](const Cycle& cycle) { return cycle.window.begin; });
  }

  std::vector<int> number(cycles.size());
  for (std::size_t i = 0; i < cycles.size(); ++i) number[cycles[i].id] = static_cast<int>(i) + 1;
  std::vector<std::vector<int>> numbers;
  for (const auto& own : ids) {
    auto& out = numbers.emplace_back();
    for (const std::size_t id : own) out.push_back(number[id]);
  }
  return numbers;
}

} // namespace

std::vector<std::vector<int>> alignCaptures(Ranks ranks) {
  if (ranks.empty()) return {};
  if (all(ranks, [](const Recording& file) { return file.step.has_value(); }) && stepsIncrease(ranks))
    return byStep(ranks);
  if (!all(ranks, [](const Recording& file) { return file.timeKnown; })) return byIndex(ranks);
  std::vector<std::vector<int>> numbers = byTime(ranks);
  const bool increasing = std::ranges::all_of(numbers, [](const std::vector<int>& own) {
    return std::ranges::adjacent_find(own, std::greater_equal<>()) == own.end();
  });
  return increasing ? numbers : byIndex(ranks);
}

} // namespace rankscope

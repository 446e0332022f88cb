// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/oracle_table.h"
#include "tests/peers/peer_hta.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>

namespace rankscope::peers {

namespace {

struct Stretch {
  double begin = 0;
  double end = 0;
};

// merge_kernel_intervals: in order of begin, a row opens a new stretch when it begins after all before it
// have ended; a row may end before it begins.
std::vector<Stretch> merged(std::vector<Stretch> stretches) {
  std::ranges::stable_sort(stretches, {}, &Stretch::begin);
  std::vector<Stretch> result;
  double latest = -std::numeric_limits<double>::infinity();
  for (const Stretch& s : stretches) {
    if (result.empty() || s.begin > latest)
      result.push_back(s);
    else
      result.back().end = std::max(result.back().end, s.end);
    latest = std::max(latest, s.end);
  }
  return result;
}

double total(const std::vector<Stretch>& stretches) {
  double sum = 0;
  for (const Stretch& s : stretches) sum += s.end - s.begin;
  return sum;
}

// As numpy adds, in halves down to 128 numbers and there by eights: what is lost depends on the order.
double pairwiseSum(std::span<const Stretch> stretches, double Stretch::*member) {
  constexpr std::size_t kBlock = 128, kLanes = 8;
  const std::size_t n = stretches.size();
  double sum = 0;
  if (n < kLanes) {
    for (const Stretch& s : stretches) sum += s.*member;
    return sum;
  }
  if (n > kBlock) {
    const std::size_t half = n / 2 - n / 2 % kLanes;
    return pairwiseSum(stretches.first(half), member) + pairwiseSum(stretches.subspan(half), member);
  }
  std::array<double, kLanes> r{};
  const std::size_t whole = n - n % kLanes;
  for (std::size_t i = 0; i < whole; ++i) r[i % kLanes] += stretches[i].*member;
  sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  for (std::size_t i = whole; i < n; ++i) sum += stretches[i].*member;
  return sum;
}

double total(const std::vector<Stretch>& stretches, HtaRules rules) {
  if (!rules.has(HtaRule::SumsOfTimes)) return total(stretches);
  return pairwiseSum(stretches, &Stretch::end) - pairwiseSum(stretches, &Stretch::begin);
}

double common(const std::vector<Stretch>& one, const std::vector<Stretch>& other) {
  double sum = 0;
  for (std::size_t i = 0, j = 0; i < one.size() && j < other.size();) {
    sum += std::max(0.0, std::min(one[i].end, other[j].end) - std::max(one[i].begin, other[j].begin));
    one[i].end < other[j].end ? ++i : ++j;
  }
  return sum;
}

template <class Pick> std::vector<Stretch> mergedRows(const HtaTrace& trace, Pick&& pick) {
  std::vector<Stretch> stretches;
  for (const HtaRow& row : trace.rows)
    if (row.device && pick(row)) stretches.push_back({row.ts, row.until()});
  return merged(std::move(stretches));
}

std::vector<Stretch> mergedClass(const HtaTrace& trace, HtaClass kernelClass) {
  return mergedRows(trace, [&](const HtaRow& row) { return row.kernelClass == kernelClass; });
}

constexpr std::array kClasses{HtaClass::Computation, HtaClass::Communication, HtaClass::Memory};

std::string_view classText(HtaClass kernelClass) {
  constexpr std::array<std::string_view, 4> kTexts{"COMPUTATION", "COMMUNICATION", "MEMORY", "OTHER"};
  return kTexts[static_cast<std::size_t>(kernelClass)];
}

} // namespace

Figures htaTemporal(std::span<const HtaTrace> traces, HtaRules rules) {
  Figures figures;
  for (const HtaTrace& trace : traces) {
    const auto busy = mergedRows(trace, [](const HtaRow&) { return true; });
    if (busy.empty()) continue;
    const auto compute = mergedClass(trace, HtaClass::Computation);
    const auto communication = mergedClass(trace, HtaClass::Communication);
    const double span = busy.back().end - busy.front().begin;
    const double idle = span - total(busy, rules);
    const std::string row = std::to_string(trace.rank);
    figures[{row, "kernel_time_us"}] = span;
    figures[{row, "idle_us"}] = idle;
    figures[{row, "compute_us"}] = total(compute, rules);
    figures[{row, "non_compute_us"}] = span - total(compute, rules) - idle;
    if (total(communication) > 0)
      figures[{row, "comp_comm_overlap_pct"}] = 100 * common(compute, communication) / total(communication);
  }
  return figures;
}

Figures htaIdle(std::span<const HtaTrace> traces) {
  constexpr double kDelay = 30;
  constexpr std::array<std::string_view, 7> kCategories{"kernel",     "Kernel", "gpu_memset",     "Memset",
                                                        "gpu_memcpy", "Memcpy", "mtia_ccp_events"};
  Figures figures;
  for (const HtaTrace& trace : traces) {
    std::unordered_map<std::int64_t, double>
        begins; // by position; of a device's row that occurs twice the last
    for (const HtaRow& row : trace.rows) begins[static_cast<std::int64_t>(row.event->position)] = row.ts;
    std::map<std::int64_t, std::vector<const HtaRow*>> streams;
    for (const HtaRow& row : trace.rows) {
      if (row.device && std::ranges::find(kCategories, row.event->category) != kCategories.end())
        streams[row.stream].push_back(&row);
    }
    for (auto& [stream, rows] : streams) {
      std::ranges::stable_sort(rows, {}, &HtaRow::ts);
      std::map<std::string_view, double> sums{{"other", 0.0}};
      for (std::size_t i = 1; i < rows.size(); ++i) {
        const double previousEnd = rows[i - 1]->until();
        const double gap = rows[i]->ts - previousEnd;
        const auto launch = begins.find(rows[i]->partner);
        const bool hostWait = launch != begins.end() && launch->second > previousEnd;
        sums[hostWait ? "host_wait" : gap < kDelay ? "kernel_wait" : "other"] += gap;
      }
      for (const auto& [category, sum] : sums)
        figures[{fmt::format("{},{},{}", trace.rank, stream, category), "idle_us"}] = sum;
    }
  }
  return figures;
}

Figures htaKernels(std::span<const HtaTrace> traces) {
  Figures figures;
  for (const HtaTrace& trace : traces) {
    std::map<std::pair<std::string_view, HtaClass>, std::vector<double>> byName;
    for (const HtaRow& row : trace.rows) {
      if (row.device && row.kernelClass != HtaClass::Other)
        byName[{row.event->name, row.kernelClass}].push_back(row.dur);
    }
    RowNames names;
    for (const auto& [key, durations] : byName) {
      const std::string row = names.next(fmt::format("{},{}", trace.rank, key.first));
      double sum = 0;
      for (const double d : durations) sum += d;
      const double mean = sum / static_cast<double>(durations.size());
      double squares = 0;
      for (const double d : durations) squares += (d - mean) * (d - mean);
      const auto [low, high] = std::ranges::minmax(durations);
      figures[{row, "kernel_type"}] = std::string(classText(key.second));
      figures[{row, "sum (us)"}] = sum;
      figures[{row, "max (us)"}] = high;
      figures[{row, "min (us)"}] = low;
      figures[{row, "mean (us)"}] = mean;
      figures[{row, "stddev"}] =
          durations.size() > 1 ? std::sqrt(squares / static_cast<double>(durations.size() - 1)) : 0.0;
    }
  }
  return figures;
}

std::string kernelTypeText(std::size_t running) {
  std::string name;
  for (std::size_t c = 0; c < kClasses.size(); ++c) {
    if (((running >> c) & 1u) == 0) continue;
    if (!name.empty()) name += " overlapping ";
    name += classText(kClasses[c]);
  }
  return name;
}

Figures htaKernelTypes(std::span<const HtaTrace> traces, HtaRules rules) {
  struct Change {
    double time;
    int status;
  };
  std::array<double, 8> sums{};
  for (const HtaTrace& trace : traces) {
    std::vector<Change> changes;
    for (std::size_t c = 0; c < kClasses.size(); ++c) {
      for (const Stretch& s : mergedClass(trace, kClasses[c])) {
        changes.push_back({s.begin, 1 << c});
        changes.push_back({s.end, -(1 << c)});
      }
    }
    std::ranges::stable_sort(changes, {}, &Change::time);
    int running = 0;
    for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
      running += changes[i].status;
      const double length = changes[i + 1].time - changes[i].time;
      if (running > 0 && running < 8)
        sums[static_cast<std::size_t>(running)] +=
            rules.has(HtaRule::WholeMicroseconds) ? std::trunc(length) : length;
    }
  }
  double all = 0;
  for (const double sum : sums) all += sum;
  Figures figures;
  for (std::size_t running = 1; running < sums.size(); ++running) {
    // A combination that never runs for any time is listed or not, as equal times happen to be sorted.
    if (sums[running] < 0.01) continue;
    figures[{kernelTypeText(running), "sum_us"}] = sums[running];
    figures[{kernelTypeText(running), "percentage"}] = 100 * sums[running] / all;
  }
  return figures;
}

} // namespace rankscope::peers

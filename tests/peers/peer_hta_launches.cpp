// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/peer_hta.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace rankscope::peers {

namespace {

template <std::size_t n> bool isOneOf(std::string_view name, const std::array<std::string_view, n>& names) {
  return std::ranges::find(names, name) != names.end();
}

constexpr std::array<std::string_view, 5> kStatisticsLaunches{
    "cudaLaunchKernel", "cudaLaunchKernelExC", "runFunction - job_prep_and_submit_for_execution",
    "cudaMemcpyAsync", "cudaMemsetAsync"};

constexpr std::array<std::string_view, 12> kQueueLaunches{"cudaLaunchKernel",
                                                          "cudaLaunchKernelExC",
                                                          "cuLaunchKernel",
                                                          "cuLaunchKernelEx",
                                                          "cudaMemcpyAsync",
                                                          "cudaMemsetAsync",
                                                          "runFunction - job_prep_and_submit_for_execution",
                                                          "hipLaunchKernel",
                                                          "hipExtModuleLaunchKernel",
                                                          "hipMemcpyAsync",
                                                          "hipMemsetAsync",
                                                          "hipMemcpyWithStream"};

using ByCorrelation = std::unordered_map<std::int64_t, std::vector<const HtaRow*>>;

// The call that our model takes for the launch: the runtime call of the correlation that began first.
void keepFirstCall(ByCorrelation& calls) {
  for (auto& [correlation, rows] : calls) {
    std::erase_if(rows, [](const HtaRow* row) { return row->event->kind != EventKind::Runtime; });
    const auto first = std::ranges::min_element(rows, {}, &HtaRow::ts);
    if (first != rows.end()) rows = {*first};
  }
}

ByCorrelation deviceRows(const HtaTrace& trace) {
  ByCorrelation rows;
  for (const HtaRow& row : trace.rows)
    if (row.device) rows[row.correlation].push_back(&row);
  return rows;
}

// Rows that may call, by correlation: with a launch's correlation, whatever they are themselves.
ByCorrelation callsForStatistics(const HtaTrace& trace, HtaRules rules) {
  std::unordered_set<std::int64_t> launches;
  for (const HtaRow& row : trace.rows) {
    const bool launch = rules.has(HtaRule::LaunchesByName)
                            ? isOneOf(row.event->name, kStatisticsLaunches)
                            : row.event->kind == EventKind::Runtime && row.correlation != -1;
    if (launch) launches.insert(row.correlation);
  }
  ByCorrelation calls;
  for (const HtaRow& row : trace.rows)
    if (!row.device && launches.contains(row.correlation)) calls[row.correlation].push_back(&row);
  if (!rules.has(HtaRule::EveryHostRowIsACall)) keepFirstCall(calls);
  return calls;
}

ByCorrelation callsForQueue(const HtaTrace& trace, HtaRules rules) {
  ByCorrelation calls;
  for (const HtaRow& row : trace.rows) {
    const bool launch = rules.has(HtaRule::LaunchesByName)
                            ? isOneOf(row.event->name, kQueueLaunches) && row.partner > 0
                            : row.event->kind == EventKind::Runtime && row.correlation != -1;
    if (launch) calls[row.correlation].push_back(&row);
  }
  if (!rules.has(HtaRule::EveryHostRowIsACall)) keepFirstCall(calls);
  return calls;
}

struct Change {
  double ts;
  int by;
};

struct QueueLength {
  double sum = 0;
  double max = -std::numeric_limits<double>::infinity();
};

// Over the points where the length changes; ascending first at equal times, or falling first.
QueueLength queueLength(std::vector<Change> changes, bool ascendingFirst) {
  std::ranges::sort(changes, [&](const Change& a, const Change& b) {
    if (a.ts != b.ts) return a.ts < b.ts;
    return ascendingFirst ? a.by > b.by : a.by < b.by;
  });
  QueueLength result;
  double length = 0;
  for (const Change& change : changes) {
    length += change.by;
    result.sum += length;
    result.max = std::max(result.max, length);
  }
  return result;
}

} // namespace

Figures htaLaunches(std::span<const HtaTrace> traces, HtaRules rules) {
  Figures figures;
  for (const HtaTrace& trace : traces) {
    const ByCorrelation calls = callsForStatistics(trace, rules);
    const ByCorrelation devices = deviceRows(trace);
    double pairs = 0, cpu = 0, gpu = 0, delay = 0;
    for (const auto& [correlation, callers] : calls) {
      const auto launched = devices.find(correlation);
      if (launched == devices.end()) continue;
      for (const HtaRow* call : callers) {
        for (const HtaRow* row : launched->second) {
          ++pairs;
          cpu += call->dur;
          gpu += row->dur;
          delay += std::max(0.0, row->ts - call->ts - call->dur);
        }
      }
    }
    const std::string row = std::to_string(trace.rank);
    figures[{row, "pairs"}] = pairs;
    figures[{row, "cpu_us"}] = cpu;
    figures[{row, "gpu_us"}] = gpu;
    figures[{row, "launch_delay_us"}] = delay;
  }
  return figures;
}

Figures htaQueues(std::span<const HtaTrace> traces, HtaRules rules) {
  Figures figures;
  for (const HtaTrace& trace : traces) {
    std::map<std::int64_t, std::vector<Change>> streams;
    const ByCorrelation devices = deviceRows(trace);
    for (const auto& [correlation, callers] : callsForQueue(trace, rules)) {
      const auto launched = devices.find(correlation);
      if (launched == devices.end() || callers.empty()) continue;
      for (const HtaRow* row : launched->second) {
        for (const HtaRow* call : callers) {
          const bool asRecorded = rules.has(HtaRule::BegunBeforeLaunched);
          streams[row->stream].push_back({asRecorded ? call->ts : std::min(call->ts, row->ts), 1});
        }
        streams[row->stream].push_back({row->ts, -1});
      }
    }
    for (const auto& [stream, changes] : streams) {
      const QueueLength one = queueLength(changes, rules.has(HtaRule::EqualTimesInAnyOrder));
      const QueueLength other = queueLength(changes, false);
      const auto count = static_cast<double>(changes.size());
      const std::string row = fmt::format("{},{}", trace.rank, stream);
      figures[{row, "count"}] = count;
      figures[{row, "mean"}] =
          Figure(std::min(one.sum, other.sum) / count, std::max(one.sum, other.sum) / count);
      figures[{row, "max"}] = Figure(std::min(one.max, other.max), std::max(one.max, other.max));
    }
  }
  return figures;
}

namespace {

struct StreamAndName {
  std::int64_t stream;
  std::string_view name;
  auto operator<=>(const StreamAndName&) const = default;
};

// By kernel and iteration, of each rank the last long communication kernel.
using LastKernels = std::map<StreamAndName, std::map<int, std::map<int, const HtaRow*>>>;

LastKernels lastLongKernels(std::span<const HtaTrace> traces) {
  std::set<int> iterations;
  double begin = std::numeric_limits<double>::infinity();
  double end = -begin;
  for (const HtaTrace& trace : traces) {
    for (const HtaRow& row : trace.rows) {
      if (row.iteration < 0) continue;
      iterations.insert(row.iteration);
      begin = std::min(begin, row.ts);
      end = std::max(end, row.until());
    }
  }
  const double shortest = 0.01 * (end - begin) / static_cast<double>(iterations.size());
  LastKernels kernels;
  for (const HtaTrace& trace : traces) {
    for (const HtaRow& row : trace.rows) {
      if (row.stream > 0 && row.iteration > 0 && row.dur >= shortest &&
          row.event->name.starts_with("ncclKernel"))
        kernels[{row.stream, row.event->name}][row.iteration][trace.rank] = &row;
    }
  }
  return kernels;
}

// Of the durations over ranks; NaN for one rank.
double deviation(const std::map<int, const HtaRow*>& ofRanks) {
  const auto count = static_cast<double>(ofRanks.size());
  if (count < 2) return std::nan("");
  double mean = 0, squares = 0;
  for (const auto& [rank, row] : ofRanks) mean += row->dur / count;
  for (const auto& [rank, row] : ofRanks) squares += (row->dur - mean) * (row->dur - mean);
  return std::sqrt(squares / (count - 1));
}

} // namespace

Figures htaStragglers(std::span<const HtaTrace> traces) {
  constexpr std::size_t kCandidates = 2;
  const std::map<int, std::map<int, const HtaRow*>>* widest = nullptr;
  double greatest = -1;
  const LastKernels kernels = lastLongKernels(traces);
  for (const auto& [key, iterations] : kernels) {
    double sum = 0, count = 0;
    for (const auto& [iteration, ofRanks] : iterations) {
      const double spread = deviation(ofRanks);
      if (std::isnan(spread)) continue;
      sum += spread;
      ++count;
    }
    if (count == 0 || sum / count <= greatest) continue;
    greatest = sum / count;
    widest = &iterations;
  }
  if (widest == nullptr) return {};
  std::map<int, int> timesLate;
  for (const auto& [iteration, ofRanks] : *widest) {
    std::vector<double> begins;
    for (const auto& [rank, row] : ofRanks) begins.push_back(row->ts);
    std::ranges::sort(begins, std::greater());
    if (begins.size() < kCandidates) return {};
    for (const auto& [rank, row] : ofRanks) timesLate[rank] += row->ts >= begins[kCandidates - 1] ? 1 : 0;
  }
  std::vector<std::pair<int, int>> order; // most often late first, then by rank
  for (const auto& [rank, times] : timesLate) order.emplace_back(-times, rank);
  std::ranges::sort(order);
  order.resize(std::min(order.size(), kCandidates));
  std::set<int> ranks;
  for (const auto& [times, rank] : order) ranks.insert(rank);
  return {{{"candidates", "ranks"}, Figure(fmt::format("{}", fmt::join(ranks, " ")))}};
}

} // namespace rankscope::peers

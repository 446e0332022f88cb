// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/json/json_scan.h"
#include "tests/peers/peer_tb.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>

namespace rankscope::peers {

namespace {

// The elements of a JSON list, as written.
std::vector<std::string_view> elements(std::string_view list) {
  std::vector<std::string_view> result;
  if (!list.starts_with('[')) return result;
  const char* at = list.data() + 1;
  const char* const end = list.data() + list.size();
  for (;;) {
    while (at < end && (isJsonSpace(*at) || *at == ',')) ++at;
    if (at >= end || *at == ']') return result;
    const char* after = std::min(skipJsonValue(at, end), end);
    while (after > at && (isJsonSpace(after[-1]) || after[-1] == ']') && *at != '[') --after;
    result.emplace_back(at, static_cast<std::size_t>(after - at));
    at = after;
  }
}

double bytesOfType(std::string_view type) {
  if (type == "\"long int\"") return 8;
  if (type == "\"float\"" || type == "\"int\"") return 4;
  if (type == "\"c10::Half\"" || type == "\"c10::BFloat16\"") return 2;
  return type == "\"unsigned char\"" ? 1 : 0;
}

double bytesOf(const TbCollective& collective) {
  const auto dims = elements(collective.inputDims);
  const auto types = elements(collective.inputType);
  double sum = 0;
  for (std::size_t i = 0; i < dims.size() && i < types.size(); ++i) {
    double size = bytesOfType(types[i]);
    for (const std::string_view dim : elements(dims[i])) size *= numberOf(dim).value_or(0);
    sum += size;
  }
  return sum;
}

// What the i-th collective's j-th range took at least over the workers is its transfer. False when the
// workers differ in how many they have.
bool findTransfers(std::vector<std::vector<TbCollective>>& workers) {
  for (const auto& collectives : workers)
    if (collectives.size() != workers.front().size() || collectives.empty()) return false;
  for (std::size_t i = 0; i < workers.front().size(); ++i) {
    const std::size_t ranges = workers.front()[i].kernelRanges.size();
    for (const auto& collectives : workers)
      if (collectives[i].kernelRanges.size() != ranges) return false;
    for (std::size_t j = 0; j < ranges; ++j) {
      double shortest = std::numeric_limits<double>::infinity();
      for (const auto& collectives : workers) {
        const auto& [begin, end] = collectives[i].kernelRanges[j];
        shortest = std::min(shortest, end - begin);
      }
      for (auto& collectives : workers) {
        const double end = collectives[i].kernelRanges[j].second;
        collectives[i].realRanges.emplace_back(end - shortest, end);
      }
    }
  }
  return true;
}

struct Times {
  Ranges kernel, real;
  double calls = 0, bytes = 0;

  void add(const TbCollective& collective) {
    kernel.insert(kernel.end(), collective.kernelRanges.begin(), collective.kernelRanges.end());
    real.insert(real.end(), collective.realRanges.begin(), collective.realRanges.end());
    ++calls;
    bytes += bytesOf(collective);
  }
  [[nodiscard]] double latency() const { return totalLength(merged(kernel)); }
  [[nodiscard]] double transfer() const { return totalLength(merged(real)); }
};

void addWait(const std::string& worker, const std::vector<TbCollective>& collectives, const TbEvents& unit,
             Figures& to) {
  std::map<std::string, Times> steps;
  for (const TbCollective& c : collectives) steps[c.step.value_or("null")].add(c);
  double transfers = 0, waits = 0;
  for (const auto& [step, times] : steps) {
    const double transfer = unit.microseconds(times.transfer());
    const double wait = unit.microseconds(times.latency()) - transfer;
    const std::string row = step + "," + worker;
    to[{row, "Data Transfer Time"}] = transfer;
    to[{row, "Synchronizing Time"}] = wait;
    transfers += transfer;
    waits += wait;
  }
  const double count = std::max<double>(1, static_cast<double>(steps.size()));
  to[{"all," + worker, "Data Transfer Time"}] = std::trunc(transfers / count);
  to[{"all," + worker, "Synchronizing Time"}] = std::trunc(waits / count);
}

void addOperations(const std::string& worker, const std::vector<TbCollective>& collectives,
                   const TbEvents& unit, Figures& to) {
  std::map<std::string_view, Times> byName;
  for (const TbCollective& c : collectives) byName[c.name].add(c);
  for (const auto& [name, times] : byName) {
    const std::string row = fmt::format("{},{}", worker, name);
    const double latency = unit.microseconds(times.latency());
    const double transfer = unit.microseconds(times.transfer());
    to[{row, "Calls"}] = times.calls;
    to[{row, "Total Size (bytes)"}] = times.bytes;
    to[{row, "Avg Size (bytes)"}] = std::nearbyint(times.bytes / times.calls);
    to[{row, "Total Latency (us)"}] = latency;
    to[{row, "Avg Latency (us)"}] = std::nearbyint(latency / times.calls);
    to[{row, "Data Transfer Time (us)"}] = transfer;
    to[{row, "Avg Data Transfer Time (us)"}] = std::nearbyint(transfer / times.calls);
  }
}

void addOverlap(const std::string& worker, const TbProfile& profile, Figures& to) {
  constexpr std::array<std::string_view, 4> kColumns{"Computation", "Overlapping", "Communication", "Other"};
  const TbSteps& steps = profile.steps();
  const bool hasKernels = !steps.role(TbRole::Kernel).empty();
  const bool ofOperators = hasKernels || profile.rules().has(TbRule::CpuExecIsComputation);
  const bool hostToo = !hasKernels || profile.rules().has(TbRule::HostSpansCommunicate);
  const Ranges& compute = hasKernels    ? steps.role(TbRole::Kernel)
                          : ofOperators ? steps.role(TbRole::CpuExec)
                                        : steps.hostCompute;
  const Ranges& communication = !ofOperators ? steps.hostCommunication
                                : hostToo    ? steps.role(TbRole::Communication)
                                             : steps.deviceCommunication;
  const Ranges overlap = common(compute, communication);
  std::array<double, 4> sums{};
  for (std::size_t s = 0; s < steps.steps.size(); ++s) {
    const auto within = [&](const Ranges& ranges) {
      return profile.events().microseconds(totalLength(common({steps.steps[s]}, ranges)));
    };
    const double length = profile.events().microseconds(totalLength({steps.steps[s]}));
    const double both = within(overlap);
    const std::array<double, 4> bars{within(compute) - both, both, within(communication) - both,
                                     length + both - within(compute) - within(communication)};
    for (std::size_t i = 0; i < bars.size(); ++i) {
      to[{steps.names[s] + "," + worker, std::string(kColumns[i])}] = bars[i];
      sums[i] += bars[i];
    }
  }
  const double count = std::max<double>(1, static_cast<double>(steps.steps.size()));
  for (std::size_t i = 0; i < sums.size(); ++i)
    to[{"all," + worker, std::string(kColumns[i])}] = std::trunc(sums[i] / count);
}

} // namespace

std::vector<TbCollective> TbProfile::collectives() const {
  std::vector<TbCollective> result;
  if (nodes().nccl && nodes().gloo) return result;
  for (const auto& [id, collective] : nodes().collectives) result.push_back(collective);
  for (TbCollective& c : result)
    std::ranges::stable_sort(c.kernelRanges, {},
                             [](const Range& r) { return std::pair(r.first, -r.second); });
  std::ranges::stable_sort(result, {}, [](const TbCollective& c) { return std::pair(c.start, -c.end); });
  std::size_t step = 0;
  const Ranges& ranges = steps().steps;
  for (TbCollective& c : result) {
    while (step < ranges.size() && c.start >= ranges[step].second &&
           !(c.start >= ranges[step].first && c.end <= ranges[step].second))
      ++step;
    if (step >= ranges.size()) break;
    if (c.start >= ranges[step].first && c.end <= ranges[step].second) c.step = steps().names[step];
  }
  return result;
}

TbDistributed tbDistributed(std::span<const TbWorker> workers) {
  TbDistributed result;
  std::vector<std::vector<TbCollective>> collectives;
  for (const TbWorker& worker : workers) {
    collectives.push_back(worker.profile->collectives());
    if (worker.profile->steps().role(TbRole::Communication).empty()) return result;
  }
  if (collectives.empty() || !findTransfers(collectives)) return result;
  for (std::size_t w = 0; w < workers.size(); ++w) {
    addOverlap(workers[w].name, *workers[w].profile, result.overlap);
    addWait(workers[w].name, collectives[w], workers[w].profile->events(), result.wait);
    addOperations(workers[w].name, collectives[w], workers[w].profile->events(), result.operations);
  }
  return result;
}

} // namespace rankscope::peers

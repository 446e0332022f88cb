// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/compare/side_facts.h"

#include "core/base/hash.h"
#include "core/base/statistics.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

template <class ValueOf> std::vector<double> keptValues(const SideFacts& side, ValueOf&& valueOf) {
  std::vector<double> values;
  values.reserve(side.samples.size());
  for (const SideSample& sample : side.samples) {
    if (sample.kept()) values.push_back(valueOf(sample));
  }
  return values;
}

// The kept samples of one run stand at `first` among those of all runs.
void placeValues(std::vector<double>& all, const std::vector<double>& own, std::size_t first,
                 std::size_t total) {
  all.resize(total);
  std::ranges::copy(own, all.begin() + static_cast<std::ptrdiff_t>(first));
}

void add(SideOperator& sum, const SideOperator& row, double weight) {
  sum.calls += weight * row.calls;
  sum.hostSelf += weight * row.hostSelf;
  sum.device += weight * row.device;
  sum.owned += weight * row.owned;
}

void add(SideKernel& sum, const SideKernel& row, double weight) {
  sum.calls += weight * row.calls;
  sum.time += weight * row.time;
  sum.owned += weight * row.owned;
  sum.computes = row.computes;
}

void add(SideModule& sum, const SideModule& row, double weight) {
  sum.calls += weight * row.calls;
  sum.host += weight * row.host;
  sum.device += weight * row.device;
  sum.owned += weight * row.owned;
}

void add(SideCollective& sum, const SideCollective& row, double weight) {
  addCollective(sum, row, weight);
}

void add(SideFigure& sum, const SideFigure& row, double weight) {
  sum.value += weight * row.value;
}

void add(SideRank& sum, const SideRank& row, double weight) {
  sum.step += weight * row.step;
  sum.wait += weight * row.wait;
  sum.exposed += weight * row.exposed;
}

auto keyOf(const SideOperator& row) {
  return std::tuple(row.name, row.shapes, row.phase, row.module);
}
auto keyOf(const SideKernel& row) {
  return std::tuple(row.operatorName, row.name);
}
auto keyOf(const SideModule& row) {
  return row.path;
}
auto keyOf(const SideCollective& row) {
  return std::tuple(row.group, row.operation, row.bytes);
}
auto keyOf(const SideRank& row) {
  return row.rank;
}
auto keyOf(const SideFigure& row) {
  return std::tuple(row.table, row.row, row.figure);
}

void place(SideOperator& sum, const SideOperator& row, std::size_t first, std::size_t total) {
  placeValues(sum.ownedBySample, row.ownedBySample, first, total);
}
void place(SideKernel& sum, const SideKernel& row, std::size_t first, std::size_t total) {
  placeValues(sum.callsBySample, row.callsBySample, first, total);
  placeValues(sum.timeBySample, row.timeBySample, first, total);
}
template <class Row>
void place(Row& /*sum*/, const Row& /*row*/, std::size_t /*first*/, std::size_t /*total*/) {}

template <class Row>
void mergeRows(std::vector<SideFacts>& runs, std::vector<Row> SideFacts::*rowsOf, std::size_t total) {
  using Key = decltype(keyOf(std::declval<const Row&>()));
  std::map<Key, std::size_t> places;
  std::vector<Row> merged;
  std::size_t first = 0;
  for (SideFacts& run : runs) {
    const std::size_t kept = run.keptCount();
    const double weight = total > 0 ? static_cast<double>(kept) / static_cast<double>(total) : 0;
    for (const Row& row : run.*rowsOf) {
      const auto [at, isNew] = places.try_emplace(keyOf(row), merged.size());
      if (isNew) {
        merged.push_back(row);
        add(merged.back(), row, weight - 1);
        if constexpr (requires { merged.back().ownedBySample; }) merged.back().ownedBySample.clear();
        if constexpr (requires { merged.back().timeBySample; }) {
          merged.back().timeBySample.clear();
          merged.back().callsBySample.clear();
        }
      } else {
        add(merged[at->second], row, weight);
      }
      place(merged[at->second], row, first, total);
    }
    first += kept;
  }
  runs.front().*rowsOf = std::move(merged);
}

void mergeIdentity(SideIdentity& sum, const SideIdentity& other) {
  std::set<int> ranks(sum.ranks.begin(), sum.ranks.end());
  sum.equalCycles = sum.equalCycles && other.equalCycles && sum.ranks == other.ranks;
  ranks.insert(other.ranks.begin(), other.ranks.end());
  sum.ranks.assign(ranks.begin(), ranks.end());
  sum.cycles += other.cycles;
  sum.deviceEvents += other.deviceEvents;
  sum.fingerprint = hashOf(sum.fingerprint, other.fingerprint);
  if (other.peakAllocatedBytes)
    sum.peakAllocatedBytes = std::max(sum.peakAllocatedBytes.value_or(0), *other.peakAllocatedBytes);
  sum.found = std::max(sum.found, other.found);
  std::vector<std::uint64_t> recordings;
  recordings.reserve(sum.recordings.size() + other.recordings.size());
  std::ranges::merge(sum.recordings, other.recordings, std::back_inserter(recordings));
  sum.recordings = std::move(recordings);
}

} // namespace

void CollectiveTimes::add(const CollectiveTimes& other, double weight) {
  calls += weight * other.calls;
  wait += weight * other.wait;
  transfer += weight * other.transfer;
  exposed += weight * other.exposed;
  busBytes += weight * other.busBytes;
  busTime += weight * other.busTime;
}

void addCollective(SideCollective& sum, const SideCollective& row, double weight) {
  // What one of them does not know in order, both do not.
  const bool ordered = (sum.inStep.empty() && sum.calls == 0) || !sum.inStep.empty();
  sum.add(row, weight);
  if (!ordered || row.inStep.empty()) {
    sum.inStep.clear();
    return;
  }
  if (sum.inStep.size() < row.inStep.size()) sum.inStep.resize(row.inStep.size());
  for (std::size_t i = 0; i < row.inStep.size(); ++i) {
    sum.inStep[i].add(row.inStep[i], weight);
    sum.inStep[i].place += weight * row.inStep[i].place;
  }
}

std::vector<double> SideFacts::durations() const {
  return keptValues(*this, [](const SideSample& sample) { return sample.duration; });
}

std::vector<double> SideFacts::classDurations(TimeClass timeClass) const {
  return keptValues(
      *this, [&](const SideSample& sample) { return sample.classes[static_cast<std::size_t>(timeClass)]; });
}

std::size_t SideFacts::keptCount() const {
  return static_cast<std::size_t>(std::ranges::count_if(samples, &SideSample::kept));
}

double SideFacts::meanDuration() const {
  double sum = 0;
  for (const SideSample& sample : samples) {
    if (sample.kept()) sum += sample.duration * (isTotal ? static_cast<double>(sample.ranks) : 1.0);
  }
  const std::size_t kept = keptCount();
  return isTotal || kept == 0 ? sum : sum / static_cast<double>(kept);
}

ClassLeafTimes SideFacts::meanLeaves() const {
  ClassLeafTimes sums{};
  const std::size_t kept = keptCount();
  if (kept == 0) return sums;
  for (const SideSample& sample : samples) {
    if (!sample.kept()) continue;
    const double weight = isTotal ? static_cast<double>(sample.ranks) : 1.0;
    for (std::size_t i = 0; i < kClassLeaves; ++i) sums[i] += weight * sample.leaves[i];
  }
  if (isTotal) return sums;
  for (double& sum : sums) sum /= static_cast<double>(kept);
  return sums;
}

double SideFacts::meanStep() const {
  return meanOf(durations());
}

std::vector<std::size_t> SideFacts::cycleSizes() const {
  std::map<std::size_t, std::size_t> counts;
  for (const SideSample& sample : samples) {
    if (sample.kept()) ++counts[sample.cycle];
  }
  std::vector<std::size_t> sizes;
  sizes.reserve(counts.size());
  for (const auto& [cycle, count] : counts) sizes.push_back(count);
  return sizes;
}

std::vector<double> SideFacts::cycleMeans(std::span<const double> keptValues) const {
  std::map<std::size_t, std::pair<double, double>> sums;
  std::size_t next = 0;
  for (const SideSample& sample : samples) {
    if (!sample.kept() || next == keptValues.size()) continue;
    auto& [sum, count] = sums[sample.cycle];
    sum += keptValues[next++];
    count += 1;
  }
  if (next != keptValues.size() || next != keptCount()) return {keptValues.begin(), keptValues.end()};
  std::vector<double> means;
  means.reserve(sums.size());
  for (const auto& [cycle, sum] : sums) means.push_back(sum.first / sum.second);
  return means;
}

SideFacts mergedSides(std::vector<SideFacts> runs) {
  std::size_t total = 0;
  for (const SideFacts& run : runs) total += run.keptCount();
  mergeRows(runs, &SideFacts::operators, total);
  mergeRows(runs, &SideFacts::kernels, total);
  mergeRows(runs, &SideFacts::modules, total);
  mergeRows(runs, &SideFacts::collectives, total);
  mergeRows(runs, &SideFacts::ranks, total);
  mergeRows(runs, &SideFacts::parallel, total);
  SideFacts& sum = runs.front();
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const std::size_t firstSample = sum.samples.size();
    const std::size_t firstPosition = sum.keptCount();
    for (SideStep step : runs[i].steps) {
      step.sample += firstSample;
      step.index = RankIndex(); // of another job
      sum.steps.push_back(step);
    }
    for (SideSample sample : runs[i].samples) {
      sample.cycle += sum.identity.cycles;
      if (sample.position > 0) sample.position += firstPosition;
      sum.samples.push_back(sample);
    }
    mergeIdentity(sum.identity, runs[i].identity);
    sum.areSteps = sum.areSteps && runs[i].areSteps;
  }
  return std::move(sum);
}

} // namespace rankscope

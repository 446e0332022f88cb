// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/transfer_excess.h"

#include "core/analysis/collectives/transfer_fit.h"
#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

constexpr std::int64_t kMinLargeBytes = 16'000'000;
constexpr std::size_t kMinLarge = 5;
constexpr double kSlow = 0.5;
constexpr std::int64_t kSmallBytes = std::int64_t{256} * 1024;
constexpr double kMaxLatencies = 3; // a call that takes longer is not all latency
constexpr double kMinCallsPerBucket = 4;
// Sizes say what latency is only where there are enough of them, far apart.
constexpr std::size_t kMinSizes = 4;
constexpr std::int64_t kMinSizeRatio = 16;

std::optional<TimeNs> fittedLatency(const TransferSeries& series) {
  std::vector<TransferPoint> points;
  std::set<std::int64_t> sizes;
  for (const TransferSeries::Call& call : series.calls) {
    if (!call.bytes || *call.bytes <= 0) continue;
    points.push_back({*call.bytes, call.time});
    sizes.insert(*call.bytes);
  }
  if (sizes.size() < kMinSizes || *sizes.rbegin() / kMinSizeRatio < *sizes.begin()) return std::nullopt;
  const std::optional<TransferFit> fit = transferFit(points);
  if (!fit || fit->latency <= 0) return std::nullopt;
  return fit->latency;
}

// What one in ten does not exceed.
double shortTime(const TransferSeries& series) {
  std::vector<double> times;
  times.reserve(series.calls.size());
  for (const TransferSeries::Call& call : series.calls) times.push_back(static_cast<double>(call.time));
  const std::size_t place = times.size() / 10;
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(place));
  return times[place];
}

// How many calls a step would need. Where sizes are not known: as large as the one that takes longest.
double bucketsOf(const TransferSeries& series, double latency) {
  double bytes = 0;
  double beyondLatency = 0;
  double longest = 0;
  bool known = false;
  for (const TransferSeries::Call& call : series.calls) {
    known = known || call.bytes.has_value();
    bytes += static_cast<double>(call.bytes.value_or(0));
    const double beyond = std::max(0.0, static_cast<double>(call.time) - latency);
    beyondLatency += beyond;
    longest = std::max(longest, beyond);
  }
  const auto steps = static_cast<double>(series.steps);
  if (known) return bytes / steps / static_cast<double>(kBucketBytes) + 1;
  return longest > 0 ? beyondLatency / steps / longest + 1 : 1;
}

bool areSmall(const TransferSeries& series, double latency) {
  std::vector<double> times;
  std::vector<double> bytes;
  for (const TransferSeries::Call& call : series.calls) {
    times.push_back(static_cast<double>(call.time));
    if (call.bytes) bytes.push_back(static_cast<double>(*call.bytes));
  }
  if (!bytes.empty() && median(std::move(bytes)) < static_cast<double>(kSmallBytes)) return true;
  return median(std::move(times)) < kMaxLatencies * latency;
}

// Counts the hosts of collectives.
class HostCounts {
 public:
  explicit HostCounts(const TraceSet& trace) {
    std::unordered_map<std::string_view, std::size_t> numbers;
    m_hostOf.reserve(trace.ranks().size());
    for (const RankEntry& rank : trace.ranks())
      m_hostOf.push_back(numbers.try_emplace(rank.host, numbers.size()).first->second);
    m_countedIn.resize(numbers.size());
  }

  [[nodiscard]] std::size_t of(std::span<const Participant> participants) {
    ++m_collective;
    std::size_t count = 0;
    for (const Participant& participant : participants) {
      std::size_t& countedIn = m_countedIn[m_hostOf[participant.rank.value]];
      if (countedIn == m_collective) continue;
      countedIn = m_collective;
      ++count;
    }
    return count;
  }

 private:
  std::vector<std::size_t> m_hostOf;    // by rank
  std::vector<std::size_t> m_countedIn; // by host, the last collective
  std::size_t m_collective = 0;
};

void addSlowLinks(const Analysis& analysis, std::vector<TransferExcess>& excesses) {
  const CollectiveMatch& match = analysis.collectives().match;
  std::vector<TransferSample> samples;
  std::vector<std::size_t> instanceOf;
  HostCounts hosts(analysis.trace());
  for (std::size_t i = 0; i < match.instances.size(); ++i) {
    const CollectiveInstance& instance = match.instances[i];
    if (!instance.matched() || instance.transfer <= 0 || !instance.bytes || *instance.bytes < kMinLargeBytes)
      continue;
    const std::uint64_t kind = (std::uint64_t{static_cast<std::uint8_t>(instance.operation)} << 48) ^
                               (std::uint64_t{instance.count} << 24) ^ hosts.of(match.of(instance));
    samples.push_back(
        {kind, static_cast<std::uint32_t>(instance.group.value), *instance.bytes, instance.transfer});
    instanceOf.push_back(i);
  }
  const std::vector<TimeNs> slow = slowLinkExcess(samples);
  for (std::size_t i = 0; i < slow.size(); ++i) excesses[instanceOf[i]].slowLink = slow[i];
}

// Gradients and parameters are spread over ranks in any number of calls. What a forward pass reduces are
// activations, which are small by their nature.
bool mayBeJoined(const Analysis& analysis, const CollectiveInstance& instance) {
  const CollectiveMatch& match = analysis.collectives().match;
  const ParallelDimension dimension = match.group(instance).dimension;
  if (dimension != ParallelDimension::Unknown && dimension != ParallelDimension::Data) return false;
  if (instance.operation == CollectiveOperation::AllGather ||
      instance.operation == CollectiveOperation::ReduceScatter)
    return true;
  if (instance.operation != CollectiveOperation::AllReduce) return false;
  const Participant& first = match.of(instance).front();
  const RankTrace& trace = *analysis.trace().rank(first.rank).trace;
  const EventIndex event = analysis.collectiveCalls(first.rank)[first.call].event;
  if (!trace.isDeviceEvent(event)) return false;
  const EventIndex launch = trace.deviceDetail(event).launch;
  return launch.valid() && !analysis.wholePhases(first.rank).forward.contains(trace.events.begin[launch]);
}

void addFragmentation(const Analysis& analysis, std::vector<TransferExcess>& excesses) {
  const CollectiveMatch& match = analysis.collectives().match;
  struct Found {
    TransferSeries series;
    std::set<std::pair<std::size_t, std::int64_t>> steps; // and the rank of those that are alone
    std::vector<std::size_t> instances;
  };
  std::map<std::pair<GroupIndex, CollectiveOperation>, Found> found;
  for (std::size_t i = 0; i < match.instances.size(); ++i) {
    const CollectiveInstance& instance = match.instances[i];
    if (instance.count == 0 || instance.step == CollectiveCall::kNoStep || !mayBeJoined(analysis, instance))
      continue;
    Found& of = found[{instance.group, instance.operation}];
    const TimeNs time = instance.matched() ? instance.transfer : match.of(instance).front().range.length();
    of.series.calls.push_back({instance.bytes, time});
    of.steps.emplace(instance.matched() ? 0 : match.of(instance).front().rank.value + std::size_t{1},
                     instance.step);
    of.instances.push_back(i);
  }
  for (auto& [key, of] : found) {
    of.series.steps = of.steps.size();
    const TimeNs saved = fragmentationExcess(of.series);
    for (const std::size_t i : of.instances) excesses[i].fragmented = saved;
  }
}

} // namespace

std::vector<TimeNs> slowLinkExcess(std::span<const TransferSample> samples) {
  std::map<std::uint64_t, std::map<std::uint32_t, std::vector<double>>> speeds; // by kind and group
  const auto speedOf = [](const TransferSample& of) {
    return static_cast<double>(of.bytes) / static_cast<double>(of.time);
  };
  for (const TransferSample& sample : samples) {
    if (sample.bytes >= kMinLargeBytes && sample.time > 0)
      speeds[sample.kind][sample.group].push_back(speedOf(sample));
  }
  std::map<std::pair<std::uint64_t, std::uint32_t>, double> usual; // of slow groups, the speed of the others
  for (const auto& [kind, groups] : speeds) {
    for (const auto& [group, own] : groups) {
      std::vector<double> others;
      for (const auto& [other, of] : groups) {
        if (other != group) others.push_back(median(of));
      }
      if (own.size() < kMinLarge || others.empty()) continue;
      const double peers = median(std::move(others));
      if (median(own) < kSlow * peers) usual[{kind, group}] = peers;
    }
  }
  std::vector<TimeNs> excess(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto slow = usual.find({samples[i].kind, samples[i].group});
    if (slow == usual.end()) continue;
    const auto needed = static_cast<TimeNs>(std::ceil(static_cast<double>(samples[i].bytes) / slow->second));
    excess[i] = std::max<TimeNs>(0, samples[i].time - needed);
  }
  return excess;
}

TimeNs fragmentationExcess(const TransferSeries& series) {
  if (series.calls.empty() || series.steps == 0) return 0;
  const std::optional<TimeNs> fitted = fittedLatency(series);
  const double latency = fitted ? static_cast<double>(*fitted) : shortTime(series);
  const double calls = static_cast<double>(series.calls.size()) / static_cast<double>(series.steps);
  const double buckets = bucketsOf(series, latency);
  if (calls < kMinCallsPerBucket * buckets || !areSmall(series, latency)) return 0;
  return static_cast<TimeNs>(std::floor(latency * (calls - buckets) / calls));
}

std::vector<TransferExcess> transferExcesses(const Analysis& analysis) {
  std::vector<TransferExcess> excesses(analysis.collectives().match.instances.size());
  addSlowLinks(analysis, excesses);
  addFragmentation(analysis, excesses);
  return excesses;
}

} // namespace rankscope

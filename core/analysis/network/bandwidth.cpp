// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/bandwidth.h"

#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// In the first calls connections are made.
constexpr int kFirstCalls = 2;
constexpr std::int64_t kFirstSteps = 2; // a recording that begins later has its connections
constexpr std::size_t kFewSamples = 3;
constexpr std::int64_t kJudgedBetween = std::int64_t{256} << 20;
constexpr std::int64_t kJudgedWithin = std::int64_t{64} << 20;

struct SizeSamples {
  std::vector<double> times; // µs
  std::vector<InstanceIndex> instances;
  std::vector<double> contended; // µs
  std::int64_t unmatched = 0, untimed = 0, first = 0;
};

struct SeriesSamples {
  std::map<std::int64_t, SizeSamples> sizes;
  std::set<std::string_view> hosts;
  std::int64_t ranks = 0;
};

using SeriesKey = std::tuple<std::uint32_t, CollectiveOperation, bool>;

bool isMeasured(CollectiveOperation operation) {
  return busFactor(operation, 2).has_value() && !isPointToPoint(operation) &&
         operation != CollectiveOperation::SendRecv;
}

// Calls of a rank during which another communication of it ran.
std::vector<bool> contendedCalls(const std::vector<CollectiveCall>& calls) {
  std::vector<bool> contended(calls.size(), false);
  std::size_t longest = 0;
  for (std::size_t i = 1; i < calls.size(); ++i) {
    if (calls[i].range.begin < calls[longest].range.end) {
      contended[i] = true;
      contended[longest] = true;
    }
    if (calls[i].range.end > calls[longest].range.end) longest = i;
  }
  return contended;
}

class SampleIntake {
 public:
  explicit SampleIntake(const Analysis& analysis) : m_analysis(analysis) {
    const std::size_t ranks = analysis.trace().ranks().size();
    m_contended.reserve(ranks);
    for (std::size_t i = 0; i < ranks; ++i)
      m_contended.push_back(contendedCalls(analysis.collectiveCalls(RankIndex(i))));
  }

  void add(InstanceIndex index) {
    const CollectiveMatch& match = m_analysis.collectives().match;
    const CollectiveInstance& instance = match.instance(index);
    if (!instance.bytes || *instance.bytes <= 0 || !isMeasured(instance.operation)) return;
    std::set<std::string_view> hosts;
    bool device = true, contended = false, inScope = false, early = false;
    for (const Participant& part : match.of(instance)) {
      const RankEntry& entry = m_analysis.trace().rank(part.rank);
      const CollectiveCall& call = m_analysis.collectiveCalls(part.rank)[part.call];
      hosts.insert(entry.host);
      device = device && entry.trace->isDeviceEvent(call.event);
      contended = contended || m_contended[part.rank.value][part.call];
      inScope = inScope || m_analysis.window(part.rank).contains(call.range.begin);
      early = early || beginsEarly(part.rank);
    }
    if (!inScope) return;
    const JobGroup& group = match.group(instance);
    SeriesSamples& series =
        m_series[{static_cast<std::uint32_t>(instance.group.value), instance.operation, hosts.size() > 1}];
    series.hosts.insert(hosts.begin(), hosts.end());
    // More may take part than the metadata lists.
    series.ranks = std::max<std::int64_t>({series.ranks, group.size, instance.count});
    SizeSamples& size = series.sizes[*instance.bytes];
    const int before = m_before[{instance.group.value, instance.operation, *instance.bytes}]++;
    const bool whole = instance.matched() && instance.count >= group.size;
    const double us = static_cast<double>(instance.transfer) / 1e3;
    if (!whole) {
      ++size.unmatched;
    } else if (!device || instance.transfer <= 0) {
      ++size.untimed;
    } else if (early && before < kFirstCalls) {
      ++size.first;
    } else if (contended) {
      size.contended.push_back(us);
    } else {
      size.times.push_back(us);
      size.instances.push_back(index);
    }
  }

  std::map<SeriesKey, SeriesSamples> take() { return std::move(m_series); }

 private:
  [[nodiscard]] bool beginsEarly(RankIndex rank) const {
    const std::vector<Step>& steps = m_analysis.steps(rank);
    return steps.empty() || steps.front().number < kFirstSteps;
  }

  const Analysis& m_analysis;
  std::vector<std::vector<bool>> m_contended;
  std::map<SeriesKey, SeriesSamples> m_series;
  std::map<std::tuple<std::size_t, CollectiveOperation, std::int64_t>, int> m_before;
};

// Each capture has groups of its own.
bool isInOtherCaptures(const std::vector<JobGroup>& groups, const JobGroup& group) {
  return std::ranges::any_of(groups, [&](const JobGroup& other) {
    return other.label() == group.label() && other.members == group.members && other.capture != group.capture;
  });
}

// Groups of one kind have one name: their first ranks tell them apart.
std::string nameOfGroup(const std::vector<JobGroup>& groups, const JobGroup& group) {
  std::string text = group.label();
  const auto alike = std::ranges::count_if(groups, [&](const JobGroup& other) {
    return other.label() == group.label() && other.members != group.members && other.capture == group.capture;
  });
  if (alike == 0 || group.members.empty()) return text;
  text += " (";
  for (std::size_t i = 0; i < std::min<std::size_t>(group.members.size(), 3); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(group.members[i]);
  }
  return text += group.members.size() > 3 ? ", ...)" : ")";
}

std::string groupText(const std::vector<JobGroup>& groups, const JobGroup& group) {
  const std::string text = nameOfGroup(groups, group);
  return isInOtherCaptures(groups, group) ? text + ", capture " + std::to_string(group.capture) : text;
}

void setAlgorithms(BandwidthSeries& series, const AlgorithmsBySize& algorithms) {
  std::set<std::string_view> all;
  for (BandwidthSize& size : series.sizes) {
    const auto found = algorithms.find({series.operation, size.bytes});
    const bool one = found != algorithms.end() && found->second.size() == 1;
    if (one) size.algorithm = *found->second.begin();
    if (size.samples > 0) all.insert(size.algorithm);
  }
  if (all.size() == 1) series.algorithm = *all.begin();
}

// What NCCL must have used where no log tells. Over two hosts a tree sends half of what a ring sends: more
// bus bandwidth than the NICs have is no ring.
std::string_view formOf(const BandwidthSeries& series) {
  if (!series.algorithm.empty()) return series.algorithm;
  if (series.operation != CollectiveOperation::AllReduce || series.nodes != 2 ||
      series.links.between == nullptr)
    return {};
  double fastest = 0;
  for (const BandwidthSize& size : series.sizes) fastest = std::max(fastest, size.busbwGbS);
  const double wires =
      series.links.between->gbS * static_cast<double>(std::max<std::int64_t>(series.links.ports, 1));
  return fastest > wires ? "TREE" : std::string_view();
}

double weightOf(std::int64_t samples) {
  return samples < static_cast<std::int64_t>(kFewSamples) ? 0.5 : 1;
}

// The same fit of the calls that shared their links with another communication kernel.
CurveFit contendedFit(const BandwidthSeries& series) {
  std::vector<CurvePoint> points;
  for (const BandwidthSize& size : series.sizes)
    if (size.contended > 0)
      points.push_back({static_cast<double>(size.bytes), size.contendedUs, weightOf(size.contended)});
  return fitOf(points, true);
}

void finishSeries(BandwidthSeries& series, bool ofJob) {
  std::vector<CurvePoint> points;
  points.reserve(series.sizes.size());
  for (BandwidthSize& size : series.sizes) {
    if (size.samples == 0) continue;
    size.algbwGbS = static_cast<double>(size.bytes) / (size.medianUs * 1e3);
    size.busbwGbS = size.algbwGbS * busFactor(series.operation, series.ranks).value_or(0);
    const double weight = ofJob ? weightOf(size.samples) : 1;
    points.push_back({static_cast<double>(size.bytes), size.medianUs, weight});
  }
  const std::string_view form = formOf(series);
  for (BandwidthSize& size : series.sizes) {
    if (size.samples == 0) continue;
    const bool between = series.between.value_or(false);
    if (size.bytes < (between ? kJudgedBetween : kJudgedWithin)) continue;
    size.expectedBusbwGbS =
        expectedBusbw(series.links, series.operation, size.algorithm.empty() ? form : size.algorithm,
                      series.ranks, series.nodes);
    if (size.expectedBusbwGbS && *size.expectedBusbwGbS > 0 && size.busbwGbS > 0)
      size.efficiencyPct = 100 * size.busbwGbS / *size.expectedBusbwGbS;
  }
  CurveFit fit = fitOf(points, ofJob);
  series.curve = TransferCurve(std::move(points), std::move(fit));
  series.contendedFit = contendedFit(series);
}

ExpectedLinks linksOf(std::string_view gpu, const NcclRecords& records, const FabricSettings& settings) {
  ExpectedLinks links;
  links.within = fabricOfGpu(gpu);
  if (links.within != nullptr) links.from = gpu;
  for (const NcclProcess& process : records.log.processes) {
    const bool socket = process.network == "Socket";
    const std::vector<NcclDevice>& devices = socket ? process.socketDevices : process.devices;
    if (devices.empty()) continue;
    double rate = 0;
    for (const NcclDevice& device : devices) rate = std::max(rate, device.gbitS);
    const std::string_view network = socket ? std::string_view("Socket") : devices.front().network;
    links.between = fabricOfNetwork(network, rate);
    links.ports = static_cast<std::int64_t>(devices.size());
    if (links.between != nullptr) break;
  }
  for (const FabricChoice& choice : settings.chosen) {
    (choice.fabric->betweenHosts ? links.between : links.within) = choice.fabric;
    if (choice.ports) links.ports = *choice.ports;
    links.from = "chosen";
  }
  return links;
}

BandwidthSeries seriesOf(const NcclTestTable& table, const JobNetwork& network,
                         const FabricSettings& settings) {
  BandwidthSeries series;
  series.group = table.name;
  series.operation = collectiveOperationOf(table.operation);
  series.ranks = table.ranks;
  series.nodes = table.hosts;
  if (table.hosts > 0) series.between = table.hosts > 1;
  series.links = linksOf(table.gpu, *network.records, settings);
  std::map<std::int64_t, std::vector<double>> times;
  std::map<std::int64_t, double> factors;
  for (const NcclTestRow& row : table.rows) {
    if (row.bytes <= 0) continue;
    times[row.bytes].push_back(row.timeUs);
    if (row.algbwGbS > 0) factors[row.bytes] = row.busbwGbS / row.algbwGbS;
  }
  series.sizes.reserve(times.size());
  for (auto& [bytes, of] : times) {
    BandwidthSize size;
    size.bytes = bytes;
    size.samples = static_cast<std::int64_t>(of.size());
    std::ranges::sort(of);
    size.medianUs = median(of);
    size.p10Us = of.front();
    size.p90Us = of.back();
    series.sizes.push_back(std::move(size));
  }
  setAlgorithms(series, algorithmsIn(network, table.path));
  finishSeries(series, false);
  // Where the number of ranks or the operation is not known, the table itself has the ratio.
  if (!busFactor(series.operation, series.ranks)) {
    const double factor = factors.empty() ? 0 : factors.rbegin()->second;
    for (BandwidthSize& size : series.sizes) size.busbwGbS = size.algbwGbS * factor;
  }
  return series;
}

BandwidthSeries seriesOf(const Analysis& analysis, const SeriesKey& key, SeriesSamples& samples) {
  const auto& [groupNumber, operation, between] = key;
  const std::vector<JobGroup>& groups = analysis.collectives().match.groups;
  BandwidthSeries series;
  series.of = GroupIndex(groupNumber);
  series.group = groupText(groups, groups[groupNumber]);
  series.operation = operation;
  series.between = between;
  series.ranks = samples.ranks;
  series.nodes = static_cast<std::int64_t>(samples.hosts.size());
  series.sizes.reserve(samples.sizes.size());
  for (auto& [bytes, of] : samples.sizes) {
    BandwidthSize size;
    size.bytes = bytes;
    size.samples = static_cast<std::int64_t>(of.times.size());
    size.unmatched = of.unmatched;
    size.untimed = of.untimed;
    size.first = of.first;
    size.excluded = of.unmatched + of.untimed + of.first;
    size.contended = static_cast<std::int64_t>(of.contended.size());
    if (!of.contended.empty()) size.contendedUs = median(std::move(of.contended));
    if (!of.times.empty()) {
      std::ranges::sort(of.times);
      size.medianUs = median(of.times);
      size.p10Us = percentile(of.times, 10);
      size.p90Us = percentile(of.times, 90);
    }
    size.instances = std::move(of.instances);
    series.sizes.push_back(std::move(size));
  }
  return series;
}

} // namespace

std::optional<double> expectedBusbw(const ExpectedLinks& links, CollectiveOperation operation,
                                    std::string_view algorithm, std::int64_t ranks, std::int64_t nodes) {
  const std::optional<double> factor = busFactor(operation, ranks);
  if (!factor || ranks < 2 || nodes < 1) return std::nullopt;
  const auto p = static_cast<double>(ranks);
  const bool several = nodes > 1;
  // Time of one byte, of links within a host and between them.
  double within = 0, between = 0;
  const bool nvls = algorithm.starts_with("NVLS") && operation == CollectiveOperation::AllReduce;
  if (ranks > nodes) {
    if (links.within == nullptr) return std::nullopt;
    const double reached =
        nvls && links.within->reachedNvls > 0 ? links.within->reachedNvls : links.within->reached;
    within = *factor / (links.within->gbS * reached);
  }
  if (several) {
    if (links.between == nullptr) return std::nullopt;
    double bytes = *factor; // that a node sends, per byte of S
    if (operation == CollectiveOperation::AllReduce && algorithm == "TREE") bytes = nodes == 2 ? 1 : 2;
    if (operation == CollectiveOperation::AllToAll) {
      const double local = p / static_cast<double>(nodes);
      bytes = local * (p - local) / p;
    }
    const double rate = links.between->gbS * static_cast<double>(std::max<std::int64_t>(links.ports, 1));
    between = bytes / (rate * links.between->reached);
  }
  const double time = std::max(within, between);
  return time > 0 ? std::optional(*factor / time) : std::nullopt;
}

JobBandwidth jobBandwidth(const Analysis& analysis, const JobNetwork& network,
                          const FabricSettings& settings) {
  JobBandwidth bandwidth;
  SampleIntake intake(analysis);
  const CollectiveMatch& match = analysis.collectives().match;
  for (std::size_t i = 0; i < match.instances.size(); ++i) intake.add(InstanceIndex(i));
  std::string gpu;
  for (const RankIndex rank : analysis.ranks())
    if (gpu.empty()) gpu = analysis.trace().rank(rank).gpu;
  auto samples = intake.take();
  for (auto& [key, of] : samples) {
    BandwidthSeries series = seriesOf(analysis, key, of);
    series.links = linksOf(gpu, *network.records, settings);
    setAlgorithms(series, algorithmsOf(network, *series.of));
    finishSeries(series, true);
    bandwidth.series.push_back(std::move(series));
  }
  const bool measured = std::ranges::any_of(
      bandwidth.series, [](const BandwidthSeries& series) { return !series.curve.empty(); });
  if (!measured)
    bandwidth.refused = match.instances.empty() ? "no collectives were recorded"
                                                : "no collective was recorded on all of its ranks";
  for (const NcclTestTable& table : network.records->tables)
    bandwidth.series.push_back(seriesOf(table, network, settings));
  return bandwidth;
}

} // namespace rankscope

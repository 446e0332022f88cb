// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/slow_fabric.h"

#include "core/base/unit_text.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

namespace rankscope {

namespace {

constexpr std::int64_t kMinBytes = 16'000'000;
constexpr std::int64_t kMinSamples = 5;
// Links are reached by large messages only: those below need to be far off, as by another transport.
constexpr double kMaxEfficiencyPct = 60;
constexpr std::int64_t kLargeBytes = 128'000'000;
constexpr double kMaxEfficiencyPctBelow = 33;
constexpr double kGigabyte = 1e9;

std::string timeText(double us) {
  return durationText(rounded(us * 1e3));
}

// Large sizes of a series by efficiency: the one up to which half of the samples reach.
struct Middle {
  std::int64_t samples = 0;
  const BandwidthSize* size = nullptr;
};

Middle middleOf(const BandwidthSeries& series) {
  std::vector<const BandwidthSize*> sizes;
  Middle middle;
  for (const BandwidthSize& size : series.sizes) {
    if (size.bytes < kMinBytes || !size.efficiencyPct || size.samples <= 0) continue;
    sizes.push_back(&size);
    middle.samples += size.samples;
  }
  std::ranges::stable_sort(sizes, std::less<>(), [](const BandwidthSize* of) { return *of->efficiencyPct; });
  std::int64_t before = 0;
  for (const BandwidthSize* const size : sizes) {
    before += size->samples;
    if (2 * before < middle.samples) continue;
    middle.size = size;
    break;
  }
  return middle;
}

} // namespace

std::vector<NetProblem> slowFabrics(const JobBandwidth& bandwidth) {
  std::vector<std::pair<double, NetProblem>> slow;
  for (const BandwidthSeries& series : bandwidth.series) {
    if (!series.of) continue;
    const Middle middle = middleOf(series);
    if (middle.size == nullptr || middle.samples < kMinSamples) continue;
    const double efficiency = *middle.size->efficiencyPct;
    const double limit = middle.size->bytes >= kLargeBytes ? kMaxEfficiencyPct : kMaxEfficiencyPctBelow;
    if (efficiency >= limit) continue;
    const Fabric* const links = series.nodes > 1 ? series.links.between : series.links.within;
    NetProblem problem;
    problem.rule = NetRule::SlowFabric;
    problem.title = fmt::format("Slow link: {}, {} at {:.0f} % of the expected busbw", series.group,
                                operationText(series.operation), efficiency);
    problem.evidence =
        fmt::format("{} reaches {} busbw with {} (median of {} collectives of 16 MB or more, waiting taken "
                    "out); {} gives {}: a call takes {} instead of {}.",
                    operationText(series.operation), rateText(middle.size->busbwGbS * kGigabyte),
                    bytesText(middle.size->bytes), middle.samples,
                    links != nullptr ? links->title : std::string_view("the link"),
                    rateText(*middle.size->expectedBusbwGbS * kGigabyte), timeText(middle.size->medianUs),
                    timeText(middle.size->medianUs * efficiency / 100));
    problem.fix =
        "Record NCCL_DEBUG=INFO and check the transport: NET/Socket instead of IB, SHM instead of P2P, "
        "NCCL_P2P_DISABLE or NCCL_IB_DISABLE set. Run nccl-tests on the same hosts to compare.";
    slow.emplace_back(efficiency, std::move(problem));
  }
  std::ranges::stable_sort(slow, std::less<>(), [](const auto& of) { return of.first; });
  std::vector<NetProblem> problems;
  problems.reserve(slow.size());
  for (auto& [efficiency, problem] : slow) problems.push_back(std::move(problem));
  return problems;
}

} // namespace rankscope

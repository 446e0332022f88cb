// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/flop_points.h"

#include "core/analysis/efficiency/mfu_difference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// Near the ridge neither roof is much lower.
constexpr double kNearRidge = 1.5;

void addCall(const RankTrace& trace, const FlopCall& call, FlopPoint& point) {
  if (!call.ran) {
    ++point.notRun;
    return;
  }
  ++point.calls;
  point.events.push_back(call.longestKernel.valid() ? call.longestKernel : call.op);
  point.kernels += call.kernels;
  point.deviceTime += call.deviceTime;
  if (call.work.known()) {
    point.flops += call.work.flops;
    point.executed += call.work.executed;
    if (call.work.bytes >= 0) {
      if (!point.bytes) point.bytes = ExactSum(0);
      *point.bytes += call.work.bytes;
    }
  }
  const auto duration = [&](EventIndex event) { return trace.events.duration[event]; };
  if (!call.longestKernel.valid()) {
    if (!point.first.valid()) point.first = call.op;
  } else if (!point.longestKernel.valid() || duration(call.longestKernel) > duration(point.longestKernel)) {
    point.longestKernel = call.longestKernel;
    point.first = call.op;
  }
}

// The calls in the window, gathered by keyOf(call).
constexpr auto kNoGroup = [](const FlopCall&) { return std::uint32_t{0}; };

template <class Key, class KeyOf, class Takes, class GroupOf = decltype(kNoGroup)>
std::vector<FlopPoint> gathered(const RankTrace& trace, const RankFlops& flops, const RankPeaks& peaks,
                                const FlopWindow& window, KeyOf&& keyOf, Takes&& takes,
                                const GroupOf& groupOf = kNoGroup) {
  std::map<Key, FlopPoint> points;
  for (const FlopCall& call : flops.calls) {
    if (!window.range.contains(call.time(trace, window.byDevice)) || !takes(call)) continue;
    FlopPoint& point = points[keyOf(call)];
    if (point.calls == 0 && point.notRun == 0) {
      point.operatorName = call.name;
      point.shapes = call.shapes;
      point.group = groupOf(call);
      point.work = call.work;
    }
    addCall(trace, call, point);
  }
  std::vector<FlopPoint> sorted;
  sorted.reserve(points.size());
  for (auto& [key, point] : points) {
    ratePoint(point, peaks);
    sorted.push_back(std::move(point));
  }
  std::ranges::stable_sort(sorted, [](const FlopPoint& a, const FlopPoint& b) {
    return std::pair<std::int64_t, std::int64_t>(a.deviceTime, a.flops) >
           std::pair<std::int64_t, std::int64_t>(b.deviceTime, b.flops);
  });
  return sorted;
}

} // namespace

FlopWindow flopWindow(const Analysis& analysis, RankIndex rank) {
  return {analysis.window(rank).ns(), !analysis.stepWindows(rank).areSteps()};
}

std::string_view flopBoundText(FlopBound bound) {
  static constexpr std::array<std::string_view, 4> kTexts{"", "memory", "both", "compute"};
  return kTexts[static_cast<std::size_t>(bound)];
}

void ratePoint(FlopPoint& point, const RankPeaks& peaks) {
  if (!point.work.known()) return;
  const auto executed = static_cast<double>(point.executed);
  if (point.bytes && static_cast<double>(*point.bytes) > 0)
    point.intensity = executed / static_cast<double>(*point.bytes);
  const auto time = static_cast<double>(point.deviceTime); // ns
  if (time <= 0) return;
  point.tflops = executed / time / 1e3;
  if (point.bytes) point.gigabytes = static_cast<double>(*point.bytes) / time;
  const double peak = peaks.of(point.work.format);
  if (peak <= 0) return;
  point.peakPct = 100 * *point.tflops / peak;
  if (point.intensity && peaks.gigabytes > 0) {
    const double ridge = peak * 1e3 / peaks.gigabytes;
    point.bound = *point.intensity < ridge / kNearRidge   ? FlopBound::Memory
                  : *point.intensity > ridge * kNearRidge ? FlopBound::Compute
                                                          : FlopBound::Both;
  }
  const double roof = roofAt(peaks, point.work.format, point.intensity);
  if (roof <= 0) return;
  point.efficiencyPct = 100 * *point.tflops / roof;
  // What is above the roof loses nothing.
  point.lost = static_cast<TimeNs>(std::llround(std::clamp(time - executed / roof / 1e3, 0.0, 4e18)));
}

std::string whyAboveRoof(const FlopPoint& point, std::string_view kernel) {
  if (std::max(point.peakPct.value_or(0), point.efficiencyPct.value_or(0)) <= 100) return {};
  if (isFastConvolution(kernel)) return "Winograd or FFT: computes less than counted";
  if (point.peakPct.value_or(0) <= 100) return "above the roof of memory: data from caches";
  switch (point.work.kind) {
  case FlopKind::Convolution:
  case FlopKind::ConvolutionBackward:
    // Nominal peaks are of the boost clock: nothing else computes convolutions faster.
    return "above the peak: computes less than counted, as Winograd and FFT do";
  case FlopKind::Attention:
  case FlopKind::AttentionBackward:
    return "above the peak: a mask leaves out more than counted, or another number format";
  default:
    return "above the peak: a sparse format, or another number format than that of the peak";
  }
}

double roofAt(const RankPeaks& peaks, NumberFormat format, std::optional<double> intensity) {
  const double peak = peaks.of(format);
  if (peak <= 0 || !intensity || peaks.gigabytes <= 0) return peak;
  return std::min(peak, *intensity * peaks.gigabytes / 1e3);
}

std::vector<FlopPoint> flopPoints(const RankTrace& trace, const RankFlops& flops, const RankPeaks& peaks,
                                  FlopWindow window) {
  using Key = std::tuple<NameId, std::uint32_t, NumberFormat, bool>;
  return gathered<Key>(
      trace, flops, peaks, window,
      [](const FlopCall& call) { return Key(call.name, call.shapes, call.work.format, call.work.known()); },
      [](const FlopCall&) { return true; });
}

std::vector<FlopPoint> groupedPoints(const RankTrace& trace, const RankFlops& flops, const RankPeaks& peaks,
                                     const FlopWindow& window, const std::vector<std::uint32_t>& groups) {
  using Key = std::tuple<std::uint32_t, NameId, std::uint32_t, NumberFormat>;
  const auto groupOf = [&](const FlopCall& call) {
    return groups[static_cast<std::size_t>(&call - flops.calls.data())];
  };
  return gathered<Key>(
      trace, flops, peaks, window,
      [&](const FlopCall& call) { return Key(groupOf(call), call.name, call.shapes, call.work.format); },
      [](const FlopCall& call) { return call.counts(); }, groupOf);
}

std::vector<FlopPoint> gemmPoints(const RankTrace& trace, const RankFlops& flops, const RankPeaks& peaks,
                                  FlopWindow window) {
  using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, NumberFormat>;
  return gathered<Key>(
      trace, flops, peaks, window,
      [](const FlopCall& call) {
        const FlopWork& work = call.work;
        return Key(work.m, work.n, work.k, work.batch, work.format);
      },
      [](const FlopCall& call) {
        return call.counts() && call.work.kind == FlopKind::Product && call.work.batch > 0;
      });
}

} // namespace rankscope

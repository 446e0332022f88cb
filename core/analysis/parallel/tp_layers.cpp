// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/tp_layers.h"

#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/parallel/dimension_times.h"
#include "core/base/hash.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace rankscope {

namespace {

constexpr std::size_t kLongestPeriod = 64; // collectives of a layer

// When the rank asked for computation: launches of kernels, or operators on the host.
std::vector<TimeNs> workTimes(const RankTrace& trace) {
  std::vector<TimeNs> times;
  for (EventIndex e = trace.deviceBegin; e < trace.deviceEnd; ++e.value) {
    if (trace.events.kind[e] != EventKind::Kernel) continue;
    const EventIndex launch = trace.deviceDetail(e).launch;
    if (launch.valid()) times.push_back(trace.events.begin[launch]);
  }
  if (trace.deviceBegin == trace.deviceEnd) {
    for (const Track& track : trace.tracks) {
      if (track.kind != TrackKind::Thread) continue;
      for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value) {
        if (trace.events.kind[e] == EventKind::CpuOp) times.push_back(trace.events.begin[e]);
      }
    }
  }
  std::ranges::sort(times);
  return times;
}

std::size_t countBetween(const std::vector<TimeNs>& times, TimeNs from, TimeNs to) {
  if (to <= from) return 0;
  const auto first = std::ranges::lower_bound(times, from);
  return static_cast<std::size_t>(std::lower_bound(first, times.end(), to) - first);
}

class LayerFinder {
 public:
  LayerFinder(const Analysis& analysis, RankIndex rank, const std::vector<CallUse>& uses,
              const std::vector<RankDimension>& dimensions)
      : m_analysis(analysis), m_rank(rank), m_trace(*analysis.trace().rank(rank).trace),
        m_calls(analysis.collectiveCalls(rank)), m_uses(uses), m_dimensions(dimensions),
        m_steps(analysis.wholeStepWindows(rank)) {}

  [[nodiscard]] std::vector<TpLayerCall> found() {
    std::map<std::pair<std::size_t, bool>, std::vector<std::size_t>> sequences; // by step and direction
    for (std::size_t i = 0; i < m_calls.size(); ++i) {
      if (m_dimensions[i] != RankDimension::Tensor || m_uses[i].operation == CollectiveOperation::Broadcast)
        continue;
      const std::size_t step = stepOfTime(m_steps, m_calls[i].range.begin.ns());
      if (!isInScope(m_analysis, m_rank, step)) continue;
      sequences[{step, m_uses[i].phase == Phase::Backward}].push_back(i);
    }
    if (sequences.empty()) return {};
    m_work = workTimes(m_trace);
    m_exposed = wholeExposedCommunication(m_analysis, m_rank);
    for (auto& [key, calls] : sequences)
      std::ranges::stable_sort(calls, {}, [&](std::size_t i) { return m_uses[i].issued; });
    for (const auto& [key, calls] : sequences) {
      if (key.second) continue;
      const std::size_t layers = addForward(key.first, calls);
      const auto backward = sequences.find({key.first, true});
      if (backward != sequences.end()) addBackward(key.first, backward->second, layers);
    }
    for (const auto& [key, calls] : sequences) {
      if (key.second && !sequences.contains({key.first, false})) addBackward(key.first, calls, 0);
    }
    std::vector<TpLayerCall> result;
    result.reserve(m_rows.size());
    for (auto& [key, row] : m_rows) result.push_back(finished(row));
    return result;
  }

 private:
  [[nodiscard]] std::vector<std::uint64_t> signatures(const std::vector<std::size_t>& calls) const {
    std::vector<std::uint64_t> result;
    result.reserve(calls.size());
    TimeNs before = calls.empty() ? 0 : m_uses[calls.front()].issued;
    for (const std::size_t i : calls) {
      const std::size_t work = countBetween(m_work, before, m_uses[i].issued);
      before = m_uses[i].issued;
      result.push_back(hashOf(static_cast<std::uint64_t>(m_uses[i].operation),
                              static_cast<std::uint64_t>(m_calls[i].inElements), std::uint64_t{work}));
    }
    return result;
  }

  // What came before the first call is not part of a layer: its signature is that of the call one period
  // later, if it is the same collective.
  [[nodiscard]] LayerPeriod periodOf(const std::vector<std::size_t>& calls) const {
    std::vector<std::uint64_t> all = signatures(calls);
    if (all.size() < 2) return layerPeriodOf(all);
    const std::size_t period = layerPeriodOf(std::span(all).subspan(1)).length;
    if (period > 0 && period < all.size() && m_uses[calls[0]].operation == m_uses[calls[period]].operation &&
        m_calls[calls[0]].inElements == m_calls[calls[period]].inElements)
      all[0] = all[period];
    return layerPeriodOf(all);
  }

  std::size_t addForward(std::size_t step, const std::vector<std::size_t>& calls) {
    const LayerPeriod period = periodOf(calls);
    for (std::size_t k = 0; k < calls.size(); ++k) {
      std::optional<std::int64_t> layer;
      if (period.length > 0 && k >= period.begin && k < period.end)
        layer = static_cast<std::int64_t>((k - period.begin) / period.length);
      add(step, false, layer, calls[k], k == 0 ? calls[k] : calls[k - 1]);
    }
    return period.count();
  }

  void addBackward(std::size_t step, const std::vector<std::size_t>& calls, std::size_t layers) {
    const LayerPeriod period = periodOf(calls);
    const std::size_t count = std::max(layers, period.count());
    for (std::size_t k = 0; k < calls.size(); ++k) {
      std::optional<std::int64_t> layer;
      if (period.length > 0 && k >= period.begin && k < period.end) {
        const std::size_t back = (k - period.begin) / period.length;
        if (back < count) layer = static_cast<std::int64_t>(count - 1 - back);
      }
      add(step, true, layer, calls[k], k == 0 ? calls[k] : calls[k - 1]);
    }
  }

  void add(std::size_t step, bool backward, std::optional<std::int64_t> layer, std::size_t i,
           std::size_t before) {
    const CollectiveCall& call = m_calls[i];
    const CollectiveOperation operation = m_uses[i].operation;
    TpLayerCall& row = m_rows[{step, backward, layer.value_or(INT64_MAX), operation}];
    row.step = step;
    row.backward = backward;
    row.layer = layer;
    row.operation = operation;
    ++row.calls;
    const CollectiveMatch& match = m_analysis.collectives().match;
    const InstanceIndex instance = match.instanceOfCall[m_rank.value][i];
    const std::int64_t size = instance.valid() ? match.group(match.instance(instance)).size : -1;
    if (const auto bytes = bytesOfCall(call, size, m_analysis.trace().names()))
      row.bytes =
          row.bytes.value_or(0) + std::min<std::int64_t>(*bytes, INT64_MAX / 2 - row.bytes.value_or(0));
    row.duration = movedTime(row.duration, call.range.length());
    row.exposed = movedTime(row.exposed, m_exposed.coveredWithin(call.range.ns()));
    if (const auto parts = callParts(m_analysis, m_rank, i))
      row.wait = movedTime(row.wait.value_or(0), parts->wait);
    if (const auto factor = busFactor(operation, size)) m_factor[operation] = *factor;
    if (before != i && m_trace.hasDeviceEvents())
      row.computeBefore = movedTime(row.computeBefore,
                                    m_analysis.wholeActivity(m_rank).compute.coveredWithin(
                                        {m_calls[before].range.end.ns(),
                                         std::max(m_calls[before].range.end.ns(), call.range.begin.ns())}));
  }

  [[nodiscard]] TpLayerCall finished(TpLayerCall row) const {
    const auto factor = m_factor.find(row.operation);
    if (row.bytes && row.duration > 0 && factor != m_factor.end())
      row.busGigabytes = static_cast<double>(*row.bytes) * factor->second / static_cast<double>(row.duration);
    return row;
  }

  const Analysis& m_analysis;
  RankIndex m_rank;
  const RankTrace& m_trace;
  const std::vector<CollectiveCall>& m_calls;
  const std::vector<CallUse>& m_uses;
  const std::vector<RankDimension>& m_dimensions;
  const StepWindows& m_steps;
  std::vector<TimeNs> m_work;
  IntervalSet m_exposed;
  std::map<std::tuple<std::size_t, bool, std::int64_t, CollectiveOperation>, TpLayerCall> m_rows;
  std::map<CollectiveOperation, double> m_factor;
};

} // namespace

LayerPeriod layerPeriodOf(std::span<const std::uint64_t> signatures) {
  const std::size_t n = signatures.size();
  if (n == 0) return {};
  if (n == 1) return {0, 1, 1};
  for (std::size_t p = 1; p <= std::min(n / 2, kLongestPeriod); ++p) {
    std::size_t same = 0;
    for (std::size_t i = 0; i + p < n; ++i) same += signatures[i] == signatures[i + p] ? 1 : 0;
    if (5 * same < 4 * (n - p)) continue;
    // What does not repeat at the end is no layer.
    std::size_t end = n;
    while (end > p && signatures[end - 1] != signatures[end - 1 - p]) --end;
    std::size_t begin = 0;
    while (begin + p < end && signatures[begin] != signatures[begin + p]) ++begin;
    return {begin, p, begin + (end - begin) / p * p};
  }
  return {};
}

template <class Archive, Described<TpLayerCall> T> void describe(Archive& archive, T& of) {
  auto& [step, layer, backward, operation, calls, bytes, duration, exposed, wait, computeBefore,
         busGigabytes] = of;
  archive(step, layer, backward, operation, calls, bytes, duration, exposed, wait, computeBefore,
          busGigabytes);
}

std::vector<TpLayerCall> tpLayers(const Analysis& analysis, RankIndex rank, const std::vector<CallUse>& uses,
                                  const std::vector<RankDimension>& dimensions) {
  return rankAnswer<std::vector<TpLayerCall>>(
      analysis.trace(), rank, "layers of tensor parallelism",
      [&] { return LayerFinder(analysis, rank, uses, dimensions).found(); },
      [&](const std::vector<TpLayerCall>& found) {
        const std::size_t steps = analysis.wholeStepWindows(rank).steps.size();
        return std::ranges::all_of(found, [&](const TpLayerCall& of) { return of.step < steps; });
      });
}

} // namespace rankscope

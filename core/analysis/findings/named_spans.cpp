// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/named_spans.h"

#include "core/analysis/classify/name_traits.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// From an operator on the host to the copy of what it made.
constexpr TimeNs kJustBefore = 100'000;

bool has(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

template <std::size_t kCount>
bool isOneOf(std::string_view name, const std::array<std::string_view, kCount>& list) {
  return std::ranges::find(list, name) != list.end();
}

bool isRandom(std::string_view name) {
  static constexpr std::array<std::string_view, 11> kNames{
      "aten::randperm", "aten::bernoulli_",  "aten::bernoulli",   "aten::normal_",
      "aten::random_",  "aten::uniform_",    "aten::randn",       "aten::rand",
      "aten::randint",  "aten::multinomial", "aten::exponential_"};
  return isOneOf(name, kNames);
}

bool isConstant(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kNames{
      "aten::fill_",  "aten::zero_", "aten::zeros", "aten::ones",     "aten::full",
      "aten::arange", "aten::eye",   "aten::triu",  "aten::linspace", "aten::lift_fresh"};
  return isOneOf(name, kNames);
}

bool isMadeOnHost(std::uint8_t call) {
  return call == static_cast<std::uint8_t>(NamedCall::HostRandom) ||
         call == static_cast<std::uint8_t>(NamedCall::HostConstant);
}

// Whether a call of the runtime launched something from within.
bool launches(const RankTrace& trace, const std::vector<TimeNs>& launches, EventIndex event) {
  const TimeRange range = trace.events.range(event);
  const auto first = std::ranges::lower_bound(launches, range.begin);
  return first != launches.end() && *first < range.end;
}

std::vector<TimeNs> launchTimes(const RankTrace& trace) {
  std::vector<TimeNs> times;
  times.reserve(trace.byLaunch.size());
  for (const EventIndex device : trace.byLaunch)
    times.push_back(trace.events.begin[trace.deviceDetail(device).launch]);
  std::ranges::sort(times);
  return times;
}

} // namespace

NamedCall namedCallOf(std::string_view name) {
  if (has(name, "zero_grad")) return NamedCall::ZeroGrad;
  if (has(name, "clip_grad") || has(name, "grad_scaler.py") || has(name, "GradScaler"))
    return NamedCall::ClipGradients;
  if (has(name, "_amp_foreach_non_finite_check_and_unscale_") || has(name, "_foreach_norm") ||
      name == "aten::_amp_update_scale_")
    return NamedCall::CheckFinite;
  if (name == "c10d::barrier" || name == "nccl:barrier" || name == "gloo:barrier" ||
      name.ends_with("): barrier"))
    return NamedCall::Barrier;
  if (has(name, "FullyShardedDataParallel._pre_") || has(name, "FSDP::pre_") || has(name, "_pre_unshard"))
    return NamedCall::FsdpForward;
  if (has(name, "empty_cache")) return NamedCall::EmptyCache;
  if (has(name, "pin_memory")) return NamedCall::PinMemory;
  if (has(name, "SyncBatchNorm") || has(name, "batch_norm_gather_stats")) return NamedCall::SyncBatchNorm;
  if (isRandom(name)) return NamedCall::HostRandom;
  if (isConstant(name)) return NamedCall::HostConstant;
  return NamedCall::Other;
}

NamedSpans::NamedSpans(const RankTrace& trace, const StringTable& names) {
  std::vector<std::uint8_t> callOf(names.size());
  bool any = false;
  for (std::size_t i = 0; i < names.size(); ++i) {
    callOf[i] = static_cast<std::uint8_t>(namedCallOf(names[NameId(i)]));
    any |= callOf[i] < kNamedCallCount;
  }
  if (!any) return;
  const std::vector<TimeNs> launched = launchTimes(trace);
  std::array<std::vector<TimeRange>, kNamedCallCount> found;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Thread && track.kind != TrackKind::Python &&
        track.kind != TrackKind::Annotations)
      continue;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      const NameId name = trace.events.name[event];
      const std::uint8_t call = name.valid() ? callOf[name.value] : kNamedCallCount;
      if (call >= kNamedCallCount || (isMadeOnHost(call) && launches(trace, launched, event))) continue;
      found[call].push_back(trace.events.range(event));
    }
  }
  for (std::size_t call = 0; call < kNamedCallCount; ++call)
    m_spans[call] = IntervalSet(std::move(found[call]));
}

bool NamedSpans::endsJustBefore(NamedCall call, TimeNs t) const {
  const std::span<const TimeRange> ranges = of(call).ranges();
  const auto after = std::ranges::upper_bound(ranges, t, {}, &TimeRange::begin);
  if (after == ranges.begin()) return false;
  const TimeRange& last = *(after - 1);
  return last.end <= t && t - last.end <= kJustBefore;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/kernels/contention.h"

#include "core/analysis/kernels/kernel_kind.h"
#include "core/base/statistics.h"

#include <algorithm>
#include <unordered_map>

namespace rankscope {

namespace {

constexpr std::size_t kMinCalls = 3;

struct Calls {
  std::vector<EventIndex> beside;
  std::vector<TimeNs> alone;
};

} // namespace

std::optional<double> Contention::factor() const {
  if (free <= 0) return std::nullopt;
  return static_cast<double>(beside) / static_cast<double>(free);
}

Contention contention(const RankTrace& trace, const IntervalSet& communication) {
  Contention found;
  if (communication.empty()) return found;
  std::unordered_map<KernelKind, Calls> kinds;
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    if (trace.events.kind[event] != EventKind::Kernel) continue;
    const KernelKind kind = kernelKind(trace, event);
    if (!kind.known()) continue;
    const TimeRange range = trace.events.range(event);
    if (range.empty()) continue;
    const TimeNs covered = communication.coveredWithin(range);
    if (covered == 0)
      kinds[kind].alone.push_back(range.length());
    else if (covered >= range.length() - range.length() / 5)
      kinds[kind].beside.push_back(event);
  }
  for (auto& [kind, calls] : kinds) {
    if (calls.beside.size() < kMinCalls || calls.alone.size() < kMinCalls) continue;
    const auto free = static_cast<TimeNs>(median(std::move(calls.alone)));
    for (const EventIndex event : calls.beside) {
      found.kernels.push_back({event, free});
      found.beside += trace.events.duration[event];
      found.free += free;
    }
  }
  std::ranges::sort(found.kernels, {}, &ContendedKernel::kernel);
  return found;
}

} // namespace rankscope

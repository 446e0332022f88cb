// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/host_compute.h"

#include "core/analysis/classify/host_work.h"

#include <algorithm>
#include <tuple>

namespace rankscope {

namespace {

std::uint8_t mayCompute(std::string_view name) {
  const bool works = operatorPhaseOf(name) != Phase::DataLoader && !isWrapper(name);
  return works && hostWorkOf(name) != HostWork::HostCommunication ? 1 : 0;
}

std::uint8_t isOfAutograd(std::string_view name) {
  return operatorPhaseOf(name) == Phase::Backward ? 1 : 0;
}

bool isOnHost(const Track& track) {
  return track.kind == TrackKind::Annotations || track.kind == TrackKind::Thread;
}

// The parts of nested calls of one thread in which each is the innermost.
void addInnermost(std::vector<OwnedTime> calls, std::vector<OwnedTime>& parts) {
  std::ranges::sort(calls, [](const OwnedTime& a, const OwnedTime& b) {
    return std::tuple(a.range.begin, -a.range.length(), a.event) <
           std::tuple(b.range.begin, -b.range.length(), b.event);
  });
  std::vector<OwnedTime> open;
  TimeNs at = 0; // what comes before has its owner
  const auto ownUntil = [&](TimeNs end) {
    if (end > at) parts.push_back({{at, end}, open.back().event});
    at = std::max(at, end);
  };
  const auto closeUntil = [&](TimeNs time) {
    while (!open.empty() && open.back().range.end <= time) {
      ownUntil(open.back().range.end);
      open.pop_back();
    }
  };
  for (const OwnedTime& call : calls) {
    closeUntil(call.range.begin);
    if (open.empty())
      at = std::max(at, call.range.begin);
    else
      ownUntil(call.range.begin);
    open.push_back(call);
  }
  closeUntil(kAllTime.end);
}

} // namespace

HostCompute::HostCompute(const RankTrace& trace, const StringTable& names)
    : m_trace(trace), m_computes(names, &mayCompute) {
  if (trace.hasDeviceEvents()) return;
  NameMemory<std::uint8_t (*)(std::string_view)> ofAutograd(names, &isOfAutograd);
  for (const Track& track : trace.tracks) {
    if (!isOnHost(track)) continue;
    bool trains = track.mainThread;
    for (EventIndex e = track.firstEvent; e < track.endEvent && !trains; ++e.value)
      trains = trace.events.kind[e] == EventKind::CpuOp && ofAutograd[trace.events.name[e]] != 0;
    if (trains) m_threads.emplace(track.process, track.thread);
  }
}

bool HostCompute::isOn(const Track& track) const {
  return isOnHost(track) &&
         m_threads.contains(std::pair<std::string_view, std::string_view>(track.process, track.thread));
}

bool HostCompute::contains(EventIndex event) {
  return m_trace.events.kind[event] == EventKind::CpuOp && m_computes[m_trace.events.name[event]] != 0;
}

std::vector<OwnedTime> ownedHostTimes(const RankTrace& trace, const StringTable& names) {
  HostCompute compute(trace, names);
  std::vector<OwnedTime> parts;
  std::vector<OwnedTime> calls;
  std::pair<std::string_view, std::string_view> thread;
  for (const Track& track : trace.tracks) {
    if (!compute.isOn(track)) continue;
    if (const std::pair<std::string_view, std::string_view> own(track.process, track.thread); own != thread) {
      addInnermost(std::move(calls), parts);
      calls = {};
      thread = own;
    }
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      if (compute.contains(event)) calls.push_back({trace.events.range(event), event});
    }
  }
  addInnermost(std::move(calls), parts);
  return ownedTimesOf(std::move(parts));
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/calls_of_steps.h"

namespace rankscope {

CallsOfSteps::CallsOfSteps(const Analysis& analysis, RankIndex rank, const RankFlops& flops)
    : m_analysis(analysis), m_rank(rank), m_flops(flops) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  m_byTime.reserve(flops.calls.size());
  for (std::size_t i = 0; i < flops.calls.size(); ++i) {
    if (flops.calls[i].counts()) m_byTime.emplace_back(trace.events.begin[flops.calls[i].op], i);
  }
  std::ranges::sort(m_byTime);
}

std::optional<TimeRange> CallsOfSteps::hostOf(std::size_t step) const {
  const StepWindows& windows = m_analysis.stepWindows(m_rank);
  if (windows.areSteps() && step < windows.steps.size()) return windows.steps[step].host;
  // All of the window.
  const bool byKernels = m_flops.hasKernels && m_analysis.window(m_rank) != kWholeRecording;
  if (byKernels) return std::nullopt;
  return m_analysis.window(m_rank).ns();
}

std::map<std::size_t, double> CallsOfSteps::byKernels(TimeRange range) const {
  const RankTrace& trace = *m_analysis.trace().rank(m_rank).trace;
  std::map<std::size_t, TimeNs> within;
  for (std::size_t i = 0; i < m_flops.callOf.size(); ++i) {
    const std::int32_t call = m_flops.callOf[i];
    if (call < 0 || !m_flops.calls[static_cast<std::size_t>(call)].counts()) continue;
    const TimeRange kernel = trace.events.range(EventIndex(trace.deviceBegin.value + i));
    if (kernel.overlaps(range)) within[static_cast<std::size_t>(call)] += kernel.clippedTo(range).length();
  }
  std::map<std::size_t, double> shares;
  for (const auto& [call, time] : within)
    shares[call] =
        std::min(1.0, static_cast<double>(time) / static_cast<double>(m_flops.calls[call].deviceTime));
  return shares;
}

} // namespace rankscope

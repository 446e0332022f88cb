// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/activity/idle_gap.h"

#include <array>

namespace rankscope {

std::string_view gapCauseText(GapCause cause) {
  static constexpr std::array<std::string_view, kGapCauseCount> kTexts{
      "dataloader", "synchronization", "memory_allocation", "python",         "host_operators",
      "untraced",   "dependency",      "collective_wait",   "launch_latency", "not_recorded"};
  return kTexts[static_cast<std::size_t>(cause)];
}

std::string_view gapCauseSentence(GapCause cause) {
  static constexpr std::array<std::string_view, kGapCauseCount> kTexts{
      "The host was waiting for the next batch.",
      "The host had waited for the device, so nothing was queued behind it.",
      "The host was allocating or freeing device memory.",
      "The host was in Python code between operators.",
      "The host was still in operators before it could launch.",
      "The host was between operators; what it did was not recorded.",
      "It was launched in time and waited for work of another stream.",
      "It was launched in time and waited for a collective, and so for the latest rank.",
      "It was launched in time; so short a gap is what a launch costs.",
      "Cause not recorded."};
  return kTexts[static_cast<std::size_t>(cause)];
}

} // namespace rankscope

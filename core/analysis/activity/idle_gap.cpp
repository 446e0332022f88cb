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
      "The host was waiting for the next batch of the DataLoader.",
      "The host was waiting for the device, so no further work was queued.",
      "The host was allocating or freeing device memory.",
      "The host was in Python code between operators.",
      "The host was in operators and had not launched the next work yet.",
      "The host was between operators; its activity was not recorded.",
      "The next GPU work was launched in time, but waited for work of another stream.",
      "The next GPU work was launched in time, but waited for a collective, that is, for the last rank.",
      "The next GPU work was launched in time. A gap this short is launch overhead.",
      "Cause not recorded."};
  return kTexts[static_cast<std::size_t>(cause)];
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Where the time of each step went. Each instant of a step counts to the first category that holds it, in the
// order of StepCategory, so the categories sum to the step exactly. Beside them, not part of the sum: unions
// of device activity within the step's range, and of the host's phases within its host part, which may end
// before the device is done. O(events of the host unions) once, then O(log n) a step.
#pragma once

#include "core/analysis/activity/device_activity.h"
#include "core/analysis/activity/host_activity.h"
#include "core/analysis/steps/phases.h"
#include "core/analysis/steps/step_windows.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

enum class StepCategory : std::uint8_t {
  Kernel, // computation on the device
  Memcpy,
  Memset,
  Communication, // collectives on the device, and their spans on the host
  Runtime,
  DataLoader,
  CpuExec, // operators and annotations of the host
  Other,   // what is left: Python, and what was not recorded
};

inline constexpr std::size_t kStepCategoryCount = static_cast<std::size_t>(StepCategory::Other) + 1;

// "Kernel", "Memcpy", ..., "CPU exec", "Other".
[[nodiscard]] std::string_view stepCategoryText(StepCategory category);

struct StepBreakdown {
  std::array<TimeNs, kStepCategoryCount> categories{}; // by StepCategory
  // Of a rank without device events: its operators and its host collectives.
  TimeNs compute = 0;
  TimeNs communication = 0;
  TimeNs overlap = 0;
  TimeNs exposedCommunication = 0;
  std::optional<TimeNs> idle; // of the devices; empty for a rank without device events
  TimeNs dataLoader = 0;
  TimeNs forward = 0;
  TimeNs loss = 0;
  TimeNs backward = 0;
  TimeNs optimizer = 0;

  [[nodiscard]] TimeNs of(StepCategory category) const {
    return categories[static_cast<std::size_t>(category)];
  }
};

// One a step. activity, host and phases are those of the whole recording: a step may reach beyond a window.
[[nodiscard]] std::vector<StepBreakdown> stepBreakdown(const RankTrace& trace, const StepWindows& steps,
                                                       const DeviceActivity& activity,
                                                       const HostActivity& host, const HostPhases& phases);

} // namespace rankscope

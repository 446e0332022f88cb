// SPDX-License-Identifier: GPL-3.0-or-later
// Step time breakdown. Each instant of a step belongs to the first StepCategory that covers it, so categories
// add up to the step exactly. In addition, not part of the sum: unions of device activity in the step's
// range, and of host phases in its host part, which may end before the device is done. O(host events) once,
// then O(log n) per step.
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
  Communication, // collectives on the device, and collective annotations on the host
  Runtime,
  DataLoader,
  CpuExec, // operators and annotations of the host
  Other,   // the rest: Python, and time without recorded events
};

inline constexpr std::size_t kStepCategoryCount = static_cast<std::size_t>(StepCategory::Other) + 1;

// "Kernel", "Memcpy", ..., "CPU exec", "Other".
[[nodiscard]] std::string_view stepCategoryText(StepCategory category);

struct StepBreakdown {
  std::array<TimeNs, kStepCategoryCount> categories{}; // by StepCategory
  // For a rank without device events: from its operators and host collectives.
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

// One per step. activity, host and phases: of the whole recording, because steps may extend beyond a window.
[[nodiscard]] std::vector<StepBreakdown> stepBreakdown(const RankTrace& trace, const StepWindows& steps,
                                                       const DeviceActivity& activity,
                                                       const HostActivity& host, const HostPhases& phases);

} // namespace rankscope

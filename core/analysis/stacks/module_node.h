// SPDX-License-Identifier: GPL-3.0-or-later
// A module of a model by its path, with what it cost, and all modules of a rank. Plain data.
#pragma once

#include "core/base/exact_sum.h"
#include "core/base/strong_index.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

// What of a module's costs the calls of the window have; sums with "total" have those of its submodules.
struct ModuleNode {
  static constexpr std::uint32_t kNone = 0xffffffffu;

  std::uint32_t parent = kNone; // before this node
  NameId name;                  // "nn.Module: Linear_3"
  std::uint32_t depth = 0;
  std::optional<std::int64_t> layer; // of the repeating module that it is or lies in, from 0
  bool isLayer = false;              // it is that module
  EventIndex firstCall;
  std::int64_t calls = 0;           // without those that count to the path of their forward calls
  std::int64_t recomputedCalls = 0; // inside the backward pass
  ExactSum hostTotal;
  ExactSum hostSelf; // without the calls of submodules
  ExactSum deviceTotal, deviceSelf;
  std::int64_t deviceEvents = 0; // total
  std::int64_t deviceEventsSelf = 0;
  ExactSum backward;                  // total
  std::int64_t backwardFunctions = 0; // total
  ExactSum recompute;                 // total
  ExactSum exposed;                   // total: exposed communication that it launched
  ExactSum idle;                      // total: idle time while the host was in it
  ExactSum sizeIncrease;              // total, bytes
};

struct ModuleTree {
  std::vector<ModuleNode> nodes; // by first call; parents first
  // Device time of the window that belongs to no module.
  ExactSum noModule;
  std::int64_t noModuleEvents = 0;
  ExactSum noModuleExposed, noModuleIdle, noModuleSize;
  std::int64_t joinedFunctions = 0; // of the backward pass
  std::int64_t looseFunctions = 0;  // without a forward operator
  bool launchedEarly = false;       // device work of the window was launched before the recording began

  // "Bert_0/Linear_3".
  [[nodiscard]] std::string pathOf(std::uint32_t node, const StringTable& names) const;
};

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// What a block of a memory snapshot is used for, by its stack: which part of PyTorch any of its frames
// belongs to. And the first frame of the user's own code, by which blocks are named. Computed once per
// stack of a snapshot. Pure.
#pragma once

#include "core/model/stack_pool.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// By the stack alone, in the order of precedence.
enum class StackClass : std::uint8_t {
  NoFrames,
  Optimizer,
  FsdpBuffer,
  Backward,
  ParameterMoved, // Module.to(), .cuda()
  Forward,
  ParameterMade, // __init__ of a module of torch
  Other,
};

inline constexpr std::uint32_t kNoFrame = UINT32_MAX;

struct StackRoles {
  std::vector<StackClass> classes;        // by stack
  std::vector<std::uint32_t> ownFrame;    // by stack: frame of the user's own code; kNoFrame
  std::vector<std::uint32_t> nativeFrame; // by stack: last frame of at::native or c10d; kNoFrame
};

[[nodiscard]] StackRoles stackRoles(const StackPool& stacks);

// The name of a block: its own frame, else its native one, else "(before recording)" or
// "(native or backward)".
[[nodiscard]] std::string blockName(const StackPool& stacks, const StackRoles& roles, std::uint32_t stack,
                                    bool recorded);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/memory/stack_role.h"

#include "core/analysis/classify/own_code.h"

#include <algorithm>
#include <array>

namespace rankscope {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

StackClass classOf(std::string_view path, std::string_view function) {
  std::string file(path);
  std::ranges::replace(file, '\\', '/');
  const std::string_view name = file;
  if (contains(name, "/torch/optim/")) return StackClass::Optimizer;
  static constexpr std::array<std::string_view, 4> kFsdp{"_fsdp_collectives.py", "_fsdp_param.py",
                                                         "_fsdp_param_group.py", "_flat_param.py"};
  if (std::ranges::any_of(kFsdp, [&](std::string_view end) { return name.ends_with(end); }))
    return StackClass::FsdpBuffer;
  const bool backward = contains(function, "autograd::Engine") ||
                        (name.ends_with("/torch/autograd/graph.py") && function == "_engine_run_backward") ||
                        (name.ends_with("/torch/_tensor.py") && function == "backward");
  if (backward) return StackClass::Backward;
  if (name.ends_with("/torch/nn/modules/module.py")) {
    if (function == "_apply" || function == "convert") return StackClass::ParameterMoved;
    if (function == "_call_impl" || function == "_wrapped_call_impl") return StackClass::Forward;
  }
  if (function == "__init__" && contains(name, "/torch/nn/")) return StackClass::ParameterMade;
  return StackClass::Other;
}

bool isNative(std::string_view function) {
  return function.starts_with("c10d::") || function.starts_with("at::native::");
}

} // namespace

StackRoles stackRoles(const StackPool& stacks) {
  std::vector<StackClass> frames(stacks.frameCount());
  std::vector<char> own(stacks.frameCount());
  for (std::uint32_t i = 0; i < stacks.frameCount(); ++i) {
    const StackFrame& frame = stacks.frame(i);
    const std::string_view file = stacks.text(frame.file);
    frames[i] = classOf(file, stacks.text(frame.function));
    own[i] = isOwnPath(file) ? 1 : 0;
  }
  StackRoles roles;
  roles.classes.reserve(stacks.stackCount());
  roles.ownFrame.reserve(stacks.stackCount());
  roles.nativeFrame.reserve(stacks.stackCount());
  for (std::uint32_t s = 0; s < stacks.stackCount(); ++s) {
    const auto stack = stacks.stack(s);
    StackClass first = stack.empty() ? StackClass::NoFrames : StackClass::Other;
    std::uint32_t ownFrame = kNoFrame;
    std::uint32_t native = kNoFrame;
    for (const std::uint32_t frame : stack) {
      first = std::min(first, frames[frame]);
      if (ownFrame == kNoFrame && own[frame] != 0) ownFrame = frame;
      if (isNative(stacks.text(stacks.frame(frame).function))) native = frame;
    }
    roles.classes.push_back(first);
    roles.ownFrame.push_back(ownFrame);
    roles.nativeFrame.push_back(native);
  }
  return roles;
}

std::string blockName(const StackPool& stacks, const StackRoles& roles, std::uint32_t stack, bool recorded) {
  if (roles.ownFrame[stack] != kNoFrame) return stacks.frameText(roles.ownFrame[stack]);
  if (roles.nativeFrame[stack] != kNoFrame)
    return std::string(stacks.text(stacks.frame(roles.nativeFrame[stack]).function));
  return recorded ? "(native or backward)" : "(before recording)";
}

} // namespace rankscope

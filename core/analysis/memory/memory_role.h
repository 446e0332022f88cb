// SPDX-License-Identifier: GPL-3.0-or-later
// What memory is used for, and how sure that is. The names are those of PyTorch's categories where there is
// one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace rankscope {

enum class MemoryRole : std::uint8_t {
  Parameter,
  Gradient,
  OptimizerState,
  Activation,
  AutogradDetail, // of the backward pass, freed in it
  Input,
  Temporary,
  FsdpBuffer,       // unsharded parameters and reduce buffers
  BackwardOrNative, // no Python frames: the backward pass or C++ code
  BeforeRecording,
  Other,
  Unknown,
};
inline constexpr std::size_t kMemoryRoleCount = 12;

// "optimizer_state", as in tables.
[[nodiscard]] constexpr std::string_view memoryRoleId(MemoryRole role) {
  constexpr std::array<std::string_view, kMemoryRoleCount> kIds{
      "parameter", "gradient",    "optimizer_state",    "activation",       "autograd_detail", "input",
      "temporary", "fsdp_buffer", "backward_or_native", "before_recording", "other",           "unknown"};
  return kIds[static_cast<std::size_t>(role)];
}
// "optimizer state", as in sentences.
[[nodiscard]] constexpr std::string_view memoryRoleText(MemoryRole role) {
  constexpr std::array<std::string_view, kMemoryRoleCount> kTexts{
      "parameters",  "gradients",    "optimizer state",    "activations",      "autograd detail", "inputs",
      "temporaries", "FSDP buffers", "backward or native", "before recording", "other",           "unknown"};
  return kTexts[static_cast<std::size_t>(role)];
}

enum class RoleConfidence : std::uint8_t { Certain, High, Medium, Low };

[[nodiscard]] constexpr std::string_view confidenceId(RoleConfidence confidence) {
  constexpr std::array<std::string_view, 4> kIds{"certain", "high", "medium", "low"};
  return kIds[static_cast<std::size_t>(confidence)];
}

} // namespace rankscope

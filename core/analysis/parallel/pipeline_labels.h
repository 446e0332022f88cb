// SPDX-License-Identifier: GPL-3.0-or-later
// Actions of a pipeline in the names of annotations: "PP:2B1" of the runtime of torch.distributed.pipelining,
// "PP:(0F3;0B1)OVERLAP_F_B" of its overlapped schedules, "Forward 3" of its single-stage schedules; and parts
// of DualPipe's chunks, "attn(F)", "mlp(W)" within "1F1B". Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

enum class ActionKind : std::uint8_t {
  Forward,
  Backward,       // of inputs and weights
  InputGradient,  // of the inputs only
  WeightGradient, // of the weights only
  SendForward,
  RecvForward,
  SendBackward,
  RecvBackward,
  Unshard,
  Reshard,
  ReduceGradient,
};
[[nodiscard]] constexpr bool isValid(ActionKind value) {
  return value <= ActionKind::ReduceGradient;
}

// "F", "B", "I", "W", "SEND_F", ...
[[nodiscard]] std::string_view actionKindText(ActionKind kind);
[[nodiscard]] constexpr bool isComputeAction(ActionKind kind) {
  return kind <= ActionKind::WeightGradient;
}

struct ActionLabel {
  static constexpr std::int64_t kUnknown = -1;

  ActionKind kind = ActionKind::Forward;
  std::int64_t stage = kUnknown;      // not in the labels of single-stage schedules
  std::int64_t microbatch = kUnknown; // not of UNSHARD, RESHARD, REDUCE_GRAD

  bool operator==(const ActionLabel&) const = default;
};

// A forward and a backward chunk that DualPipe computes at the same time.
inline constexpr std::string_view kOverlappedChunks = "1F1B";
// What a part of a chunk computes: "attn(F)", "dispatch(F)", "mlp(B)", "mlp(W)"; empty for other names.
[[nodiscard]] std::optional<ActionKind> chunkPartOfLabel(std::string_view name);

// Two for an overlapped pair, none for other names.
[[nodiscard]] std::vector<ActionLabel> actionsOfLabel(std::string_view name);

} // namespace rankscope

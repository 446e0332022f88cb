// SPDX-License-Identifier: GPL-3.0-or-later
// What serving engines write about an iteration into the name of its annotation or NVTX range: vLLM, SGLang,
// ATOM, TensorRT-LLM, diffusion servers, Megatron. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope {

enum class IterationPhase : std::uint8_t { Unknown, Prefill, Decode, Mixed };
[[nodiscard]] constexpr bool isValid(IterationPhase value) {
  return value <= IterationPhase::Mixed;
}

// "prefill", "decode", "mixed", "unknown".
[[nodiscard]] std::string_view iterationPhaseText(IterationPhase phase);

// Of the requests of one phase; -1 not written.
struct PhaseCounts {
  std::int64_t requests = -1;
  std::int64_t tokens = -1;  // Σ of the new tokens q
  std::int64_t context = -1; // Σ of keys and values, those of the new tokens included
  std::int64_t squares = -1; // Σ q²
  std::int64_t pairs = -1;   // Σ q·KV

  bool operator==(const PhaseCounts&) const = default;
};

struct IterationLabel {
  IterationPhase phase = IterationPhase::Unknown;
  std::int64_t tokens = -1;
  PhaseCounts prefill;
  PhaseCounts decode;
  std::int64_t padded = -1; // requests that a graph was captured for, where more than there are

  // -1 not written.
  [[nodiscard]] std::int64_t requests() const;
  [[nodiscard]] std::int64_t context() const;

  bool operator==(const IterationLabel&) const = default;
};

// Nothing for a name that is no iteration's: also of the capture of a graph.
[[nodiscard]] std::optional<IterationLabel> iterationLabel(std::string_view annotation);

// Of a range that only names its phase: "prefill", "generate/decode 12". Such words also mean other things,
// so a recording should have several of them, and device work in them.
[[nodiscard]] std::optional<IterationLabel> phaseLabel(std::string_view annotation);

} // namespace rankscope

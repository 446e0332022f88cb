// SPDX-License-Identifier: GPL-3.0-or-later
// Names as Nsight Systems and NVTX record them, converted to the names that PyTorch's profiler writes, so
// that every rule on names holds for both. Pure functions.
#pragma once

#include "core/model/event_kind.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

// A CUDA call without the version of its interface: cudaLaunchKernel_v7000 and cudaLaunchKernel_ptsz_v7000
// give cudaLaunchKernel.
[[nodiscard]] std::string_view callName(std::string_view recorded);

// Whether what a call returned is an error. That an event has not happened yet is none.
[[nodiscard]] constexpr bool isCudaFailure(std::int64_t returned) {
  constexpr std::int64_t kNotReady = 600;
  return returned != 0 && returned != kNotReady;
}
// "cudaErrorMemoryAllocation (2)"; of the driver's calls "CUDA_ERROR_OUT_OF_MEMORY (2)"; else "error 1234".
[[nodiscard]] std::string cudaErrorText(std::int64_t code, bool driver);

// "Memcpy HtoD (Pinned -> Device)" from CUPTI's numbers; negative if not recorded.
[[nodiscard]] std::string copyName(std::int64_t copyKind, std::int64_t fromKind, std::int64_t toKind);
// "Memset (Device)".
[[nodiscard]] std::string setName(std::int64_t memoryKind);
// Whether a copy was made by the driver for unified memory, so that no call launched it.
[[nodiscard]] constexpr bool isUnifiedCopy(std::int64_t copyKind) {
  return copyKind >= 11 && copyKind <= 13;
}

// The text of a range of emit_nvtx: "aten::linear, seq = 5, op_id = 17, sizes = [[2, 3]]". Views into it.
struct OperatorText {
  std::string_view name;
  std::optional<std::int64_t> sequence;
  std::optional<std::int64_t> id;
  std::string_view sizes;  // "[[2, 3]]"; empty if not recorded
  std::string_view inputs; // input_op_ids
  bool isOperator = false; // has one of the parts above
};
[[nodiscard]] OperatorText operatorText(std::string_view text);

// The name of a range whose text is a Python or JSON dict, as PyProf and DLProf push them: the last function
// of its stack or the module and operation. Empty for other texts.
[[nodiscard]] std::string dictName(std::string_view text);

// What such a range is. DLProf and PyProf push one for each call: none is a step or phase, whatever its name.
[[nodiscard]] EventKind dictKind(std::string_view name);

// What an NVTX range of the default domain is.
[[nodiscard]] EventKind rangeKind(const OperatorText& range);

// Domains of libraries, whose ranges get a lane of their own; those of the program stay with its ranges.
[[nodiscard]] bool isLibraryDomain(std::string_view domain);

// Longer names are cut: the longest of kernels have some 10,000 characters.
inline constexpr std::size_t kLongestName = std::size_t{1} << 16;

// Text for display: up to the first NUL, with invalid UTF-8 replaced.
[[nodiscard]] std::string displayText(std::string_view bytes);

} // namespace rankscope

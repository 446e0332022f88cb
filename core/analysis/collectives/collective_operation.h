// SPDX-License-Identifier: GPL-3.0-or-later
// Operation of a collective, from any available name: the recorded "Collective name", a backend's annotation
// ("nccl:_all_gather_base"), or the kernel name of NCCL (old and new), RCCL, DeepEP or custom all-reduces.
// Pure functions on short texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope {

enum class CollectiveOperation : std::uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Broadcast,
  Reduce,
  Gather,
  Scatter,
  Send,
  Recv,
  SendRecv, // a kernel for send, receive or both; which one is not recorded
  Barrier,
  Unknown,
};
[[nodiscard]] constexpr bool isValid(CollectiveOperation value) {
  return value <= CollectiveOperation::Unknown;
}

// From any of these names.
[[nodiscard]] CollectiveOperation collectiveOperationOf(std::string_view name);
// Word of the tables: "AllReduce", "AllGather", ...
[[nodiscard]] std::string_view operationText(CollectiveOperation operation);

[[nodiscard]] constexpr bool isPointToPoint(CollectiveOperation operation) {
  return operation == CollectiveOperation::Send || operation == CollectiveOperation::Recv;
}
// Whether no rank can end it before all have begun, so that it can be used to compare clocks.
[[nodiscard]] constexpr bool isBlockingForAll(CollectiveOperation operation) {
  return operation == CollectiveOperation::AllReduce || operation == CollectiveOperation::AllGather ||
         operation == CollectiveOperation::ReduceScatter || operation == CollectiveOperation::Barrier;
}

// Bytes per element of a dtype as written by the profiler ("Float", "c10::Half", "Float8_e4m3fn"); empty if
// unknown.
[[nodiscard]] std::optional<std::int64_t> bytesOfDtype(std::string_view dtype);

// Message size S for bandwidths (nccl-tests, PERFORMANCE.md): out elements for AllGather, in elements for
// others, empty for a barrier. Elements are -1 if not recorded; then they are derived from the other value by
// the group's size (0: unknown).
[[nodiscard]] std::optional<std::int64_t> messageBytes(CollectiveOperation operation, std::int64_t inElements,
                                                       std::int64_t outElements, std::int64_t groupSize,
                                                       std::string_view dtype);

// Factor from algorithm to bus bandwidth for a group of n ranks (nccl-tests, PERFORMANCE.md); empty for a
// barrier and for unknown operations.
[[nodiscard]] std::optional<double> busFactor(CollectiveOperation operation, std::int64_t groupSize);

} // namespace rankscope

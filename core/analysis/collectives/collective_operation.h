// SPDX-License-Identifier: GPL-3.0-or-later
// What a collective does, derived from whichever name is available: the recorded "Collective name", a back
// end's annotation ("nccl:_all_gather_base") or the kernel itself, old and new NCCL, RCCL, DeepEP and custom
// all-reduces. Pure functions of short texts.
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
  SendRecv, // a kernel of either or both; which is not recorded
  Barrier,
  Unknown,
};

// From any of the names above.
[[nodiscard]] CollectiveOperation collectiveOperationOf(std::string_view name);
// "AllReduce", "AllGather", ...: the word of the tables.
[[nodiscard]] std::string_view operationText(CollectiveOperation operation);

[[nodiscard]] constexpr bool isPointToPoint(CollectiveOperation operation) {
  return operation == CollectiveOperation::Send || operation == CollectiveOperation::Recv;
}
// Whether no rank can end it before all have begun, so that clocks can be compared by it.
[[nodiscard]] constexpr bool isBlockingForAll(CollectiveOperation operation) {
  return operation == CollectiveOperation::AllReduce || operation == CollectiveOperation::AllGather ||
         operation == CollectiveOperation::ReduceScatter || operation == CollectiveOperation::Barrier;
}

// Bytes of one element by dtype as the profiler writes it ("Float", "c10::Half", "Float8_e4m3fn"); nothing
// when it is not known.
[[nodiscard]] std::optional<std::int64_t> bytesOfDtype(std::string_view dtype);

// The size S of a message that bandwidths are computed from (nccl-tests, PERFORMANCE.md): out elements for
// AllGather, in elements for all others, none for a barrier. Elements are -1 when not recorded; one is
// derived from the other by the group's size (0: not known) where only the other is recorded.
[[nodiscard]] std::optional<std::int64_t> messageBytes(CollectiveOperation operation, std::int64_t inElements,
                                                       std::int64_t outElements, std::int64_t groupSize,
                                                       std::string_view dtype);

// What S/t is multiplied with to be the speed of the wires, for a group of n ranks (nccl-tests,
// PERFORMANCE.md); nothing for a barrier and what is not known.
[[nodiscard]] std::optional<double> busFactor(CollectiveOperation operation, std::int64_t groupSize);

} // namespace rankscope

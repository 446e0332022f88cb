// SPDX-License-Identifier: GPL-3.0-or-later
// What NCCL passes to NVTX of a collective, as nsys exports it: functions, communicators, payloads.
#pragma once

#include "tests/support/trace_facts.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::test {

// Numbers of NCCL's schemas, and of their fields' types.
inline constexpr std::uint64_t kFirstSchema = 1 << 24;
inline constexpr int kUint64 = 18, kInt = 5, kSize = 22;

struct NcclFunction {
  std::string_view name;
  std::uint64_t schema = 0;
  bool hasPeer = false;
};

// Of parts of different sizes: a group of sends and receives.
inline constexpr std::string_view kExchange = "ncclGroupEnd";

// Empty for other collectives.
[[nodiscard]] NcclFunction functionOf(std::string_view collective);
// Of an element.
[[nodiscard]] std::int64_t bytesOf(std::string_view dtype);
[[nodiscard]] std::vector<std::int64_t> ranksOf(const std::string& list);
// Equal on all ranks of a group.
[[nodiscard]] std::uint64_t communicatorOf(const ReadEvent& event);

// A blob as nsys exports it, in SQL: header, then the fields of a schema in its order.
class NcclPayloadBlob {
 public:
  explicit NcclPayloadBlob(std::uint64_t schema) : m_schema(schema) {}
  NcclPayloadBlob& add(std::uint64_t value, int bytes);
  [[nodiscard]] std::string sql() const;

 private:
  std::uint64_t m_schema;
  std::string m_body;
};

} // namespace rankscope::test

// SPDX-License-Identifier: GPL-3.0-or-later
// Payloads that NCCL attaches to its NVTX ranges: communicator, message size, ranks. Fields are found by
// their names in the schemas of the export, because the numbers of schemas moved between versions of NCCL.
// Immutable after reading, for any thread.
#pragma once

#include "core/io/nsys/nsys_database.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope {

struct NcclPayload {
  std::optional<std::uint64_t> communicator; // equal on all ranks
  std::optional<std::int64_t> bytes;         // as passed to the call
  std::optional<std::int64_t> ranks;         // of the communicator, when it is initialized
  std::optional<std::int64_t> rank;
  std::optional<std::int64_t> peer;
};

class PayloadSchemas {
 public:
  struct Field {
    std::string name;
    std::int64_t type = 0;
    std::int64_t offset = 0;
  };

  PayloadSchemas() = default;
  explicit PayloadSchemas(const SqliteFile& file);

  void add(std::int64_t domain, std::uint64_t schema, std::int64_t index, const Field& field);
  // recorded: the blob as in the file, or its hex digits. Empty if it has no known field.
  [[nodiscard]] std::optional<NcclPayload> decode(std::int64_t domain, std::string_view recorded) const;

 private:
  std::map<std::pair<std::int64_t, std::uint64_t>, std::map<std::int64_t, Field>> m_schemas;
};

// Elements of one byte that go in and out of an operation of this many ranks, from NCCL's message size: the
// buffer that is passed to the call. Ranks of 0: not known.
struct NcclVolume {
  std::string_view operation; // PyTorch's word; empty for other functions
  std::int64_t in = -1;
  std::int64_t out = -1;
};
[[nodiscard]] NcclVolume ncclVolume(std::string_view function, std::int64_t bytes, std::int64_t ranks);

// The type of the elements that a kernel reduces, as PyTorch names it. Kernels that only move data serve
// every type: empty. Signed and unsigned integers have the same kernels; they count as signed, except for
// bytes.
struct NcclType {
  std::string_view dtype; // "BFloat16"; empty: the name does not say
  std::int64_t bytes = 1;
};
[[nodiscard]] NcclType ncclTypeOf(std::string_view kernel);

} // namespace rankscope

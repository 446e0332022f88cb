// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_payload.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <limits>

namespace rankscope {

namespace {

constexpr std::size_t kHeader = 32;
constexpr std::size_t kMostSchemas = 10'000;

std::optional<std::uint64_t> littleEndian(std::string_view bytes, std::size_t at, std::size_t size) {
  if (at > bytes.size() || size > bytes.size() - at) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The bytes of a text of hex digits; empty for other texts.
std::string bytesOfHex(std::string_view text) {
  if (text.size() % 2 != 0 || !std::ranges::all_of(text, [](char c) { return hexDigit(c) >= 0; })) return {};
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes += static_cast<char>(hexDigit(text[i]) * 16 + hexDigit(text[i + 1]));
  return bytes;
}

struct Width {
  std::size_t bytes = 0;
  bool isSigned = false;
};

// NVTX's numbers of entry types; enumerations and nested schemas are none of these.
Width widthOf(std::int64_t type) {
  switch (type) {
  case 1:
  case 11:
    return {1, true};
  case 12:
    return {1, false};
  case 3:
  case 13:
    return {2, true};
  case 14:
    return {2, false};
  case 5:
  case 15:
    return {4, true};
  case 6:
  case 16:
    return {4, false};
  case 7:
  case 9:
  case 17:
    return {8, true};
  case 8:
  case 10:
  case 18:
  case 22:
  case 23:
    return {8, false};
  default:
    return {};
  }
}

std::optional<std::uint64_t> valueOf(const PayloadSchemas::Field& field, std::string_view payload) {
  const Width width = widthOf(field.type);
  if (width.bytes == 0 || field.offset < 0) return std::nullopt;
  auto value = littleEndian(payload, static_cast<std::size_t>(field.offset), width.bytes);
  const unsigned bits = static_cast<unsigned>(width.bytes) * 8;
  if (value && width.isSigned && bits < 64 && (*value >> (bits - 1)) != 0)
    *value |= ~std::uint64_t{0} << bits;
  return value;
}

std::optional<std::int64_t> whole(std::optional<std::uint64_t> value) {
  if (!value || *value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::int64_t times(std::int64_t bytes, std::int64_t ranks) {
  std::int64_t all = 0;
  return ranks <= 0 || __builtin_mul_overflow(bytes, ranks, &all) ? -1 : all;
}

} // namespace

PayloadSchemas::PayloadSchemas(const SqliteFile& file) {
  const SqliteTable* const table = file.table("NVTX_PAYLOAD_SCHEMA_ENTRIES");
  if (table == nullptr) return;
  static constexpr std::array<std::string_view, 6> kColumns{"domainId", "schemaId", "idx",
                                                            "type",     "name",     "offset"};
  SqliteRows rows(file, *table, kColumns);
  if (!rows.readable()) return;
  // Rows repeat once per process.
  SqliteScan scan(rows);
  while (m_schemas.size() < kMostSchemas && scan.next())
    add(rows.integer(0), static_cast<std::uint64_t>(rows.integer(1)), rows.integer(2),
        {std::string(rows.bytes(4)), rows.integer(3), rows.integer(5)});
}

void PayloadSchemas::add(std::int64_t domain, std::uint64_t schema, std::int64_t index, const Field& field) {
  m_schemas[{domain, schema}].try_emplace(index, field);
}

std::optional<NcclPayload> PayloadSchemas::decode(std::int64_t domain, std::string_view recorded) const {
  std::string decoded;
  if (recorded.size() >= 2 * kHeader &&
      std::ranges::all_of(recorded, [](char c) { return hexDigit(c) >= 0; })) {
    decoded = bytesOfHex(recorded);
    recorded = decoded;
  }
  // Domain, schema, size of the payload, and where it begins - or the size of all, by another writer.
  const auto schema = littleEndian(recorded, 8, 8);
  const auto size = littleEndian(recorded, 16, 8);
  const auto offset = littleEndian(recorded, 24, 8);
  if (!schema || !size || !offset || recorded.size() < kHeader) return std::nullopt;
  const bool isOffset =
      *offset >= kHeader && *offset <= recorded.size() && *size <= recorded.size() - *offset;
  const std::string_view payload = recorded.substr(isOffset ? static_cast<std::size_t>(*offset) : kHeader,
                                                   static_cast<std::size_t>(*size));
  const auto fields = m_schemas.find({domain, *schema});
  if (fields == m_schemas.end()) return std::nullopt;
  NcclPayload found;
  bool any = false;
  for (const auto& [index, field] : fields->second) {
    const auto value = valueOf(field, payload);
    if (!value) continue;
    any = true;
    if (field.name == "NCCL communicator ID")
      found.communicator = value;
    else if (field.name == "Message size [bytes]" || field.name == "Bytes")
      found.bytes = whole(value);
    else if (field.name == "No. of ranks")
      found.ranks = whole(value);
    else if (field.name == "Rank")
      found.rank = whole(value);
    else if (field.name == "Peer rank")
      found.peer = whole(value);
  }
  return any ? std::optional(found) : std::nullopt;
}

NcclVolume ncclVolume(std::string_view function, std::int64_t bytes, std::int64_t ranks) {
  if (function.starts_with("nccl")) function.remove_prefix(4);
  if (function.starts_with("AllReduce")) return {"allreduce", bytes, bytes};
  if (function.starts_with("AllGather")) return {"allgather", bytes, times(bytes, ranks)};
  if (function.starts_with("ReduceScatter")) return {"reduce_scatter", times(bytes, ranks), bytes};
  if (function.starts_with("Broadcast") || function.starts_with("Bcast")) return {"broadcast", bytes, bytes};
  if (function.starts_with("Reduce")) return {"reduce", bytes, bytes};
  if (function.starts_with("AlltoAll") || function.starts_with("AllToAll"))
    return {"all_to_all", times(bytes, ranks), times(bytes, ranks)};
  if (function.starts_with("Gather")) return {"gather", bytes, times(bytes, ranks)};
  if (function.starts_with("Scatter")) return {"scatter", times(bytes, ranks), bytes};
  // PyTorch writes both sizes of both.
  if (function == "Send") return {"send", bytes, bytes};
  if (function == "Recv") return {"recv", bytes, bytes};
  return {};
}

NcclType ncclTypeOf(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find('('));
  if (!kernel.starts_with("nccl") || kernel.find("Reduce") == std::string_view::npos) return {};
  struct Known {
    std::string_view word;
    NcclType type;
  };
  // Of names since 2.19 and before; longer words come first.
  static constexpr std::array kKnown{Known{"f8e4m3", {"Float8_e4m3fn", 1}},
                                     Known{"f8e5m2", {"Float8_e5m2", 1}},
                                     Known{"bfloat16", {"BFloat16", 2}},
                                     Known{"bf16", {"BFloat16", 2}},
                                     Known{"f16", {"Half", 2}},
                                     Known{"half", {"Half", 2}},
                                     Known{"f32", {"Float", 4}},
                                     Known{"float", {"Float", 4}},
                                     Known{"f64", {"Double", 8}},
                                     Known{"double", {"Double", 8}},
                                     Known{"uint8", {"Byte", 1}},
                                     Known{"int8", {"Char", 1}},
                                     Known{"uint32", {"Int", 4}},
                                     Known{"int32", {"Int", 4}},
                                     Known{"uint64", {"Long", 8}},
                                     Known{"int64", {"Long", 8}},
                                     Known{"u8", {"Byte", 1}},
                                     Known{"i8", {"Char", 1}},
                                     Known{"u32", {"Int", 4}},
                                     Known{"i32", {"Int", 4}},
                                     Known{"u64", {"Long", 8}},
                                     Known{"i64", {"Long", 8}}};
  for (const std::string_view reduction :
       {"_Sum_", "_sum_", "_Prod_", "_prod_", "_Min_", "_min_", "_Max_", "_max_", "_MinMax_", "_minmax_",
        "_PreMulSum_", "_premulsum_", "_SumPostDiv_", "_sumpostdiv_"}) {
    const std::size_t at = kernel.find(reduction);
    if (at == std::string_view::npos) continue;
    std::string_view type = kernel.substr(at + reduction.size());
    for (const std::string_view start : {"__nv_", "rccl_", "hip_"}) {
      if (type.starts_with(start)) type.remove_prefix(start.size());
    }
    const auto known =
        std::ranges::find_if(kKnown, [&](const Known& of) { return type.starts_with(of.word); });
    return known == kKnown.end() ? NcclType() : known->type;
  }
  return {};
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/nccl_calls.h"

#include <array>
#include <string>

namespace rankscope {

namespace {

struct NcclType {
  std::string_view name;
  std::int64_t bytes;
};

constexpr std::array<NcclType, 12> kTypes{{{"int8", 1},
                                           {"uint8", 1},
                                           {"int32", 4},
                                           {"uint32", 4},
                                           {"int64", 8},
                                           {"uint64", 8},
                                           {"half", 2},
                                           {"float", 4},
                                           {"double", 8},
                                           {"bfloat16", 2},
                                           {"float8e4m3", 1},
                                           {"float8e5m2", 1}}};

bool ofEachRank(std::string_view operation) {
  return operation == "AllGather" || operation == "ReduceScatter";
}

std::int64_t ranksOf(const NcclLog& log, std::uint32_t instance) {
  return instance < log.instances.size() ? log.instances[instance].ranks : -1;
}

// Names differ between the choice, "COLLNET_DIRECT", and the table, "CollNetDirect".
std::string plainName(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (const char c : text) {
    if (c == '_' || c == ' ') continue;
    plain.push_back(c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c);
  }
  return plain;
}

} // namespace

std::optional<std::int64_t> bytesOfNcclCall(const NcclLog& log, const NcclCall& call) {
  if (call.dtype >= kTypes.size() || call.operation >= log.operations.size()) return std::nullopt;
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(call.count, kTypes[call.dtype].bytes, &bytes)) return std::nullopt;
  if (!ofEachRank(log.operations[call.operation])) return bytes;
  const std::int64_t ranks = ranksOf(log, call.instance);
  if (ranks < 1 || __builtin_mul_overflow(bytes, ranks, &bytes)) return std::nullopt;
  return bytes;
}

std::string_view ncclTypeText(std::uint8_t dtype) {
  return dtype < kTypes.size() ? kTypes[dtype].name : std::string_view();
}

std::string_view ncclReductionText(std::uint8_t reduction) {
  constexpr std::array<std::string_view, 5> kNames{"sum", "prod", "max", "min", "avg"};
  return reduction < kNames.size() ? kNames[reduction] : "user";
}

std::int64_t bytesOfNcclChoice(const NcclLog& log, const NcclChoice& choice) {
  const std::int64_t ranks = ofEachRank(choice.operation) ? ranksOf(log, choice.instance) : 1;
  std::int64_t bytes = choice.bytes;
  if (ranks < 1 || __builtin_mul_overflow(bytes, ranks, &bytes)) return choice.bytes;
  return bytes;
}

std::optional<double> predictedOfNcclChoice(const NcclLog& log, const NcclChoice& choice) {
  if (choice.predictedUs) return choice.predictedUs;
  const std::string algorithm = plainName(choice.algorithm);
  const std::string protocol = plainName(choice.protocol);
  for (const NcclTuning& cell : log.tuning) {
    if (cell.process != choice.process || cell.operation != choice.operation || !(cell.gbS > 0) ||
        plainName(cell.algorithm) != algorithm || plainName(cell.protocol) != protocol)
      continue;
    return cell.latencyUs + static_cast<double>(bytesOfNcclChoice(log, choice)) / (cell.gbS * 1e3);
  }
  return std::nullopt;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/collective_operation.h"

#include <array>
#include <cctype>
#include <string>

namespace rankscope {

namespace {

// Larger sizes are damage, and their sums would overflow.
constexpr std::int64_t kMaxMessageBytes = std::int64_t{1} << 50;

struct Word {
  std::string_view text; // lower case, no separators
  CollectiveOperation operation;
};

using enum CollectiveOperation;

// The first word contained in the folded name decides; longer words precede those that they contain.
constexpr std::array kWords{
    Word{"sendrecv", SendRecv},
    Word{"allreduce", AllReduce},
    Word{"crossdevicereduce", AllReduce},
    Word{"reducescatter", ReduceScatter},
    Word{"allgather", AllGather},
    Word{"alltoall", AllToAll},
    Word{"all2all", AllToAll},
    Word{"a2a", AllToAll},
    Word{"dispatch", AllToAll},
    Word{"combine", AllToAll},
    Word{"notify", AllToAll},
    Word{"fcollect", AllGather}, // all-gather of NVSHMEM
    Word{"rdxn", AllReduce},     // all-reduce of NVSHMEM
    Word{"cleanlowlatency", Barrier},
    Word{"broadcast", Broadcast},
    Word{"barrier", Barrier},
    Word{"irecv", Recv},
    Word{"isend", Send},
    Word{"recv", Recv},
    Word{"send", Send},
    Word{"scatter", Scatter},
    Word{"gather", Gather},
    Word{"reduce", Reduce},
};

// Lower case without '_', so that all_reduce, AllReduce and ALLREDUCE are equal. Excludes a kernel's
// arguments; the parentheses of an anonymous namespace do not begin arguments.
std::string folded(std::string_view name) {
  constexpr std::string_view anonymous = "(anonymous namespace)";
  std::string text;
  text.reserve(name.size());
  for (std::size_t at = 0; at < name.size(); ++at) {
    const char c = name[at];
    if (c == '(') {
      if (!name.substr(at).starts_with(anonymous)) break;
      at += anonymous.size() - 1;
      continue;
    }
    if (c != '_') text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

} // namespace

CollectiveOperation collectiveOperationOf(std::string_view name) {
  const std::string text = folded(name);
  for (const Word& word : kWords) {
    if (text.find(word.text) != std::string::npos) return word.operation;
  }
  return Unknown;
}

std::string_view operationText(CollectiveOperation operation) {
  switch (operation) {
  case AllReduce:
    return "AllReduce";
  case AllGather:
    return "AllGather";
  case ReduceScatter:
    return "ReduceScatter";
  case AllToAll:
    return "AllToAll";
  case Broadcast:
    return "Broadcast";
  case Reduce:
    return "Reduce";
  case Gather:
    return "Gather";
  case Scatter:
    return "Scatter";
  case Send:
    return "Send";
  case Recv:
    return "Recv";
  case SendRecv:
    return "SendRecv";
  case Barrier:
    return "Barrier";
  case Unknown:
    return "Unknown";
  }
  return "Unknown";
}

std::optional<std::int64_t> bytesOfDtype(std::string_view dtype) {
  struct Size {
    std::string_view name; // folded
    std::int64_t bytes;
  };
  static constexpr std::array kSizes{
      Size{"byte", 1},       Size{"char", 1},    Size{"bool", 1},         Size{"unsignedchar", 1},
      Size{"signedchar", 1}, Size{"uint8", 1},   Size{"int8", 1},         Size{"half", 2},
      Size{"bfloat16", 2},   Size{"short", 2},   Size{"shortint", 2},     Size{"uint16", 2},
      Size{"int16", 2},      Size{"float16", 2}, Size{"float", 4},        Size{"float32", 4},
      Size{"int", 4},        Size{"int32", 4},   Size{"uint32", 4},       Size{"complexhalf", 4},
      Size{"double", 8},     Size{"float64", 8}, Size{"long", 8},         Size{"longint", 8},
      Size{"int64", 8},      Size{"uint64", 8},  Size{"complexfloat", 8}, Size{"complexdouble", 16}};
  std::string text;
  for (const char c : dtype) {
    if (c != '_' && c != ' ') text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  std::string_view name = text;
  if (name.starts_with("c10::")) name.remove_prefix(5);
  if (name.starts_with("float8") || name.starts_with("float4")) return 1;
  if (name == "complex<float>") name = "complexfloat";
  if (name == "complex<double>") name = "complexdouble";
  for (const Size& size : kSizes) {
    if (size.name == name) return size.bytes;
  }
  return std::nullopt;
}

std::optional<std::int64_t> messageBytes(CollectiveOperation operation, std::int64_t inElements,
                                         std::int64_t outElements, std::int64_t groupSize,
                                         std::string_view dtype) {
  if (operation == Barrier) return std::nullopt;
  std::int64_t elements = inElements;
  if (operation == AllGather) {
    elements = outElements;
    if (elements < 0 && inElements >= 0 && groupSize > 0 &&
        __builtin_mul_overflow(inElements, groupSize, &elements))
      return std::nullopt;
  } else if (elements < 0 && operation == ReduceScatter && outElements >= 0 && groupSize > 0) {
    if (__builtin_mul_overflow(outElements, groupSize, &elements)) return std::nullopt;
  } else if (elements < 0 && operation != ReduceScatter) {
    elements = outElements;
  }
  const auto size = bytesOfDtype(dtype);
  std::int64_t bytes = 0;
  if (elements < 0 || !size || __builtin_mul_overflow(elements, *size, &bytes) || bytes > kMaxMessageBytes)
    return std::nullopt;
  return bytes;
}

std::optional<double> busFactor(CollectiveOperation operation, std::int64_t groupSize) {
  const auto n = static_cast<double>(groupSize);
  switch (operation) {
  case AllReduce:
    return groupSize > 0 ? std::optional(2 * (n - 1) / n) : std::nullopt;
  case ReduceScatter:
  case AllGather:
  case AllToAll:
  case Gather:
  case Scatter:
    return groupSize > 0 ? std::optional((n - 1) / n) : std::nullopt;
  case Broadcast:
  case Reduce:
  case Send:
  case Recv:
  case SendRecv:
    return 1.0;
  case Barrier:
  case Unknown:
    return std::nullopt;
  }
  return std::nullopt;
}

} // namespace rankscope

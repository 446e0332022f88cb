// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_text.h"

#include "core/base/utf8.h"
#include "core/model/step_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>

namespace rankscope {

namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

template <std::size_t Count>
std::string_view wordOf(const std::array<std::string_view, Count>& words, std::int64_t index) {
  return index >= 0 && index < static_cast<std::int64_t>(Count) ? words[static_cast<std::size_t>(index)]
                                                                : std::string_view();
}

std::string_view memoryWord(std::int64_t kind) {
  static constexpr std::array<std::string_view, 8> kWords{
      "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown"};
  const std::string_view word = wordOf(kWords, kind);
  return word.empty() ? "Unknown" : word;
}

struct Part {
  std::string_view marker;
  std::string_view OperatorText::*text;
  std::optional<std::int64_t> OperatorText::*number;
};

constexpr std::array kParts{
    Part{", seq = ", nullptr, &OperatorText::sequence},
    Part{", op_id = ", nullptr, &OperatorText::id},
    Part{", sizes = ", &OperatorText::sizes, nullptr},
    Part{", input_op_ids = ", &OperatorText::inputs, nullptr},
};

// Where the text has one of the markers next; npos if none.
std::size_t nextMarker(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find(", ", from); at != std::string_view::npos; at = text.find(", ", at + 2)) {
    const std::string_view rest = text.substr(at);
    // Sizes are full of commas before digits and brackets.
    if (rest.size() < 3 || (rest[2] != 's' && rest[2] != 'o' && rest[2] != 'i')) continue;
    if (std::ranges::any_of(kParts, [&](const Part& part) { return rest.starts_with(part.marker); }))
      return at;
  }
  return std::string_view::npos;
}

std::optional<std::int64_t> numberAt(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

// The value of a key in a dict of Python or JSON, without its quotes.
std::string_view dictValue(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at == 0 || (text[at - 1] != '\'' && text[at - 1] != '"')) continue;
    const char quote = text[at - 1];
    std::size_t value = at + key.size();
    if (value >= text.size() || text[value] != quote) continue;
    for (++value; value < text.size() && (text[value] == ':' || text[value] == ' ');) ++value;
    if (value >= text.size() || (text[value] != '\'' && text[value] != '"')) continue;
    const std::size_t end = text.find(text[value], value + 1);
    if (end == std::string_view::npos) continue;
    return text.substr(value + 1, end - value - 1);
  }
  return {};
}

bool startsWithAny(std::string_view text, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts, [&](std::string_view start) { return text.starts_with(start); });
}

} // namespace

std::string_view callName(std::string_view recorded) {
  const std::size_t at = recorded.rfind("_v");
  if (at != std::string_view::npos && at + 2 < recorded.size() &&
      std::ranges::all_of(recorded.substr(at + 2), isDigit))
    recorded = recorded.substr(0, at);
  for (const std::string_view ending : {"_ptsz", "_ptds"}) {
    if (recorded.ends_with(ending)) recorded.remove_suffix(ending.size());
  }
  return recorded;
}

std::string cudaErrorText(std::int64_t code, bool driver) {
  struct Known {
    std::int64_t code;
    std::string_view runtime; // without cudaError
    std::string_view driver;  // without CUDA_ERROR_
  };
  static constexpr std::array kKnown{
      Known{1, "InvalidValue", "INVALID_VALUE"},
      Known{2, "MemoryAllocation", "OUT_OF_MEMORY"},
      Known{3, "InitializationError", "NOT_INITIALIZED"},
      Known{4, "CudartUnloading", "DEINITIALIZED"},
      Known{9, "InvalidConfiguration", ""},
      Known{35, "InsufficientDriver", ""},
      Known{46, "DevicesUnavailable", "DEVICE_UNAVAILABLE"},
      Known{98, "InvalidDeviceFunction", ""},
      Known{100, "NoDevice", "NO_DEVICE"},
      Known{101, "InvalidDevice", "INVALID_DEVICE"},
      Known{200, "InvalidKernelImage", "INVALID_IMAGE"},
      Known{201, "DeviceUninitialized", "INVALID_CONTEXT"},
      Known{209, "NoKernelImageForDevice", "NO_BINARY_FOR_GPU"},
      Known{214, "ECCUncorrectable", "ECC_UNCORRECTABLE"},
      Known{217, "PeerAccessUnsupported", "PEER_ACCESS_UNSUPPORTED"},
      Known{220, "NvlinkUncorrectable", "NVLINK_UNCORRECTABLE"},
      Known{400, "InvalidResourceHandle", "INVALID_HANDLE"},
      Known{500, "SymbolNotFound", "NOT_FOUND"},
      Known{700, "IllegalAddress", "ILLEGAL_ADDRESS"},
      Known{701, "LaunchOutOfResources", "LAUNCH_OUT_OF_RESOURCES"},
      Known{702, "LaunchTimeout", "LAUNCH_TIMEOUT"},
      Known{704, "PeerAccessAlreadyEnabled", "PEER_ACCESS_ALREADY_ENABLED"},
      Known{705, "PeerAccessNotEnabled", "PEER_ACCESS_NOT_ENABLED"},
      Known{709, "ContextIsDestroyed", "CONTEXT_IS_DESTROYED"},
      Known{710, "Assert", "ASSERT"},
      Known{712, "HostMemoryAlreadyRegistered", "HOST_MEMORY_ALREADY_REGISTERED"},
      Known{715, "IllegalInstruction", "ILLEGAL_INSTRUCTION"},
      Known{716, "MisalignedAddress", "MISALIGNED_ADDRESS"},
      Known{719, "LaunchFailure", "LAUNCH_FAILED"},
      Known{800, "NotPermitted", "NOT_PERMITTED"},
      Known{801, "NotSupported", "NOT_SUPPORTED"},
      Known{802, "SystemNotReady", "SYSTEM_NOT_READY"},
      Known{900, "StreamCaptureUnsupported", "STREAM_CAPTURE_UNSUPPORTED"},
      Known{901, "StreamCaptureInvalidated", "STREAM_CAPTURE_INVALIDATED"},
      Known{999, "Unknown", "UNKNOWN"},
  };
  const auto known = std::ranges::find(kKnown, code, &Known::code);
  const std::string_view name = known == kKnown.end() ? std::string_view()
                                : driver              ? known->driver
                                                      : known->runtime;
  if (name.empty()) return "error " + std::to_string(code);
  std::string text(driver ? "CUDA_ERROR_" : "cudaError");
  return text.append(name).append(" (").append(std::to_string(code)).append(")");
}

std::string copyName(std::int64_t copyKind, std::int64_t fromKind, std::int64_t toKind) {
  static constexpr std::array<std::string_view, 14> kKinds{"",
                                                           "HtoD",
                                                           "DtoH",
                                                           "HtoA",
                                                           "AtoH",
                                                           "AtoA",
                                                           "AtoD",
                                                           "DtoA",
                                                           "DtoD",
                                                           "HtoH",
                                                           "PtoP",
                                                           "HtoD (unified memory",
                                                           "DtoH (unified memory",
                                                           "DtoD (unified memory"};
  std::string name = "Memcpy";
  if (const std::string_view kind = wordOf(kKinds, copyKind); !kind.empty()) name.append(" ").append(kind);
  if (isUnifiedCopy(copyKind)) return name += ')';
  if (fromKind < 0 || toKind < 0) return name;
  return name.append(" (").append(memoryWord(fromKind)).append(" -> ").append(memoryWord(toKind)).append(")");
}

std::string setName(std::int64_t memoryKind) {
  if (memoryKind < 0) return "Memset";
  return std::string("Memset (").append(memoryWord(memoryKind)).append(")");
}

OperatorText operatorText(std::string_view text) {
  OperatorText found;
  std::size_t at = nextMarker(text, 0);
  found.name = text.substr(0, at);
  while (at != std::string_view::npos) {
    const std::string_view rest = text.substr(at);
    const auto part =
        std::ranges::find_if(kParts, [&](const Part& of) { return rest.starts_with(of.marker); });
    const std::size_t value = at + part->marker.size();
    const std::size_t next = nextMarker(text, value);
    const std::string_view written = text.substr(value, next == std::string_view::npos ? next : next - value);
    if (part->text != nullptr) found.*(part->text) = written;
    if (part->number != nullptr) found.*(part->number) = numberAt(written);
    found.isOperator = true;
    at = next;
  }
  return found;
}

std::string dictName(std::string_view text) {
  if (!text.starts_with('{')) return {};
  const std::string_view module = dictValue(text, "mod");
  const std::string_view operation = dictValue(text, "op");
  if (!operation.empty()) {
    std::string name(module);
    if (!name.empty()) name += '.';
    return name.append(operation);
  }
  const std::string_view stack = dictValue(text, "funcStack");
  if (!stack.empty()) {
    const std::size_t slash = stack.find_last_of('/');
    return std::string(slash == std::string_view::npos ? stack : stack.substr(slash + 1));
  }
  return text.find("traceMarker") != std::string_view::npos ? "traceMarker" : std::string();
}

EventKind dictKind(std::string_view name) {
  const bool marks = phaseOf(name) != Phase::None || stepNameOf(name).has_value();
  return marks ? EventKind::Other : EventKind::Annotation;
}

EventKind rangeKind(const OperatorText& range) {
  const std::string_view name = range.name;
  // Annotations of the framework, which it records as operators.
  if (startsWithAny(name, {"ProfilerStep#", "Optimizer.step#", "Optimizer.zero_grad#",
                           "DistributedDataParallel.forward", "FSDP::", "FullyShardedDataParallel.",
                           "enumerate(DataLoader)", "## Call CompiledFxGraph"}))
    return EventKind::Annotation;
  if (isCollectiveCallName(name) || isBackendCollectiveName(name)) return EventKind::HostCollective;
  // emit_nvtx numbers what record_function pushes like operators; those have a namespace, a sequence number
  // or a node's name.
  const bool isNamed = name.find("::") != std::string_view::npos ||
                       name.find("Backward") != std::string_view::npos || name == "detach" ||
                       name == "detach_";
  if ((range.isOperator && (range.sequence || isNamed)) ||
      startsWithAny(name, {"aten::", "autograd::", "torch::autograd::"}))
    return kindOf(EventCategory::CpuOp, name, false);
  return EventKind::Annotation;
}

bool isLibraryDomain(std::string_view domain) {
  static constexpr std::array<std::string_view, 12> kLibraries{"NCCL",     "CCCL",     "cuBLAS", "cuBLASLt",
                                                               "cuDNN",    "cuSOLVER", "cuFFT",  "cuSPARSE",
                                                               "TensorRT", "MPI",      "UCX",    "NVSHMEM"};
  return std::ranges::any_of(kLibraries, [&](std::string_view library) {
    return std::ranges::equal(domain, library, [](char a, char b) {
      return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
    });
  });
}

std::string displayText(std::string_view bytes) {
  return validUtf8(bytes.substr(0, bytes.find('\0')));
}

} // namespace rankscope

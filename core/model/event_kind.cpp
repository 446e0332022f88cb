// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/event_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace rankscope {

namespace {

// Longer than any category of the format.
constexpr std::size_t kMaxCategoryLength = 32;

struct CategoryName {
  std::string_view text;
  EventCategory category;
};

// Lower case. Capitalized spellings are from PyTorch 1.8 to 1.11.
constexpr std::array kCategories{
    CategoryName{"cpu_op", EventCategory::CpuOp},
    CategoryName{"operator", EventCategory::CpuOp},
    CategoryName{"user_annotation", EventCategory::UserAnnotation},
    CategoryName{"gpu_user_annotation", EventCategory::GpuUserAnnotation},
    CategoryName{"user", EventCategory::GpuUserAnnotation},
    CategoryName{"kernel", EventCategory::Kernel},
    CategoryName{"gpu_memcpy", EventCategory::Memcpy},
    CategoryName{"memcpy", EventCategory::Memcpy},
    CategoryName{"gpu_memset", EventCategory::Memset},
    CategoryName{"memset", EventCategory::Memset},
    CategoryName{"runtime", EventCategory::Runtime},
    CategoryName{"python_function", EventCategory::Python},
    CategoryName{"overhead", EventCategory::Overhead},
    CategoryName{"cuda_sync", EventCategory::Sync},
    CategoryName{"xpu_sync", EventCategory::Sync},
    CategoryName{"cuda_event", EventCategory::Sync},
    CategoryName{"cpu_instant_event", EventCategory::Instant},
    CategoryName{"trace", EventCategory::Trace},
    CategoryName{"fwdbwd", EventCategory::ForwardBackward},
    CategoryName{"forward_backward", EventCategory::ForwardBackward},
    CategoryName{"ac2g", EventCategory::AsyncLaunch},
    CategoryName{"async_gpu", EventCategory::AsyncLaunch},
    CategoryName{"async_cpu_to_gpu", EventCategory::AsyncLaunch},
    CategoryName{"async", EventCategory::AsyncLaunch},
};

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool containsNoCase(std::string_view text, std::string_view lowerCasePart) {
  const auto found = std::search(text.begin(), text.end(), lowerCasePart.begin(), lowerCasePart.end(),
                                 [](char a, char b) { return lower(a) == b; });
  return found != text.end();
}

// Recorded as operators by PyTorch 1.8, as annotations by later versions.
bool isAnnotationName(std::string_view name) {
  return name.starts_with("ProfilerStep#") || name.starts_with("enumerate(DataLoader)") ||
         name.starts_with("Optimizer.step#") || name.starts_with("Optimizer.zero_grad#");
}

bool isHostCollectiveName(std::string_view name) {
  return isCollectiveCallName(name) || isBackendCollectiveName(name);
}

// Name parts that only communication libraries use, at any position: also in types of kernel arguments, as in
// MSCCL++.
constexpr std::array<std::string_view, 20> kCommunicationLibraries{"nccl",
                                                                   "rccl",
                                                                   "msccl",
                                                                   "hccl",
                                                                   "xccl",
                                                                   "oneccl",
                                                                   "deep_ep",
                                                                   "deepep",
                                                                   "hybrid_ep",
                                                                   "hybridep",
                                                                   "pplx",
                                                                   "nvshmem",
                                                                   "rocshmem",
                                                                   "roc_shmem",
                                                                   "userbuffers",
                                                                   "quickreduce",
                                                                   "multimem_",
                                                                   "cross_device_reduce",
                                                                   "intra_node_comm",
                                                                   "symmetric_memory"};

// Operation names in function names of kernels: custom, one-shot, two-shot and fused collectives.
constexpr std::array<std::string_view, 9> kCollectiveWords{"all_reduce", "allreduce",      "all_gather",
                                                           "allgather",  "reduce_scatter", "reducescatter",
                                                           "all_to_all", "alltoall",       "a2a"};

// Kernels of torch.compile are named after the fused operators ("triton_poi_fused_all_reduce_add_0"), but
// they compute.
bool isInductorKernelName(std::string_view name) {
  constexpr std::string_view prefix = "triton_";
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  const std::size_t kind = name.find('_');
  return kind != std::string_view::npos && name.substr(kind).starts_with("_fused");
}

// Namespaces and function name of a kernel, without return type, template arguments and parameters. Of an
// anonymous namespace only the colons remain: "::dispatchKernel".
std::string functionPath(std::string_view name) {
  constexpr std::string_view anonymous = "(anonymous namespace)";
  std::string path;
  int depth = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const char c = name[at];
    if (c == '<') ++depth;
    if (c == '>') depth = std::max(0, depth - 1);
    if (depth > 0 || c == '>') continue;
    if (name.substr(at).starts_with(anonymous)) {
      at += anonymous.size() - 1;
      continue;
    }
    if (c == '(') break;
    if (c == ' ')
      path.clear(); // end of the return type
    else
      path += c;
  }
  return path;
}

// "dpsk::ep::combine", "nixl_ep::dispatch".
bool isInExpertNamespace(std::string_view path) {
  for (std::size_t end = path.find("::"); end != std::string_view::npos; end = path.find("::", end + 2)) {
    const std::string_view before = path.substr(0, end);
    if (before == "ep" || before.ends_with("::ep") || before.ends_with("_ep")) return true;
  }
  return false;
}

// Kernels of expert parallelism. Forks of DeepEP keep its kernel names in their own namespaces:
// "dpsk::ep::internode::dispatch_ll", "uccl::intranode::combine", "mori::moe::EpDispatchIntraNodeKernel".
bool isExpertExchange(std::string_view function) {
  static constexpr std::array<std::string_view, 5> kWords{"dispatch", "combine", "notify", "barrier",
                                                          "clean_low_latency"};
  static constexpr std::array<std::string_view, 2> kScopes{"internode", "intranode"};
  const auto isThere = [&](std::string_view part) { return containsNoCase(function, part); };
  // The kernels of PPLX have no namespace.
  for (const std::string_view kernel : {"dispatchKernel", "combineKernel"}) {
    if (function == kernel || (function.starts_with("::") && function.substr(2) == kernel)) return true;
  }
  return std::ranges::any_of(kWords, isThere) &&
         (std::ranges::any_of(kScopes, isThere) || isInExpertNamespace(function));
}

// Whether text contains the word, but not as the end of a longer one: "my_all_gather" and "moeAllGather"
// match, "small_gather" does not.
bool containsWord(std::string_view text, std::string_view lowerCaseWord) {
  const auto isLetter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto isUpper = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = 0; at + lowerCaseWord.size() <= text.size(); ++at) {
    if (at > 0 && isLetter(text[at - 1]) && !isUpper(text[at])) continue;
    const std::string_view here = text.substr(at, lowerCaseWord.size());
    if (std::ranges::equal(here, lowerCaseWord, [](char a, char b) { return lower(a) == b; })) return true;
  }
  return false;
}

// Kernels that fuse a GEMM with communication count as compute, which takes most of their time.
bool isCollectiveFunction(std::string_view function) {
  if (containsNoCase(function, "gemm") || containsNoCase(function, "matmul")) return false;
  return std::ranges::any_of(kCollectiveWords,
                             [&](std::string_view word) { return containsWord(function, word); });
}

} // namespace

EventCategory categoryFromText(std::string_view text) {
  if (text.empty()) return EventCategory::None;
  if (text.size() > kMaxCategoryLength) return EventCategory::Other;
  std::array<char, kMaxCategoryLength> folded{};
  std::transform(text.begin(), text.end(), folded.begin(), lower);
  const std::string_view key(folded.data(), text.size());
  for (const CategoryName& known : kCategories) {
    if (known.text == key) return known.category;
  }
  // Every backend has its own host API: cuda_runtime, cuda_driver, mtia_runtime, xpu_runtime,
  // privateuse1_runtime ...
  if (key.ends_with("_runtime") || key.ends_with("_driver")) return EventCategory::Runtime;
  return EventCategory::Other;
}

bool isCollectiveCallName(std::string_view name) {
  return name == "record_param_comms" || name.starts_with("c10d::") || name.starts_with("_c10d_functional::");
}

bool isBackendCollectiveName(std::string_view name) {
  if (name.size() < 5) return false;
  switch (name.front()) {
  case 'n':
    return name.starts_with("nccl:");
  case 'g':
    return name.starts_with("gloo:");
  case 'm':
    return name.starts_with("mpi:");
  case 'u':
    return name.starts_with("ucc:");
  case 'x':
    return name.starts_with("xccl:");
  case 'h':
    return name.starts_with("hccl:");
  case 'r':
    return name.starts_with("rccl:");
  case 'c':
    return name == "c10d::send" || name == "c10d::recv_";
  default:
    return false;
  }
}

bool isCommunicationKernelName(std::string_view name) {
  if (isInductorKernelName(name)) return false;
  const auto isInName = [&](std::string_view part) { return containsNoCase(name, part); };
  if (std::ranges::any_of(kCommunicationLibraries, isInName)) return true;
  const std::string function = functionPath(name);
  return isExpertExchange(function) || isCollectiveFunction(function);
}

EventKind kindOf(EventCategory category, std::string_view name, bool hasCollectiveArguments) {
  switch (category) {
  case EventCategory::Kernel:
    return hasCollectiveArguments || isCommunicationKernelName(name) ? EventKind::Collective
                                                                     : EventKind::Kernel;
  case EventCategory::Memcpy:
    return EventKind::Copy;
  case EventCategory::Memset:
    return EventKind::Set;
  case EventCategory::CpuOp:
    if (isAnnotationName(name)) return EventKind::Annotation;
    return isHostCollectiveName(name) ? EventKind::HostCollective : EventKind::CpuOp;
  case EventCategory::UserAnnotation:
    return isHostCollectiveName(name) ? EventKind::HostCollective : EventKind::Annotation;
  case EventCategory::GpuUserAnnotation:
    return EventKind::GpuAnnotation;
  case EventCategory::Runtime:
    return EventKind::Runtime;
  case EventCategory::Python:
    return EventKind::Python;
  case EventCategory::Overhead:
    return EventKind::Overhead;
  case EventCategory::Sync:
    return EventKind::Sync;
  case EventCategory::Instant:
    return EventKind::Instant;
  case EventCategory::Trace:
    return EventKind::Span;
  default:
    return EventKind::Other;
  }
}

std::string_view kindText(EventKind kind) {
  switch (kind) {
  case EventKind::Kernel:
    return "kernel";
  case EventKind::Collective:
    return "collective";
  case EventKind::Copy:
    return "memcpy";
  case EventKind::Set:
    return "memset";
  case EventKind::CpuOp:
    return "operator";
  case EventKind::HostCollective:
    return "host collective";
  case EventKind::Runtime:
    return "runtime call";
  case EventKind::Annotation:
    return "annotation";
  case EventKind::GpuAnnotation:
    return "device annotation";
  case EventKind::Python:
    return "python";
  case EventKind::Sync:
    return "synchronization";
  case EventKind::Overhead:
    return "profiler overhead";
  case EventKind::Instant:
    return "instant";
  case EventKind::Span:
    return "recording";
  case EventKind::Other:
    return "other";
  }
  return "other";
}

Phase frameworkPhaseOf(std::string_view name) {
  if (name.starts_with("autograd::engine::evaluate_function")) return Phase::Backward;
  if (name == "DistributedDataParallel.forward" || name == "FullyShardedDataParallel.forward" ||
      name == "DataParallel.forward")
    return Phase::Forward;
  if (name.starts_with("enumerate(DataPipe)")) return Phase::DataLoader;
  return Phase::None;
}

// Of the short words that programs name their ranges by, alone or after a path: "fwd", "model.bwd".
Phase phaseOfShortWord(std::string_view name) {
  const std::size_t mark = name.find_last_of("./");
  const std::string_view word = mark == std::string_view::npos ? name : name.substr(mark + 1);
  struct Word {
    std::string_view text;
    Phase phase;
  };
  static constexpr Word kWords[] = {{"fwd", Phase::Forward},          {"bwd", Phase::Backward},
                                    {"optim", Phase::Optimizer},      {"criterion", Phase::Loss},
                                    {"data", Phase::DataLoader},      {"get_batch", Phase::DataLoader},
                                    {"load_batch", Phase::DataLoader}};
  for (const Word& known : kWords) {
    if (word.size() == known.text.size() && containsNoCase(word, known.text)) return known.phase;
  }
  return Phase::None;
}

// What sharding and hooks do around the work of a phase: "FSDP::pre_forward (layers.3)" is mostly a wait, and
// the layer's own work follows it.
bool isHookName(std::string_view name) {
  if (name.starts_with("FSDP::") || name.starts_with("FullyShardedDataParallel._"))
    return name != "FSDP::forward";
  return containsNoCase(name, "hook");
}

Phase phaseOf(std::string_view name) {
  if (name.starts_with("ProfilerStep#") || name == "ProfilerStep*") return Phase::Step;
  if (name.starts_with("enumerate(DataLoader)")) return Phase::DataLoader;
  if (name.starts_with("Optimizer.step#") || name.starts_with("Optimizer.zero_grad#"))
    return Phase::Optimizer;
  if (const Phase phase = frameworkPhaseOf(name); phase != Phase::None) return phase;
  // record_function names are free text; these words are common.
  if (name.size() > 64 || isHookName(name)) return Phase::None;
  // Of DeepSpeed, the class says nothing: its optimizer reduces gradients during the backward pass.
  if (name.starts_with("DeepSpeed")) {
    name.remove_prefix(name.find_last_of('.') + 1);
    if (name == "step") return Phase::Optimizer;
  }
  if (containsNoCase(name, "dataload") || containsNoCase(name, "data_load") ||
      containsNoCase(name, "next_batch"))
    return Phase::DataLoader;
  if (containsNoCase(name, "backward")) return Phase::Backward;
  if (containsNoCase(name, "optimizer") || containsNoCase(name, "zero_grad")) return Phase::Optimizer;
  if (containsNoCase(name, "forward")) return Phase::Forward;
  if (containsNoCase(name, "loss")) return Phase::Loss;
  return phaseOfShortWord(name);
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/host_work.h"

#include <algorithm>
#include <array>
#include <span>

namespace rankscope {

namespace {

using Parts = std::span<const std::string_view>;

bool containsAny(std::string_view text, Parts parts) {
  return std::ranges::any_of(
      parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

// "train.py(88): evaluate" is evaluate, "<built-in method collect of ...>" stays.
std::string_view functionOf(std::string_view name) {
  const std::size_t at = name.rfind("): ");
  return at == std::string_view::npos ? name : name.substr(at + 3);
}

bool isInitialization(std::string_view name) {
  static constexpr std::array<std::string_view, 16> kParts{"StreamCreate",
                                                           "GetDeviceProperties",
                                                           "ModuleLoad",
                                                           "LibraryLoad",
                                                           "ModuleGetFunction",
                                                           "Lazy Function Loading",
                                                           "Runtime Triggered Module Loading",
                                                           "cudnnCreate",
                                                           "cublasCreate",
                                                           "cublasLtCreate",
                                                           "hipblasCreate",
                                                           "rocblas_create_handle",
                                                           "miopenCreate",
                                                           "cudaSetDevice",
                                                           "PrimaryCtxRetain",
                                                           "CtxCreate"};
  return containsAny(name, kParts);
}

// Running a compiled region is not compilation.
bool isCompilation(std::string_view name) {
  return name.ends_with("(dynamo_timed)") || name.starts_with("CachingAutotuner") ||
         name.starts_with("CUDAGraphNode.record");
}

bool isCheckpoint(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kNames{"torch.save", "save_checkpoint", "state_dict",
                                                          "save_pretrained", "_save_checkpoint"};
  const std::string_view function = functionOf(name);
  if (std::ranges::find(kNames, function) != kNames.end()) return true;
  return (function == "save" && name.find("torch/serialization.py") != std::string_view::npos) ||
         name.starts_with("save_checkpoint") || name.starts_with("checkpoint_save");
}

bool isEvaluation(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kNames{"evaluate",   "evaluation", "validate",
                                                          "validation", "eval_step",  "evaluation_loop"};
  return std::ranges::find(kNames, functionOf(name)) != kNames.end();
}

bool isGarbageCollection(std::string_view name) {
  return name == "Python GC" || name == "gc.collect" || name == "<built-in function collect>" ||
         name.starts_with("<built-in method collect of module");
}

bool isHostCommunication(std::string_view name) {
  static constexpr std::array<std::string_view, 6> kParts{
      "barrier", "TCPStore", "all_gather_object", "broadcast_object_list", "gather_object", "scatter_object"};
  // "rpc_sync#forward(worker0 -> worker1)": for as long as the answer takes.
  if (name.starts_with("gloo:") || name.starts_with("rpc_async#") || name.starts_with("rpc_sync#") ||
      name.starts_with("rpc_remote#"))
    return true;
  const bool distributed = isTorchDistributedName(name) ||
                           name.find("torch/distributed") != std::string_view::npos ||
                           name.find("TCPStore") != std::string_view::npos;
  return distributed && containsAny(name, kParts);
}

} // namespace

bool isTorchDistributedName(std::string_view name) {
  return name.starts_with("c10d::") || name.starts_with("nccl:");
}

HostWork hostWorkOf(std::string_view name) {
  if (isInitialization(name)) return HostWork::Initialization;
  if (isCompilation(name)) return HostWork::Compilation;
  if (isCheckpoint(name)) return HostWork::Checkpoint;
  if (isEvaluation(name)) return HostWork::Evaluation;
  if (isGarbageCollection(name)) return HostWork::GarbageCollection;
  return isHostCommunication(name) ? HostWork::HostCommunication : HostWork::Ordinary;
}

} // namespace rankscope

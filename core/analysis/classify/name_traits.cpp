// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/name_traits.h"

#include <algorithm>
#include <array>

namespace rankscope {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Names of autograd nodes: "AddmmBackward0", or "CudnnConvolutionBackward" before 2021. Older recordings list
// them without an enclosing evaluate_function.
bool isBackwardNode(std::string_view name) {
  if (name.ends_with("AccumulateGrad")) return true;
  while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
  return name.ends_with("Backward") && !contains(name, ":");
}

} // namespace

CallClass callClassOf(std::string_view runtimeCall) {
  if (contains(runtimeCall, "Synchronize")) return CallClass::Synchronize;
  if (contains(runtimeCall, "Memcpy")) return CallClass::Copy;
  static constexpr std::array<std::string_view, 10> kAllocations{
      "Malloc",     "Free",      "MemAlloc",   "MemCreate",    "MemMap",
      "MemRelease", "HostAlloc", "MemAddress", "HostRegister", "HostUnregister"};
  const auto has = [&](std::string_view part) { return contains(runtimeCall, part); };
  if (std::any_of(kAllocations.begin(), kAllocations.end(), has) || has("MemUnmap"))
    return CallClass::Allocate;
  return CallClass::Other;
}

Phase operatorPhaseOf(std::string_view name) {
  return isBackwardNode(name) ? Phase::Backward : frameworkPhaseOf(name);
}

bool isCollectiveSpan(std::string_view hostCollective) {
  return !isCollectiveCallName(hostCollective);
}

bool isCollectiveOfHost(std::string_view hostCollective) {
  return isCollectiveSpan(hostCollective) && !hostCollective.starts_with("nccl:") &&
         !hostCollective.starts_with("rccl:");
}

bool isWrapper(std::string_view operatorName) {
  return operatorName.starts_with("autograd::engine::evaluate_function") ||
         operatorName.ends_with("DataParallel.forward") || operatorName.starts_with("torch::autograd::") ||
         operatorName.starts_with("torch.distributed.ddp") ||
         operatorName.starts_with("RegisterPostBackwardFunction") || operatorName.starts_with("enumerate(");
}

} // namespace rankscope

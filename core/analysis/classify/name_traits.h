// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of host events that depend only on the name, computed once per name. A recording has about a
// hundred times as many events as names. For one pass on one thread.
#pragma once

#include "core/model/event_kind.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace rankscope {

// Effect of a CUDA, HIP or XPU runtime call on the host.
enum class CallClass : std::uint8_t {
  Other,
  Synchronize, // waits for the device: cudaStreamSynchronize, ...
  Copy,        // may block until the copy is done: cudaMemcpy, cudaMemcpyAsync with pageable memory
  Allocate,    // cudaMalloc, cudaFree etc.: slow; cudaFree waits for the device
};

[[nodiscard]] CallClass callClassOf(std::string_view runtimeCall);

// Whether it replays a CUDA or HIP graph: cudaGraphLaunch, hipGraphLaunch, with or without a suffix.
[[nodiscard]] inline bool isGraphLaunch(std::string_view runtimeCall) {
  return runtimeCall.find("GraphLaunch") != std::string_view::npos;
}

// Phase from an operator's name: autograd nodes, the forward of DistributedDataParallel, DataPipe. Operator
// names are not free text, so words of user annotations do not count.
[[nodiscard]] Phase operatorPhaseOf(std::string_view name);

// Whether a host collective lasts as long as the collective (nccl:all_reduce, gloo:all_reduce), unlike the
// call that launches it (c10d::allreduce_, record_param_comms).
[[nodiscard]] bool isCollectiveSpan(std::string_view hostCollective);

// Whether the span may last as long as the collective on a rank without device activity (gloo:all_reduce).
// Spans of NCCL end when the kernel is queued: they say nothing about how long the collective took.
[[nodiscard]] bool isCollectiveOfHost(std::string_view hostCollective);

// Whether an operator only encloses others and may wait: autograd's evaluate_function, the forward of
// DistributedDataParallel, the hook in which FSDP waits for its ReduceScatter.
[[nodiscard]] bool isWrapper(std::string_view operatorName);

// Caches the result of classify(name) -> std::uint8_t (below 255) for each name.
template <class Classify> class NameMemory {
 public:
  NameMemory(const StringTable& names, Classify classify)
      : m_names(names), m_classify(classify), m_known(names.size(), kUnknown) {}

  [[nodiscard]] std::uint8_t operator[](NameId name) {
    if (!name.valid()) return m_classify(std::string_view());
    std::uint8_t& known = m_known[name.value];
    if (known == kUnknown) known = m_classify(m_names[name]);
    return known;
  }

 private:
  static constexpr std::uint8_t kUnknown = 255;

  const StringTable& m_names;
  Classify m_classify;
  std::vector<std::uint8_t> m_known;
};

} // namespace rankscope

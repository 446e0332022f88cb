// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of a host event derived from its name, computed once per name and not once per event: events of
// a recording are a hundred times as many as their names. One object belongs to one pass of one thread.
#pragma once

#include "core/model/event_kind.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace rankscope {

// What a call of the CUDA, HIP or XPU runtime does to the host.
enum class CallClass : std::uint8_t {
  Other,
  Synchronize, // waits for the device: cudaStreamSynchronize, ...
  Copy,        // copies and may wait for it: cudaMemcpyAsync with pageable memory does, so does cudaMemcpy
  Allocate,    // cudaMalloc, cudaFree and their relatives: slow, and cudaFree waits for the device
};

[[nodiscard]] CallClass callClassOf(std::string_view runtimeCall);

// The phase indicated by an operator's name: autograd's nodes, the forward of DistributedDataParallel, the
// DataPipe. An operator's name is no free text, so the words that people write in annotations do not count.
[[nodiscard]] Phase operatorPhaseOf(std::string_view name);

// A host collective that lasts as long as the collective does (nccl:all_reduce, gloo:all_reduce), not the
// call that starts it (c10d::allreduce_, record_param_comms).
[[nodiscard]] bool isCollectiveSpan(std::string_view hostCollective);

// An operator that only holds others and may wait inside: autograd's evaluate_function, the forward of
// DistributedDataParallel.
[[nodiscard]] bool isWrapper(std::string_view operatorName);

// Caches classify(name) -> std::uint8_t below 255 for each name.
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

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/profiler_names.h"

#include <algorithm>
#include <array>

namespace rankscope {

namespace {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

} // namespace

bool isOfProfiler(EventKind kind, std::string_view name) {
  if (kind == EventKind::Span) return true;
  if (kind == EventKind::Annotation || kind == EventKind::GpuAnnotation || kind == EventKind::CpuOp)
    return name.starts_with("ProfilerStep#") || name == "ProfilerStep*" ||
           name.starts_with("PyTorch Profiler");
  if (kind != EventKind::Python) return false;
  constexpr std::array<std::string_view, 4> kFiles{"torch/profiler/", "torch/autograd/profiler",
                                                   "torch\\profiler\\", "torch/_C/_profiler"};
  return std::ranges::any_of(kFiles, [&](std::string_view file) { return contains(name, file); });
}

} // namespace rankscope

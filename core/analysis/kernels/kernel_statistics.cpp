// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/kernels/kernel_statistics.h"

#include "core/analysis/kernels/kernel_groups.h"

namespace rankscope {

DeviceClass deviceClassOf(EventKind kind) {
  if (kind == EventKind::Kernel) return DeviceClass::Compute;
  return kind == EventKind::Collective ? DeviceClass::Communication : DeviceClass::Memory;
}

std::string_view deviceClassText(DeviceClass deviceClass) {
  switch (deviceClass) {
  case DeviceClass::Compute:
    return "compute";
  case DeviceClass::Communication:
    return "communication";
  case DeviceClass::Memory:
    return "memory";
  }
  return {};
}

std::vector<KernelStatistics> kernelStatistics(const RankTrace& trace, const StringTable& names,
                                               TimeRange window) {
  const WindowOfTrace one{&trace, window};
  return kernelStatistics(std::span(&one, 1), names);
}

std::vector<KernelStatistics> kernelStatistics(std::span<const WindowOfTrace> parts,
                                               const StringTable& names) {
  std::vector<DetailedWindow> all;
  for (const WindowOfTrace& part : parts) all.push_back({part.trace, part.window, {}});
  std::vector<KernelStatistics> kernels;
  for (const DetailedKernel& of : kernelStatisticsByDetail(all, names)) kernels.push_back(of.kernel);
  return kernels;
}

} // namespace rankscope

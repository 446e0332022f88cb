// SPDX-License-Identifier: GPL-3.0-or-later
// What the rules of compute leaves ask of a kernel: what its name says, which operator launched it, what its
// device could do. Each name is judged once; one thread.
#pragma once

#include "core/analysis/classify/kernel_work.h"
#include "core/analysis/classify/name_traits.h"
#include "core/analysis/hardware/device_peaks.h"
#include "core/analysis/operators/operator_tree.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope {

class KernelFacts {
 public:
  // All must outlive this. A pass over the device events.
  KernelFacts(const RankTrace& trace, const StringTable& names, const OperatorTree& tree);

  [[nodiscard]] const KernelTraits& traits(EventIndex event) const {
    return m_traits[m_traitsOf[m_trace.events.name[event].value]];
  }
  // Whether any kernel of the recording does that.
  [[nodiscard]] bool hasWork(KernelWork work) const { return m_hasWork[static_cast<std::size_t>(work)] != 0; }
  // The operator that launched it; may be invalid.
  [[nodiscard]] EventIndex owner(EventIndex event) const {
    return m_tree.owners[event.value - m_trace.deviceBegin.value];
  }

  // By its operators bmm, baddbmm or matmul, not linear; true as well when it is not known.
  [[nodiscard]] bool isBatchedProduct(EventIndex event);
  // baddbmm has its operands behind what they are added to.
  [[nodiscard]] bool addsToProduct(EventIndex event) const;
  // A copy of clone, contiguous or cat; true as well when it is not known who asked for it.
  [[nodiscard]] bool isContiguityCopy(EventIndex event);
  // Adds to the gradient of one parameter: neighbors on the stream are of other parameters.
  [[nodiscard]] bool accumulatesGradients(EventIndex event);

  // A product of 32-bit floats on ordinary cores of a device that has matrix units.
  [[nodiscard]] bool couldUseMatrixUnits(EventIndex event) const;
  [[nodiscard]] bool takesTf32(EventIndex event) const;
  // A product on tensor cores that was built for Turing and runs on a later device.
  [[nodiscard]] bool isOfOlderGeneration(EventIndex event) const;
  // Whether layouts are converted for products on matrix units, which want channels last. Those for ordinary
  // cores, on devices without TF32, convert for their own sake.
  [[nodiscard]] bool convertsLayouts() const;

  // 10^12 operations a second at the kernel's format; 0 when not known.
  [[nodiscard]] double attentionRate(EventIndex event) const;
  // What a batch norm over a tensor takes that reads and writes twice, in ns.
  [[nodiscard]] std::optional<double> batchNormTime(EventIndex event,
                                                    const std::vector<std::int64_t>& shape) const;

 private:
  struct Device {
    int id = -1;
    DeviceGeneration generation = DeviceGeneration::Unknown;
    std::optional<DevicePeaks> peaks;
  };

  [[nodiscard]] const Device& deviceOf(EventIndex event) const;

  const RankTrace& m_trace;
  const StringTable& m_names;
  const OperatorTree& m_tree;
  std::vector<std::uint32_t> m_traitsOf; // by name: a place in m_traits, 0 of what is no kernel's
  std::vector<KernelTraits> m_traits;
  std::array<std::uint8_t, kKernelWorkCount> m_hasWork{};
  std::vector<Device> m_devices;
  NameMemory<std::uint8_t (*)(std::string_view)> m_operatorKind;
};

} // namespace rankscope

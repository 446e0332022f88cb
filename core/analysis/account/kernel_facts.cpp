// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/kernel_facts.h"

#include "core/analysis/operators/operator_shapes.h"

#include <algorithm>

namespace rankscope {

namespace {

enum OperatorKind : std::uint8_t { kOther, kBatched, kPlainProduct, kReorders, kAccumulates };

std::uint8_t operatorKindOf(std::string_view name) {
  if (name == "aten::bmm" || name == "aten::baddbmm" || name == "aten::matmul" || name == "aten::einsum" ||
      name == "aten::_scaled_dot_product_attention_math" || name.starts_with("BmmBackward") ||
      name.starts_with("BaddbmmBackward"))
    return kBatched;
  if (name == "aten::linear" || name == "aten::addmm" || name == "aten::mm" ||
      name.starts_with("AddmmBackward") || name.starts_with("MmBackward") ||
      name.find("conv") != std::string_view::npos)
    return kPlainProduct;
  if (name == "aten::clone" || name == "aten::contiguous" || name == "aten::cat" || name == "aten::reshape")
    return kReorders;
  return name.ends_with("AccumulateGrad") ? kAccumulates : kOther;
}

// Operators around a kernel's own say what it is for, a few levels up.
constexpr int kLevels = 4;

} // namespace

KernelFacts::KernelFacts(const RankTrace& trace, const StringTable& names, const OperatorTree& tree)
    : m_trace(trace), m_names(names), m_tree(tree), m_traitsOf(names.size()), m_traits(1),
      m_operatorKind(names, &operatorKindOf) {
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
    if (trace.events.kind[event] != EventKind::Kernel) continue;
    std::uint32_t& place = m_traitsOf[trace.events.name[event].value];
    if (place != 0) continue;
    place = static_cast<std::uint32_t>(m_traits.size());
    m_traits.push_back(kernelTraits(names[trace.events.name[event]]));
    m_hasWork[static_cast<std::size_t>(m_traits.back().work)] = 1;
  }
  m_devices.emplace_back();
  for (const int id : trace.devices) {
    const DeviceProperties* const properties = propertiesOf(trace, id);
    if (properties != nullptr) m_devices.push_back({id, generationOf(*properties), devicePeaks(*properties)});
  }
}

bool KernelFacts::isBatchedProduct(EventIndex event) {
  EventIndex op = owner(event);
  for (int level = 0; level < kLevels && op.valid(); ++level, op = m_tree.enclosingOf(op)) {
    const std::uint8_t kind = m_operatorKind[m_trace.events.name[op]];
    if (kind == kBatched) return true;
    if (kind == kPlainProduct) return false;
  }
  return !owner(event).valid();
}

bool KernelFacts::addsToProduct(EventIndex event) const {
  return owner(event).valid() && m_names[m_trace.events.name[owner(event)]] == "aten::baddbmm";
}

bool KernelFacts::isContiguityCopy(EventIndex event) {
  if (traits(event).work != KernelWork::Copy) return false;
  EventIndex op = owner(event);
  for (int level = 0; level < kLevels && op.valid(); ++level, op = m_tree.enclosingOf(op)) {
    if (m_operatorKind[m_trace.events.name[op]] == kReorders) return true;
  }
  return !owner(event).valid();
}

bool KernelFacts::accumulatesGradients(EventIndex event) {
  EventIndex op = owner(event);
  for (int level = 0; level < kLevels && op.valid(); ++level, op = m_tree.enclosingOf(op)) {
    if (m_operatorKind[m_trace.events.name[op]] == kAccumulates) return true;
  }
  return false;
}

bool KernelFacts::couldUseMatrixUnits(EventIndex event) const {
  const KernelDtype& dtype = traits(event).dtype;
  return dtype.product && !dtype.vector && dtype.units == MatrixUnits::Unused &&
         dtype.format == NumberFormat::Float32 && hasMatrixUnits(deviceOf(event).generation);
}

bool KernelFacts::takesTf32(EventIndex event) const {
  const DeviceGeneration generation = deviceOf(event).generation;
  return generation != DeviceGeneration::Volta && generation != DeviceGeneration::Turing;
}

bool KernelFacts::isOfOlderGeneration(EventIndex event) const {
  const KernelTraits& of = traits(event);
  if (of.work != KernelWork::Product || !is16Bit(of.dtype.format) || !takesTf32(event) ||
      deviceOf(event).generation == DeviceGeneration::Unknown)
    return false;
  return m_names[m_trace.events.name[event]].find("cutlass_75") != std::string_view::npos;
}

bool KernelFacts::convertsLayouts() const {
  return std::ranges::any_of(m_traits,
                             [](const KernelTraits& of) { return of.work == KernelWork::Layout; }) &&
         (std::ranges::none_of(m_devices,
                               [](const Device& device) {
                                 return device.generation == DeviceGeneration::Volta ||
                                        device.generation == DeviceGeneration::Turing;
                               }) ||
          std::ranges::any_of(m_traits, [](const KernelTraits& of) {
            return of.work == KernelWork::Product && of.dtype.units == MatrixUnits::Used;
          }));
}

double KernelFacts::attentionRate(EventIndex event) const {
  const Device& device = deviceOf(event);
  if (!device.peaks) return 0;
  const NumberFormat format = traits(event).dtype.format;
  if (format == NumberFormat::Float32 && traits(event).dtype.units != MatrixUnits::Used)
    return device.peaks->fp32;
  if (format == NumberFormat::Tf32 || format == NumberFormat::Float32)
    return device.peaks->tf32 > 0 ? device.peaks->tf32 : device.peaks->fp32;
  return device.peaks->matrix16;
}

std::optional<double> KernelFacts::batchNormTime(EventIndex event,
                                                 const std::vector<std::int64_t>& shape) const {
  const Device& device = deviceOf(event);
  const std::optional<std::int64_t> elements = elementsOf(shape);
  if (!device.peaks || device.peaks->memory <= 0 || !elements || shape.empty()) return std::nullopt;
  const std::string_view name = m_names[m_trace.events.name[event]];
  const bool half =
      name.find("BFloat16") != std::string_view::npos || name.find("Half") != std::string_view::npos;
  const int tensors = name.find("backward") != std::string_view::npos ? 3 : 2; // read and written
  return 2.0 * tensors * static_cast<double>(*elements) * (half ? 2 : 4) / device.peaks->memory;
}

const KernelFacts::Device& KernelFacts::deviceOf(EventIndex event) const {
  const int id = m_trace.deviceDetail(event).device;
  const auto found = std::ranges::find(m_devices, id, &Device::id);
  return found == m_devices.end() ? m_devices.front() : *found;
}

} // namespace rankscope

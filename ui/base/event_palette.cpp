// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/event_palette.h"

#include "core/analysis/classify/kernel_dtype.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace rankscope::ui {
namespace {

bool containsAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return std::search(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
             return std::tolower(static_cast<unsigned char>(a)) == b;
           }) != text.end();
  });
}

QColor Theme::*kernelRole(std::string_view name) {
  if (containsAny(name, {"flash", "fmha", "attention", "attn"})) return &Theme::attention;
  if (containsAny(name, {"gemm", "gemv", "cutlass", "xmma", "wgmma", "nvjet", "cijk_", "mfma", "matmul",
                         "conv", "winograd", "cublas"}) ||
      kernelDtype(name).product)
    return &Theme::gemm;
  if (containsAny(name, {"multi_tensor_apply", "adam", "sgd", "lamb"})) return &Theme::optimizer;
  return &Theme::kernel;
}

// Before record_function had its own category, profilers wrote phases as operators. Framework names
// ("aten::nll_loss_backward") are always operators.
bool isPhaseWrittenAsOperator(std::string_view name) {
  return name.starts_with("enumerate(") || name.starts_with("Optimizer.") || name.starts_with("##") ||
         name.starts_with("DistributedDataParallel.");
}

// Digits are skipped, so that layer 3 and layer 12 get the same shade.
std::uint32_t nameGroupHash(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) {
    if (c >= '0' && c <= '9') continue;
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  }
  return hash ^ (hash >> 15);
}

QColor shaded(QColor color, EventKind kind, std::uint32_t hash) {
  constexpr std::array kDeviceFactors{100, 107, 94, 113};
  // Host events are dense; their shades keep one text color, black or white.
  constexpr std::array kHostFactors{100, 92, 96, 103};
  const auto& kFactors = isDeviceActivity(kind) ? kDeviceFactors : kHostFactors;
  const int factor = kFactors[hash % kFactors.size()];
  return factor >= 100 ? color.lighter(factor) : color.darker(200 - factor);
}

bool isShaded(EventKind kind) {
  return kind != EventKind::Annotation && kind != EventKind::GpuAnnotation && kind != EventKind::Collective;
}

} // namespace

QColor Theme::*phaseRole(Phase phase, QColor Theme::*otherwise) {
  switch (phase) {
  case Phase::DataLoader:
    return &Theme::dataLoader;
  case Phase::Forward:
  case Phase::Loss:
    return &Theme::forward;
  case Phase::Backward:
    return &Theme::backward;
  case Phase::Optimizer:
    return &Theme::optimizer;
  case Phase::Step:
  case Phase::None:
    break;
  }
  return otherwise;
}

QColor Theme::*colorRole(EventKind kind, std::string_view name) {
  switch (kind) {
  case EventKind::Kernel:
    return kernelRole(name);
  case EventKind::Collective:
  case EventKind::HostCollective:
    return &Theme::communication;
  case EventKind::Copy:
  case EventKind::Set:
    return &Theme::memoryCopy;
  case EventKind::CpuOp:
    return isPhaseWrittenAsOperator(name) ? phaseRole(phaseOf(name), &Theme::annotation) : &Theme::cpuOp;
  case EventKind::Runtime:
    return &Theme::runtime;
  case EventKind::Annotation:
  case EventKind::GpuAnnotation:
    return phaseRole(phaseOf(name), &Theme::annotation);
  case EventKind::Python:
    return &Theme::python;
  case EventKind::Sync:
  case EventKind::Overhead:
  case EventKind::Instant:
  case EventKind::Span:
  case EventKind::Other:
    break;
  }
  return &Theme::faint;
}

EventPalette::EventPalette(const Theme& theme, const StringTable& names)
    : m_theme(&theme), m_names(names), m_entries(names.size()) {}

QRgb EventPalette::colorOf(EventKind kind, NameId name) {
  if (!m_theme) return qRgb(128, 128, 128);
  const auto kindPlusOne = static_cast<std::uint8_t>(static_cast<int>(kind) + 1);
  if (name.valid() && m_entries[name.value].kindPlusOne == kindPlusOne) return m_entries[name.value].color;
  const std::string_view text = m_names[name];
  QColor color = m_theme->*colorRole(kind, text);
  if (isShaded(kind)) color = shaded(color, kind, nameGroupHash(text));
  const Entry entry{kindPlusOne, color.rgb()};
  if (name.valid()) m_entries[name.value] = entry;
  return entry.color;
}

} // namespace rankscope::ui

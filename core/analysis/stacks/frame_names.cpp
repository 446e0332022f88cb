// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stacks/frame_names.h"

#include "core/analysis/classify/own_code.h"

#include <algorithm>
#include <cctype>

namespace rankscope {

namespace {

constexpr std::string_view kModule = "nn.Module: ";
constexpr std::string_view kBackwardCall = "autograd::engine::evaluate_function";
constexpr std::string_view kStep = "ProfilerStep";

bool isDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool isStepName(std::string_view name) {
  if (!name.starts_with(kStep)) return false;
  name.remove_prefix(kStep.size());
  return name.size() > 1 && name.front() == '#' && std::ranges::all_of(name.substr(1), isDigit);
}

std::string withoutAddresses(std::string_view name) {
  std::string text;
  text.reserve(name.size());
  while (!name.empty()) {
    const std::size_t at = name.find(" at 0x");
    if (at == std::string_view::npos) break;
    text += name.substr(0, at);
    name.remove_prefix(at + 6);
    const auto other =
        std::ranges::find_if(name, [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) == 0; });
    name.remove_prefix(static_cast<std::size_t>(other - name.begin()));
  }
  text += name;
  return text;
}

// "f.py(12): g" as "f.py: g".
void removeLine(std::string& text) {
  const std::size_t close = text.find("): ");
  if (close == std::string::npos) return;
  const std::size_t open = text.rfind('(', close);
  if (open == std::string::npos || open + 1 == close) return;
  if (!std::all_of(text.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                   text.begin() + static_cast<std::ptrdiff_t>(close), isDigit))
    return;
  text.erase(open, close - open + 1);
}

} // namespace

bool isModuleFrame(std::string_view name) {
  return name.starts_with(kModule);
}

std::string_view moduleName(std::string_view name) {
  return isModuleFrame(name) ? name.substr(kModule.size()) : name;
}

std::string_view moduleClass(std::string_view module) {
  const std::size_t at = module.rfind('_');
  if (at == std::string_view::npos || at == 0 || at + 1 == module.size()) return module;
  return std::ranges::all_of(module.substr(at + 1), isDigit) ? module.substr(0, at) : module;
}

bool isModulePlumbing(std::string_view name) {
  if (name.starts_with("<built-in ")) return name.find(" forward") != std::string_view::npos;
  const std::size_t file = name.find("torch/nn/modules/module.py(");
  if (file == std::string_view::npos) return false;
  return name.ends_with("): _wrapped_call_impl") || name.ends_with("): _call_impl");
}

bool isInductorRecord(std::string_view name) {
  return name.starts_with("triton_");
}

FrameKind frameKindOf(EventKind kind, std::string_view name) {
  switch (kind) {
  case EventKind::Python:
    if (isModuleFrame(name)) return FrameKind::Module;
    return isOwnCode(name) ? FrameKind::OwnPython : FrameKind::OtherPython;
  case EventKind::Annotation:
  case EventKind::GpuAnnotation:
    return FrameKind::Annotation;
  case EventKind::Runtime:
    return FrameKind::Runtime;
  case EventKind::HostCollective:
  case EventKind::Collective:
    return FrameKind::Communication;
  case EventKind::Kernel:
    return FrameKind::Kernel;
  case EventKind::Copy:
  case EventKind::Set:
    return FrameKind::Copy;
  default:
    break;
  }
  if (isStepName(name)) return FrameKind::Annotation;
  const bool backward = isBackwardCall(name) || name.ends_with("Backward") || name.ends_with("Backward0") ||
                        name.ends_with("Backward1");
  return backward ? FrameKind::Backward : FrameKind::Operator;
}

bool isShown(FrameKind kind, std::string_view name, const FrameOptions& options) {
  switch (kind) {
  case FrameKind::Module:
    return options.python != PythonFrames::None;
  case FrameKind::OwnPython:
    return options.python == PythonFrames::All || options.python == PythonFrames::Own;
  case FrameKind::OtherPython:
    return options.python == PythonFrames::All && !(options.foldPlumbing && isModulePlumbing(name));
  case FrameKind::Operator:
    return options.operators && (options.inductorRecords || !isInductorRecord(name));
  case FrameKind::Backward:
  case FrameKind::Runtime:
    return options.operators;
  default:
    return true;
  }
}

std::string frameText(FrameKind kind, std::string_view name, const FrameOptions& options) {
  if (kind == FrameKind::Annotation && isStepName(name)) return std::string(kStep);
  const bool isPython = kind == FrameKind::OtherPython || kind == FrameKind::OwnPython;
  if (!isPython) return std::string(name);
  std::string text = options.stripAddresses ? withoutAddresses(name) : std::string(name);
  if (options.mergeLines) removeLine(text);
  return text;
}

bool isBackwardCall(std::string_view name) {
  return name.starts_with(kBackwardCall);
}

} // namespace rankscope

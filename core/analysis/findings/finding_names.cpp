// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/finding_names.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace rankscope {

namespace {

constexpr std::size_t kLongest = 60;

bool isOfIdentifier(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The first word of the template arguments that says what a generic kernel computes; empty without one.
std::string_view functorIn(std::string_view arguments) {
  static constexpr std::array<std::string_view, 4> kParts{"Functor", "functor", "KernelImpl", "kernel_cuda"};
  for (std::size_t begin = 0; begin < arguments.size();) {
    if (!isOfIdentifier(arguments[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < arguments.size() && isOfIdentifier(arguments[end])) ++end;
    const std::string_view word = arguments.substr(begin, end - begin);
    const auto isIn = [&](std::string_view part) { return word.find(part) != std::string_view::npos; };
    if (std::ranges::any_of(kParts, isIn)) return word;
    begin = end;
  }
  return {};
}

std::string without(std::string_view name, std::string_view part) {
  std::string text(name);
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
  return text;
}

} // namespace

std::string optimizerName(std::string_view annotation) {
  constexpr std::string_view kStep = "Optimizer.step#";
  if (!annotation.starts_with(kStep)) return {};
  annotation.remove_prefix(kStep.size());
  return std::string(annotation.substr(0, annotation.find('.')));
}

std::string optimizerFix(const std::string& optimizer) {
  constexpr std::array<std::string_view, 3> kFused{"Adam", "AdamW", "SGD"};
  const bool isFused = std::ranges::find(kFused, optimizer) != kFused.end();
  return fmt::format("torch.optim.{}{} updates all parameters in a few launches.", optimizer,
                     isFused ? "(..., fused=True), or foreach=True," : "(..., foreach=True)");
}

std::string_view leafPhrase(Leaf leaf) {
  using enum Leaf;
  switch (leaf) {
  case HostInput:
    return "waiting for the DataLoader";
  case HostSync:
    return "synchronization of host and device";
  case HostComm:
    return "communication of the host";
  case HostAlloc:
    return "device allocation";
  case HostCompile:
    return "compilation";
  case HostCheckpoint:
    return "checkpoints or evaluation";
  case HostGc:
    return "garbage collection";
  case HostPython:
    return "Python between launches";
  case HostDescheduled:
    return "a launching thread that records nothing";
  case CopyH2d:
    return "memcpy from the host";
  case CopyD2h:
    return "memcpy to the host";
  case CopyD2d:
  case CopyP2p:
    return "memcpy between device buffers";
  case QueueLatency:
    return "launch latency";
  case QueueDependency:
    return "waiting for other streams";
  case QueueUnexplained:
    return "unexplained idle time";
  case ComputeClock:
    return "the same kernels, which are slower than on other ranks";
  case ComputeContention:
    return "kernels slowed by communication";
  case ComputeRecompute:
    return "recomputation";
  case CaptureEdge:
    return "edges of the recording";
  case CaptureInit:
    return "start-up";
  default:
    break;
  }
  if (isUnder(leaf, "host.dispatch")) return "eager dispatch";
  if (leaf == Ideal) return "computation";
  return isUnder(leaf, "compute") ? "kernels" : "communication";
}

std::string shortKernelName(std::string_view name) {
  if (name.starts_with("void ")) name.remove_prefix(5);
  const std::string whole = without(without(name, "(anonymous namespace)::"), "at::native::");
  const std::string_view text = whole;
  const std::size_t end = text.find_first_of("<(");
  std::string brief(end != std::string_view::npos && end > 0 ? text.substr(0, end) : text);
  while (!brief.empty() && brief.back() == ' ') brief.pop_back(); // "Memcpy HtoD (Pinned -> Device)"
  if (brief.size() > kLongest) brief = brief.substr(0, kLongest) + "…";
  const std::string_view functor =
      end != std::string_view::npos ? functorIn(text.substr(end)) : std::string_view();
  if (functor.empty() || functor.size() > kLongest) return brief;
  brief += " (";
  brief += functor;
  return brief + ")";
}

} // namespace rankscope

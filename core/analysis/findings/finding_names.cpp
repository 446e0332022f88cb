// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/finding_names.h"

#include "core/analysis/classify/short_name.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

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

// Whether a text must not be cut before this byte: within a word or a character.
bool isWithinWord(std::string_view text, std::size_t at) {
  const auto ofWord = [](char c) { return c != '_' && (isOfIdentifier(c) || (c & 0x80) != 0); };
  return ofWord(text[at - 1]) && ofWord(text[at]);
}

// The beginning of a long name, up to the end of a part of it.
std::string cutName(std::string name) {
  if (name.size() <= kLongest) return name;
  std::size_t end = kLongest;
  while (end > kLongest / 3 && isWithinWord(name, end)) --end;
  if (isWithinWord(name, end)) end = kLongest; // one long word
  while (end > 0 && (name[end] & 0xC0) == 0x80) --end;
  const auto joins = [](char c) { return c == '_' || (!isOfIdentifier(c) && (c & 0x80) == 0); };
  while (end > 1 && joins(name[end - 1])) --end;
  name.resize(end);
  return name + "…";
}

// "cutlass::Kernel2": a wrapper of any kernel.
bool isKernelWrapper(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kWrappers{"Kernel", "Kernel2", "device_kernel", "kentry"};
  const std::size_t scope = name.rfind("::");
  const std::string_view last = scope == std::string_view::npos ? name : name.substr(scope + 2);
  return std::ranges::find(kWrappers, last) != kWrappers.end();
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
    return "a host thread that records nothing (sleep, I/O or no processor)";
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
  if (name.starts_with("_Z") || isKernelWrapper(brief)) return cutName(shortName(EventKind::Kernel, name));
  brief = cutName(std::move(brief));
  const std::string_view functor =
      end != std::string_view::npos ? functorIn(text.substr(end)) : std::string_view();
  if (functor.empty() || functor.size() > kLongest) return brief;
  brief += " (";
  brief += functor;
  return brief + ")";
}

} // namespace rankscope

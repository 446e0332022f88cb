// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/short_name.h"

#include "core/analysis/classify/mangled_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace rankscope {
namespace {

// Drops template arguments, including nested ones. The '>' of an arrow closes nothing.
std::string withoutTemplateArguments(std::string_view name) {
  std::string result;
  int depth = 0;
  for (const char c : name) {
    if (c == '<') ++depth;
    if (depth == 0) result += c;
    if (c == '>' && depth > 0) --depth;
  }
  return depth == 0 ? result : std::string(name);
}

// Generic kernels, distinguished by the function in their template arguments.
constexpr std::array<std::string_view, 13> kGenericKernels{"_scatter_gather_elementwise_kernel",
                                                           "distribution_elementwise_grid_stride_kernel",
                                                           "elementwise_kernel",
                                                           "elementwise_kernel_manual_unroll",
                                                           "elementwise_kernel_with_index",
                                                           "index_elementwise_kernel",
                                                           "legacy_elementwise_kernel",
                                                           "multi_tensor_apply_kernel",
                                                           "reduce_kernel",
                                                           "trampoline_kernel",
                                                           "unrolled_elementwise_kernel",
                                                           "unrolled_elementwise_kernel_for_multi_outputs",
                                                           "vectorized_elementwise_kernel"};

// The same, but the name itself is uninformative.
constexpr std::array<std::string_view, 5> kWrappers{"Kernel", "Kernel2", "device_kernel", "kentry",
                                                    "kernel_agent"};

// Words of template arguments that do not name the computed function: types and wrappers.
constexpr std::array<std::string_view, 41> kWrapperWords{"AUnaryFunctor",
                                                         "Array",
                                                         "BFloat16",
                                                         "BUnaryFunctor",
                                                         "BinaryFunctor",
                                                         "Half",
                                                         "Kernel",
                                                         "Kernel2",
                                                         "ReduceOp",
                                                         "anonymous",
                                                         "apply",
                                                         "default_config",
                                                         "type_specialized_broadcast_kernel_launcher",
                                                         "array",
                                                         "bool",
                                                         "char",
                                                         "complex",
                                                         "const",
                                                         "constexpr",
                                                         "double",
                                                         "enable_if_t",
                                                         "float",
                                                         "func_wrapper_t",
                                                         "gpu_kernel_impl",
                                                         "gpu_kernel_impl_nocast",
                                                         "gpu_index_kernel",
                                                         "half",
                                                         "int",
                                                         "lambda",
                                                         "long",
                                                         "namespace",
                                                         "operator",
                                                         "short",
                                                         "signed",
                                                         "size_t",
                                                         "TensorListMetadata",
                                                         "TensorListScalarListMetadata",
                                                         "FusedOptimizerTensorListMetadata",
                                                         "unsigned",
                                                         "void",
                                                         "integral_constant"};

template <std::size_t N> bool isAmong(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool isWordCharacter(char c) {
  return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// The first word that names the computed function; empty if there is none.
std::string_view firstFunctionName(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (!isWordCharacter(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && isWordCharacter(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    const bool isScope = text.substr(end).starts_with("::");
    const bool isNumber = word.front() >= '0' && word.front() <= '9';
    if (!isScope && !isNumber && !isAmong(kWrapperWords, word)) return word;
    at = end;
  }
  return {};
}

// Puts the inner function before a generic kernel's name, or in place of a wrapper's.
std::string withInnerFunction(std::string name, std::string_view whole) {
  const bool isWrapper = isAmong(kWrappers, name);
  if (!isWrapper && !isAmong(kGenericKernels, name)) return name;
  const std::size_t arguments = whole.find(name + '<');
  if (arguments == std::string_view::npos) return name;
  const std::string_view run = firstFunctionName(whole.substr(arguments + name.size()));
  if (run.empty()) return name;
  return isWrapper ? std::string(run) : std::string(run) + " · " + name;
}

std::string shortKernelName(std::string_view recorded) {
  std::string whole = functionOfMangled(recorded);
  if (whole.empty()) whole = recorded;
  std::string name = withoutTemplateArguments(whole);
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (auto at = name.find(kAnonymous); at != std::string::npos; at = name.find(kAnonymous))
    name.erase(at, kAnonymous.size());
  if (const auto arguments = name.find('('); arguments != std::string::npos && arguments > 0)
    name.resize(arguments);
  if (auto scope = name.rfind("::"); scope != std::string::npos && scope + 2 < name.size()) {
    // "gemvx::kernel": the scope is the informative word.
    if (name.substr(scope + 2) == "kernel" && scope > 0) scope = name.rfind("::", scope - 1);
    if (scope != std::string::npos) name.erase(0, scope + 2);
  }
  if (const auto type = name.rfind(' '); type != std::string::npos && type + 1 < name.size())
    name.erase(0, type + 1);
  return name.empty() ? std::string(recorded) : withInnerFunction(std::move(name), whole);
}

// "torch/nn/modules/module.py(1501): _call_impl" as "_call_impl module.py:1501".
std::string shortFrameName(std::string_view name) {
  const auto open = name.rfind("): ");
  if (open == std::string_view::npos) return std::string(name);
  const auto line = name.rfind('(', open);
  if (line == std::string_view::npos) return std::string(name);
  const auto folder = name.substr(0, line).find_last_of("/\\");
  const auto file = name.substr(0, line).substr(folder == std::string_view::npos ? 0 : folder + 1);
  return std::string(name.substr(open + 3)) + "  " + std::string(file) + ":" +
         std::string(name.substr(line + 1, open - line - 1));
}

// "nccl:send 0->3" and "nccl:recv 3<-0": with one kind of arrow, as some fonts draw only the first as one.
std::string shortTransferName(std::string_view name) {
  std::string text(name);
  for (const auto& [ascii, arrow] : {std::pair("->", "→"), std::pair("<-", "←")}) {
    if (const std::size_t at = text.find(ascii); at != std::string::npos) text.replace(at, 2, arrow);
  }
  return text;
}

} // namespace

std::string shortName(std::string_view name) {
  if (name.find("): ") != std::string_view::npos) return shortName(EventKind::Python, name);
  if (isCommunicationKernelName(name)) return shortName(EventKind::Collective, name);
  // "Memcpy HtoD (Pinned -> Device)" is no function.
  const std::size_t arguments = name.find('(');
  const bool called = arguments != std::string_view::npos && arguments > 0 && name[arguments - 1] != ' ';
  const bool isKernel = name.starts_with("_Z") || name.find('<') != std::string_view::npos || called;
  return shortName(isKernel ? EventKind::Kernel : EventKind::CpuOp, name);
}

std::string shortName(EventKind kind, std::string_view name) {
  constexpr std::string_view kEvaluate = "autograd::engine::evaluate_function: ";
  if (name.starts_with("nccl:send ") || name.starts_with("nccl:recv ")) return shortTransferName(name);
  switch (kind) {
  case EventKind::Kernel:
    return shortKernelName(name);
  case EventKind::Collective: {
    std::string text = shortKernelName(name);
    for (const std::string_view prefix : {"ncclDevKernel_", "ncclKernel_"}) {
      if (text.size() <= prefix.size() || !text.starts_with(prefix)) continue;
      // Without the library "Generic" says nothing.
      if (!isForAllOperations(text)) text.erase(0, prefix.size());
    }
    return text;
  }
  case EventKind::Python:
    return shortFrameName(name);
  case EventKind::CpuOp:
    if (name.starts_with(kEvaluate)) name.remove_prefix(kEvaluate.size());
    return std::string(name);
  default:
    return std::string(name);
  }
}

bool isForAllOperations(std::string_view collective) {
  return collective.find("_Generic") != std::string_view::npos;
}

} // namespace rankscope

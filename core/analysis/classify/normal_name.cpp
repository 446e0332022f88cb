// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/normal_name.h"

#include "core/analysis/classify/kernel_work.h"
#include "core/model/event_kind.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace rankscope {

namespace {

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

bool isHex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}

// "0x7f3a" as "0x".
std::string withoutAddresses(std::string_view name) {
  std::string result;
  result.reserve(name.size());
  for (std::size_t i = 0; i < name.size();) {
    const bool begins =
        name.substr(i, 2) == "0x" && (i == 0 || !std::isalnum(static_cast<unsigned char>(name[i - 1])));
    if (!begins) {
      result += name[i++];
      continue;
    }
    result += "0x";
    for (i += 2; i < name.size() && isHex(name[i]);) ++i;
  }
  return result;
}

// ".py(123):" as ".py:".
void dropLineNumber(std::string& name) {
  constexpr std::string_view kFile = ".py(";
  const std::size_t at = name.find(kFile);
  if (at == std::string::npos) return;
  const std::size_t number = at + kFile.size();
  std::size_t end = number;
  while (end < name.size() && isDigit(name[end])) ++end;
  if (end == number || end >= name.size() || name[end] != ')') return;
  name.erase(number - 1, end + 1 - (number - 1));
}

void dropLastNumber(std::string& name) {
  std::size_t end = name.size();
  while (end > 0 && isDigit(name[end - 1])) --end;
  if (end == name.size() || end == 0 || name[end - 1] != '_') return;
  name.resize(end - 1);
}

// "## Call CompiledFxGraph fq3x... ##" without the hash.
void dropGraphHash(std::string& name) {
  constexpr std::string_view kGraph = "CompiledFxGraph ";
  const std::size_t at = name.find(kGraph);
  if (at == std::string::npos) return;
  const std::size_t begin = at + kGraph.size() - 1;
  const std::size_t end = name.find(' ', begin + 1);
  name.erase(begin, end == std::string::npos ? end : end - begin);
}

// Where the parameter list of a function begins; npos without one.
std::size_t parameterList(std::string_view name) {
  if (!name.ends_with(')')) return std::string_view::npos;
  std::size_t depth = 0;
  for (std::size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      // "Memcpy HtoD (Pageable -> Device)" has none, nor has "(anonymous namespace)".
      const bool follows = i > 0 && name[i - 1] != ' ' && name[i - 1] != ':';
      return follows ? i : std::string_view::npos;
    }
  }
  return std::string_view::npos;
}

} // namespace

std::string normalOperatorName(std::string_view name) {
  constexpr std::string_view kStep = "ProfilerStep#";
  if (name.starts_with(kStep)) return "ProfilerStep";
  std::string result = withoutAddresses(name);
  dropLineNumber(result);
  dropGraphHash(result);
  if (result.starts_with("triton_") || result.starts_with("graph_")) dropLastNumber(result);
  return result;
}

std::string normalKernelName(std::string_view name) {
  constexpr std::string_view kVoid = "void ";
  if (name.starts_with(kVoid)) name.remove_prefix(kVoid.size());
  // "[clone .kd]" follows the parameters of some compilers.
  if (const std::size_t clone = name.find(" [clone "); clone != std::string_view::npos && name.ends_with(']'))
    name = name.substr(0, clone);
  const std::size_t parameters = parameterList(name);
  if (parameters != std::string_view::npos) name = name.substr(0, parameters);
  std::string result = withoutAddresses(name);
  if (result.starts_with("triton_")) dropLastNumber(result);
  return result;
}

std::string withoutTemplateArguments(std::string_view name) {
  std::string result;
  std::size_t depth = 0;
  for (const char c : name) {
    if (c == '<') {
      ++depth;
    } else if (c == '>' && depth > 0) {
      --depth;
    } else if (depth == 0) {
      result += c;
    }
  }
  return result;
}

std::string kernelFamily(std::string_view name) {
  if (isCommunicationKernelName(name)) return "communication";
  const auto has = [&](std::string_view word) {
    return std::search(name.begin(), name.end(), word.begin(), word.end(), [](char a, char b) {
             return std::tolower(static_cast<unsigned char>(a)) == b;
           }) != name.end();
  };
  if (has("flash") || has("fmha") || has("attention") || has("attn_")) return "attention";
  switch (kernelTraits(name).work) {
  case KernelWork::Product:
    return has("conv") || has("wgrad") || has("dgrad") ? "convolution" : "gemm";
  case KernelWork::Elementwise:
    return "elementwise";
  case KernelWork::Mean:
    return "reduction";
  case KernelWork::Copy:
    return "copy";
  case KernelWork::Cast:
    return "cast";
  case KernelWork::Dropout:
    return "dropout";
  case KernelWork::Softmax:
  case KernelWork::SoftmaxBackward:
    return "softmax";
  case KernelWork::Layout:
    return "layout";
  case KernelWork::Atomics:
    return "atomics";
  case KernelWork::BatchNorm:
    return "norm";
  case KernelWork::Foreach:
    return "foreach";
  case KernelWork::Other:
    break;
  }
  if (has("norm")) return "norm";
  if (has("reduce")) return "reduction";
  return "other";
}

} // namespace rankscope

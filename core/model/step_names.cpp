// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/step_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace rankscope {

namespace {

constexpr std::size_t kLongest = 200; // longer names are no marks
constexpr std::size_t kMostDigits = 15;

bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

// The part after the last dot or slash, in lower case.
std::string lastPart(std::string_view name) {
  const std::size_t mark = name.find_last_of("./");
  std::string part(mark == std::string_view::npos ? name : name.substr(mark + 1));
  std::ranges::transform(part, part.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return part;
}

bool isStepWord(std::string_view word) {
  for (const std::string_view start : {"training_", "train_", "global_"}) {
    if (!word.starts_with(start)) continue;
    word.remove_prefix(start.size());
    break;
  }
  static constexpr std::array<std::string_view, 4> kWords{"step", "iteration", "iter", "batch"};
  return std::ranges::find(kWords, word) != kWords.end();
}

} // namespace

std::optional<StepName> stepNameOf(std::string_view name) {
  if (name.empty() || name.size() > kLongest) return std::nullopt;
  std::size_t digits = 0;
  while (digits < name.size() && isDigit(name[name.size() - digits - 1])) ++digits;
  std::string_view family = name.substr(0, name.size() - digits);
  StepName found;
  if (digits > 0) {
    if (digits > kMostDigits) return std::nullopt;
    const std::string_view number = name.substr(family.size());
    std::from_chars(number.data(), number.data() + number.size(), found.number);
    if (!family.empty() && std::string_view(" _#:=.-").find(family.back()) != std::string_view::npos)
      family.remove_suffix(1);
  }
  const bool profiler = family == "ProfilerStep" && digits > 0;
  if (!profiler && !isStepWord(lastPart(family))) return std::nullopt;
  // A bare "step" or "batch" may be anything; with "train" before it, it is a step.
  if (digits == 0 && lastPart(family).find('_') == std::string::npos) return std::nullopt;
  found.family = family;
  return found;
}

} // namespace rankscope

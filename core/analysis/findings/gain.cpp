// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/findings/gain.h"

#include "core/base/unit_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace rankscope {

namespace {

// "low to high unit" of two texts that end in a unit each; one of them where both are the same.
std::string rangeText(const std::string& low, const std::string& high, bool lowIsNone) {
  if (low == high) return high;
  if (lowIsNone) return "0 to " + high;
  const auto unitOf = [](const std::string& text) {
    return text.substr(std::min(text.size(), text.find(' ')));
  };
  if (unitOf(low) == unitOf(high)) return low.substr(0, low.find(' ')) + " to " + high;
  return low + " to " + high;
}

} // namespace

Severity severityOfGain(double lowShare, Confidence confidence) {
  if (confidence == Confidence::Hint) return Severity::Info;
  return severityOf(lowShare, kGainShares).value_or(Severity::Info);
}

std::string gainText(const Gain& gain) {
  return rangeText(durationText(gain.low), durationText(gain.high), gain.low <= 0);
}

std::string gainShareText(const Gain& gain, double stepTime) {
  if (stepTime <= 0) return {};
  const auto text = [&](TimeNs time) { return percentText(100 * static_cast<double>(time) / stepTime); };
  return rangeText(text(gain.low), text(gain.high), gain.low <= 0);
}

std::string_view severityText(Severity severity) {
  switch (severity) {
  case Severity::Info:
    return "info";
  case Severity::Warning:
    return "warning";
  case Severity::Critical:
    return "critical";
  }
  return {};
}

std::optional<Severity> severityOf(std::string_view text) {
  for (const Severity severity : {Severity::Info, Severity::Warning, Severity::Critical}) {
    if (severityText(severity) == text) return severity;
  }
  return std::nullopt;
}

std::string_view confidenceText(Confidence confidence) {
  switch (confidence) {
  case Confidence::Hint:
    return "hint";
  case Confidence::Likely:
    return "likely";
  case Confidence::Proven:
    return "proven";
  }
  return {};
}

} // namespace rankscope

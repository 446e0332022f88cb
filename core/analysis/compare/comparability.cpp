// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/compare/comparability.h"

#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

using SharesByName = std::map<std::string_view, double>;

std::optional<double> common(const SharesByName& a, const SharesByName& b) {
  double ofA = 0;
  double ofB = 0;
  for (const auto& [name, value] : a) ofA += value;
  for (const auto& [name, value] : b) ofB += value;
  if (ofA <= 0 || ofB <= 0) return std::nullopt;
  double shared = 0;
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    if (other != b.end()) shared += std::min(value / ofA, other->second / ofB);
  }
  return std::min(shared, 1.0);
}

FactState stateOf(bool same) {
  return same ? FactState::Same : FactState::Differs;
}

ComparedFact textFact(std::string name, std::string a, std::string b) {
  const FactState state = a.empty() || b.empty() ? FactState::Unknown : stateOf(a == b);
  return {std::move(name), state, std::move(a), std::move(b)};
}

std::string recordedText(Recorded recorded) {
  if (recorded == Recorded::Unknown) return {};
  return recorded == Recorded::Yes ? "yes" : "no";
}

std::string countText(std::optional<std::int64_t> count) {
  return count ? fmt::format("{}", *count) : std::string();
}

// "0-3, 8".
std::string ranksText(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (!text.empty()) text += ", ";
    text += end - i > 1 ? fmt::format("{}-{}", ranks[i], ranks[end - 1]) : fmt::format("{}", ranks[i]);
    i = end;
  }
  return text;
}

// Device events of a kept step of one rank.
double eventsPerStep(const SideFacts& side) {
  double steps = 0;
  for (const SideSample& sample : side.samples) {
    if (sample.kept()) steps += static_cast<double>(sample.ranks);
  }
  return steps > 0 ? static_cast<double>(side.identity.deviceEvents) / steps : 0;
}

ComparedFact eventsFact(const SideFacts& a, const SideFacts& b) {
  const double ofA = eventsPerStep(a);
  const double ofB = eventsPerStep(b);
  const bool same = std::abs(ofA - ofB) <= 0.01 * std::max(ofA, ofB);
  return {"GPU events a step", stateOf(same), groupedText(std::llround(ofA)), groupedText(std::llround(ofB))};
}

ComparedFact shareFact(std::string name, std::optional<double> share) {
  if (!share) return {std::move(name), FactState::Unknown, {}, {}};
  const std::string text = fmt::format("{:.0f} %", 100 * *share);
  return {std::move(name), stateOf(*share >= kMinShared), text, text};
}

// The highest of a rank; within 1 % it is the same.
std::optional<ComparedFact> memoryFact(const SideIdentity& a, const SideIdentity& b) {
  if (!a.peakAllocatedBytes && !b.peakAllocatedBytes) return std::nullopt;
  const auto text = [](std::optional<std::int64_t> bytes) {
    return bytes ? bytesText(*bytes) : std::string();
  };
  ComparedFact fact{"peak allocated memory", FactState::Unknown, text(a.peakAllocatedBytes),
                    text(b.peakAllocatedBytes)};
  if (a.peakAllocatedBytes && b.peakAllocatedBytes) {
    const auto ofA = static_cast<double>(*a.peakAllocatedBytes);
    const auto ofB = static_cast<double>(*b.peakAllocatedBytes);
    fact.state = stateOf(std::abs(ofA - ofB) <= 0.01 * std::max(ofA, ofB));
  }
  return fact;
}

std::string stepsText(const SideFacts& side) {
  const std::size_t kept = side.keptCount();
  if (!side.areSteps) return "none";
  return kept == side.samples.size() ? fmt::format("{}", kept)
                                     : fmt::format("{} of {}", kept, side.samples.size());
}

std::optional<double> sharedKernelTime(const SideFacts& a, const SideFacts& b) {
  const auto shares = [](const SideFacts& side) {
    SharesByName times;
    for (const SideKernel& row : side.kernels) {
      if (row.computes) times[row.name] += row.time;
    }
    return times;
  };
  return common(shares(a), shares(b));
}

// Of the operators that launch device work: views and bookkeeping are the same in every program. Calls of a
// step, not their shares: twice the layers are another program.
std::optional<double> sharedOperatorCalls(const SideFacts& a, const SideFacts& b) {
  const bool devices = a.identity.hasDevices && b.identity.hasDevices;
  double totalA = 0;
  double totalB = 0;
  const auto callsOf = [&](const SideFacts& side, double& total) {
    SharesByName calls;
    for (const SideOperator& row : side.operators) {
      if (row.name.empty() || (devices && row.device <= 0)) continue;
      calls[row.name] += row.calls;
      total += row.calls;
    }
    return calls;
  };
  const SharesByName ofA = callsOf(a, totalA);
  const SharesByName ofB = callsOf(b, totalB);
  if (totalA <= 0 || totalB <= 0) return std::nullopt;
  double shared = 0;
  for (const auto& [name, calls] : ofA) {
    const auto other = ofB.find(name);
    if (other != ofB.end()) shared += std::min(calls, other->second);
  }
  return std::min(shared / std::max(totalA, totalB), 1.0);
}

} // namespace

SharedShares sharedShares(const SideFacts& a, const SideFacts& b) {
  return {sharedKernelTime(a, b), sharedOperatorCalls(a, b)};
}

std::string_view factStateText(FactState state) {
  constexpr std::array<std::string_view, 3> kTexts = {"same", "differs", "unknown"};
  return kTexts[static_cast<std::size_t>(state)];
}

bool isComparable(const SharedShares& shared) {
  const auto few = [](std::optional<double> share) { return share && *share < kMinShared; };
  if (!shared.kernels && !shared.operators) return true; // nothing speaks against it
  if (!shared.kernels) return !few(shared.operators);
  if (!shared.operators) return !few(shared.kernels);
  return !few(shared.kernels) || !few(shared.operators);
}

std::vector<ComparedFact> comparedFacts(const SideFacts& a, const SideFacts& b, const SharedShares& shared) {
  std::vector<ComparedFact> facts;
  facts.push_back(textFact("world size", countText(a.identity.worldSize), countText(b.identity.worldSize)));
  facts.push_back(textFact("ranks", ranksText(a.identity.ranks), ranksText(b.identity.ranks)));
  if (!a.identity.notCompared.empty() || !b.identity.notCompared.empty()) {
    const auto text = [](const std::vector<int>& ranks) {
      return ranks.empty() ? std::string("none") : ranksText(ranks);
    };
    facts.push_back(textFact("ranks left out", text(a.identity.notCompared), text(b.identity.notCompared)));
  }
  facts.push_back(textFact("device", a.identity.devices, b.identity.devices));
  facts.push_back(textFact("back end", a.identity.backend, b.identity.backend));
  facts.push_back(textFact("NCCL or RCCL", a.identity.ncclVersion, b.identity.ncclVersion));
  facts.push_back(textFact("GPU runtime", a.identity.runtimeVersion, b.identity.runtimeVersion));
  facts.push_back(textFact("GPU driver", a.identity.driverVersion, b.identity.driverVersion));
  facts.push_back(
      textFact("Python stacks", recordedText(a.identity.stacks), recordedText(b.identity.stacks)));
  facts.push_back(textFact("input shapes", recordedText(a.identity.shapes), recordedText(b.identity.shapes)));
  facts.push_back(
      textFact("memory events", recordedText(a.identity.memory), recordedText(b.identity.memory)));
  if (auto memory = memoryFact(a.identity, b.identity)) facts.push_back(std::move(*memory));
  facts.push_back(
      textFact("captures", fmt::format("{}", a.identity.cycles), fmt::format("{}", b.identity.cycles)));
  facts.push_back(textFact("steps", stepsText(a), stepsText(b)));
  facts.push_back(textFact("steps found by", std::string(stepSourceText(a.identity.found)),
                           std::string(stepSourceText(b.identity.found))));
  if (a.identity.hasDevices || b.identity.hasDevices) facts.push_back(eventsFact(a, b));
  facts.push_back(shareFact("shared kernel time", shared.kernels));
  facts.push_back(shareFact("shared operator calls", shared.operators));
  return facts;
}

} // namespace rankscope

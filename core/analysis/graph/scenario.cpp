// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/graph/scenario.h"

#include "core/analysis/account/leaves.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace rankscope {

namespace {

enum class Argument : std::uint8_t { None, Rank, Factor, Leaf };

struct KindText {
  std::string_view id;
  std::string_view title;
  Argument argument = Argument::None;
};

constexpr std::array<KindText, kScenarioKindCount> kKinds{{
    {"no_stragglers", "No stragglers: every rank as the median of its peers"},
    {"rank_as_peers", "One rank as the median of its peers", Argument::Rank},
    {"without_rank", "No waiting for one rank", Argument::Rank},
    {"all_but_as_peers", "All ranks but one as the median of their peers", Argument::Rank},
    {"kernel", "Kernel durations times a factor", Argument::Factor},
    {"link", "Faster links", Argument::Factor},
    {"transfer_zero", "Transfers that take no time"},
    {"perfect_overlap", "Nothing waits for communication"},
    {"no_contention", "Kernels at the speed they have without communication beside them"},
    {"zero_host", "CPU work that takes no time"},
    {"host", "CPU work times a factor", Argument::Factor},
    {"no_gap", "No idle time of one cause", Argument::Leaf},
    {"no_sync", "No call waits for the device"},
    {"copies_overlapped", "Copies do not hold up kernels"},
}};

const KindText& textOf(ScenarioKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

Error wrong(std::string message) {
  Error error;
  error.kind = ErrorKind::Format;
  error.message = std::move(message);
  return error;
}

std::optional<ScenarioKind> kindNamed(std::string_view id) {
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i].id == id) return static_cast<ScenarioKind>(i);
  }
  return std::nullopt;
}

template <class T> std::optional<T> numberOf(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool isKnownLeaf(std::string_view name) {
  for (std::size_t i = 0; i < kLeafCount; ++i) {
    if (isUnder(static_cast<Leaf>(i), name)) return true;
  }
  return false;
}

std::optional<Error> readFactor(std::string_view id, std::string_view argument, ScenarioPart& part) {
  const std::size_t colon = argument.find(':');
  if (colon != std::string_view::npos) part.text = argument.substr(colon + 1);
  const std::optional<double> factor = numberOf<double>(argument.substr(0, colon));
  const bool link = part.kind == ScenarioKind::Link;
  if (!factor || !(*factor >= 0 && *factor <= 1e6) || (link && *factor == 0))
    return wrong(fmt::format("{}: '{}' is no factor {}", id, argument.substr(0, colon),
                             link ? "above 0" : "of 0 or more"));
  if (part.kind == ScenarioKind::Host && !part.text.empty())
    return wrong(fmt::format("{}: there is no filter of the host", id));
  part.factor = *factor;
  return std::nullopt;
}

std::optional<Error> readLeaf(std::string_view id, std::string_view argument, ScenarioPart& part) {
  const std::size_t colon = argument.find(':');
  part.text = argument.substr(0, colon);
  if (part.text.empty() || !isKnownLeaf(part.text))
    return wrong(fmt::format("{}: '{}' is no cause of idle time, such as host.input or host", id, part.text));
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view rank = argument.substr(colon + 1);
  part.rank = numberOf<int>(rank);
  if (!part.rank) return wrong(fmt::format("{}: '{}' is no rank", id, rank));
  return std::nullopt;
}

Result<ScenarioPart> partFromText(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view id = text.substr(0, equals);
  const std::string_view argument =
      equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  const std::optional<ScenarioKind> kind = kindNamed(id);
  if (!kind) {
    std::string known;
    for (const KindText& of : kKinds)
      fmt::format_to(std::back_inserter(known), "{}{}", known.empty() ? "" : ", ", of.id);
    return wrong(fmt::format("'{}' is no scenario; there are: {}", id, known));
  }
  ScenarioPart part;
  part.kind = *kind;
  switch (textOf(*kind).argument) {
  case Argument::None:
    if (equals != std::string_view::npos) return wrong(fmt::format("{} takes no argument", id));
    break;
  case Argument::Rank:
    if (argument == "slowest") break;
    part.rank = numberOf<int>(argument);
    if (!part.rank) return wrong(fmt::format("{}: '{}' is no rank", id, argument));
    break;
  case Argument::Factor:
    if (auto error = readFactor(id, argument, part)) return std::move(*error);
    break;
  case Argument::Leaf:
    if (auto error = readLeaf(id, argument, part)) return std::move(*error);
    break;
  }
  return part;
}

// Where the next part begins: a + before the name of a scenario, so that filters may hold one.
std::size_t nextPart(std::string_view text) {
  for (std::size_t at = text.find('+'); at != std::string_view::npos; at = text.find('+', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    if (kindNamed(rest.substr(0, rest.find_first_of("=+")))) return at;
    if (text.substr(0, at).find(':') == std::string_view::npos) return at;
  }
  return std::string_view::npos;
}

} // namespace

std::string_view scenarioId(ScenarioKind kind) {
  return textOf(kind).id;
}

std::string_view scenarioTitle(ScenarioKind kind) {
  return textOf(kind).title;
}

Result<Scenario> scenarioFromText(std::string_view text) {
  Scenario scenario;
  while (true) {
    const std::size_t end = nextPart(text);
    auto part = partFromText(text.substr(0, end));
    if (!part) return part.error();
    scenario.parts.push_back(std::move(*part));
    if (end == std::string_view::npos) return scenario;
    text.remove_prefix(end + 1);
  }
}

std::string scenarioText(const Scenario& scenario) {
  std::string text;
  for (const ScenarioPart& part : scenario.parts) {
    if (!text.empty()) text += '+';
    text += scenarioId(part.kind);
    switch (textOf(part.kind).argument) {
    case Argument::None:
      break;
    case Argument::Rank:
      if (part.rank)
        fmt::format_to(std::back_inserter(text), "={}", *part.rank);
      else
        text += "=slowest";
      break;
    case Argument::Factor:
      fmt::format_to(std::back_inserter(text), "={}", part.factor);
      if (!part.text.empty()) fmt::format_to(std::back_inserter(text), ":{}", part.text);
      break;
    case Argument::Leaf:
      fmt::format_to(std::back_inserter(text), "={}", part.text);
      if (part.rank) fmt::format_to(std::back_inserter(text), ":{}", *part.rank);
      break;
    }
  }
  return text;
}

std::vector<Scenario> defaultScenarios() {
  std::vector<Scenario> scenarios;
  for (const std::string_view text :
       {"no_stragglers", "rank_as_peers=slowest", "no_gap=host.input", "no_gap=host.sync", "link=2",
        "zero_host", "transfer_zero", "perfect_overlap"}) {
    auto scenario = scenarioFromText(text);
    if (scenario) scenarios.push_back(std::move(*scenario));
  }
  return scenarios;
}

} // namespace rankscope

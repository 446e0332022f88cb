// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/operator_inputs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace rankscope {

namespace {

template <class Number> std::optional<Number> numberIn(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

} // namespace

std::vector<std::string> stringsInText(std::string_view text) {
  std::vector<std::string> strings;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '"') continue;
    std::string& string = strings.emplace_back();
    for (++at; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      string += text[at];
    }
  }
  return strings;
}

std::optional<std::vector<std::int64_t>> integersInText(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('[') && text.ends_with(']') && text.size() >= 2)
    text = text.substr(1, text.size() - 2);
  std::vector<std::int64_t> numbers;
  while (!trimmed(text).empty()) {
    const std::size_t comma = text.find(',');
    const auto number = numberIn<std::int64_t>(trimmed(text.substr(0, comma)));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return numbers;
}

OperatorInputs operatorInputsInText(std::string_view text) {
  std::array<std::string_view, 6> fields;
  for (std::string_view& field : fields) {
    const std::size_t end = text.find(kFieldEnd);
    field = text.substr(0, end);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  OperatorInputs inputs;
  if (auto shapes = shapesInText(fields[0])) {
    inputs.shapesKnown = true;
    inputs.shapes = *std::move(shapes);
  }
  inputs.types = stringsInText(fields[1]);
  inputs.values = stringsInText(fields[2]);
  inputs.sequence = numberIn<std::int64_t>(fields[3]).value_or(-1);
  const double flops = numberIn<double>(fields[4]).value_or(0);
  if (flops >= 1 && flops < 9e18) inputs.flops = static_cast<std::int64_t>(flops);
  const auto gigabytes = numberIn<double>(fields[5]);
  if (gigabytes && *gigabytes > 0 && *gigabytes < 1e9) inputs.gigabytes = gigabytes;
  return inputs;
}

OperatorInputsOf::OperatorInputsOf(const RankEntry& rank, std::vector<EventIndex> operators,
                                   const Progress* progress) {
  if (operators.empty()) return;
  const Column<SourceRef>& sourceOf = rank.trace->events.source;
  std::ranges::sort(operators);
  operators.erase(std::unique(operators.begin(), operators.end()), operators.end());
  std::ranges::sort(operators, {}, [&](EventIndex op) { return sourceOf[op]; });
  std::vector<SourceRef> sources(operators.size());
  std::ranges::transform(operators, sources.begin(), [&](EventIndex op) { return sourceOf[op]; });
  std::vector<std::pair<EventIndex, OperatorInputs>> known;
  known.reserve(operators.size());
  (void)rank.details->arguments(
      sources, EventArgument::OperatorInputs,
      [&](std::size_t i, std::string_view text) {
        known.emplace_back(operators[i], operatorInputsInText(text));
      },
      progress);
  std::ranges::sort(known, {}, &std::pair<EventIndex, OperatorInputs>::first);
  m_operators.reserve(known.size());
  m_inputs.reserve(known.size());
  for (auto& [op, inputs] : known) {
    m_operators.push_back(op);
    m_inputs.push_back(std::move(inputs));
  }
}

const OperatorInputs* OperatorInputsOf::of(EventIndex op) const {
  const auto found = std::ranges::lower_bound(m_operators, op);
  if (found == m_operators.end() || *found != op) return nullptr;
  return &m_inputs[static_cast<std::size_t>(found - m_operators.begin())];
}

} // namespace rankscope

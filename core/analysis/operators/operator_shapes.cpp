// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/operator_shapes.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <utility>

namespace rankscope {

namespace {

// Shapes are a list of lists of numbers; lists of tensors have one more level.
class ShapeText {
 public:
  explicit ShapeText(std::string_view text) : m_rest(text) {}

  std::optional<std::vector<TensorShape>> all() {
    std::vector<TensorShape> shapes;
    if (!takes('[')) return std::nullopt;
    while (!takes(']')) {
      std::optional<TensorShape> shape = one();
      if (!shape) return std::nullopt;
      shapes.push_back(std::move(*shape));
      if (!takes(',') && next() != ']') return std::nullopt;
    }
    return shapes;
  }

 private:
  std::optional<TensorShape> one() {
    TensorShape shape;
    if (!takes('[')) return std::nullopt;
    bool isList = false;
    while (!takes(']')) {
      if (next() == '[') {
        isList = true;
        if (!one()) return std::nullopt;
      } else if (!takesNumber(shape)) {
        return std::nullopt;
      }
      if (!takes(',') && next() != ']') return std::nullopt;
    }
    if (isList) shape.clear();
    return shape;
  }

  bool takesNumber(TensorShape& shape) {
    skipSpace();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(m_rest.data(), m_rest.data() + m_rest.size(), value);
    if (error != std::errc() || value < 0) return false;
    m_rest.remove_prefix(static_cast<std::size_t>(end - m_rest.data()));
    shape.push_back(value);
    return true;
  }

  void skipSpace() {
    while (!m_rest.empty() && m_rest.front() == ' ') m_rest.remove_prefix(1);
  }
  char next() {
    skipSpace();
    return m_rest.empty() ? '\0' : m_rest.front();
  }
  bool takes(char c) {
    if (next() != c) return false;
    m_rest.remove_prefix(1);
    return true;
  }

  std::string_view m_rest;
};

} // namespace

std::optional<std::vector<TensorShape>> shapesInText(std::string_view text) {
  return ShapeText(text).all();
}

std::optional<std::int64_t> elementsOf(const TensorShape& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent != 0 && elements > std::numeric_limits<std::int64_t>::max() / extent) return std::nullopt;
    elements *= extent;
  }
  return elements;
}

OperatorShapes::OperatorShapes(const RankEntry& rank, std::vector<EventIndex> operators,
                               const Progress* progress) {
  if (operators.empty()) return;
  const Column<SourceRef>& sourceOf = rank.trace->events.source;
  std::ranges::sort(operators);
  operators.erase(std::unique(operators.begin(), operators.end()), operators.end());
  std::ranges::sort(operators, {}, [&](EventIndex op) { return sourceOf[op]; });
  std::vector<SourceRef> sources(operators.size());
  std::ranges::transform(operators, sources.begin(), [&](EventIndex op) { return sourceOf[op]; });
  std::vector<std::pair<EventIndex, std::vector<TensorShape>>> known;
  (void)rank.details->arguments(
      sources, EventArgument::InputShapes,
      [&](std::size_t i, std::string_view text) {
        if (auto shapes = shapesInText(text)) known.emplace_back(operators[i], std::move(*shapes));
      },
      progress);
  std::ranges::sort(known, {}, &std::pair<EventIndex, std::vector<TensorShape>>::first);
  for (auto& [op, shapes] : known) {
    m_operators.push_back(op);
    m_shapes.push_back(std::move(shapes));
  }
}

const std::vector<TensorShape>* OperatorShapes::of(EventIndex op) const {
  const auto found = std::ranges::lower_bound(m_operators, op);
  if (found == m_operators.end() || *found != op) return nullptr;
  return &m_shapes[static_cast<std::size_t>(found - m_operators.begin())];
}

} // namespace rankscope

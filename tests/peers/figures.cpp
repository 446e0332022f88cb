// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/figures.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace rankscope::peers {

namespace {

const Figure* find(const Figures& figures, const FigureKey& key) {
  const auto found = figures.find(key);
  return found == figures.end() ? nullptr : &found->second;
}

bool same(const Figure* one, const Figure* other, Tolerance tolerance) {
  if (one == nullptr || other == nullptr) return one == other;
  return sameFigure(*one, *other, tolerance);
}

std::string shown(const Figure* figure) {
  return figure == nullptr ? std::string() : figure->shown();
}

class Explainer {
 public:
  explicit Explainer(const detail::UntypedTable& table)
      : m_table(table), m_all((std::uint64_t{1} << table.rules.size()) - 1) {}

  [[nodiscard]] Comparison explain(const FigureKey& key) const {
    const Figure* theirs = find(m_table.theirs, key);
    const Figure* ours = m_table.ours ? find(*m_table.ours, key) : nullptr;
    Comparison result;
    result.set = m_table.set;
    result.figure = fmt::format("{} {} {}", m_table.name, key.row, key.column);
    result.ours = shown(ours);
    result.theirs = shown(theirs);
    if (ours && theirs && ours->low && theirs->low) result.difference = *ours->low - *theirs->low;
    const Tolerance tolerance = m_table.tolerance(key.column);
    if (m_table.ours && same(ours, theirs, tolerance)) return result;
    const auto explains = [&](std::uint64_t bits) {
      return same(find(m_table.recompute(bits), key), theirs, tolerance);
    };
    result.explained = explains(m_all);
    if (!result.explained) {
      result.rule = "NOT EXPLAINED; with all rules " + shown(find(m_table.recompute(m_all), key));
      return result;
    }
    result.rule = text(minCount(explains), key, ours != nullptr);
    if (!result.rule.empty()) return result;
    result.explained = false;
    result.rule = "NOT EXPLAINED; their algorithm on our definitions gives theirs";
    return result;
  }

 private:
  // No rule, else one, else all but those that are not needed.
  template <class Explains> [[nodiscard]] std::uint64_t minCount(const Explains& explains) const {
    if (explains(0)) return 0;
    for (std::size_t i = 0; i < m_table.rules.size(); ++i)
      if (explains(std::uint64_t{1} << i)) return std::uint64_t{1} << i;
    std::uint64_t bits = m_all;
    for (std::size_t i = 0; i < m_table.rules.size(); ++i) {
      const std::uint64_t fewer = bits & ~(std::uint64_t{1} << i);
      if (explains(fewer)) bits = fewer;
    }
    return bits;
  }

  [[nodiscard]] std::string text(std::uint64_t bits, const FigureKey& key, bool hasOurs) const {
    std::string text;
    if (bits == 0 || !hasOurs) text = m_table.basis ? m_table.basis(key.column) : std::string();
    for (std::size_t i = 0; i < m_table.rules.size(); ++i) {
      if (((bits >> i) & 1u) == 0) continue;
      if (!text.empty()) text += " + ";
      text += m_table.rules[i];
    }
    return text;
  }

  const detail::UntypedTable& m_table;
  std::uint64_t m_all;
};

} // namespace

std::string Figure::shown() const {
  if (!low) return text;
  if (*low != high) return fmt::format("{:.10g}..{:.10g}", *low, high);
  return fmt::format("{:.10g}", *low);
}

bool sameFigure(const Figure& one, const Figure& other, Tolerance tolerance) {
  if (one.low.has_value() != other.low.has_value()) return false;
  if (!one.low) return one.text == other.text;
  if (std::isnan(*one.low) || std::isnan(*other.low)) return std::isnan(*one.low) == std::isnan(*other.low);
  if (*one.low == *other.low) return true;
  if (std::isinf(*one.low) || std::isinf(*other.low)) return false;
  const double size = std::max(std::abs(*one.low), std::abs(*other.low));
  const double apart = tolerance.absolute + tolerance.relative * size;
  return *one.low <= other.high + apart && *other.low <= one.high + apart;
}

void detail::explain(const UntypedTable& table, std::vector<Comparison>& to) {
  const Explainer explainer(table);
  std::set<FigureKey> keys;
  for (const auto& [key, figure] : table.theirs) keys.insert(key);
  for (const auto& [key, figure] : table.recompute((std::uint64_t{1} << table.rules.size()) - 1))
    keys.insert(key);
  if (table.ours) {
    for (const auto& [key, figure] : *table.ours) keys.insert(key);
  }
  for (const FigureKey& key : keys) to.push_back(explainer.explain(key));
}

} // namespace rankscope::peers

// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of a table by row and column, however they were come by: read from another tool's table, recomputed
// with its rules, or ours. explainDifferences says for each of theirs which rules lead from our figure to it.
#pragma once

#include "tests/peers/rule_set.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::peers {

// A number, or a text where low is not set. The tool itself leaves a number open between low and high where
// its result depends on the order of what its sort calls equal.
struct Figure {
  std::optional<double> low;
  double high = 0;
  std::string text;

  Figure() = default;
  Figure(double number) : low(number), high(number) {}
  Figure(double lowest, double highest) : low(lowest), high(highest) {}
  Figure(std::string words) : text(std::move(words)) {}

  [[nodiscard]] std::string shown() const;
};

struct FigureKey {
  std::string row;
  std::string column;
  auto operator<=>(const FigureKey&) const = default;
};

using Figures = std::map<FigureKey, Figure>;

// How far apart two figures may be and still be the same: what the tool prints and what its doubles lose.
struct Tolerance {
  double absolute = 0.01;
  double relative = 1e-6;
};

[[nodiscard]] bool sameFigure(const Figure& one, const Figure& other, Tolerance tolerance);

struct Comparison {
  std::string set;
  std::string figure; // table, row, column
  std::string ours;   // empty where we have no such figure
  std::string theirs;
  std::optional<double> difference; // ours - theirs
  std::string rule;                 // what leads from ours to theirs; empty when they are the same
  bool explained = true;
};

// One table of another tool, with what is needed to compare it.
template <class Rule> struct PeerTable {
  std::string name;
  Figures theirs;
  std::optional<Figures> ours; // none: we have no such figures
  // What the tool's figure is where we have none, or one that is another thing; empty where ours must be the
  // tool's as soon as its rules are taken away.
  std::function<std::string(std::string_view column)> basis;
  std::vector<Rule> rules; // that can matter here
  std::function<Figures(RuleSet<Rule>)> recompute;
  std::function<Tolerance(std::string_view column)> tolerance;
};

namespace detail {

using Recompute = std::function<const Figures&(std::uint64_t ruleBits)>;

struct UntypedTable {
  std::string_view set, name;
  const std::function<std::string(std::string_view)>& basis;
  const Figures& theirs;
  const Figures* ours;
  std::vector<std::string> rules; // bit i of ruleBits
  Recompute recompute;
  const std::function<Tolerance(std::string_view)>& tolerance;
};

void explain(const UntypedTable& table, std::vector<Comparison>& to);

} // namespace detail

// ruleText(Rule) -> std::string_view.
template <class Rule, class RuleText>
void explainDifferences(std::string_view set, const PeerTable<Rule>& table, RuleText&& ruleText,
                        std::vector<Comparison>& to) {
  std::map<std::uint64_t, Figures> known;
  detail::UntypedTable untyped{
      set, table.name, table.basis,    table.theirs, table.ours ? &*table.ours : nullptr,
      {},  {},         table.tolerance};
  for (const Rule rule : table.rules) untyped.rules.emplace_back(ruleText(rule));
  untyped.recompute = [&](std::uint64_t bits) -> const Figures& {
    const auto found = known.find(bits);
    if (found != known.end()) return found->second;
    RuleSet<Rule> rules;
    for (std::size_t i = 0; i < table.rules.size(); ++i)
      if ((bits >> i) & 1u) rules = rules.with(table.rules[i]);
    return known.emplace(bits, table.recompute(rules)).first->second;
  };
  detail::explain(untyped, to);
}

} // namespace rankscope::peers

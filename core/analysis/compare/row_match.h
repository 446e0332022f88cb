// SPDX-License-Identifier: GPL-3.0-or-later
// A row of one side with its partner on the other, and what they were matched by.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope {

enum class RowMatch : std::uint8_t {
  OnlyA,
  OnlyB,
  Name,         // equal names in equal modules and phases
  NameShapes,   // and equal shapes
  ShapeChanged, // equal names and calls, other shapes
  NameOnly,     // equal names elsewhere in the program
  Path,         // of a module
  Exact,        // a kernel's name with its template arguments
  NoTemplate,   // without them
  Family,       // a kernel of the same kind of work, launched by the same operator
  Operator,     // another kernel, launched by the same operator
  GroupRanks,   // collectives of groups of equal size and stride that have other names
  Order,        // groups by their order
};

// "only_a", "name", "no_template", ...
[[nodiscard]] std::string_view rowMatchText(RowMatch match);

template <class Row> struct ComparedRow {
  RowMatch match = RowMatch::OnlyA;
  std::optional<Row> a;
  std::optional<Row> b;

  // A figure of both, 0 where a side has no such row.
  template <class Value> [[nodiscard]] double ofA(Value value) const { return a ? (*a).*value : 0.0; }
  template <class Value> [[nodiscard]] double ofB(Value value) const { return b ? (*b).*value : 0.0; }
  template <class Value> [[nodiscard]] double delta(Value value) const { return ofB(value) - ofA(value); }
  // The side that has it, A where both do.
  [[nodiscard]] const Row& any() const { return a ? *a : *b; }
};

} // namespace rankscope

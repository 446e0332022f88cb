// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/compare/row_match.h"

#include <array>

namespace rankscope {

std::string_view rowMatchText(RowMatch match) {
  constexpr std::array<std::string_view, 13> kTexts = {
      "only_a", "only_b",      "name",   "name_shapes", "shape_changed", "name_only", "path",
      "exact",  "no_template", "family", "operator",    "group_ranks",   "order"};
  return kTexts[static_cast<std::size_t>(match)];
}

} // namespace rankscope

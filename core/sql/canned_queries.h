// SPDX-License-Identifier: GPL-3.0-or-later
// Queries that come with the program: examples to start from. Constant.
#pragma once

#include <span>
#include <string_view>

namespace rankscope {

struct CannedQuery {
  std::string_view id;      // for files and tests: "kernels_by_step"
  std::string_view title;   // for a menu
  std::string_view meaning; // one sentence
  std::string_view sql;
};

[[nodiscard]] std::span<const CannedQuery> cannedQueries();

} // namespace rankscope

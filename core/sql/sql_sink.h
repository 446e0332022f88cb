// SPDX-License-Identifier: GPL-3.0-or-later
// Who takes the rows of a query, and what can be wrong with one.
#pragma once

#include "core/export/result_table.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

struct SqlProblem {
  enum class Kind : std::uint8_t { Wrong, Limit, Cancelled };
  Kind kind = Kind::Wrong;
  std::string text;
};

struct SqlResultColumn {
  std::string name;
  std::optional<Unit> unit; // if known without looking at values
  bool event = false;       // holds ids of events
};

// Takes the rows of a result as they come. Texts are valid during the call.
class SqlSink {
 public:
  virtual ~SqlSink() = default;
  virtual void begin(std::vector<SqlResultColumn> columns) = 0;
  // A problem ends the query.
  virtual std::optional<SqlProblem> row(std::span<const Cell> cells) = 0;
};

} // namespace rankscope

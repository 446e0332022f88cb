// SPDX-License-Identifier: GPL-3.0-or-later
// A table of SQL that is not a result table: its columns, and how its rows are made.
#pragma once

#include "core/report/job_report.h"
#include "core/sql/event_source.h"
#include "core/sql/list_table.h"

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace rankscope {

struct RawTableSpec {
  std::string_view name;
  std::string_view meaning; // one sentence
  std::vector<SqlColumn> columns;
  // Never null. report and source outlive the rows.
  std::function<std::unique_ptr<const SqlRows>(const JobReport&, const EventSource&)> make;
};

} // namespace rankscope

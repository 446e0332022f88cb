// SPDX-License-Identifier: GPL-3.0-or-later
// What the second half of the gains tab shows: what a step would take if something were different, and the
// critical path summed by one key. Pure; made on a worker.
#pragma once

#include "core/analysis/graph/path_summary.h"
#include "core/export/result_table.h"
#include "core/report/job_report.h"

#include <QString>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::ui {

struct WhatIfView {
  std::shared_ptr<const ResultTable> scenarios; // null: nothing to show
  std::vector<std::string> texts;               // of the scenarios, by row
  std::vector<bool> refused;                    // by row
  QString caption;                              // how far the answers can be trusted
  QString whyEmpty;
};

struct PathView {
  std::shared_ptr<const ResultTable> table; // null: nothing to show
  std::vector<PathSegment> longest;         // by row
  QString caption;
  QString whyEmpty;
};

// Of the default scenarios, and of these in addition, the last ones first.
[[nodiscard]] WhatIfView whatIfView(const JobReport& report, const std::vector<std::string>& added);
[[nodiscard]] PathView pathView(const JobReport& report, PathKey key);

} // namespace rankscope::ui

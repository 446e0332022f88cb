// SPDX-License-Identifier: GPL-3.0-or-later
// What the second half of the gains tab shows: what a step would take if something were different, and the
// critical path summed by one key. Pure; made on a worker.
#pragma once

#include "core/analysis/graph/path_summary.h"
#include "core/export/result_table.h"
#include "core/report/job_report.h"

#include <QString>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
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

// Answers of a report that need not be computed again: of all scenarios that were asked, by their texts. Any
// thread.
class KnownAnswers {
 public:
  [[nodiscard]] std::vector<WhatIfAnswer> answers(const WhatIf& whatIf, std::span<const Scenario> scenarios);

 private:
  std::mutex m_guard;
  std::map<std::string, WhatIfAnswer> m_known;
};

// Of the default scenarios, and of these in addition, the last ones first. known: of the same report.
[[nodiscard]] WhatIfView whatIfView(const JobReport& report, const std::vector<std::string>& added,
                                    KnownAnswers& known);
[[nodiscard]] PathView pathView(const JobReport& report, PathKey key);

} // namespace rankscope::ui

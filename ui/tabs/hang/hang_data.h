// SPDX-License-Identifier: GPL-3.0-or-later
// Data of the hang tab, made on a worker. Constant once made.
#pragma once

#include "core/export/result_table.h"
#include "core/report/hang_places.h"
#include "core/report/job_report.h"
#include "core/report/side_results.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace rankscope::ui {

struct HangData {
  std::shared_ptr<const SideResults> results;
  QString verdict; // a line per sentence; empty without dumps
  QString advice;
  std::shared_ptr<const ResultTable> groups; // flight_recorder
  std::shared_ptr<const ResultTable> waits;
  std::shared_ptr<const ResultTable> stands;
  std::vector<QString> stacks; // by row of stands
  // Where calls are on the timeline, if their rank was recorded then: by row of groups and of stands.
  std::vector<std::optional<HangPlace>> groupPlaces, standPlaces;

  [[nodiscard]] bool hasPlaces() const;
};

[[nodiscard]] HangData hangData(const JobReport& report);

} // namespace rankscope::ui

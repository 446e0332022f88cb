// SPDX-License-Identifier: GPL-3.0-or-later
// Memory snapshots beside a job, made on a worker: what is expected of them, and where they are on the
// timeline. Constant once made.
#pragma once

#include "core/export/result_table.h"
#include "core/report/job_report.h"
#include "core/report/side_results.h"
#include "core/report/snapshot_clock.h"

#include <QList>
#include <QPointF>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace rankscope::ui {

struct SnapshotPlace {
  std::size_t snapshot = 0;
  std::size_t device = 0;
  std::shared_ptr<const ResultTable> expected; // null without entries
  QString advice;                              // about the largest item of it
  std::optional<SnapshotClock> clock;
  JobTime begin;           // of the first entry, if the clock is the same
  QList<QPointF> recorded; // allocated memory by the recording; x in ns since the first entry
};

struct SnapshotsData {
  std::shared_ptr<const SideResults> results;
  std::vector<SnapshotPlace> places; // all devices of all snapshots
};

// settings: what the user says of the model.
[[nodiscard]] SnapshotsData snapshotsData(const JobReport& report, const EfficiencySettings& settings);

} // namespace rankscope::ui

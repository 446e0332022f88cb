// SPDX-License-Identifier: GPL-3.0-or-later
// Whether tables show sums in total or per step, one choice for all of them, and what that means for a
// column. Per step: the sum over the kept steps of a recording divided by their number; of a row over several
// recordings divided by all their kept steps together, so that it compares with the step time; of a mean over
// ranks by the steps of a rank. UI thread.
#pragma once

#include "core/export/result_table.h"

#include <QObject>

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

namespace rankscope {
class Analysis;
} // namespace rankscope

namespace rankscope::ui {

// Steps that a table is of.
struct StepCounts {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> ofRecording; // by rank and capture
  std::int64_t all = 0;                                                      // together
  std::int64_t kept = 0; // kept steps of the job: more than these if they are not all in a row

  bool operator==(const StepCounts&) const = default;
  // Of this row's recording, or of all recordings of its rank where the row has no capture, or of all where
  // it has no rank; of one rank where the row is a mean over ranks; 0: none.
  [[nodiscard]] double ofRow(const ResultTable& table, std::size_t row) const;
};

class TableFigures : public QObject {
  Q_OBJECT
 public:
  [[nodiscard]] static TableFigures& ofProgram();

  [[nodiscard]] bool perStep() const { return m_perStep; }
  void setPerStep(bool perStep);
  // Of what the tables show: the open job, or its selected part.
  [[nodiscard]] const StepCounts& steps() const { return m_steps; }
  void setSteps(StepCounts steps);
  // Whether the tables are of a part of the recordings.
  [[nodiscard]] bool ofRange() const { return m_ofRange; }
  void setOfRange(bool ofRange);

 signals:
  void changed(); // perStep() or steps()
  void perStepChanged();

 private:
  bool m_perStep = false;
  bool m_ofRange = false;
  StepCounts m_steps;
};

// Of analysisOfSums.
[[nodiscard]] StepCounts stepCounts(const Analysis& analysis);

// What sums are taken from: if they are shown per step, the kept steps alone where there are any. Any thread.
[[nodiscard]] std::shared_ptr<const Analysis> analysisOfSums(const std::shared_ptr<const Analysis>& analysis,
                                                             bool perStep);

// Whether a column of this table is a sum over the events of a recording.
[[nodiscard]] bool isSumColumn(std::string_view table, std::string_view column);

// Whether such a column is a time during which something runs, which a range cuts at its edges. Other sums
// are of the events that begin in the range, each as a whole.
[[nodiscard]] bool isCutByRange(std::string_view column);

} // namespace rankscope::ui

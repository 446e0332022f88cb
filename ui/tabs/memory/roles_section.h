// SPDX-License-Identifier: GPL-3.0-or-later
// What memory of a device is used for, in the memory tab: one sentence, stacked areas over time, a table of
// roles, measured beside expected memory, and roles by step and phase. UI thread.
#pragma once

#include "core/analysis/memory/expected_memory.h"
#include "core/analysis/memory/trace_roles.h"
#include "core/report/job_report.h"
#include "core/report/memory_view.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/line_plot.h"
#include "ui/tables/table_card.h"

#include <QWidget>

#include <memory>
#include <vector>

class QBoxLayout;
class QSettings;

namespace rankscope::ui {

class WrappedLabel;

// Made on a worker.
struct RolesData {
  QString where;    // "rank 5 · GPU0"
  QString sentence; // what takes most; empty without roles
  Curves curve;
  std::vector<LegendItem> legend;
  std::shared_ptr<const ResultTable> roles;
  std::shared_ptr<const ResultTable> expected;
  QString advice;                            // about the largest item of it
  std::shared_ptr<const ResultTable> phases; // roles by step and phase
  bool hasCurve = false;
  QString reason; // why there are none
};

// Rows of one device; time: of the cursor.
[[nodiscard]] std::shared_ptr<const ResultTable> rolesTable(const DeviceRoles& device,
                                                            std::optional<TimeNs> time = {});
// The roles of a device; null without addresses in the recording.
[[nodiscard]] const DeviceRoles* rolesOf(const JobReport& report, MemoryPlace place);

// settings: what the user says of the model.
[[nodiscard]] RolesData rolesData(const JobReport& report, std::optional<MemoryPlace> place,
                                  const QString& where, const EfficiencySettings& settings);

// Measured beside expected memory: columns and rows.
[[nodiscard]] std::vector<ShownColumn> expectedColumns();
[[nodiscard]] std::shared_ptr<const ResultTable> expectedTable(const ExpectedMemory& expected);

class RolesSection : public QWidget {
  Q_OBJECT
 public:
  RolesSection(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  // Null: being computed.
  void setData(const RolesData* made);
  void setNarrow(bool narrow);
  // Places the sizes of the model above what is expected of it.
  void takeModel(QWidget* model);
  // What was found at the cursor, at its x of the curve.
  void setCursor(double x, std::shared_ptr<const ResultTable> roles);

  [[nodiscard]] QString sentence() const;
  [[nodiscard]] LinePlot& curve() { return *m_curve; }
  [[nodiscard]] TableCard& roles() { return *m_roles; }
  [[nodiscard]] TableCard& expected() { return *m_expected; }
  [[nodiscard]] TableCard& phases() { return *m_phases; }
  [[nodiscard]] ChartCard& card() { return *m_card; }

 private:
  WrappedLabel* m_sentence;
  LinePlot* m_curve;
  ChartCard* m_card;
  TableCard* m_roles;
  TableCard* m_expected;
  TableCard* m_phases;
  QBoxLayout* m_row;
  WrappedLabel* m_advice;
};

} // namespace rankscope::ui

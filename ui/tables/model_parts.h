// SPDX-License-Identifier: GPL-3.0-or-later
// The window's one choice of a part of the model to split tables by: module, class, layer, phase or compiled
// graph, with the columns of these keys; and, for a card whose own rows know nothing of it, the split table,
// made on a worker. UI thread.
#pragma once

#include "core/analysis/stacks/call_groups.h"
#include "core/report/job_report.h"
#include "ui/base/latest_task.h"
#include "ui/tables/result_table_model.h"

#include <QComboBox>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::ui {

class ModelPartChoice : public QComboBox {
  Q_OBJECT
 public:
  // none: the text of an entry that splits nothing; empty: there is no such entry.
  explicit ModelPartChoice(const QString& none = {}, QWidget* parent = nullptr);

  [[nodiscard]] std::optional<CallGrouping> grouping() const;
  void choose(std::optional<CallGrouping> grouping);

 signals:
  void groupingChanged();
};

// Columns of the keys, for tables that may have one.
[[nodiscard]] std::vector<ShownColumn> modelPartColumns();
// Why nothing can be split by it.
[[nodiscard]] QString whyNoModelParts(CallGrouping grouping, const TraceSet& traces);

// A choice, and the rows that it asks for.
class ModelPartRows : public QObject {
  Q_OBJECT
 public:
  using Make = std::function<std::shared_ptr<const ResultTable>(const JobReport&, CallGrouping)>;

  ModelPartRows(PendingWork& pending, QObject* parent);

  [[nodiscard]] ModelPartChoice& choice() { return *m_choice; }
  // What the rows are made from; null: nothing yet.
  void setSource(std::shared_ptr<const JobReport> report, Make make);
  // Whether the rows of this table are to be shown instead of the card's own.
  [[nodiscard]] bool wanted() const { return m_choice->grouping().has_value(); }
  // Null while they are made.
  [[nodiscard]] const std::shared_ptr<const ResultTable>& table() const { return m_table; }

 signals:
  // The choice, or the rows.
  void changed();

 private:
  void ask();

  ModelPartChoice* m_choice; // owned by the card that it is put into
  std::shared_ptr<const JobReport> m_report;
  Make m_make;
  std::shared_ptr<const ResultTable> m_table;
  LatestTask<std::shared_ptr<const ResultTable>> m_task;
};

} // namespace rankscope::ui

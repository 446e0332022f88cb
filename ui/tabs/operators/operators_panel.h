// SPDX-License-Identifier: GPL-3.0-or-later
// The operators tab: host and device time by operator, grouped by name, input shapes, call stack, module or
// source line, as a sum over ranks or each. A row opens its calls in the timeline, or its source line;
// the selection in the timeline selects its row. UI thread; tables and calls are computed on workers, with
// progress and cancel.
#pragma once

#include "core/report/operator_rows.h"
#include "ui/base/latest_task.h"
#include "ui/charts/chart_card.h"
#include "ui/job/occurrences.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/operators/operator_groups_reader.h"
#include "ui/widgets/analysis_page.h"
#include "ui/widgets/call_stack.h"

#include <optional>
#include <string>

class QLabel;
class QSettings;

namespace rankscope::ui {

class ChoiceRow;
class ModelPartChoice;
class OccurrenceBar;
class OperatorPage;
class RankChoice;
class ReadingNote;
class WrappedLabel;

class OperatorsPanel : public AnalysisPage {
  Q_OBJECT
 public:
  OperatorsPanel(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);
  ~OperatorsPanel() override;

  [[nodiscard]] TableCard& card() { return *m_card; }
  [[nodiscard]] RankChoice& ranks() { return *m_ranks; }
  // In the order of OperatorDetail.
  [[nodiscard]] ChoiceRow& grouping() { return *m_grouping; }
  // Shown while rows are grouped by a part of the model.
  [[nodiscard]] ModelPartChoice& part() { return *m_part; }
  [[nodiscard]] Occurrences* calls() override { return m_calls; }
  [[nodiscard]] OperatorPage& page() { return *m_page; }
  // What torch.compile made; hidden where nothing was compiled.
  [[nodiscard]] TableCard& compiled() { return *m_compiled; }

  // Keys choose a row.
  void takeFocus() override;
  // Filters the table.
  void showOnly(const QString& words) override;
  // Opens the source line of a row, if it has one.
  void openSourceOf(int tableRow);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  // Data from an analysis for a choice of rows.
  struct Data {
    RecordingRows rows;
    OperatorDetail detail = OperatorDetail::None;
    OperatorRows made;
    std::string problem;                         // error of an unreadable file
    double launchedPct = 100;                    // of the device time of the shown ranks, by operators
    std::shared_ptr<const ResultTable> compiled; // regions of torch.compile; null: a digest has none
  };

  [[nodiscard]] QWidget* makeBar();
  [[nodiscard]] QWidget* makeDetails();
  void connectAll();
  [[nodiscard]] OperatorDetail wantedDetail() const;
  void ask();
  void showData(const std::shared_ptr<const Data>& shown);
  [[nodiscard]] bool fallsBack();
  [[nodiscard]] QString factsOf(int tableRow) const;
  void setColumns();
  void showCompiled();
  void updateCaption();
  void addToMenu(QMenu* menu, int tableRow);
  void chooseRow(int tableRow);
  void lookAt(int tableRow);
  [[nodiscard]] FindCalls callsOf(int tableRow) const;
  void activate(int tableRow);
  void followSelection();
  void chooseRowOf(EventRef selected, const std::string& detail);
  [[nodiscard]] std::optional<SourcePlace> sourceOf(int tableRow) const;
  void openPlace(const SourcePlace& place);

  TraceSession& m_session;
  QSettings& m_settings;
  std::shared_ptr<OperatorGroupsReader> m_reader = std::make_shared<OperatorGroupsReader>();
  ChoiceRow* m_grouping = nullptr;
  ModelPartChoice* m_part = nullptr;
  RankChoice* m_ranks = nullptr;
  ReadingNote* m_reading = nullptr;
  TableCard* m_card = nullptr;
  TableCard* m_compiled = nullptr; // hidden where nothing was compiled
  OperatorPage* m_page = nullptr;
  WrappedLabel* m_fallback = nullptr; // why the rows are grouped by name
  QWidget* m_details = nullptr;       // of the selected row; hidden without one
  Occurrences* m_calls;
  OccurrenceBar* m_walk = nullptr;
  Data m_data;
  std::shared_ptr<const Analysis> m_of;               // the analysis of m_data; null: none
  int m_row = -1;                                     // row with the current calls
  LatestTask<std::optional<std::string>> m_following; // detail of the selected call
};

} // namespace rankscope::ui

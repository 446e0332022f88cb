// SPDX-License-Identifier: GPL-3.0-or-later
// The query tab: questions to the job in SQL. An editor with the tables beside it, examples, the user's own
// queries by name, and the result as a table whose rows lead to the timeline and can become regions. A query
// runs on a worker and can be cancelled. UI thread.
#pragma once

#include "core/sql/sql_query.h"
#include "ui/base/latest_task.h"
#include "ui/tabs/query/query_rows.h"
#include "ui/tabs/query/saved_queries.h"
#include "ui/widgets/analysis_page.h"

#include <QElapsedTimer>

#include <memory>

class QLabel;
class QMenu;
class QPushButton;
class QSettings;
class QTreeWidget;
class QVBoxLayout;

namespace rankscope::ui {

class ChoiceRow;
class ResultChart;
class SqlEditor;
class TableCard;
class TraceSession;
class WrappedLabel;

class QueryPanel : public AnalysisPage {
  Q_OBJECT
 public:
  QueryPanel(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);
  ~QueryPanel() override;

  [[nodiscard]] SqlEditor& editor() { return *m_editor; }
  [[nodiscard]] TableCard& resultCard() { return *m_result; }
  [[nodiscard]] ResultChart& chart() { return *m_chart; }
  // Table or chart.
  [[nodiscard]] ChoiceRow& resultForm() { return *m_form; }
  [[nodiscard]] QTreeWidget& schema() { return *m_schema; }
  [[nodiscard]] QMenu& examples() { return *m_examples; }
  [[nodiscard]] QMenu& ownQueries() { return *m_own; }
  [[nodiscard]] SavedQueries& saved() { return m_saved; }
  [[nodiscard]] const WrappedLabel& status() const { return *m_status; }
  [[nodiscard]] const WrappedLabel& jobs() const { return *m_jobs; }
  [[nodiscard]] bool running() const { return m_task->pending(); }

  void run();
  // At once: a table that is being computed for the query is finished in the background, for later ones.
  void cancel();
  // Saves the text of the editor under this name.
  void saveAs(const QString& name);
  // Makes regions of the selected rows, or of the first ones.
  void markRows();

  void takeFocus() override;
  [[nodiscard]] bool claimsKey(const QKeyEvent& event) const override;
  bool pressKey(const QKeyEvent& event) override;

 private:
  // A job that can be asked, kept as long as queries run on it.
  struct Source {
    std::shared_ptr<const JobReport> report;
    std::unique_ptr<const SqlDatabase> database;
    std::shared_ptr<const JobReport> other; // open for a comparison; null: none
    std::unique_ptr<const SqlDatabase> otherDatabase;
  };
  struct Outcome {
    std::shared_ptr<const Source> source;
    std::shared_ptr<const ResultTable> table; // null if there is a problem
    std::vector<std::size_t> eventColumns;
    SqlAnswer answer;
    std::optional<std::uint64_t> limit; // of the query itself
  };

  [[nodiscard]] QWidget* makeBar();
  [[nodiscard]] QWidget* makeEditor();
  void fillExamples();
  void fillOwn();
  void fillSchema();
  void setSource(std::shared_ptr<const Source> source);
  // Of the open job, and the one beside it.
  void renewSource();
  void showOutcome(const Outcome& outcome);
  void showResult(std::shared_ptr<const ResultTable> table, const QString& emptyText);
  void showProblem(const SqlProblem& problem);
  void showRunning(bool running);
  void showForm();
  void drawRows();
  void followRow(int row);
  void askForName();

  TraceSession& m_session;
  SavedQueries m_saved;
  QPushButton* m_run;
  QPushButton* m_stop;
  QPushButton* m_mark;
  QMenu* m_examples;
  QMenu* m_own;
  SqlEditor* m_editor;
  QTreeWidget* m_schema;
  WrappedLabel* m_status;
  WrappedLabel* m_jobs; // which job is a, and which is b
  TableCard* m_result = nullptr;
  ResultChart* m_chart;
  ChoiceRow* m_form;
  QVBoxLayout* m_resultPlace;
  std::shared_ptr<const Source> m_source; // null: no job yet
  bool m_wanted = false;                  // a query waits for the job
  std::shared_ptr<const Source> m_shownOf;
  std::shared_ptr<const ResultTable> m_table;
  RowPlaces m_places;
  std::shared_ptr<Progress> m_progress;
  QElapsedTimer m_since;
  std::unique_ptr<LatestTask<Outcome>> m_task;
};

} // namespace rankscope::ui

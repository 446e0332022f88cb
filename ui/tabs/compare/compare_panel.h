// SPDX-License-Identifier: GPL-3.0-or-later
// The compare tab: what changed from A, a part of the open job, to B, another part of it or another job,
// which the tab opens beside it. On top how much and whether it is real, with every step as a dot; a step of
// both under one ruler; the waterfall between the steps; and tables of what contributes. UI thread.
#pragma once

#include "ui/base/latest_task.h"
#include "ui/job/job_document.h"
#include "ui/tabs/compare/aligned_steps.h"
#include "ui/tabs/compare/compare_data.h"
#include "ui/widgets/analysis_page.h"
#include "ui/widgets/opens_beside.h"

#include <array>
#include <functional>
#include <memory>
#include <utility>

class QBoxLayout;
class QComboBox;
class QFrame;
class QLabel;
class QPushButton;
class QSettings;
class QStackedWidget;

namespace rankscope::ui {

class ActionRegistry;
class ChartCard;
class ChoiceRow;
class TableCard;
class TraceSession;
class WrappedLabel;
struct TabContext;

class ComparePanel : public AnalysisPage, public OpensBeside {
  Q_OBJECT
 public:
  explicit ComparePanel(const TabContext& context, QWidget* parent = nullptr);

  // Side B from now on: another job.
  void openBeside(const QStringList& paths, const LoadOptions& options) override;
  // Parts of the job, as if chosen in the lists.
  void choose(const SidePart& a, const SidePart& b);
  void swapSides();
  // Starts a further window with these arguments; the program itself by default.
  void startWindowsWith(std::function<void(const QStringList&)> start) { m_startWindow = std::move(start); }
  // All tables, a page and pictures of the charts; exported() says how it went.
  void exportTo(const QString& folder);

  [[nodiscard]] JobDocument& other() { return m_other; }
  [[nodiscard]] const std::shared_ptr<const CompareData>& data() const { return m_data; }
  [[nodiscard]] const WrappedLabel& sentence() const { return *m_sentence; }
  [[nodiscard]] const WrappedLabel& notes() const { return *m_notes; }
  [[nodiscard]] StepDots& dots() { return *m_dots; }
  [[nodiscard]] DeltaWaterfall& waterfall() { return *m_waterfall; }
  [[nodiscard]] AlignedSteps& aligned() { return *m_aligned; }
  [[nodiscard]] ChoiceRow& tableChoice() { return *m_which; }
  // What of the tables comes first, and which of their rows are shown.
  [[nodiscard]] QComboBox& rowOrder() { return *m_rowOrder; }
  [[nodiscard]] QComboBox& rowFilter() { return *m_rowFilter; }
  [[nodiscard]] TableCard& table() { return *m_tables[static_cast<std::size_t>(m_shown)]; }
  [[nodiscard]] QComboBox& partChoice(bool ofB) { return ofB ? *m_partB : *m_partA; }
  // About the chosen call of the aligned steps.
  [[nodiscard]] QWidget& callStrip() { return *m_callStrip; }
  [[nodiscard]] QString callText() const;
  [[nodiscard]] QPushButton& toTimeline(bool ofB) { return *m_toTimeline[ofB ? 1 : 0]; }

  void showOnly(const QString& words) override;
  [[nodiscard]] QWidget* visibleTables() override;
  [[nodiscard]] bool claimsKey(const QKeyEvent& event) const override;
  bool pressKey(const QKeyEvent& event) override;

 signals:
  // problem: empty if all was written.
  void exported(const QString& folder, const QString& problem);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  [[nodiscard]] QWidget* makeHead();
  [[nodiscard]] QWidget* makeEmptyPage();
  [[nodiscard]] QWidget* makePage();
  void makeTables(QSettings& settings);
  void addActions(ActionRegistry& actions);
  void connectOther();
  void chooseOther(bool folder);
  void closeOther();
  // The choice changed: other content of the same report.
  void ask();
  void showData(const std::shared_ptr<const CompareData>& data);
  void showSteps();
  void showWaiting();
  void fillParts();
  void fillSteps();
  void showTable(int which);
  void showRows();
  void orderRows();
  void chooseRow(int row);
  void stepPair(int by);
  void chooseParts();
  void chooseRange(bool asB);
  void showTab();
  // Other steps of the same sides.
  void askForSteps();
  [[nodiscard]] QWidget* makeCallStrip();
  void connectCalls();
  void showCall();
  // The chosen call where the open job's timeline or another window shows it.
  void revealCall(bool ofB);
  void followSelection();
  void askExport();
  void revealDot(bool ofB, int place);
  void revealPlace(bool ofB, qint64 time);
  // event: invalid where only the place is wanted.
  void openElsewhere(const AlignedSide& side, TimeNs at, EventIndex event);
  [[nodiscard]] bool isOpenJob(const AlignedSide& side) const;

  TraceSession& m_session;
  JobDocument m_other;
  CompareChoice m_choice;
  CompareChoice m_shownChoice;               // that was asked for last
  std::shared_ptr<const CompareData> m_data; // null: not made yet
  QString m_problem;                         // why B could not be opened
  QStackedWidget* m_stack;
  WrappedLabel* m_empty;
  QComboBox* m_emptyPart;
  QComboBox* m_partA;
  QComboBox* m_partB;
  QLabel* m_titleA;
  QLabel* m_titleB;
  QPushButton* m_close;
  WrappedLabel* m_sentence;
  QLabel* m_verdict;
  WrappedLabel* m_explanation;
  WrappedLabel* m_notes;
  StepDots* m_dots;
  AlignedSteps* m_aligned;
  ChartCard* m_alignedCard;
  QComboBox* m_rank;
  QComboBox* m_step;
  DeltaWaterfall* m_waterfall;
  ChartCard* m_waterfallCard;
  ChoiceRow* m_which;
  QComboBox* m_rowOrder;
  QComboBox* m_rowFilter;
  QStackedWidget* m_tableStack;
  QBoxLayout* m_across; // halves of the head
  QBoxLayout* m_middle; // aligned steps
  QBoxLayout* m_bottom; // waterfall and tables
  std::array<TableCard*, kCompareTableCount> m_tables{};
  CompareTable m_shown = CompareTable::Operators;
  QFrame* m_callStrip;
  QLabel* m_call;
  std::array<QPushButton*, 2> m_toTimeline{}; // of A and of B
  QStringList m_otherPaths;
  std::function<void(const QStringList&)> m_startWindow;
  LatestTask<QString> m_export;
};

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// The compare tab: what changed from A, a part of the open job, to B, another part of it or another job,
// which the tab opens beside it. On top how much and whether it is real, with every step as a dot; a step of
// both under one ruler; the waterfall between the steps; and tables of what contributes. UI thread.
#pragma once

#include "ui/job/job_document.h"
#include "ui/tabs/compare/compare_data.h"
#include "ui/widgets/analysis_page.h"
#include "ui/widgets/opens_beside.h"

#include <array>
#include <memory>

class QBoxLayout;
class QComboBox;
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

  [[nodiscard]] JobDocument& other() { return m_other; }
  [[nodiscard]] const std::shared_ptr<const CompareData>& data() const { return m_data; }
  [[nodiscard]] const WrappedLabel& sentence() const { return *m_sentence; }
  [[nodiscard]] const WrappedLabel& notes() const { return *m_notes; }
  [[nodiscard]] StepDots& dots() { return *m_dots; }
  [[nodiscard]] DeltaWaterfall& waterfall() { return *m_waterfall; }
  [[nodiscard]] AlignedSteps& aligned() { return *m_aligned; }
  [[nodiscard]] ChoiceRow& tableChoice() { return *m_which; }
  [[nodiscard]] TableCard& table() { return *m_tables[static_cast<std::size_t>(m_shown)]; }
  [[nodiscard]] QComboBox& partChoice(bool ofB) { return ofB ? *m_partB : *m_partA; }

  void showOnly(const QString& words) override;
  [[nodiscard]] QWidget* visibleTables() override;
  [[nodiscard]] bool claimsKey(const QKeyEvent& event) const override;
  bool pressKey(const QKeyEvent& event) override;

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
  void showWaiting();
  void fillParts();
  void fillSteps();
  void showTable(int which);
  void chooseRow(int row);
  void stepPair(int by);
  void revealDot(bool ofB, int place);
  void revealPlace(bool ofB, qint64 time);
  [[nodiscard]] bool isOpenJob(const AlignedSide& side) const;

  TraceSession& m_session;
  JobDocument m_other;
  CompareChoice m_choice;
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
  QStackedWidget* m_tableStack;
  QBoxLayout* m_across; // halves of the head
  QBoxLayout* m_bottom; // waterfall and tables
  std::array<TableCard*, kCompareTableCount> m_tables{};
  CompareTable m_shown = CompareTable::Operators;
};

} // namespace rankscope::ui

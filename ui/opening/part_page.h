// SPDX-License-Identifier: GPL-3.0-or-later
// Asks which part of a job to open: required and available memory, and check boxes to skip the Python
// stack, CPU operators, steps or ranks. The numbers follow the boxes. Emits the choice.
#pragma once

#include "ui/job/part_choice.h"

#include <QWidget>

#include <cstdint>
#include <optional>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace rankscope::ui {

class MemoryGauge;
class TraceSession;

class PartPage : public QWidget {
  Q_OBJECT
 public:
  explicit PartPage(const TraceSession& session, QWidget* parent = nullptr);

  // Initializes the page; parts are preselected to skip so that the job fits.
  void ask(const PartQuestion& question);
  // The same question with steps or ranks known; until then the memory of a range of steps is unknown.
  void showFound(const PartQuestion& question);
  // Focuses the first check box.
  void takeFocus();

  [[nodiscard]] LoadFilter chosen() const;
  [[nodiscard]] std::uint64_t needed(const LoadFilter& filter) const { return m_question.needed(filter); }

 signals:
  void openWanted(const rankscope::LoadFilter& filter);
  void leaveWanted();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  [[nodiscard]] QWidget* makeCard();
  void showInTheMiddle(QWidget* card);
  void connectControls();
  void showQuestion();
  void showFigures();
  void showRankFigure(const LoadFilter& now);
  // Of the field; empty: what it says is no list of ranks.
  [[nodiscard]] std::optional<std::vector<int>> ranksWanted() const;
  [[nodiscard]] QString figureFor(const LoadFilter& with, const LoadFilter& without, bool chosen) const;

  PartQuestion m_question;
  bool m_stepsTouched = false; // the user changed the steps
  bool m_ranksTouched = false; // likewise
  QLabel* m_title;
  QLabel* m_text;
  QCheckBox* m_python;
  QCheckBox* m_operators;
  QCheckBox* m_steps;
  QSpinBox* m_first;
  QSpinBox* m_last;
  QCheckBox* m_ranks;
  QLineEdit* m_rankList;
  QLabel* m_pythonFigure;
  QLabel* m_operatorsFigure;
  QLabel* m_stepsFigure;
  QLabel* m_ranksFigure;
  MemoryGauge* m_gauge;
  QLabel* m_verdict;
  QPushButton* m_open;
  QPushButton* m_everything;
  QPushButton* m_cancel;
};

} // namespace rankscope::ui

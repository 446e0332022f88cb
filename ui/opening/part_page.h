// SPDX-License-Identifier: GPL-3.0-or-later
// Asks which part of a job is to be opened: what all of it would need beside what memory there is, and boxes
// to leave the Python stack, the operators or all but some steps out. The figures follow the boxes. It
// decides nothing and waits for nobody: it says what was chosen.
#pragma once

#include "ui/job/part_choice.h"

#include <QWidget>

#include <cstdint>

class QCheckBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace rankscope::ui {

class MemoryGauge;
class TraceSession;

class PartPage : public QWidget {
  Q_OBJECT
 public:
  explicit PartPage(const TraceSession& session, QWidget* parent = nullptr);

  // Sets everything, with what has to go for the job to fit left out already.
  void ask(const PartQuestion& question);
  // The same question, which knows now which steps there are; until then nobody knows what some of them need.
  void showSteps(const PartQuestion& question);
  // Whoever looks at the page can type at once.
  void takeFocus();

  [[nodiscard]] LoadFilter chosen() const;
  [[nodiscard]] std::uint64_t needed(const LoadFilter& filter) const { return m_question.needed(filter); }

 signals:
  void openWanted(const rankscope::LoadFilter& filter);
  void leaveWanted();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void showQuestion();
  void showFigures();
  [[nodiscard]] QString figureFor(LoadFilter with, LoadFilter without, bool chosen) const;

  PartQuestion m_question;
  bool m_stepsTouched = false; // the boxes hold what somebody wants
  QLabel* m_title;
  QLabel* m_text;
  QCheckBox* m_python;
  QCheckBox* m_operators;
  QCheckBox* m_steps;
  QSpinBox* m_first;
  QSpinBox* m_last;
  QLabel* m_pythonFigure;
  QLabel* m_operatorsFigure;
  QLabel* m_stepsFigure;
  MemoryGauge* m_gauge;
  QLabel* m_verdict;
  QPushButton* m_open;
  QPushButton* m_everything;
};

} // namespace rankscope::ui

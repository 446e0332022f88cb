// SPDX-License-Identifier: GPL-3.0-or-later
// "12 of 412" with a step back and a step on beside it: where one is among the calls of the chosen row, as
// Occurrences knows. Also gives the table of those rows its keys (N, Shift+N) and the context menu's lines.
// UI thread.
#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace rankscope::ui {

class Occurrences;
class TableCard;

class OccurrenceBar : public QWidget {
  Q_OBJECT
 public:
  explicit OccurrenceBar(Occurrences& calls, QWidget* parent = nullptr);

  // Walks the calls of the card's chosen row.
  void serve(TableCard& card);

 private:
  void refresh();

  Occurrences& m_calls;
  QLabel* m_text;
  QToolButton* m_back;
  QToolButton* m_on;
};

} // namespace rankscope::ui

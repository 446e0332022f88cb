// SPDX-License-Identifier: GPL-3.0-or-later
// "12 of 412" with buttons for the previous and next call of the chosen row, see Occurrences. Also adds keys
// (N, Shift+N) and context menu entries to the table of these rows. UI thread.
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

  // Walks through the calls of the card's chosen row.
  void serve(TableCard& card);

 private:
  void refresh();

  Occurrences& m_calls;
  QLabel* m_text;
  QToolButton* m_back;
  QToolButton* m_on;
};

} // namespace rankscope::ui

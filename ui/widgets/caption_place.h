// SPDX-License-Identifier: GPL-3.0-or-later
// Places a card's caption: beside the title, or in a line of its own below it if the first line is too short
// for its whole text. UI thread.
#pragma once

#include <QObject>

class QBoxLayout;
class QLabel;

namespace rankscope::ui {

class CaptionPlace : public QObject {
  Q_OBJECT
 public:
  // The card's layout is a column whose first item is `line`; there, the caption follows the stretch. Owned
  // by the card.
  CaptionPlace(QWidget& card, QBoxLayout& line, QLabel& caption);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place();

  QWidget& m_card;
  QBoxLayout& m_line;
  QLabel& m_caption;
};

} // namespace rankscope::ui

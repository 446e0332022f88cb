// SPDX-License-Identifier: GPL-3.0-or-later
// Places a card's caption: beside the title, or in lines of its own below it if the first line is too short
// for its whole text. UI thread.
#pragma once

#include <QObject>

class QBoxLayout;

namespace rankscope::ui {

class WrappedLabel;

class CaptionPlace : public QObject {
  Q_OBJECT
 public:
  // The card's layout is a column whose first item is `line`; there, the caption follows the stretch. Owned
  // by the card.
  CaptionPlace(QWidget& card, QBoxLayout& line, WrappedLabel& caption);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place();

  QWidget& m_card;
  QBoxLayout& m_line;
  WrappedLabel& m_caption;
};

} // namespace rankscope::ui

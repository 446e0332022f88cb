// SPDX-License-Identifier: GPL-3.0-or-later
// One line of text that is elided at its end if it does not fit; then the tooltip has the full text. Of facts
// in a row the last ones are left out whole.
#pragma once

#include <QLabel>

namespace rankscope::ui {

class ElidedLabel : public QLabel {
  Q_OBJECT
 public:
  using QLabel::QLabel;

  // What is between the facts of the text; empty: it is one.
  void setSeparator(const QString& separator) { m_separator = separator; }
  // The text, as far as this width shows it.
  [[nodiscard]] QString textWithin(int width) const;
  [[nodiscard]] QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString m_separator;
};

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// One line of text that is elided at its end if it does not fit; then the tooltip has the full text.
#pragma once

#include <QLabel>

namespace rankscope::ui {

class ElidedLabel : public QLabel {
  Q_OBJECT
 public:
  using QLabel::QLabel;

  [[nodiscard]] QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
};

} // namespace rankscope::ui

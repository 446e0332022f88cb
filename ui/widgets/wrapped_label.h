// SPDX-License-Identifier: GPL-3.0-or-later
// A text that wraps at words, and within words that are longer than a line, such as kernel names: nothing is
// cut. Its height depends on its width. The first characters may be bold. UI thread.
#pragma once

#include <QFont>
#include <QLabel>

#include <map>

class QTextLayout;

namespace rankscope::ui {

class WrappedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit WrappedLabel(const QString& text = {}, QWidget* parent = nullptr);

  // Asks for the width of the whole text instead of a comfortable one.
  void preferOneLine();
  // Makes the first characters bold.
  void setLead(int characters);

  [[nodiscard]] bool hasHeightForWidth() const override { return true; }
  [[nodiscard]] int heightForWidth(int width) const override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  // Layouts query the same heights repeatedly.
  struct Measured {
    QString text;
    QFont font;
    int lead = 0;
    std::map<int, int> heights; // by width
  };

  [[nodiscard]] QFont drawnFont() const;
  // Returns the height.
  qreal layOut(QTextLayout& layout, int width) const;

  int m_lead = 0;
  bool m_oneLine = false;
  mutable Measured m_measured;
};

} // namespace rankscope::ui

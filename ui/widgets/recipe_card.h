// SPDX-License-Identifier: GPL-3.0-or-later
// Card that tells how to record a job, or what a tab lacks: title, sentence, code, and a button that copies
// the code. Code does not wrap: in a narrow window it scrolls sideways. UI thread.
#pragma once

#include <QFrame>
#include <QString>

class QHBoxLayout;
class QPushButton;

namespace rankscope::ui {

class WrappedLabel;

class RecipeCard : public QFrame {
  Q_OBJECT

 public:
  RecipeCard(const QString& title, const QString& code, QWidget* parent = nullptr);

  // Beside the button that copies.
  void addButton(QPushButton* button);
  void setText(const QString& text);
  // Not shown if there is nothing to record: then only the sentence remains.
  void setCodeVisible(bool visible);
  [[nodiscard]] QString text() const;
  [[nodiscard]] const QString& code() const { return m_code; }
  [[nodiscard]] QPushButton& copyButton() { return *m_copy; }

 private:
  QString m_code;
  QHBoxLayout* m_top;
  QWidget* m_heading = nullptr;
  QWidget* m_lines = nullptr;
  WrappedLabel* m_text;
  QPushButton* m_copy;
};

} // namespace rankscope::ui

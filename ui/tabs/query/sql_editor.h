// SPDX-License-Identifier: GPL-3.0-or-later
// A text field for SQL: line numbers, and completion of tables, columns and functions while typing or with
// Ctrl+Space. Ctrl+Enter and Esc are passed on. UI thread.
#pragma once

#include <QPlainTextEdit>
#include <QStringList>

class QCompleter;
class QStringListModel;

namespace rankscope::ui {

class TraceSession;

class SqlEditor : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit SqlEditor(const TraceSession& session, QWidget* parent = nullptr);

  void setWords(const QStringList& words);
  [[nodiscard]] QCompleter& completer() { return *m_completer; }
  // Of the column with the numbers.
  [[nodiscard]] int numbersWidth() const;
  void paintNumbers(QPaintEvent& event);
  // Puts the cursor at a place of the text, as in an error: from 1.
  void goTo(int line, int column);

 signals:
  void runWanted();
  void cancelWanted();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  [[nodiscard]] QString wordBeforeCursor() const;
  void complete(bool always);
  void insertCompletion(const QString& word);
  void placeNumbers();

  const TraceSession& m_session;
  QStringListModel* m_words;
  QCompleter* m_completer;
  QWidget* m_numbers;
};

} // namespace rankscope::ui

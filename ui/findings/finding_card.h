// SPDX-License-Identifier: GPL-3.0-or-later
// One finding: title, cost, place, evidence and fix, and the note of one that is accepted. A click, Enter or
// Space opens its evidence; arrow keys move between cards; Ctrl+C, the hover button and the context menu
// copy; the context menu also accepts. Text wraps and is never cut. UI thread.
#pragma once

#include "core/analysis/findings/findings.h"

#include <QFrame>
#include <QString>

#include <optional>

class QMenu;
class QLabel;
class QToolButton;

namespace rankscope::ui {

// A finding with its texts.
struct ShownFinding {
  Finding finding;
  QString where; // "rank 3 · step 12"
  QString cost;  // "61.8 ms/step"; may be empty
  QString share; // "10.8 % of the step"; may be empty
  QString text;  // for the clipboard
  QString markdown;
};

class FindingCard : public QFrame {
  Q_OBJECT
 public:
  explicit FindingCard(ShownFinding shown, QWidget* parent = nullptr);

  [[nodiscard]] const ShownFinding& shown() const { return m_shown; }
  // The note of an accepted finding; nothing: it is not accepted.
  void setAccepted(const std::optional<QString>& note);
  [[nodiscard]] const std::optional<QString>& accepted() const { return m_accepted; }
  // For the clipboard, with the note.
  [[nodiscard]] QString text(bool asMarkdown) const;
  [[nodiscard]] bool matches(const QStringList& words) const;
  [[nodiscard]] QToolButton& copyButton() { return *m_copy; }
  // Owned by the caller. "Copy all" is requested by a signal.
  [[nodiscard]] QMenu* contextMenu();

 signals:
  void opened();
  void pointed(bool over);
  // Up (-1) or down (1) by a key; to the first (-2) or the last (2).
  void walkWanted(int by);
  void copyAllWanted(bool asMarkdown);
  void acceptWanted();
  void withdrawWanted();

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  void copyFix();
  void showCopy();
  [[nodiscard]] QWidget* acceptedLine(const QString& note);

  ShownFinding m_shown;
  std::optional<QString> m_accepted;
  QToolButton* m_copy;
  QWidget* m_acceptedLine = nullptr; // of an accepted one
};

// "critical", "warning", "info"; preceded by a number.
[[nodiscard]] QString severityTitle(Severity severity);

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// The guide in a window of its own: index and search field at the left, the page at the right, with
// history. External addresses are shown for copying. One per main window, created on first use. UI thread.
#pragma once

#include "ui/help/help_guide.h"

#include <QDialog>

#include <vector>

class QLabel;
class QLineEdit;
class QToolButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace rankscope::ui {

class HelpPage;
class TraceSession;

class HelpWindow : public QDialog {
  Q_OBJECT

 public:
  // The help window of this main window; theme from the session.
  [[nodiscard]] static HelpWindow& of(QWidget& window, TraceSession& session);
  HelpWindow(TraceSession& session, QWidget* parent);

  // Raises the window and shows this page of the guide ("findings.md").
  void showPage(const QString& file, const QString& anchor = {});
  void goTo(GuidePlace place);
  [[nodiscard]] GuidePlace place() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QWidget* makeIndex();
  void makeButtons();
  void fillIndex();
  void search(const QString& text);
  void turnTo(GuidePlace place);
  void back();
  void forward();
  void showAddress(const QString& address);
  void followTheme();

  TraceSession& m_session;
  QLineEdit* m_field = nullptr;
  QTreeWidget* m_index = nullptr;
  QLabel* m_hits = nullptr;
  HelpPage* m_page = nullptr;
  QToolButton* m_back = nullptr;
  QToolButton* m_forward = nullptr;
  QWidget* m_outside = nullptr; // the row with an external address
  QLineEdit* m_address = nullptr;
  QStringList m_words;
  std::vector<GuidePlace> m_history; // visited places
  std::vector<GuidePlace> m_ahead;   // places to go forward to
};

} // namespace rankscope::ui

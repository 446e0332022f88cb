// SPDX-License-Identifier: GPL-3.0-or-later
// The guide in a window beside the main one: its pages and sections at the left, a field that searches all of
// them, the page at the right, with a history. An address that leads out of the guide is shown to be copied.
// One for a main window, made when first asked for. UI thread.
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
  // The one of this main window; the session tells its theme.
  [[nodiscard]] static HelpWindow& of(QWidget& window, TraceSession& session);
  HelpWindow(TraceSession& session, QWidget* parent);

  // Comes to the front with this page of the guide ("findings.md").
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
  QWidget* m_outside = nullptr; // the line that shows an address
  QLineEdit* m_address = nullptr;
  QStringList m_words;
  std::vector<GuidePlace> m_history; // places up to now
  std::vector<GuidePlace> m_ahead;   // that were gone back from
};

} // namespace rankscope::ui

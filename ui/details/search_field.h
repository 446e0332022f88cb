// SPDX-License-Identifier: GPL-3.0-or-later
// Where a search is typed: finds while one types, shows how many hits there are and which one is selected,
// and what is wrong where. Enter goes to the next hit, Shift+Enter to the one before, Escape empties it and
// then leaves it. UI thread.
#pragma once

#include <QLineEdit>

class QLabel;

namespace rankscope::ui {

class EventFinder;
class TraceSession;

class SearchField : public QLineEdit {
  Q_OBJECT

 public:
  SearchField(TraceSession& session, EventFinder& finder, QWidget* parent = nullptr);

  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;
  // "3 / 120"; empty while nothing is looked for.
  [[nodiscard]] QString countText() const;

 signals:
  // The keyboard should go back to the timeline.
  void left();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showFinder();

  TraceSession& m_session;
  EventFinder& m_finder;
  QLabel* m_count;
};

} // namespace rankscope::ui

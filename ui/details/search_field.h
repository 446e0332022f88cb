// SPDX-License-Identifier: GPL-3.0-or-later
// The search field: searches while typing, shows the number of hits, the index of the selected one, and
// errors with their position. Enter goes to the next hit, Shift+Enter to the previous one, Escape clears the
// search and returns to the timeline. UI thread.
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
  // "3 / 120"; empty without a search.
  [[nodiscard]] QString countText() const;

 signals:
  // The focus should return to the timeline.
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

// SPDX-License-Identifier: GPL-3.0-or-later
// The titles of a table, aligned like their columns; the sorted one is highlighted. That of a pinned column
// stays at the left edge, and is clicked, resized and explained there. UI thread only.
#pragma once

#include <QHeaderView>

#include <functional>
#include <utility>
#include <vector>

namespace rankscope::ui {

class ShownRows;
class TraceSession;

class TableHeader : public QHeaderView {
  Q_OBJECT
 public:
  // The session provides the theme.
  TableHeader(const ShownRows& rows, const TraceSession& session, QWidget* parent);

  // Of the column that is pinned now: its section, and its width at the left edge, 0 if it is not there.
  using Pinned = std::function<std::pair<int, int>()>;
  void setPinned(Pinned pinned) { m_pinned = std::move(pinned); }

  [[nodiscard]] QSize sizeHint() const override;

 signals:
  // The user has resized a column.
  void widthChosen(int section, int width);

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void paintSection(QPainter* painter, const QRect& rect, int section) const override;

 private:
  const ShownRows& m_rows;
  const TraceSession& m_session;
  // From a place in the view to that of the same point of the section that is visible there.
  [[nodiscard]] int shiftAt(qreal x) const;

  std::vector<int> m_pressedWidths;
  Pinned m_pinned;
  int m_shift = 0; // since the mouse was pressed
};

} // namespace rankscope::ui

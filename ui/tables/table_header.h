// SPDX-License-Identifier: GPL-3.0-or-later
// The titles of a table, aligned like their columns; the sorted one is highlighted. UI thread only.
#pragma once

#include <QHeaderView>

#include <vector>

namespace rankscope::ui {

class ShownRows;
class TraceSession;

class TableHeader : public QHeaderView {
  Q_OBJECT
 public:
  // The session provides the theme.
  TableHeader(const ShownRows& rows, const TraceSession& session, QWidget* parent);

  [[nodiscard]] QSize sizeHint() const override;

 signals:
  // The user has resized a column.
  void widthChosen(int section, int width);

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void paintSection(QPainter* painter, const QRect& rect, int section) const override;

 private:
  const ShownRows& m_rows;
  const TraceSession& m_session;
  std::vector<int> m_pressedWidths;
};

} // namespace rankscope::ui

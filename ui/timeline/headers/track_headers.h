// SPDX-License-Identifier: GPL-3.0-or-later
// The labels beside the lanes, aligned with them and painted by their kinds. A click collapses or expands,
// dragging moves a track within its rank or a rank among ranks, and two buttons pin and hide; arrow keys move
// between headers. Emits requests and changes nothing itself.
#pragma once

#include "ui/job/trace_session.h"
#include "ui/timeline/picture/label_cache.h"
#include "ui/timeline/tracks/track_layout.h"

#include <QWidget>

#include <optional>

namespace rankscope::ui {

class TrackHeaders : public QWidget {
  Q_OBJECT

 public:
  TrackHeaders(TraceSession& session, const TrackLayout& layout, const RankSummaries& summaries,
               QWidget* parent = nullptr);

  void setScrollTop(int top);
  // The rank with a sticky header; invalid if there is none.
  [[nodiscard]] RankIndex stickyRank() const;
  // The hovered header, else the focused one, if any.
  [[nodiscard]] std::optional<TrackKey> current() const;
  // The focused header, if the headers have the focus.
  [[nodiscard]] std::optional<TrackKey> focused() const { return hasFocus() ? m_focused : std::nullopt; }
  [[nodiscard]] const TraceSession& session() const { return m_session; }
  [[nodiscard]] const TrackLayout& layoutShown() const { return m_layout; }
  [[nodiscard]] int scrollTop() const { return m_scrollTop; }
  // REQUIRES: a job is open.
  [[nodiscard]] LaneFacts facts() const { return laneFacts(m_session, m_summaries); }
  // The visible position of a header.
  [[nodiscard]] QRect boxOf(const Section& section) const;
  // Positions of the pin and hide buttons in a header of this section, for mouse handling and tests.
  [[nodiscard]] QRect pinButton(const Section& section) const;
  [[nodiscard]] QRect hideButton(const Section& section) const;
  [[nodiscard]] int labelTop(const Section& section) const;

 signals:
  void toggled(const rankscope::ui::TrackKey& key);
  void pinToggled(const rankscope::ui::TrackKey& key);
  void hideWanted(const rankscope::ui::TrackKey& key);
  // It was dragged before another one, or to the end.
  void moved(const rankscope::ui::TrackKey& key, const std::optional<rankscope::ui::TrackKey>& before);
  void menuWanted(const rankscope::ui::TrackKey& key, QPoint globalPosition);
  // The focus moved to lines [top, bottom) of the content.
  void focusMoved(int top, int bottom);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  [[nodiscard]] const Section* sectionAt(QPointF position) const;
  [[nodiscard]] bool isSticky(const Section& section) const;
  void paintSections(QPainter& painter, const Theme& theme) const;
  void paintButtons(QPainter& painter, const Theme& theme, const Section& section) const;
  void paintDrag(QPainter& painter, const Theme& theme) const;
  [[nodiscard]] bool canMove(const Section& section) const;
  // The sections among which a section can be moved, top to bottom.
  [[nodiscard]] std::vector<const Section*> siblingsOf(const Section& section) const;
  void moveFocus(int steps);

  TraceSession& m_session;
  const TrackLayout& m_layout;
  const RankSummaries& m_summaries;
  mutable TextCache m_titles;
  mutable TextCache m_denseTitles; // of ranks that are close together
  mutable TextCache m_texts;
  int m_scrollTop = 0;
  std::optional<TrackKey> m_hovered;
  std::optional<TrackKey> m_focused; // by the keyboard
  std::optional<TrackKey> m_pressed;
  QPointF m_pressedAt;
  bool m_dragging = false;
  bool m_ignoreRelease = false; // of a double click
  double m_dragY = 0;
};

} // namespace rankscope::ui

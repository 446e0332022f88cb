// SPDX-License-Identifier: GPL-3.0-or-later
// The column left of the lanes: names of ranks and tracks, and the marks that fold and unfold them. It
// scrolls with the canvas and draws only what is visible. Whatever does not fit has a tooltip with the full
// text.
#pragma once

#include "ui/timeline/label_cache.h"
#include "ui/timeline/track_layout.h"
#include "ui/trace_session.h"

#include <QWidget>

namespace rankscope::ui {

class TrackHeaders : public QWidget {
  Q_OBJECT

 public:
  TrackHeaders(TraceSession& session, const TrackLayout& layout, QWidget* parent = nullptr);

  void setScrollTop(int top);
  // The rank whose header stays at the top while its tracks scroll by; invalid when none does.
  [[nodiscard]] RankIndex stickyRank() const;

 signals:
  void rankToggled(rankscope::RankIndex rank);
  void moreToggled(rankscope::RankIndex rank);
  void trackToggled(rankscope::RankIndex rank, rankscope::TrackIndex track);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  [[nodiscard]] const Section* sectionAt(QPointF position) const;
  void paintRank(QPainter& painter, const Theme& theme, RankIndex rank, const QRect& box, bool hovered) const;
  void paintTrack(QPainter& painter, const Theme& theme, const Section& section, const QRect& box,
                  bool hovered) const;
  [[nodiscard]] QString describeRank(RankIndex rank) const;

  TraceSession& m_session;
  const TrackLayout& m_layout;
  mutable TextCache m_titles;
  mutable TextCache m_denseTitles; // of ranks that stand close
  mutable TextCache m_texts;
  int m_scrollTop = 0;
  int m_hoveredTop = -1; // of the section under the mouse
};

// "Rank 3", or "Rank 3 · capture 2" where ranks have several.
[[nodiscard]] QString rankTitle(const TraceSet& traces, RankIndex rank);

} // namespace rankscope::ui

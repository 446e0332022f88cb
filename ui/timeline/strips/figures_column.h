// SPDX-License-Identifier: GPL-3.0-or-later
// The column right of the lanes: what each rank's devices did in the visible window, or in the range when one
// is selected, as a small table beside the time axis, so that no figure lies over a lane. It scrolls with the
// canvas, draws only what is visible, and has as many of the figures as there is room for, the most telling
// first.
#pragma once

#include "ui/job/trace_session.h"
#include "ui/timeline/picture/label_cache.h"
#include "ui/timeline/ranks/rank_summaries.h"
#include "ui/timeline/tracks/track_layout.h"

#include <QWidget>

#include <vector>

namespace rankscope::ui {

class FiguresColumn : public QWidget {
  Q_OBJECT

 public:
  FiguresColumn(TraceSession& session, const TrackLayout& layout, const RankSummaries& summaries,
                QWidget* parent = nullptr);

  // What it takes beside lanes of so many logical pixels.
  [[nodiscard]] static int widthFor(int lanes);
  // Logical pixels above the first lane, where the titles stand.
  void setTitleHeight(int height);
  void setScrollTop(int top);
  // The figures of a rank as they are shown, left to right.
  [[nodiscard]] QStringList textsOf(RankIndex rank) const;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  [[nodiscard]] std::vector<int> shownFigures() const; // priorities, left to right
  [[nodiscard]] TimeRange windowOf(RankIndex rank) const;
  [[nodiscard]] QRect cell(std::size_t column, int top, int height) const;
  void paintRank(QPainter& painter, const Theme& theme, RankIndex rank, int top, int height) const;

  TraceSession& m_session;
  const TrackLayout& m_layout;
  const RankSummaries& m_summaries;
  mutable TextCache m_texts;
  int m_titleHeight = 0;
  int m_scrollTop = 0;
};

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// The column right of the lanes: a small table of each rank's device times in the visible window, or in the
// selected range. It scrolls with the canvas, draws only visible rows, and shows as many figures as fit:
// those that the job has, the most important ones first.
#pragma once

#include "ui/job/path_choice.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/picture/label_cache.h"
#include "ui/timeline/ranks/rank_figures.h"
#include "ui/timeline/ranks/rank_summaries.h"
#include "ui/timeline/tracks/track_layout.h"

#include <QTimer>
#include <QWidget>

#include <map>
#include <optional>
#include <vector>

namespace rankscope::ui {

class FiguresColumn : public QWidget {
  Q_OBJECT

 public:
  FiguresColumn(TraceSession& session, const TrackLayout& layout, const RankSummaries& summaries,
                QWidget* parent = nullptr);

  // Width of the column beside lanes of this many logical pixels; path: with time on the critical path.
  [[nodiscard]] static int widthFor(int lanes, bool path);
  // Height above the first lane, for the titles, in logical pixels.
  void setTitleHeight(int height);
  void setScrollTop(int top);
  // Another window, layout or job.
  void refresh();
  // The displayed figures of a rank or group, left to right.
  [[nodiscard]] QStringList textsOf(RankIndex rank) const;
  [[nodiscard]] QStringList textsOf(const RankGroup& group) const { return shownTexts(figuresOf(group)); }

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  [[nodiscard]] std::vector<int> shownFigures() const; // priorities, left to right
  void findValued();
  [[nodiscard]] QStringList shownTexts(const std::vector<RankFigure>& figures) const;
  [[nodiscard]] TimeRange windowOf(RankIndex rank) const;
  // Empty while its activity is not known.
  [[nodiscard]] std::optional<RankInWindow> inWindow(RankIndex rank) const;
  [[nodiscard]] QRect cell(std::size_t column, int top, int height) const;
  // Of a rank or a group on the critical path; empty while that is off or not known.
  [[nodiscard]] QString onPathOf(const Section& section) const;
  [[nodiscard]] std::size_t firstFigure() const; // its column: after the time on the path
  // Of a rank, or the means of a group; empty: none.
  [[nodiscard]] std::vector<RankFigure> figuresOf(const Section& section) const;
  void paintSection(QPainter& painter, const Theme& theme, const Section& section, int top, int height) const;

  // The means of a large group are computed exactly once the window rests; of a part of its ranks before.
  [[nodiscard]] std::vector<RankFigure> figuresOf(const RankGroup& group) const;
  [[nodiscard]] std::vector<RankFigure> meanOf(const RankGroup& group, std::size_t most) const;
  void rest();

  TraceSession& m_session;
  PathChoice& m_path;
  const TrackLayout& m_layout;
  const RankSummaries& m_summaries;
  mutable TextCache m_texts;
  QTimer m_moving;                                                  // runs until the window rests
  PendingWork::Token m_waits;                                       // meanwhile
  std::map<const RankGroup*, std::vector<RankFigure>> m_exact = {}; // of large groups that are seen there
  std::vector<int> m_valued; // priorities of figures that a rank has; come before others
  int m_titleHeight = 0;
  int m_scrollTop = 0;
};

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline as one widget: overview strip, ruler with steps, track headers, lanes and scroll bar, kept in
// line with each other, and the keys that move through them. It shows its session's trace, window, selection
// and range; what it owns is where it is scrolled to and what is folded.
#pragma once

#include "ui/timeline/rank_summaries.h"
#include "ui/timeline/track_layout.h"
#include "ui/timeline/view_motion.h"
#include "ui/trace_session.h"

#include <QWidget>

#include <optional>

class QScrollBar;

namespace rankscope::ui {

class ActionRegistry;
class HighlightBar;
class EventFinder;
class OverviewStrip;
class TimelineCanvas;
class TimeRuler;
class TrackHeaders;

class TimelineView : public QWidget {
  Q_OBJECT

 public:
  // Adds what can be done here to the actions; without any it has its own.
  explicit TimelineView(TraceSession& session, QWidget* parent = nullptr, ActionRegistry* actions = nullptr);
  ~TimelineView() override;

  // Returns when what is worked out beside the lanes (idle time, figures, counters) is there: for pictures
  // taken without an event loop.
  void finishSummaries();

  void setRankExpanded(RankIndex rank, bool expanded);
  void setAllRanksExpanded(bool expanded);
  void setHighlights(const HighlightOptions& options);
  void setHeaderWidth(int width);

  // Whose hits stand out; null: none. Outlives the view.
  void setFinder(const EventFinder* finder);

  // A share of the visible height, downwards.
  void scrollPages(double pages);
  // Moves as little as needed, and never zooms.
  void bringIntoView(EventRef event);
  // Whether a key that nobody else wanted means something here.
  bool pressKey(const QKeyEvent& event);

  [[nodiscard]] ActionRegistry& actions() { return *m_actions; }
  [[nodiscard]] ViewMotion& motion() { return m_motion; }
  [[nodiscard]] const TrackLayout& trackLayout() const { return m_layout; }
  [[nodiscard]] TimelineCanvas& canvas() { return *m_canvas; }
  [[nodiscard]] HighlightBar& highlightBar() { return *m_highlightBar; }
  [[nodiscard]] TrackHeaders& headers() { return *m_headers; }
  [[nodiscard]] QScrollBar& scrollBar() { return *m_scrollBar; }

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void arrange();
  void updateScrollBar();
  void layoutChanged();
  void traceChanged();
  void revealEvent(EventRef event);
  void revealRank(RankIndex rank);
  void scrollBy(int pixels);

  TraceSession& m_session;
  ActionRegistry* m_actions;
  TrackLayout m_layout;
  RankSummaries m_summaries;
  ViewMotion m_motion;
  OverviewStrip* m_overview;
  TimeRuler* m_ruler;
  TrackHeaders* m_headers;
  TimelineCanvas* m_canvas;
  QScrollBar* m_scrollBar;
  HighlightBar* m_highlightBar;
  QWidget* m_grip; // between headers and canvas
  int m_headerWidth = 230;
};

} // namespace rankscope::ui

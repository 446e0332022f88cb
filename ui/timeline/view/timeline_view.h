// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline widget: overview strip, ruler with steps, track headers, lanes and scroll bar, kept aligned,
// with their keys. It shows its session's trace, window, selection, range and choice of tracks; its own state
// is the scroll position. Pinned tracks are in a canvas of their own above the scrolling lanes.
#pragma once

#include "ui/base/latest_task.h"
#include "ui/base/text_scale.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/ranks/rank_summaries.h"
#include "ui/timeline/tracks/rank_arrangement.h"
#include "ui/timeline/tracks/track_layout.h"
#include "ui/timeline/view/timeline_control.h"
#include "ui/timeline/view/view_motion.h"

#include <QWidget>

#include <optional>

class QScrollBar;

namespace rankscope::ui {

class ActionRegistry;
class FiguresColumn;
class HighlightBar;
class EventFinder;
class OverviewStrip;
class PathStrip;
class TimelineCanvas;
class TimeRuler;
class TrackHeaders;
class ViewChips;

class TimelineView : public QWidget, public TimelineControl {
  Q_OBJECT

 public:
  // Adds the timeline's actions to this registry; without one, it uses its own.
  explicit TimelineView(TraceSession& session, QWidget* parent = nullptr, ActionRegistry* actions = nullptr);
  ~TimelineView() override;

  // Computes all counters of the lanes, including those that are not visible, as pending work of the session.
  void prepare();

  void setHeaderWidth(int width);
  // The search whose hits are highlighted; null: none. Outlives the view.
  void setFinder(const EventFinder* finder);
  // Scrolls as little as needed, without zooming.
  void bringIntoView(EventRef event);
  // Whether an unhandled key has a meaning here.
  bool pressKey(const QKeyEvent& event);

  [[nodiscard]] QWidget& widget() override { return *this; }
  [[nodiscard]] const TrackLayout& trackLayout() const override { return m_layout; }
  [[nodiscard]] ViewMotion& motion() override { return m_motion; }
  void scrollPages(double pages) override;
  void goTo(EventRef event) override;
  void showPlace(bool next) override;
  bool showStep(int direction) override;
  [[nodiscard]] std::optional<std::int64_t> stepShown() const override;
  void setRankExpanded(RankIndex rank, bool expanded) override;
  void setAllRanksExpanded(bool expanded) override;
  void setFiguresShown(bool shown) override;
  [[nodiscard]] bool figuresShown() const override { return m_figuresShown; }
  [[nodiscard]] std::optional<TrackKey> currentTrack() const override;
  [[nodiscard]] std::vector<TrackLayout::NamedTrack> tracksOf(RankIndex rank) override {
    return m_layout.tracksOf(rank);
  }
  void revealTrack(const TrackKey& key) override;
  [[nodiscard]] std::vector<QString> groupings() const override;
  void prepareGroupings() override;

  [[nodiscard]] ActionRegistry& actions() { return *m_actions; }
  [[nodiscard]] const TrackLayout& pinnedLayout() const { return m_pinnedLayout; }
  [[nodiscard]] TimelineCanvas& canvas() { return *m_canvas; }
  [[nodiscard]] TimelineCanvas& pinnedCanvas() { return *m_pinnedCanvas; }
  [[nodiscard]] TrackHeaders& headers() { return *m_headers; }
  [[nodiscard]] TrackHeaders& pinnedHeaders() { return *m_pinnedHeaders; }
  [[nodiscard]] TimeRuler& ruler() { return *m_ruler; }
  [[nodiscard]] ViewChips& chips() { return *m_chips; }
  [[nodiscard]] PathStrip& pathStrip() { return *m_pathStrip; }
  [[nodiscard]] HighlightBar& highlightBar() { return *m_highlightBar; }
  [[nodiscard]] FiguresColumn& figures() { return *m_figuresColumn; }
  [[nodiscard]] QScrollBar& scrollBar() { return *m_scrollBar; }

 signals:
  // A click selected this event.
  void eventClicked(rankscope::EventRef event);
  // Requests the context menu of the selected event.
  void eventMenuWanted(rankscope::EventRef event, QPoint globalPosition);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void arrange();
  void updateScrollBar();
  void connectCanvas(TimelineCanvas& canvas, TimelineCanvas& other);
  void connectHeaders(TrackHeaders& headers);
  void layOut();
  void choiceChanged();
  void summariesChanged();
  void applyAlignment();
  void askForFigures();
  void toggle(const TrackKey& key);
  void move(const TrackKey& key, const std::optional<TrackKey>& before, bool pinned);
  void showTrackMenu(const TrackKey& key, QPoint globalPosition);
  void traceChanged();
  void keepUsedRanksOpen();
  void highlightsChanged();
  void arrangeMany();
  [[nodiscard]] std::vector<RankIndex> stragglers() const;
  void expandStragglers();
  struct Anchor {
    TrackKey key;
    int offset; // of its top from the first visible line
    bool selected;
    EventRef event; // if it is the selection
  };
  [[nodiscard]] std::optional<Anchor> placeToKeep() const;
  void returnTo(const Anchor& anchor);
  void noteScrollPlace();
  // Which ranks are expanded or collapsed without the user having asked for it.
  void noteRanksOpen();
  [[nodiscard]] const Section* firstInSight() const;
  void revealEvent(EventRef event);
  void revealRank(RankIndex rank);
  void revealSegment();
  void scrollBy(int pixels);

  TraceSession& m_session;
  ActionRegistry* m_actions;
  TrackLayout m_layout;
  TrackLayout m_pinnedLayout{LayoutPart::Pinned};
  std::shared_ptr<const RankFiguresForOrder>
      m_figures;                   // of the open job; null until they are needed for sorting
  std::vector<RankGroup> m_groups; // current order of the ranks
  TimelineChoice m_laidOut;        // the choice of the current layout
  bool m_sortPending = false;      // the order was chosen, its figures are being computed
  bool m_fitPending = false;       // nothing of the job was painted yet: ranks and rows still fit the height
  LatestTask<std::shared_ptr<const RankFiguresForOrder>> m_figuresTask;
  RankSummaries m_summaries{m_session.pending()};
  ViewMotion m_motion;
  OverviewStrip* m_overview;
  TimeRuler* m_ruler;
  ViewChips* m_chips;
  PathStrip* m_pathStrip;
  TrackHeaders* m_pinnedHeaders;
  TimelineCanvas* m_pinnedCanvas;
  TrackHeaders* m_headers;
  TimelineCanvas* m_canvas;
  FiguresColumn* m_figuresColumn;
  QScrollBar* m_scrollBar;
  HighlightBar* m_highlightBar;
  QWidget* m_grip; // between headers and canvas
  bool m_figuresShown = true;
  int m_headerWidth = scaledToText(230);
};

} // namespace rankscope::ui

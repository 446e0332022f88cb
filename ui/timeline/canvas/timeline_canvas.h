// SPDX-License-Identifier: GPL-3.0-or-later
// The widget that paints lanes. It draws everything that follows the mouse and the selection over the cached
// picture (TimelineContent): highlight, outline, links, range, cursor, tooltip, notes; a change of these
// repaints only the affected pixels. Mouse and wheel change the session's window, selection and range; this
// class stores none of them.
#pragma once

#include "ui/job/path_choice.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/canvas/collective_labels.h"
#include "ui/timeline/canvas/path_marks.h"
#include "ui/timeline/canvas/timeline_content.h"
#include "ui/timeline/canvas/timeline_hit.h"
#include "ui/timeline/canvas/touch_gestures.h"
#include "ui/timeline/canvas/zoom_animation.h"

#include <QElapsedTimer>
#include <QRegion>
#include <QWidget>

#include <optional>
#include <vector>

class QTouchEvent;

namespace rankscope::ui {

class EventFinder;

class TimelineCanvas : public QWidget {
  Q_OBJECT

 public:
  TimelineCanvas(TraceSession& session, const TrackLayout& layout, const RankSummaries& summaries,
                 QWidget* parent = nullptr);

  // Logical pixels of the content above the canvas; set by the owner of the scroll bar.
  [[nodiscard]] int scrollTop() const { return m_scrollTop; }
  void setScrollTop(int top);
  // More of the ranks' summaries are ready.
  void summariesChanged();
  void layoutChanged();
  void setFinder(const EventFinder* finder) { m_finder = finder; }

  // Width of the canvas in device pixels, and the mapping of the visible window to them.
  [[nodiscard]] PixelScale pixelScale() const;
  [[nodiscard]] double xOf(TimeNs t) const; // logical pixel
  [[nodiscard]] TimeNs timeAt(double x) const;

  // Zooms at the mouse position, or at the middle if the mouse is elsewhere.
  void zoom(double factor);
  void zoomAt(double x, double factor);
  void pan(double pixels);
  // The canvas above or below this one in the same widget, for links between them. pinned: this one shows
  // pinned tracks.
  void setNeighbor(const TimelineCanvas* neighbor, bool pinned);
  // The end of links to an event; see the definition.
  [[nodiscard]] QRectF linkEnd(EventRef event) const;
  // In logical pixels, slightly beyond the edges; empty if its lane is not shown.
  [[nodiscard]] QRectF outlineOf(EventRef event) const;
  [[nodiscard]] const TraceSession& session() const { return m_session; }
  [[nodiscard]] bool hasMouse() const { return m_mouse.has_value(); }
  // The lane under the mouse, or null.
  [[nodiscard]] const Lane* laneUnderMouse() const;
  // Shows the cursor line while the mouse is in another part of the timeline.
  void setGuestCursor(std::optional<TimeNs> time);
  // Starts a gesture: the current window is added to the view history. Calls in quick succession are one
  // gesture.
  void beginGesture();

  // Text of the tooltip; empty without one.
  [[nodiscard]] const QString& hoverText() const { return m_hoverText; }
  // The cached picture.
  [[nodiscard]] const TimelineContent& content() const { return m_content; }
  [[nodiscard]] LaneHit hitAtPosition(QPointF position) const;
  // Tags that lead to the first, median and last rank of the selected collective while they are not visible;
  // a click goes there.
  struct CollectiveTag {
    QRect box;
    QString text;
    EventRef event;
  };
  [[nodiscard]] std::vector<CollectiveTag> collectiveTags() const;
  // Where the critical path is drawn; nothing while it is off.
  [[nodiscard]] const PathMarks& pathMarksShown() const;

 signals:
  // Requests scrolling this line to the top.
  void scrollRequested(int top);
  // The time under the mouse; empty when the mouse leaves.
  void cursorMoved(std::optional<rankscope::TimeNs> time);
  void rankToggled(rankscope::RankIndex rank);
  // A click selected this event.
  void eventClicked(rankscope::EventRef event);
  // Requests the context menu of this event, which is selected, or of the lane at a line of the content.
  void eventMenuWanted(rankscope::EventRef event, QPoint globalPosition);
  void laneMenuWanted(int contentY, QPoint globalPosition);
  // An event was selected and should be scrolled into view.
  void eventWanted(rankscope::EventRef event);
  // Tab was pressed with a selected collective: requests the same one on another rank.
  void otherRankWanted(bool next);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  bool focusNextPrevChild(bool next) override;
  void moveEvent(QMoveEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  enum class Drag { None, Undecided, Pan, Range };

  [[nodiscard]] ContentView contentView() const;
  [[nodiscard]] int deviceX(double x) const;
  // REQUIRES: a job is open.
  [[nodiscard]] LaneFacts facts() const { return laneFacts(m_session, m_summaries); }
  // In the rank's own times, if ranks are shifted.
  [[nodiscard]] PixelScale pixelScaleOf(RankIndex rank) const;
  [[nodiscard]] LaneHit captureHit(const Lane& lane, std::int32_t column, int y) const;
  void zoomAbout(double x, double factor);
  void animateZoom(double x, double notches);
  bool followTouch(const QTouchEvent& event);
  void clickAt(QPointF position);
  void dragTo(QPointF position, Qt::KeyboardModifiers modifiers);
  [[nodiscard]] TimeNs snapped(QPointF position, Qt::KeyboardModifiers modifiers) const;
  [[nodiscard]] std::vector<RankTracks> tracksBetween(double from, double to) const;
  void dragRange(QPointF position, Qt::KeyboardModifiers modifiers);
  void extendRange(QPointF position, Qt::KeyboardModifiers modifiers);
  void hoverAt(QPointF position);
  // Updates tooltip and cursor line after the lanes moved under the mouse.
  void hoverAgain();
  // Removes the tooltip until the mouse moves; the cursor line stays.
  void dropTip();
  void endHover();
  void refreshHighlight();
  void refreshSelection();
  [[nodiscard]] int tipTextWidth() const; // at most
  [[nodiscard]] QRect tipBox() const;
  [[nodiscard]] QRect cursorLine(double x) const;

  void paintEmpty(QPainter& painter) const;
  void paintNotes(QPainter& painter, const Theme& theme) const;
  void paintNote(QPainter& painter, const Theme& theme, const Section& section, const QRect& box) const;
  void paintRange(QPainter& painter, const Theme& theme) const;
  void paintHighlight(QPainter& painter, const Theme& theme) const;
  void paintLinks(QPainter& painter, const Theme& theme) const;
  [[nodiscard]] double xWithin(TimeNs t) const; // clamped to slightly outside
  void refreshCollective();
  void paintCollective(QPainter& painter, const Theme& theme) const;
  void paintCollectiveTags(QPainter& painter, const Theme& theme) const;
  void paintGap(QPainter& painter, const Theme& theme) const;
  void paintSelection(QPainter& painter, const Theme& theme) const;
  void paintFading(QPainter& painter, const QImage& picture, const Theme& theme) const;
  void paintSlack(QPainter& painter, const Theme& theme) const;
  void paintPath(QPainter& painter, const Theme& theme) const;
  void paintJumpNames(QPainter& painter, const Theme& theme) const;
  void paintTip(QPainter& painter, const Theme& theme) const;
  [[nodiscard]] RankIndex stickyRank() const;

  // What the marks of the path depend on.
  struct PathKey {
    TimeRange window;
    QSize size;
    qreal ratio = 1;
    int scrollTop = 0;
    std::uint64_t path = 0, layout = 0, shifts = 0;
    bool operator==(const PathKey&) const = default;
  };

  TraceSession& m_session;
  PathChoice& m_path;
  mutable PathKey m_pathKey;
  mutable PathMarks m_pathMarks; // of the key
  const TrackLayout& m_layout;
  const RankSummaries& m_summaries;
  TimelineContent m_content;
  int m_scrollTop = 0;
  std::uint64_t m_summariesRevision = 0;
  const EventFinder* m_finder = nullptr;
  const TimelineCanvas* m_neighbor = nullptr;
  bool m_pinned = false;

  mutable TextCache m_texts;      // of notes and tags
  std::optional<QPointF> m_mouse; // here
  QPointF m_mouseOnScreen;        // the same, while the canvas moves under it
  std::optional<TimeNs> m_guestCursor;
  QString m_hoverText;
  bool m_tipDropped = false; // by a key
  struct Highlight {
    QRect box;    // device pixels
    bool hatched; // framed, because a veil would change the colors of the pattern
  };
  std::vector<Highlight> m_highlight;           // slices of the hovered name
  std::optional<CollectiveLabels> m_collective; // of the selection, in the current layout

  Drag m_drag = Drag::None;
  QPointF m_pressedAt;
  TimeRange m_pressedWindow;
  int m_pressedScroll = 0;
  TimeNs m_rangeAnchor = 0;

  struct ZoomAnchor { // keeps repeated zooms at one time while the mouse does not move
    double x;
    TimeNs time;
    TimeRange window; // after the zoom
  };
  std::optional<ZoomAnchor> m_zoomAnchor;
  QElapsedTimer m_sinceGesture;
  ZoomAnimation m_zoomAnimation;
  TouchGestures m_touch;
};

} // namespace rankscope::ui

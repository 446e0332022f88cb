// SPDX-License-Identifier: GPL-3.0-or-later
// The whole job at a glance: a line per rank, with all of its captures, over its whole time, with computation
// and communication by color and idle time as background. If there are more ranks than pixels, several share
// a line that shows their mean. The visible window is drawn over it: it can be dragged, resized at its edges,
// or set by dragging elsewhere. The picture is cached: a new rank paints its line, and overlays repaint only
// the columns that changed.
#pragma once

#include "core/query/pixel_scale.h"
#include "core/query/row_spans.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/picture/span_raster.h"
#include "ui/timeline/ranks/rank_summaries.h"

#include <QImage>
#include <QWidget>

#include <span>
#include <vector>

namespace rankscope::ui {

class EventFinder;

class OverviewStrip : public QWidget {
  Q_OBJECT

 public:
  OverviewStrip(TraceSession& session, const RankSummaries& summaries, QWidget* parent = nullptr);

  // In a timeline of this height: a tall one has room for a line per rank.
  [[nodiscard]] int wantedHeight(int timelineHeight) const;
  void setMargins(int left, int right);
  // More ranks are ready.
  void summariesChanged();
  // The search whose hits are marked.
  void setFinder(const EventFinder* finder) { m_finder = finder; }

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  enum class Grip { None, Window, Begin, End, New };

  [[nodiscard]] QRect strip() const;
  [[nodiscard]] PixelScale pixelScale() const; // of the whole job
  [[nodiscard]] double xOf(TimeNs t) const;
  [[nodiscard]] TimeNs timeAt(double x) const;
  [[nodiscard]] QRectF windowBox() const;
  [[nodiscard]] Grip gripAt(QPointF position) const;
  // Overlays in widget coordinates; empty boxes are not drawn.
  struct Overlays {
    bool everything = true; // whether the window covers everything
    QRectF window;
    QRectF range;
    QRectF place; // the place of the hovered finding
  };
  struct Layer {
    const IntervalSet* set;
    QRgb color;
    std::uint8_t least; // of 255: minimum that is painted
  };

  [[nodiscard]] Overlays overlays() const;
  void overlaysChanged();
  void dropPicture();
  // Paints lines that are not painted yet.
  void paintPicture();
  [[nodiscard]] std::size_t lineCount() const;
  void paintLine(std::size_t line, std::size_t lines, std::span<const std::vector<RankIndex>> ranks);
  // The recordings of each rank, of the chosen capture.
  [[nodiscard]] std::vector<std::vector<RankIndex>> shownRanks() const;
  void hatchExposed(SpanRaster& raster, std::span<const ColorSpan> ink, int top, int height) const;
  [[nodiscard]] std::vector<Layer> layersOf(RankIndex rank) const;
  void coverOf(RankIndex rank, const IntervalSet& set, std::vector<CoverSpan>& cover) const;
  void addInk(RankIndex rank, std::vector<ColorSpan>& ink) const;
  void addMeanInk(std::span<const std::vector<RankIndex>> ranks, std::vector<ColorSpan>& ink) const;
  // "12 steps · 2.00 s recorded within 471 s", from the longest text on.
  [[nodiscard]] QStringList captions() const;
  [[nodiscard]] std::size_t stepCount() const;
  [[nodiscard]] TimeNs recordedTime() const;
  // The ranks of the line at y, the time at x, and what the picture is for.
  [[nodiscard]] QString tipAt(QPoint position) const;

  TraceSession& m_session;
  const RankSummaries& m_summaries;
  const EventFinder* m_finder = nullptr;
  bool m_upToDate = false;                     // the picture has every summary that is known
  std::vector<std::vector<RankIndex>> m_ranks; // shownRanks
  int m_leftMargin = 0;
  int m_rightMargin = 0;
  QImage m_picture;                          // null: must be repainted
  int m_capture = 0;                         // of the picture
  std::vector<const RankSummary*> m_painted; // by recording: what its line shows; null: not painted
  Overlays m_over;
  Grip m_grip = Grip::None;
  double m_pressedX = 0;
  TimeRange m_pressedWindow;
};

} // namespace rankscope::ui

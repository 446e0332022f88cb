// SPDX-License-Identifier: GPL-3.0-or-later
// The whole job at a glance: a line per rank over all of its time, computation and communication by color,
// idleness by less ink; of more ranks than lines every nth is shown. The visible window lies over it and can
// be dragged, by its edges resized, or set again by dragging beside it. The picture is kept; a new window
// repaints none of it.
#pragma once

#include "core/query/pixel_scale.h"
#include "ui/job/trace_session.h"
#include "ui/timeline/ranks/rank_summaries.h"

#include <QImage>
#include <QWidget>

#include <optional>

namespace rankscope::ui {

class EventFinder;

class OverviewStrip : public QWidget {
  Q_OBJECT

 public:
  static constexpr int kHeight = 46;

  OverviewStrip(TraceSession& session, const RankSummaries& summaries, QWidget* parent = nullptr);

  void setMargins(int left, int right);
  void summariesChanged();
  // Whose hits are marked.
  void setFinder(const EventFinder* finder) { m_finder = finder; }

 protected:
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
  void paintPicture();
  void paintRankLine(std::size_t rank, int top, int height);
  [[nodiscard]] QString caption() const;

  TraceSession& m_session;
  const RankSummaries& m_summaries;
  const EventFinder* m_finder = nullptr;
  int m_leftMargin = 0;
  int m_rightMargin = 0;
  QImage m_picture; // null: to be painted again
  Grip m_grip = Grip::None;
  double m_pressedX = 0;
  TimeRange m_pressedWindow;
};

} // namespace rankscope::ui

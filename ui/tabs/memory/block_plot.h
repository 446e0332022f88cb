// SPDX-License-Identifier: GPL-3.0-or-later
// Allocated memory of a snapshot over time, a shape for each block; reserved memory as a line; below it the
// annotations of the program. A click or the arrow keys set the cursor, Ctrl+wheel zooms, a drag pans,
// Home shows everything. Pictures are drawn by a worker; until a new one is there, the last one is stretched.
// UI thread.
#pragma once

#include "ui/base/latest_task.h"
#include "ui/tabs/memory/block_scene.h"

#include <QPen>
#include <QWidget>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace rankscope::ui {

class TraceSession;

class BlockPlot : public QWidget {
  Q_OBJECT
 public:
  explicit BlockPlot(TraceSession& session, QWidget* parent = nullptr);

  // Null: nothing to draw. Shows everything.
  void setScene(std::shared_ptr<const BlockScene> scene);
  void setByTime(bool byTime);
  void setByLine(bool byLine);
  void setCursor(std::int32_t entry);
  // Where growth is measured from; kBeforeFirst: none.
  void setMark(std::int32_t entry);

  // Allocated memory by a recording with the same clock, over time; empty: none.
  void setReference(QList<QPointF> points);

  void setRange(double from, double to);
  [[nodiscard]] std::pair<double, double> range() const { return {m_from, m_to}; }
  [[nodiscard]] bool byTime() const { return m_byTime; }
  [[nodiscard]] const BlockPicture& picture() const { return m_picture; }
  // The area of the blocks; texts are around it.
  [[nodiscard]] QRect plot() const;
  [[nodiscard]] std::int32_t entryAt(QPointF place) const;
  [[nodiscard]] std::optional<StackedBlock> blockAt(QPointF place) const;
  [[nodiscard]] QString tipAt(QPointF place) const;

  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  void cursorMoved(std::int32_t entry);
  void blockPicked(std::uint32_t life);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Annotation {
    QString name;
    double from;
    double to;
    int row;
  };

  void draw();
  void placeAnnotations();
  void zoom(double factor, double around);
  [[nodiscard]] int annotationHeight() const;
  [[nodiscard]] double xAt(double place) const;
  [[nodiscard]] double placeOfX(double x) const;
  [[nodiscard]] double placeOfBytes(double bytes) const;
  void paintAxes(QPainter& painter) const;
  void paintCurve(QPainter& painter, const QList<QPointF>& points, const QPen& pen) const;
  void paintMarks(QPainter& painter) const;
  void paintAnnotations(QPainter& painter) const;

  TraceSession& m_session;
  std::shared_ptr<const BlockScene> m_scene;
  QList<QPointF> m_reference; // of the recording
  std::vector<Annotation> m_annotations;
  int m_annotationRows = 0;
  bool m_byTime = true;
  bool m_byLine = false;
  std::int32_t m_cursor = kBeforeFirst;
  std::int32_t m_mark = kBeforeFirst;
  double m_from = 0;
  double m_to = 1;
  BlockPicture m_picture;
  LatestTask<BlockPicture> m_task;
  std::optional<QPointF> m_pressed;
  std::pair<double, double> m_rangeWhenPressed;
  bool m_dragging = false;
};

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// A roofline: work as dots on two logarithmic axes, operations per byte and operations per second, below the
// roofs of the device: a slope of its memory and a level for each number format. A dot's area is its time.
// Dots are chosen by a click, or with arrows and Enter. UI thread; costs the dots, at most some thousands.
#pragma once

#include "ui/charts/plot_view.h"

#include <QLineF>
#include <QPointF>
#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

namespace rankscope::ui {

struct RooflineDot {
  double intensity = 0; // FLOP per byte, above 0
  double tflops = 0;    // above 0
  double time = 0;      // ns
  ThemeColor color = &Theme::gemm;
  QString tip; // rich text
};

struct RooflineLevel {
  QString text; // "bf16 matrix 989"
  double tflops = 0;
  ThemeColor color = &Theme::text;
  bool dashed = false; // of what was reached, not of the device
};

struct RooflineContents {
  std::vector<RooflineDot> dots;     // the largest first
  std::vector<RooflineLevel> levels; // the highest first
  double gigabytes = 0;              // of the memory a second; 0 not known
};

class Roofline : public QWidget {
  Q_OBJECT
 public:
  explicit Roofline(const TraceSession& session, QWidget* parent = nullptr);

  void setContents(RooflineContents contents);
  [[nodiscard]] const RooflineContents& contents() const { return m_contents; }
  // Points at a dot that is hovered elsewhere; -1: none.
  void markDot(int dot);
  [[nodiscard]] QPointF placeOf(int dot) const;
  [[nodiscard]] qreal radiusOf(int dot) const;
  struct LevelText {
    std::size_t level; // index in the contents
    QRectF box;
  };
  // Where levels have their texts; a level too near another one has none.
  [[nodiscard]] std::vector<LevelText> levelTexts() const;

  [[nodiscard]] QSize sizeHint() const override { return {560, 330}; }
  [[nodiscard]] QSize minimumSizeHint() const override { return {280, 200}; }

 signals:
  void dotClicked(int dot);
  // -1: none.
  void dotHovered(int dot);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void measure();
  [[nodiscard]] QRectF plot() const;
  [[nodiscard]] QPointF at(double intensity, double tflops) const;
  [[nodiscard]] int dotAt(QPointF place) const;
  void hover(int dot);
  void paintAxes(QPainter& painter) const;
  void paintRoofs(QPainter& painter) const;
  void paintDots(QPainter& painter) const;
  void paintLevelTexts(QPainter& painter) const;
  void paintMemoryText(QPainter& painter, QLineF line) const;
  [[nodiscard]] std::optional<QRectF> besideDots(QRectF place) const;

  const TraceSession& m_session;
  RooflineContents m_contents;
  // Powers of ten that the axes reach.
  double m_left = -1;
  double m_right = 4;
  double m_bottom = -1;
  double m_top = 4;
  double m_most = 1; // longest time of a dot
  int m_hovered = -1;
  int m_marked = -1;
};

} // namespace rankscope::ui

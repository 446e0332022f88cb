// SPDX-License-Identifier: GPL-3.0-or-later
// Every step of both sides as a dot over its duration, A hollow and B solid, with the medians as strokes and
// the interval of the means' difference as a bar that begins at A's mean. A click on a dot asks for its step.
// UI thread; O(steps).
#pragma once

#include <QString>
#include <QWidget>

#include <cstddef>
#include <optional>
#include <vector>

namespace rankscope::ui {

class TraceSession;

struct StepDot {
  double duration = 0; // nanoseconds
  bool kept = true;
  std::size_t place = 0; // in the side's samples
  QString tip;
};

struct StepDotRows {
  std::vector<StepDot> a;
  std::vector<StepDot> b;
  std::optional<double> medianA;
  std::optional<double> medianB;
  std::optional<double> low; // where B's mean would be, by A's mean and the interval
  std::optional<double> high;
};

class StepDots : public QWidget {
  Q_OBJECT
 public:
  explicit StepDots(const TraceSession& session, QWidget* parent = nullptr);

  void setRows(StepDotRows rows);
  [[nodiscard]] const StepDotRows& rows() const { return m_rows; }
  // The center of a dot.
  [[nodiscard]] QPointF centerOf(bool ofB, std::size_t dot) const;
  // What its marks are, as much as this width has room for.
  [[nodiscard]] QString legendWithin(int width) const;

  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 signals:
  // place: in the samples of the side.
  void dotClicked(bool ofB, int place);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  struct Hit {
    bool ofB = false;
    std::size_t dot = 0;
  };
  [[nodiscard]] QRectF plot() const;
  [[nodiscard]] qreal xOf(double duration) const;
  [[nodiscard]] qreal rowCenter(bool ofB) const;
  [[nodiscard]] std::optional<Hit> hitAt(QPointF place) const;
  void paintAxis(QPainter& painter) const;
  void paintSide(QPainter& painter, bool ofB) const;

  const TraceSession& m_session;
  StepDotRows m_rows;
  double m_from = 0;
  double m_to = 1;
};

} // namespace rankscope::ui

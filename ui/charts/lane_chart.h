// SPDX-License-Identifier: GPL-3.0-or-later
// Boxes on lanes over time: the actions of a pipeline, the gathers of FSDP units. A box has a short text if
// it fits; boxes of one group (a microbatch) are highlighted together by a click, with the lines between
// them. Arrow keys move over the boxes, Space highlights; a double click or Enter activates one. UI thread;
// painting is O(boxes). Long times
// without a box may be folded.
#pragma once

#include "ui/charts/plot_view.h"
#include "ui/job/time_folds.h"

#include <QString>
#include <QStringList>

#include <cstddef>
#include <optional>
#include <vector>

namespace rankscope::ui {

struct LaneBox {
  int lane = 0;
  double begin = 0; // nanoseconds from the begin of the chart, as drawn
  double end = 0;
  ThemeColor color = &Theme::faint;
  qreal strength = 1;
  bool hatched = false;
  QString text = {};
  int group = -1;
  QString tip = {};
};

// From the end of a box to the begin of another of its group.
struct LaneLine {
  int from = 0;
  int to = 0;
};

struct LaneContents {
  QStringList lanes;
  std::vector<bool> outliers; // by lane; may be shorter
  std::vector<LaneBox> boxes;
  std::vector<LaneLine> lines;
  double length = 0;        // nanoseconds
  bool emptyIsIdle = false; // where no box is, a lane waits
  TimeFolds folds = {};     // of times from the begin of the chart, which the axis tells
};

class LaneChart : public PlotView {
  Q_OBJECT
 public:
  explicit LaneChart(const TraceSession& session, QWidget* parent = nullptr);

  void setContents(LaneContents contents);
  [[nodiscard]] const LaneContents& contents() const { return m_contents; }
  // In widget coordinates.
  [[nodiscard]] QRectF boxOf(int box) const;
  struct FoldLabel {
    QString text;
    QRectF box;
  };
  // Of folds that have room for one, in widget coordinates; none overlap.
  [[nodiscard]] std::vector<FoldLabel> foldLabels() const;
  // The group that is highlighted; -1 none.
  [[nodiscard]] int group() const { return m_group; }
  void highlight(int group);

  [[nodiscard]] QString tipAt(QPointF place) const override;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;
  // Lanes are no higher in a chart of this height.
  [[nodiscard]] int largestHeight() const;

 signals:
  void boxActivated(int box);

 protected:
  void restyle() override {}
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  [[nodiscard]] int boxAt(QPointF place) const;
  // The fold that is drawn there.
  [[nodiscard]] std::optional<std::size_t> foldAt(double drawn) const;
  [[nodiscard]] QRectF foldBand(std::size_t fold) const;
  [[nodiscard]] QString foldText(std::size_t fold) const; // how long it is
  void toggle(int box);
  [[nodiscard]] QRectF laneBox(int lane) const;
  void paintLanes(QPainter& painter) const;
  void paintBoxes(QPainter& painter) const;
  void paintLines(QPainter& painter) const;
  void paintTicks(QPainter& painter) const;
  void paintFolds(QPainter& painter) const;

  LaneContents m_contents;
  int m_labelWidth = 0;
  int m_group = -1;
  int m_focused = -1;
  bool m_doubleClicked = false; // the release that follows is part of it
};

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// The lane of the critical path under the time axis: what decided how long each step took, colored by
// category, with the rank it is on. A click selects a segment, a double click fits it. Hidden while the path
// is off. UI thread.
#pragma once

#include "ui/base/text_scale.h"
#include "ui/base/theme.h"
#include "ui/job/path_choice.h"
#include "ui/timeline/picture/label_cache.h"
#include "ui/timeline/picture/path_runs.h"

#include <QWidget>

#include <optional>
#include <vector>

class QToolButton;

namespace rankscope::ui {

class PathStrip : public QWidget {
  Q_OBJECT

 public:
  explicit PathStrip(TraceSession& session, QWidget* parent = nullptr);

  [[nodiscard]] static int wantedHeight() { return scaledToText(26); }
  // Width of the parts left and right of the lane, in logical pixels.
  void setMargins(int left, int right);
  // The segment drawn at this position.
  [[nodiscard]] std::optional<std::size_t> segmentAt(QPointF position) const;
  // The middle of where a segment is drawn; nothing if it is outside or too short to be drawn.
  [[nodiscard]] std::optional<QPoint> middleOf(std::size_t segment) const;
  // Beside the title: shows the ranks of the path first.
  [[nodiscard]] QToolButton& ranksButton() { return *m_ranks; }

 signals:
  void ranksWanted();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;

 private:
  void placeButton();
  [[nodiscard]] QRect lane() const;
  [[nodiscard]] PixelScale scale() const;
  [[nodiscard]] std::vector<PathRun> runs() const;
  [[nodiscard]] QRectF boxOf(const PathRun& run) const;
  void paintRuns(QPainter& painter, const Theme& theme) const;
  struct Label {
    PathRun run; // of the first run, to the end of the last
  };
  [[nodiscard]] std::vector<Label> labels(const std::vector<PathRun>& runs) const;
  void paintLabel(QPainter& painter, const Theme& theme, const Label& label) const;
  [[nodiscard]] QString describe(std::size_t segment) const;

  TraceSession& m_session;
  PathChoice& m_path;
  mutable TextCache m_texts;
  QToolButton* m_ranks;
  int m_leftMargin = 0;
  int m_rightMargin = 0;
};

} // namespace rankscope::ui

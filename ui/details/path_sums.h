// SPDX-License-Identifier: GPL-3.0-or-later
// The time of each category of the critical path in the visible range: one bar, and a line for each with its
// time and share. UI thread.
#pragma once

#include "core/analysis/graph/critical_path.h"
#include "ui/timeline/picture/label_cache.h"

#include <QAbstractScrollArea>

#include <vector>

namespace rankscope::ui {

class TraceSession;

class PathSums : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit PathSums(TraceSession& session, QWidget* parent = nullptr);

  void setTimes(const CategoryTimes& times);
  // "Compute 10.8 ms 44.9 %", the largest first.
  [[nodiscard]] QStringList lines() const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Line {
    PathCategory category;
    TimeNs time;
    QString duration;
    QString share;
  };
  void arrange();

  TraceSession& m_session;
  TextCache m_names;
  TextCache m_numbers;
  std::vector<Line> m_lines;
  TimeNs m_total = 0;
};

} // namespace rankscope::ui

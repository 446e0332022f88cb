// SPDX-License-Identifier: GPL-3.0-or-later
// A few shares of a whole as named bars, each with its percentage, and a second figure beside the name: the
// phases of a step. UI thread.
#pragma once

#include "ui/base/theme.h"

#include <QString>
#include <QWidget>

#include <vector>

namespace rankscope::ui {

class TraceSession;

struct PhaseBar {
  QString name;
  double pct = 0;    // 0 to 100
  bool known = true; // else a note stands in place of the percentage
  QString note;      // on the right of the name
  QColor Theme::*color = &Theme::faint;
  bool pale = false; // a lighter shade of the color, for a part of what has it
  QString tip;
};

class PhaseBars : public QWidget {
  Q_OBJECT
 public:
  explicit PhaseBars(const TraceSession& session, QWidget* parent = nullptr);

  void setBars(std::vector<PhaseBar> bars);
  [[nodiscard]] const std::vector<PhaseBar>& bars() const { return m_bars; }

  // The maximum useful height.
  [[nodiscard]] int largestHeight() const;
  [[nodiscard]] QSize sizeHint() const override;
  [[nodiscard]] QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  [[nodiscard]] int rowHeight() const;

  const TraceSession& m_session;
  std::vector<PhaseBar> m_bars;
};

} // namespace rankscope::ui

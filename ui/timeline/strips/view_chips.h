// SPDX-License-Identifier: GPL-3.0-or-later
// A row above the lanes that lists active view options: ranks aligned to a step, filtered or hidden tracks,
// another order, other colors. Each chip has a button that resets it. Hidden if there are none.
#pragma once

#include "ui/base/text_scale.h"

#include <QWidget>

class QHBoxLayout;

namespace rankscope::ui {

class TraceSession;
class TrackLayout;

class ViewChips : public QWidget {
  Q_OBJECT

 public:
  [[nodiscard]] static int wantedHeight() { return scaledToText(28); }

  ViewChips(TraceSession& session, const TrackLayout& layout, QWidget* parent = nullptr);

  // Updates the chips after every change of the choice and the layout.
  void refresh();
  [[nodiscard]] bool hasAny() const { return m_count > 0; }
  // Texts of the chips, left to right.
  [[nodiscard]] QStringList texts() const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void addChip(const QString& text, const QString& tip, bool warns, void (*end)(TraceSession&));
  void addColorLegend();

  TraceSession& m_session;
  const TrackLayout& m_layout;
  QHBoxLayout* m_row;
  int m_count = 0;
};

} // namespace rankscope::ui

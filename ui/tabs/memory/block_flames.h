// SPDX-License-Identifier: GPL-3.0-or-later
// The stacks that allocated the live blocks of a memory snapshot as a flame graph: the outermost frame on
// top, boxes as wide as the bytes that are alive. UI thread.
#pragma once

#include "ui/flames/flame_view.h"

#include <QFrame>

#include <memory>

class QLabel;

namespace rankscope::ui {

class ElidedLabel;

class BlockFlames : public QFrame {
  Q_OBJECT
 public:
  explicit BlockFlames(TraceSession& session, QWidget* parent = nullptr);

  // since: whether only blocks are shown that were allocated after the mark.
  void setContents(std::shared_ptr<const FlameLayout> layout, bool since);
  [[nodiscard]] FlameView& view() { return *m_view; }
  // What is said of the selected frame.
  [[nodiscard]] QString detail() const;

 private:
  void showSelection();

  QLabel* m_caption;
  FlameView* m_view;
  ElidedLabel* m_detail;
};

} // namespace rankscope::ui

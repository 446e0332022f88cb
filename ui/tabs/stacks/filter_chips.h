// SPDX-License-Identifier: GPL-3.0-or-later
// The filters of the flame graph as a row of chips, each with a button that removes it. Hidden without any.
// UI thread.
#pragma once

#include "core/analysis/stacks/stack_filter.h"

#include <QStringList>
#include <QWidget>

#include <vector>

namespace rankscope::ui {

class FlowLayout;

class FilterChips : public QWidget {
  Q_OBJECT
 public:
  explicit FilterChips(QWidget* parent = nullptr);

  [[nodiscard]] const std::vector<StackFilter>& filters() const { return m_filters; }
  // One that is there already changes nothing.
  void add(const StackFilter& filter);
  void remove(std::size_t at);
  void clear();
  // Texts of the chips: "Hide frame: aten::mm".
  [[nodiscard]] QStringList texts() const;

 signals:
  void filtersChanged();

 private:
  void refresh();

  FlowLayout* m_row;
  std::vector<StackFilter> m_filters;
};

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/tab_page.h"

#include "ui/job/occurrences.h"

#include <QAbstractItemView>
#include <QScrollArea>

#include <algorithm>

namespace rankscope::ui {

// NOLINTNEXTLINE(performance-unnecessary-value-param): tabs keep it
void TabPage::setReport(std::shared_ptr<const JobReport>) {}

// Else the first field would have it, and keys would change what it chooses.
void TabPage::takeFocus() {
  if (auto* const table = qobject_cast<QAbstractItemView*>(focusWidget()); table && table->isVisibleTo(this))
    return table->setFocus();
  const auto areas = findChildren<QScrollArea*>();
  const auto shown =
      std::ranges::find_if(areas, [this](const QScrollArea* area) { return area->isVisibleTo(this); });
  if (shown == areas.end())
    setFocus();
  else
    (*shown)->setFocus();
}

void TabPage::showOnly(const QString&) {}

bool TabPage::claimsKey(const QKeyEvent&) const {
  return false;
}

bool TabPage::pressKey(const QKeyEvent&) {
  return false;
}

bool TabPage::canStepCalls() {
  Occurrences* const all = calls();
  return all != nullptr && all->calls() && !all->calls()->calls.empty();
}

void TabPage::stepCalls(int by) {
  if (Occurrences* const all = calls()) all->step(by);
}

} // namespace rankscope::ui

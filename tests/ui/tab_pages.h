// SPDX-License-Identifier: GPL-3.0-or-later
// Typed access to the tabs of a window.
#pragma once

#include "ui/tabs/distributed/distributed_panel.h"
#include "ui/tabs/files/files_panel.h"
#include "ui/tabs/gains/gains_panel.h"
#include "ui/tabs/kernels/kernels_panel.h"
#include "ui/tabs/memory/memory_panel.h"
#include "ui/tabs/operators/operators_panel.h"
#include "ui/tabs/overview/overview_panel.h"
#include "ui/tabs/timeline/timeline_tab.h"
#include "ui/window/main_window.h"
#include "ui/window/tab_pages.h"

namespace rankscope::ui {

inline TimelineTab& timelineTabOf(MainWindow& window) {
  return window.tabs().page<TimelineTab>("timeline");
}
inline TimelineView& timelineOf(MainWindow& window) {
  return timelineTabOf(window).view();
}
inline BottomPanel& bottomPanelOf(MainWindow& window) {
  return timelineTabOf(window).bottomPanel();
}
inline DetailsPanel& detailsOf(MainWindow& window) {
  return timelineTabOf(window).details();
}
inline CollectivePanel& collectiveOf(MainWindow& window) {
  return timelineTabOf(window).collective();
}
inline FindTools& findOf(MainWindow& window) {
  return timelineTabOf(window).find();
}
inline MarkTools& marksOf(MainWindow& window) {
  return timelineTabOf(window).marks();
}
inline OverviewPanel& overviewOf(TabPages& tabs) {
  return tabs.page<OverviewPanel>("overview");
}
inline GainsPanel& gainsOf(TabPages& tabs) {
  return tabs.page<GainsPanel>("gains");
}
inline DistributedPanel& distributedOf(TabPages& tabs) {
  return tabs.page<DistributedPanel>("distributed");
}
inline OperatorsPanel& operatorsOf(TabPages& tabs) {
  return tabs.page<OperatorsPanel>("operators");
}
inline KernelsPanel& kernelsOf(TabPages& tabs) {
  return tabs.page<KernelsPanel>("kernels");
}
inline MemoryPanel& memoryOf(TabPages& tabs) {
  return tabs.page<MemoryPanel>("memory");
}
inline FilesPanel& filesOf(TabPages& tabs) {
  return tabs.page<FilesPanel>("files");
}

} // namespace rankscope::ui

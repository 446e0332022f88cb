// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline tab: ranks over time and, below, panels for selection, marks and search. The height of the
// panels is stored in the settings. UI thread.
#pragma once

#include "core/model/trace_set.h"
#include "ui/widgets/tab_context.h"
#include "ui/widgets/tab_page.h"

class QSplitter;

namespace rankscope::ui {

class BottomPanel;
class CollectivePanel;
class DetailsPanel;
class FindTools;
class MarkTools;
class PathPanel;
class TimelineView;

class TimelineTab : public TabPage {
  Q_OBJECT
 public:
  explicit TimelineTab(const TabContext& context);

  [[nodiscard]] TimelineView& view() { return *m_view; }
  [[nodiscard]] BottomPanel& bottomPanel() { return *m_bottom; }
  [[nodiscard]] DetailsPanel& details() { return *m_details; }
  [[nodiscard]] PathPanel& path() { return *m_path; }
  [[nodiscard]] CollectivePanel& collective() { return *m_collective; }
  [[nodiscard]] FindTools& find() { return *m_find; }
  [[nodiscard]] MarkTools& marks() { return *m_marks; }

  void prepare() override;
  void takeFocus() override;
  [[nodiscard]] bool showsPlaces() const override { return true; }
  [[nodiscard]] bool claimsKey(const QKeyEvent& event) const override;
  bool pressKey(const QKeyEvent& event) override;
  // The panel under the timeline, unless it is collapsed.
  [[nodiscard]] QWidget* visibleTables() override;
  void saveLayout() override;

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void addPanels(const TabContext& context);
  void addActions();
  void followSelection(int selection, int collective, int gap, int path);
  void showSliceMenu(EventRef event, QPoint globalPosition);
  void shareHeight(bool folded);
  void openForSelection();
  [[nodiscard]] int lanesBeside(int bottom, int all) const;

  TraceSession& m_session;
  QSettings& m_settings;
  ActionRegistry& m_actions;
  TimelineView* m_view;
  BottomPanel* m_bottom;
  QSplitter* m_splitter;
  DetailsPanel* m_details = nullptr;
  CollectivePanel* m_collective = nullptr;
  PathPanel* m_path = nullptr;
  FindTools* m_find = nullptr;
  MarkTools* m_marks = nullptr;
  bool m_folded = false; // the bottom panel
  int m_openHeight;      // of the bottom panel
  bool m_wasShown = false;
  bool m_opensWithSelection = false; // the bottom panel, collapsed because the window is low
  bool m_followsLater = false;       // once the kind of the selection is known
  int m_panelOfCollectives = 0;      // the last that was chosen for one
};

} // namespace rankscope::ui

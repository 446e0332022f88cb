// SPDX-License-Identifier: GPL-3.0-or-later
// Memory snapshots in the memory tab: allocated blocks over time, why memory ran out; at the cursor what
// lines of code hold and what grew, live blocks with their stacks, segments with their free memory. UI
// thread; what depends on the cursor is computed by a worker.
#pragma once

#include "core/report/block_groups.h"
#include "ui/base/latest_task.h"
#include "ui/charts/chart_card.h"
#include "ui/tables/table_card.h"
#include "ui/tabs/memory/address_map.h"
#include "ui/tabs/memory/block_flames.h"
#include "ui/tabs/memory/block_plot.h"
#include "ui/tabs/memory/snapshot_data.h"

#include <QWidget>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

class QBoxLayout;
class QComboBox;
class QPushButton;
class QSettings;

namespace rankscope::ui {

class WrappedLabel;

class SnapshotSection : public QWidget {
  Q_OBJECT
 public:
  SnapshotSection(TraceSession& session, QSettings& settings, QWidget* parent = nullptr);

  // Null, or without snapshots: hidden.
  void setData(std::shared_ptr<const SnapshotsData> made);
  void setNarrow(bool narrow);
  // Places the sizes of the model above what is expected of it.
  void takeModel(QWidget* model);
  // An entry of the shown device.
  void setCursor(std::int32_t entry);
  [[nodiscard]] std::int32_t cursor() const { return m_cursor; }
  // What grew is measured from here on.
  void setMark(std::int32_t entry);

  [[nodiscard]] QComboBox& devices() { return *m_devices; }
  [[nodiscard]] QComboBox& axis() { return *m_axis; }
  [[nodiscard]] QComboBox& colors() { return *m_colors; }
  [[nodiscard]] QComboBox& grouping() { return *m_grouping; }
  [[nodiscard]] BlockPlot& plot() { return *m_plot; }
  [[nodiscard]] AddressMap& addresses() { return *m_addresses; }
  // Of several devices or ranks; hidden for one.
  [[nodiscard]] TableCard& all() { return *m_all; }
  [[nodiscard]] TableCard& blocks() { return *m_blocks; }
  [[nodiscard]] TableCard& groups() { return *m_groups; }
  [[nodiscard]] BlockFlames& flames() { return *m_flames; }
  [[nodiscard]] TableCard& segments() { return *m_segments; }
  [[nodiscard]] TableCard& expected() { return *m_expected; }
  // Visible where a recording has the same clock.
  [[nodiscard]] QPushButton& timelineButton() { return *m_timelineButton; }
  [[nodiscard]] QString sentence() const;
  // Of the selected block.
  [[nodiscard]] QString stack() const;

 signals:
  // A place was revealed in the session.
  void timelineWanted();

 private:
  // What depends on cursor, mark and grouping.
  struct AtCursor {
    std::shared_ptr<const ResultTable> blocks, groups, segments;
    std::shared_ptr<const AddressContents> addresses;
    std::shared_ptr<const FlameLayout> flames;
    std::vector<std::uint32_t> lives; // by row of blocks
  };

  void makeCards(QSettings& settings);
  void connectCards();
  [[nodiscard]] const SnapshotPlace* place() const;
  [[nodiscard]] const SnapshotResults* result() const;
  [[nodiscard]] const DeviceReplay* replay() const;
  void listPlaces();
  void showDevice();
  void showExpected();
  void showScene(std::shared_ptr<const BlockScene> scene);
  void showLegend();
  void showAtCursor();
  void showContents(AtCursor made);
  void showStack(std::optional<std::uint32_t> life);
  void pick(std::uint32_t life);
  void revealTime();
  [[nodiscard]] QString placeText(std::int32_t entry) const;

  TraceSession& m_session;
  std::shared_ptr<const SnapshotsData> m_data;
  std::optional<std::size_t> m_place; // in the data, as in the combo box
  std::shared_ptr<const BlockScene> m_scene;
  std::int32_t m_cursor = kBeforeFirst;
  std::int32_t m_mark = kBeforeFirst;
  std::vector<std::uint32_t> m_lives; // of the table of blocks
  std::optional<std::uint32_t> m_picked;
  LatestTask<std::shared_ptr<const BlockScene>> m_sceneTask;
  LatestTask<AtCursor> m_task;

  QComboBox* m_devices;
  QComboBox* m_axis;
  QComboBox* m_colors;
  QComboBox* m_grouping;
  QPushButton* m_markButton;
  QPushButton* m_timelineButton;
  WrappedLabel* m_sentence;
  BlockPlot* m_plot;
  AddressMap* m_addresses;
  WrappedLabel* m_stack;
  ChartCard* m_card = nullptr;
  ChartCard* m_addressCard = nullptr;
  QFrame* m_stackCard = nullptr;
  TableCard* m_all = nullptr;
  TableCard* m_blocks = nullptr;
  TableCard* m_groups = nullptr;
  TableCard* m_segments = nullptr;
  TableCard* m_expected = nullptr;
  std::vector<QBoxLayout*> m_rows; // side by side or stacked
  WrappedLabel* m_advice;
  BlockFlames* m_flames;
};

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// The hits of the session's search: count, total duration, and a list that can be sorted by any column; a
// click goes to a hit. Without hits it shows why, and the query syntax. The list is made on a worker and has
// the first kMaxListed hits. UI thread.
#pragma once

#include "core/query/search_hits.h"
#include "ui/base/latest_task.h"
#include "ui/tables/table_export.h"

#include <QWidget>

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

class QLabel;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace rankscope::ui {

class ElidedLabel;
class EventFinder;
class SearchHitsModel;
class TraceSession;

class SearchPanel : public QWidget, public TableExport {
  Q_OBJECT

 public:
  static constexpr std::size_t kMaxListed = 100'000;

  SearchPanel(TraceSession& session, EventFinder& finder, QWidget* parent = nullptr);
  ~SearchPanel() override;

  [[nodiscard]] QTableView& list() { return *m_list; }
  [[nodiscard]] const SearchHitsModel& model() const { return *m_model; }
  // The line of sums above the list.
  [[nodiscard]] QString summary() const;
  [[nodiscard]] bool canExport() const override;
  // Exports all hits in the list's order, including those beyond its limit, on a worker.
  void exportCsv() override;
  // The same to a known path; emits written() at the end.
  void writeHits(const QString& path);

 signals:
  // Requests sums of all hits by name, kind and rank.
  void statisticsWanted();
  // The export has finished or failed.
  void written(bool whole);

 private:
  void makeList();
  void showFinder();
  void relist();
  void showList(std::vector<EventRef> hits);
  void markSelection();
  [[nodiscard]] QString helpText() const;

  TraceSession& m_session;
  EventFinder& m_finder;
  SearchHitsModel* m_model;
  ElidedLabel* m_summary;
  QToolButton* m_previous;
  QToolButton* m_next;
  QToolButton* m_statistics;
  QToolButton* m_export;
  QStackedWidget* m_stack;
  QTableView* m_list;
  QLabel* m_help;
  HitOrder m_order = HitOrder::Time;
  bool m_descending = false;
  std::uint64_t m_listed = 0; // revision of the finder that the list shows or is being made for
  std::shared_ptr<std::atomic<bool>> m_cancel;
  LatestTask<std::vector<EventRef>> m_task;
  LatestTask<std::optional<QString>> m_writing; // what went wrong
};

} // namespace rankscope::ui

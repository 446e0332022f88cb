// SPDX-License-Identifier: GPL-3.0-or-later
// What happened within the session's range, or in all hits of a search: sums by name, by kind and by rank, in
// tables that sort, copy and export. Worked out on a worker; a newer range gives up what runs for an older
// one. A double click goes to the longest slice of a name. UI thread.
#pragma once

#include "core/export/result_table.h"
#include "core/query/range_statistics.h"
#include "ui/latest_task.h"

#include <QString>
#include <QWidget>

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

class QButtonGroup;
class QStackedWidget;

namespace rankscope::ui {

class ElidedLabel;
class TableCard;
class TraceSession;

class RangePanel : public QWidget {
  Q_OBJECT

 public:
  enum Table : int { kNames, kKinds, kRanks, kTableCount };

  explicit RangePanel(TraceSession& session, QWidget* parent = nullptr);
  ~RangePanel() override;

  // Sums of these hits instead, until another range is marked.
  void showHits(std::shared_ptr<const SearchHits> hits, const QString& query);

  // What the tables show; null while nothing is.
  [[nodiscard]] const std::shared_ptr<const RangeStatistics>& statistics() const { return m_statistics; }
  [[nodiscard]] bool computing() const { return m_task.pending(); }
  // The line over the tables.
  [[nodiscard]] QString summary() const;
  [[nodiscard]] TableCard& card(Table table) { return *m_cards[static_cast<std::size_t>(table)]; }
  void showTable(Table table);

 signals:
  // Nothing is being computed any more.
  void settled();

 private:
  struct Answer {
    std::shared_ptr<const RangeStatistics> statistics;
    std::array<std::shared_ptr<const ResultTable>, kTableCount> tables;
  };

  void showRange();
  void ask(std::function<std::optional<RangeStatistics>(const TraceSet&, const std::atomic<bool>&)> compute);
  void giveUp();
  void show(const Answer& answer);
  void showSummary();
  void goTo(int row);

  TraceSession& m_session;
  ElidedLabel* m_summary;
  QButtonGroup* m_choice;
  QStackedWidget* m_stack;
  std::array<TableCard*, kTableCount> m_cards{};
  QString m_query; // of the hits that are shown; empty: the range is
  bool m_ofHits = false;
  std::shared_ptr<const RangeStatistics> m_statistics;
  std::shared_ptr<std::atomic<bool>> m_cancel;
  LatestTask<Answer> m_task;
};

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// What happened within the session's range, or in all hits of a search: sums by name, by kind and by rank,
// and of the chosen names by rank, in tables that sort, copy and export. Worked out on a worker; a newer
// range gives up what runs for an older one. A double click goes to the longest slice of a name. UI thread.
#pragma once

#include "core/export/result_table.h"
#include "core/query/names_by_rank.h"
#include "ui/base/latest_task.h"
#include "ui/tables/table_export.h"

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

class RangePanel : public QWidget, public TableExport {
  Q_OBJECT

 public:
  enum Table : int { kNames, kKinds, kRanks, kNamesByRank, kTableCount };

  explicit RangePanel(TraceSession& session, QWidget* parent = nullptr);
  ~RangePanel() override;

  // Sums of these hits instead, until another range is marked.
  void showHits(std::shared_ptr<const SearchHits> hits, const QString& query);

  // What the tables show; null while nothing is.
  [[nodiscard]] const std::shared_ptr<const RangeStatistics>& statistics() const { return m_statistics; }
  // The line over the tables.
  [[nodiscard]] QString summary() const;
  [[nodiscard]] TableCard& card(Table table) { return *m_cards[static_cast<std::size_t>(table)]; }
  // The names by rank are those that are selected among the names; all of them when none is.
  void showTable(Table table);
  [[nodiscard]] bool canExport() const override;
  // The table that is shown.
  void exportCsv() override;

 private:
  struct Answer {
    std::shared_ptr<const RangeStatistics> statistics;
    std::array<std::shared_ptr<const ResultTable>, kNamesByRank> tables;
  };
  struct Divided {
    std::vector<RankNameSums> rows;
    std::shared_ptr<const ResultTable> table;
  };

  [[nodiscard]] bool computing() const { return m_task.pending() || m_dividing.pending(); }
  void showRange();
  void ask(std::function<std::optional<RangeStatistics>(const TraceSet&, const std::atomic<bool>&)> compute);
  void giveUp();
  void show(const Answer& answer);
  void divide();
  [[nodiscard]] std::vector<WantedName> wantedNames() const;
  void showSummary();
  void giveUpFor(const Error& error);
  void goTo(Table table, int row);

  TraceSession& m_session;
  ElidedLabel* m_summary;
  QButtonGroup* m_choice;
  QStackedWidget* m_stack;
  std::array<TableCard*, kTableCount> m_cards{};
  QString m_query;                          // of the hits that are shown; empty: the range is
  std::shared_ptr<const SearchHits> m_hits; // null: the range is
  std::vector<RankNameSums> m_divided;      // rows of the names by rank
  std::shared_ptr<const RangeStatistics> m_statistics;
  std::shared_ptr<std::atomic<bool>> m_cancel;
  LatestTask<Answer> m_task;
  LatestTask<Divided> m_dividing;
};

} // namespace rankscope::ui

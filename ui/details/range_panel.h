// SPDX-License-Identifier: GPL-3.0-or-later
// Sums over the session's range, or over all hits of a search: by name, kind and rank, and of the chosen
// names by rank, in tables. Computed on a worker; a newer range cancels the work for an older one. A double
// click goes to the longest slice of a name. UI thread.
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

  // Shows sums of these hits until another range is selected.
  void showHits(std::shared_ptr<const SearchHits> hits, const QString& query);

  // The displayed data; null if there is none.
  [[nodiscard]] const std::shared_ptr<const RangeStatistics>& statistics() const { return m_statistics; }
  // The line above the tables.
  [[nodiscard]] QString summary() const;
  [[nodiscard]] TableCard& card(Table table) { return *m_cards[static_cast<std::size_t>(table)]; }
  // Selected names are split by rank; all names if none is selected.
  void showTable(Table table);
  [[nodiscard]] bool canExport() const override;
  // The visible table.
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
  QString m_query;                          // query of the displayed hits; empty: the range is displayed
  std::shared_ptr<const SearchHits> m_hits; // null: the range is displayed
  std::vector<RankNameSums> m_divided;      // rows of the names by rank
  std::shared_ptr<const RangeStatistics> m_statistics;
  std::shared_ptr<std::atomic<bool>> m_cancel;
  LatestTask<Answer> m_task;
  LatestTask<Divided> m_dividing;
};

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// Search hits as rows of eight bytes each; texts are made when a cell is shown. The caller decides which hits
// and in which order; sort() only reports the request. UI thread; a cell takes a few binary searches.
#pragma once

#include "core/query/search_hits.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace rankscope::ui {

class SearchHitsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column : int { kBegin, kDuration, kName, kRank, kTrack, kKind, kColumnCount };

  using QAbstractTableModel::QAbstractTableModel;

  void setHits(std::shared_ptr<const TraceSet> trace, std::vector<EventRef> hits);
  // Invalid if there is no such row.
  [[nodiscard]] EventRef hitAt(int row) const;
  // -1 if it is not listed. O(rows).
  [[nodiscard]] int rowOf(EventRef event) const;

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 signals:
  void orderWanted(rankscope::HitOrder order, bool descending);

 private:
  [[nodiscard]] QString text(EventRef hit, int column) const;

  std::shared_ptr<const TraceSet> m_trace;
  std::vector<EventRef> m_hits;
  int m_sortedBy = kBegin;
  Qt::SortOrder m_order = Qt::AscendingOrder;
};

} // namespace rankscope::ui

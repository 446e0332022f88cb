// SPDX-License-Identifier: GPL-3.0-or-later
// The regions of a session as an editable table: names, notes, and whether they are saved. UI thread.
#pragma once

#include "ui/job/marks.h"

#include <QAbstractTableModel>

namespace rankscope::ui {

class TraceSession;

class RegionsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column : int { kName, kBegin, kDuration, kTracks, kSaved, kColor, kNote, kColumnCount };

  explicit RegionsModel(TraceSession& session, QObject* parent = nullptr);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

 private:
  TraceSession& m_session;
  int m_rows = 0;
};

} // namespace rankscope::ui

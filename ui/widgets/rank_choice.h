// SPDX-License-Identifier: GPL-3.0-or-later
// Whose rows a table shows: all ranks together, each of them, or one. It keeps what was chosen while the
// ranks change, as long as that rank is there. UI thread.
#pragma once

#include "core/report/rank_rows.h"

#include <QComboBox>

namespace rankscope::ui {

class RankChoice : public QComboBox {
  Q_OBJECT
 public:
  explicit RankChoice(QWidget* parent = nullptr);

  // Null: none. Stays away when there is nothing to choose.
  void setRanks(const Analysis* analysis);
  [[nodiscard]] RankRows rows() const;

 signals:
  // Chosen by the user, or because the rank has gone.
  void rowsChanged();
};

} // namespace rankscope::ui

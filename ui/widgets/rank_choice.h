// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the rows of a table: the sum over ranks, each rank, or one rank. Keeps the choice when the ranks
// change, as long as the rank exists. UI thread.
#pragma once

#include "core/report/recording_rows.h"

#include <QComboBox>

namespace rankscope::ui {

class RankChoice : public QComboBox {
  Q_OBJECT
 public:
  explicit RankChoice(QWidget* parent = nullptr);

  // Null: none. Hidden if there is nothing to choose.
  void setRanks(const Analysis* analysis);
  // Sums of all ranks together are means over ranks where they are divided by the steps of all.
  void setPerStep(bool perStep);
  [[nodiscard]] RecordingRows rows() const;

 signals:
  // Changed by the user, or because the rank no longer exists.
  void rowsChanged();

 private:
  [[nodiscard]] QString titleOfAll() const;

  bool m_captures = false; // of a rank, which are one row
  bool m_perStep = false;
};

} // namespace rankscope::ui

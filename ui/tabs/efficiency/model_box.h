// SPDX-License-Identifier: GPL-3.0-or-later
// Fields for what recordings lack: peaks of the device, the model's size, tokens of a step. What the program
// can guess stands in an empty field as a hint, with its source in the tooltip, and counts when the user
// takes it. Kept per job. UI thread.
#pragma once

#include "core/report/model_guesses.h"
#include "ui/widgets/job_fields.h"

namespace rankscope::ui {

class ModelBox : public JobFields {
  Q_OBJECT
 public:
  explicit ModelBox(QSettings& settings, QWidget* parent = nullptr);

  // Shown in empty fields: nominal peaks, and what the recording says of the model.
  void setGuesses(const RankPeaks& peaks, NumberFormat format, const ModelGuesses& guesses);
  [[nodiscard]] EfficiencySettings values() const;
};

} // namespace rankscope::ui

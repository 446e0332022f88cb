// SPDX-License-Identifier: GPL-3.0-or-later
// What a user says of the model, so that expected memory can stand beside measured: parameters, number
// format, optimizer, batch and shape. UI thread.
#pragma once

#include "core/analysis/efficiency/job_efficiency.h"
#include "ui/widgets/job_fields.h"

namespace rankscope::ui {

class ModelSizes : public JobFields {
  Q_OBJECT
 public:
  explicit ModelSizes(QSettings& settings, QWidget* parent = nullptr);

  // What the recording says, offered for empty fields.
  void setGuesses(const ModelGuesses& guesses);
  [[nodiscard]] EfficiencySettings values() const;
  // A new card around the fields, which it owns from then on.
  [[nodiscard]] QWidget* card();
};

} // namespace rankscope::ui

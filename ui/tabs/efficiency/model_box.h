// SPDX-License-Identifier: GPL-3.0-or-later
// Fields for what recordings lack: peaks of the device, the model's size, tokens of a step. What the program
// can guess stands in an empty field as a hint, with its source in the tooltip, and counts when the user
// takes it. Kept per job. UI thread.
#pragma once

#include "core/report/model_guesses.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

class QCheckBox;
class QLineEdit;
class QPushButton;
class QSettings;

namespace rankscope::ui {

class ModelBox : public QWidget {
  Q_OBJECT
 public:
  explicit ModelBox(QSettings& settings, QWidget* parent = nullptr);

  // Loads what was kept for this job.
  void setJob(const QString& job);
  // Shown in empty fields: nominal peaks, and what the recording says of the model.
  void setGuesses(const RankPeaks& peaks, NumberFormat format, const ModelGuesses& guesses);
  [[nodiscard]] EfficiencySettings values() const;
  // The field of a value, by its name on the command line: "peak-tflops".
  [[nodiscard]] QLineEdit* field(const QString& name) const;
  [[nodiscard]] QPushButton* takeGuesses() const { return m_take; }

 signals:
  void changed();

 private:
  struct Field {
    const char* name;
    QLineEdit* edit;
    QString tip;
    QString guess; // a number; empty: none
  };

  QLineEdit* addField(const char* name, const QString& title, const QString& tip);
  void keep();
  void fillGuesses();

  QSettings& m_settings;
  QString m_job;
  std::vector<Field> m_fields;
  QCheckBox* m_causal;
  QPushButton* m_take;
};

// "7e9", "7B", "1 048 576"; nothing for what is no number above 0.
[[nodiscard]] std::optional<double> numberInField(QString text);

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// Fields for what recordings lack, such as the size of the model. Several tabs may ask for the same value: it
// is kept once per job, by its name on the command line, and taken over when a tab is shown again. UI thread.
#pragma once

#include "core/report/model_guesses.h"

#include <QString>
#include <QStringList>
#include <QWidget>

#include <optional>
#include <string>
#include <vector>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;
class QSettings;

namespace rankscope::ui {

class FlowLayout;

// "7e9", "7B", "1 048 576"; nothing for what is no number above 0.
[[nodiscard]] std::optional<double> numberInField(QString text);

// What a recording says of a field.
struct FoundValue {
  const char* name;
  QString text;     // empty: nothing
  QString source;   // where from
  bool take = true; // else it is only shown
};

[[nodiscard]] FoundValue foundValue(const char* name, const std::optional<ModelGuess>& guess);

class JobFields : public QWidget {
  Q_OBJECT
 public:
  explicit JobFields(QSettings& settings, QWidget* parent = nullptr);

  // name: that of the option without "--".
  void addNumber(const char* name, const QString& title, const QString& tip);
  // The first choice stands for none; the others are values of the option.
  void addChoice(const char* name, const QString& title, const QString& tip, const QStringList& choices);
  void addSwitch(const char* name, const QString& title, const QString& tip);

  // Beside the fields.
  void addControl(QWidget* control);

  // Loads what was kept for this job.
  void setJob(const QString& job);
  // Shown in an empty field, and where it comes from, below the field's own tooltip.
  void setHint(const char* name, const QString& hint, const QString& source = {});

  // A button that puts found values into the fields that are empty, as if they were typed.
  void addFoundButton(const QString& tip);
  // Shows them in empty fields, with their sources.
  void setFound(const std::vector<FoundValue>& values);
  [[nodiscard]] QPushButton* foundButton() const { return m_take; }

  [[nodiscard]] std::optional<double> number(const char* name) const;
  [[nodiscard]] std::string choice(const char* name) const; // empty: none
  [[nodiscard]] bool isOn(const char* name) const;
  // Null for a name that is no number.
  [[nodiscard]] QLineEdit* field(const QString& name) const;
  [[nodiscard]] QComboBox* choiceField(const QString& name) const;

 signals:
  void changed();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Field {
    QString name;
    QString tip;
    QLineEdit* edit = nullptr;
    QComboBox* box = nullptr;
    QCheckBox* check = nullptr;
  };

  void takeFound();
  void addCell(const QString& title, QWidget* field);
  [[nodiscard]] const Field* fieldNamed(const QString& name) const;
  [[nodiscard]] static QString textOf(const Field& field);
  // Whether any value became another.
  bool load();
  void keep();

  QSettings& m_settings;
  QString m_job;
  FlowLayout* m_row;
  QPushButton* m_take = nullptr; // null without a button
  std::vector<FoundValue> m_found;
  std::vector<Field> m_fields;
};

} // namespace rankscope::ui

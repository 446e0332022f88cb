// SPDX-License-Identifier: GPL-3.0-or-later
// The user's own queries by name, and the last ones that were run, kept in the settings. UI thread.
#pragma once

#include <QString>
#include <QStringList>

class QSettings;

namespace rankscope::ui {

class SavedQueries {
 public:
  explicit SavedQueries(QSettings& settings) : m_settings(settings) {}

  // Sorted.
  [[nodiscard]] QStringList names() const;
  [[nodiscard]] QString sql(const QString& name) const;
  void save(const QString& name, const QString& sql);
  void remove(const QString& name);

  // The newest first.
  [[nodiscard]] QStringList recent() const;
  void addRecent(const QString& sql);

  static constexpr int kRecentKept = 20;

 private:
  QSettings& m_settings;
};

} // namespace rankscope::ui

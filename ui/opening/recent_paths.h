// SPDX-License-Identifier: GPL-3.0-or-later
// What was opened lately, newest first, kept in the user's settings from one sitting to the next. An entry is
// what one opening named: a folder, a file or several. Nothing is kept twice and at most kKept are kept. The
// settings are the only copy, so two windows do not overwrite each other's entries with what they once read.
#pragma once

#include <QList>
#include <QSettings>
#include <QStringList>

namespace rankscope::ui {

class RecentPaths {
 public:
  static constexpr int kMaxEntries = 12;

  explicit RecentPaths(QSettings& settings) : m_settings(settings) {}

  // Paths are made absolute.
  void add(const QStringList& paths);
  void remove(const QStringList& paths);
  void clear();

  [[nodiscard]] QList<QStringList> entries() const;
  // Whether everything that the entry names is still there.
  [[nodiscard]] static bool exists(const QStringList& paths);

 private:
  void store(const QList<QStringList>& entries);

  QSettings& m_settings;
};

// How an entry is called in a menu: "name" or "name and 3 more"; the folder that holds it goes beside it.
[[nodiscard]] QString recentTitle(const QStringList& paths);
[[nodiscard]] QString recentPlace(const QStringList& paths);

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// Recently opened paths, newest first, stored in the user's settings. An entry is a folder, a file or
// several files opened together, or a remote. Entries are unique, at most kMaxEntries. The settings are the
// only copy, so two windows do not overwrite each other's entries.
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
  // Whether all paths of the entry still exist.
  [[nodiscard]] static bool exists(const QStringList& paths);

 private:
  void store(const QList<QStringList>& entries);

  QSettings& m_settings;
};

// Title of an entry in a menu: "name" or "name and 3 more"; and its folder.
[[nodiscard]] QString recentTitle(const QStringList& paths);
[[nodiscard]] QString recentPlace(const QStringList& paths);

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/recent_paths.h"

#include "ui/base/remote_names.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace rankscope::ui {

namespace {

const QString kArray = QStringLiteral("recent");
const QString kPaths = QStringLiteral("paths");

QStringList absolute(const QStringList& paths) {
  QStringList result;
  for (const QString& path : paths)
    result.append(isRemote(path) ? path : QDir::cleanPath(QFileInfo(path).absoluteFilePath()));
  return result;
}

// The last part of the path, behind a cloud.
QString remoteTitle(const QString& name) {
  QString path = name.section(QLatin1Char('?'), 0, 0);
  while (path.endsWith(QLatin1Char('/'))) path.chop(1);
  const qsizetype cut = std::max(path.lastIndexOf(QLatin1Char('/')), path.lastIndexOf(QLatin1Char(':')));
  const QString last = path.mid(cut + 1);
  return QStringLiteral("\u2601 ") + (last.isEmpty() ? path : last);
}

} // namespace

void RecentPaths::add(const QStringList& paths) {
  if (paths.isEmpty()) return;
  const QStringList entry = absolute(paths);
  QList<QStringList> all = entries();
  all.removeAll(entry);
  all.prepend(entry);
  while (all.size() > kMaxEntries) all.removeLast();
  store(all);
}

void RecentPaths::remove(const QStringList& paths) {
  QList<QStringList> all = entries();
  all.removeAll(absolute(paths));
  store(all);
}

void RecentPaths::clear() {
  store({});
}

QList<QStringList> RecentPaths::entries() const {
  QList<QStringList> all;
  const int count = m_settings.beginReadArray(kArray);
  for (int i = 0; i < count; ++i) {
    m_settings.setArrayIndex(i);
    const QStringList paths = m_settings.value(kPaths).toStringList();
    if (!paths.isEmpty()) all.append(paths);
  }
  m_settings.endArray();
  return all;
}

bool RecentPaths::exists(const QStringList& paths) {
  return std::all_of(paths.begin(), paths.end(),
                     [](const QString& path) { return isRemote(path) || QFileInfo::exists(path); });
}

void RecentPaths::store(const QList<QStringList>& entries) {
  m_settings.remove(kArray);
  m_settings.beginWriteArray(kArray, static_cast<int>(entries.size()));
  for (int i = 0; i < entries.size(); ++i) {
    m_settings.setArrayIndex(i);
    m_settings.setValue(kPaths, entries[i]);
  }
  m_settings.endArray();
  m_settings.sync();
}

QString recentTitle(const QStringList& paths) {
  const QString name =
      isRemote(paths.front()) ? remoteTitle(paths.front()) : QFileInfo(paths.front()).fileName();
  const auto more = paths.size() - 1;
  if (more == 0) return name;
  return QCoreApplication::translate("RecentPaths", "%1 and %n more", nullptr, static_cast<int>(more))
      .arg(name);
}

QString recentPlace(const QStringList& paths) {
  if (isRemote(paths.front())) return paths.front();
  QString place = QFileInfo(paths.front()).absolutePath();
  const QString home = QDir::homePath();
  if (place == home || place.startsWith(home + QLatin1Char('/')))
    place.replace(0, home.size(), QStringLiteral("~"));
  return place;
}

} // namespace rankscope::ui

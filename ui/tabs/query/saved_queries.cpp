// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/query/saved_queries.h"

#include <QSettings>
#include <QVariantMap>

namespace rankscope::ui {

namespace {

// A map, because keys of settings may not have any character.
const QString kSaved = QStringLiteral("query/saved");
const QString kRecent = QStringLiteral("query/recent");

} // namespace

QStringList SavedQueries::names() const {
  return m_settings.value(kSaved).toMap().keys();
}

QString SavedQueries::sql(const QString& name) const {
  return m_settings.value(kSaved).toMap().value(name).toString();
}

void SavedQueries::save(const QString& name, const QString& sql) {
  QVariantMap all = m_settings.value(kSaved).toMap();
  all.insert(name, sql);
  m_settings.setValue(kSaved, all);
}

void SavedQueries::remove(const QString& name) {
  QVariantMap all = m_settings.value(kSaved).toMap();
  all.remove(name);
  m_settings.setValue(kSaved, all);
}

QStringList SavedQueries::recent() const {
  return m_settings.value(kRecent).toStringList();
}

void SavedQueries::addRecent(const QString& sql) {
  QStringList all = recent();
  all.removeAll(sql);
  all.prepend(sql);
  m_settings.setValue(kRecent, all.mid(0, kRecentKept));
}

} // namespace rankscope::ui

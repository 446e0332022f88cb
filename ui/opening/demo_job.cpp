// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening/demo_job.h"

#include <QDir>

namespace rankscope::ui {

QString demoJobFolder(const QString& programFolder) {
  for (const char* place : {"../share/rankscope/demo", "../resources/demo"}) {
    const QDir folder(QDir::cleanPath(programFolder + QLatin1Char('/') + QLatin1String(place)));
    if (folder.exists() && !folder.isEmpty(QDir::Files)) return folder.absolutePath();
  }
  return {};
}

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/highlight_settings.h"

#include "tests/ui/ui_test.h"

#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

using namespace rankscope::ui;

class HighlightSettingsTest : public QObject {
  Q_OBJECT

 private slots:
  void allAreOnUntilOneIsSwitchedOffAndStaysOff() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("settings.ini"));
    using Option = bool HighlightOptions::*;
    for (const Option option : {&HighlightOptions::idle, &HighlightOptions::exposed, &HighlightOptions::waits,
                                &HighlightOptions::stragglers, &HighlightOptions::links}) {
      HighlightOptions options;
      {
        QSettings settings(file, QSettings::IniFormat);
        settings.clear();
        QVERIFY(savedHighlights(settings) == HighlightOptions());
        options.*option = false;
        saveHighlights(settings, options);
      }
      const QSettings settings(file, QSettings::IniFormat);
      QVERIFY(savedHighlights(settings) == options);
    }
  }
};

RANKSCOPE_UI_TEST(HighlightSettingsTest)
#include "highlight_settings_test.moc"

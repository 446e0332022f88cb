// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/ui_text.h"

#include "tests/ui/ui_test.h"

#include <QTest>

#include <string_view>

namespace ui = rankscope::ui;

class UiTextTest : public QObject {
  Q_OBJECT

 private slots:
  void textsOfCoreAreUtf8AndEndWhereTheySay() {
    constexpr std::string_view kText = "12 µs and more";
    QCOMPARE(ui::textOf(kText.substr(0, 6)), QStringLiteral("12 µs"));
    QCOMPARE(ui::textOf({}), QString());
    QCOMPARE(ui::textOf(std::string_view("a\0b", 3)).size(), 3);
  }

  void textsOfTheSourcesAreThemselvesWithoutATranslation() {
    QCOMPARE(ui::tr("Idle: %1").arg(3), QStringLiteral("Idle: 3"));
  }
};

RANKSCOPE_UI_TEST(UiTextTest)
#include "ui_text_test.moc"

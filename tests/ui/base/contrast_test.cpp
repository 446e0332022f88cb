// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of both themes are read on all grounds that they have. Covers ui/window/window_style and
// ui/base/theme too.
#include "tests/ui/ui_test.h"
#include "ui/base/contrast.h"
#include "ui/base/theme.h"
#include "ui/tables/table_cells.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

struct Named {
  const char* name;
  QColor Theme::*color;
};

constexpr Named kTexts[] = {{"text", &Theme::text}, {"muted", &Theme::muted}, {"accent", &Theme::accent},
                            {"bad", &Theme::bad},   {"warn", &Theme::warn},   {"good", &Theme::good}};
constexpr Named kGrounds[] = {
    {"background", &Theme::background}, {"panel", &Theme::panel}, {"raised", &Theme::raised}};

} // namespace

class ContrastTest : public QObject {
  Q_OBJECT

 private slots:
  void itIsTheRatioOfTheGuideline() {
    QVERIFY(std::abs(contrast(Qt::black, Qt::white) - 21) < 1e-9);
    QVERIFY(std::abs(contrast(Qt::white, Qt::white) - 1) < 1e-9);
    QCOMPARE(QString::number(contrast(QColor(0x77, 0x77, 0x77), Qt::white), 'f', 2), QString("4.48"));
  }

  void textsAreReadOnEachGround() {
    for (const ThemeName name : {ThemeName::Dark, ThemeName::Light}) {
      const Theme& theme = Theme::of(name);
      for (const Named& ground : kGrounds) {
        for (const Named& text : kTexts)
          QVERIFY2(contrast(theme.*text.color, theme.*ground.color) >= kReadable,
                   qPrintable(QStringLiteral("%1 on %2").arg(text.name, ground.name)));
        QVERIFY2(contrast(theme.faint, theme.*ground.color) >= kDisabledReadable, ground.name);
      }
      // Of buttons and of what is selected; of banners and chips.
      QVERIFY(contrast(textOn(theme, theme.accent), theme.accent) >= kReadable);
      for (const QColor& banner :
           {onGround(theme.warn, theme.panel, 0.10), onGround(theme.bad, theme.panel, 0.12),
            onGround(theme.good, theme.panel, 0.12)})
        for (const QColor& text : {theme.text, theme.muted}) QVERIFY(contrast(text, banner) >= kReadable);
      QVERIFY(contrast(theme.warn, onGround(theme.warn, theme.panel, 0.10)) >= kReadable);
    }
  }

  // Colors of areas and curves in which a text is written.
  void aShadeOfEachColorIsRead() {
    for (const ThemeName name : {ThemeName::Dark, ThemeName::Light}) {
      const Theme& theme = Theme::of(name);
      for (const auto color : {&Theme::exposed, &Theme::communication, &Theme::kernel, &Theme::gemm,
                               &Theme::attention, &Theme::memoryCopy, &Theme::forward, &Theme::faint})
        for (const Named& ground : kGrounds)
          QVERIFY(contrast(readableOn(theme.*color, theme.*ground.color), theme.*ground.color) >= kReadable);
      for (const QColor& own : {theme.warn, theme.bad, theme.accent}) {
        const QColor row = onGround(own, theme.panel, table_look::kRowTint);
        const QColor selected = onGround(theme.accent, row, table_look::kSelectedTint);
        QVERIFY(contrast(readableOn(own, row), row) >= kReadable);
        QVERIFY(contrast(readableOn(own, selected), selected) >= kReadable);
        QVERIFY(contrast(theme.text, selected) >= kReadable);
      }
      QCOMPARE(readableOn(theme.text, theme.panel), theme.text); // what is read stays
    }
    QVERIFY(contrast(Theme::of(ThemeName::Light).exposed, Theme::of(ThemeName::Light).panel) < kReadable);
  }
};

RANKSCOPE_UI_TEST(ContrastTest)
#include "contrast_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Every tab on recordings of real jobs, on small and large screens and with larger texts: no text is cut.
#include "tests/support/shared_data.h"
#include "tests/ui/cut_texts.h"
#include "tests/ui/larger_texts.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/tabs/tab_registry.h"
#include "ui/widgets/elided_label.h"

#include <QComboBox>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

QStringList elidedTexts(const QWidget& root) {
  QStringList cut;
  for (const ElidedLabel* const label : root.findChildren<ElidedLabel*>())
    // What the job is leaves out whole facts.
    if (label->isVisible() && label->objectName() != QStringLiteral("jobSummary") &&
        label->textWithin(label->width()) != label->text())
      cut << cutAt(*label, label->text());
  return cut;
}

QStringList cutChoices(const QWidget& root) {
  QStringList cut;
  for (const QComboBox* const choice : root.findChildren<QComboBox*>())
    if (choice->isVisible() &&
        choice->fontMetrics().horizontalAdvance(choice->currentText()) >= choice->width())
      cut << cutAt(*choice, choice->currentText());
  return cut;
}

} // namespace

class RecordedTextsTest : public QObject {
  Q_OBJECT
 private slots:
  void noTextIsCut_data() {
    QTest::addColumn<QString>("job");
    for (const char* const job : {"traces/dlrm-8rank-v100", "traces/h100-qwen", "traces/mi300-ddp-resnet18",
                                  "captures/torch-2.6.0/ddp4_straggler"})
      QTest::newRow(job) << QString::fromLatin1(job);
  }
  void noTextIsCut() {
    QFETCH(QString, job);
    const auto folder = test::sharedFolder() / job.toStdString();
    RANKSCOPE_QSKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
    for (const double scale : {1.0, 1.5, 2.0}) {
      const LargerTexts larger(scale);
      TestWindow shown;
      QVERIFY(shown.opens(pathOf(folder)));
      for (const QSize screen : {QSize(1280, 720), QSize(1920, 1080), QSize(3840, 2160)}) {
        shown.window.resize(screen);
        for (const TabSpec& tab : tabSpecs()) {
          QVERIFY(shown.shows(tab.name()));
          QApplication::processEvents();
          const QWidget& content = shown.window.content();
          const QStringList cut = cutTexts(content) + elidedTexts(content) + cutChoices(content);
          QVERIFY2(cut.isEmpty(), qPrintable(QStringLiteral("%1 at %2 px, texts × %3: %4")
                                                 .arg(tab.name())
                                                 .arg(screen.width())
                                                 .arg(scale)
                                                 .arg(cut.join(u'\n'))));
        }
      }
    }
  }
};

RANKSCOPE_UI_TEST(RecordedTextsTest)
#include "recorded_texts_test.moc"

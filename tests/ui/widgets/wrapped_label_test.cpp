// SPDX-License-Identifier: GPL-3.0-or-later
// Where a label ends its lines: behind a separator of a word that is longer than a line, and never inside of
// a shorter one or of a figure.
#include "tests/ui/ui_test.h"
#include "ui/base/theme.h"
#include "ui/widgets/wrapped_label.h"

#include <QTest>

using namespace rankscope::ui;

namespace {

QImage drawn(const QString& text, int width) {
  WrappedLabel label(text);
  label.resize(width, 200);
  return label.grab().toImage();
}

int widthOf(const QString& text) {
  QFont font = QLabel().font();
  font.setStyleStrategy(nameFont(12).styleStrategy());
  return QFontMetrics(font).horizontalAdvance(text) + 2;
}

} // namespace

class WrappedLabelTest : public QObject {
  Q_OBJECT
 private slots:
  void aLongWordEndsALineBehindASeparator() {
    const int width = widthOf("[ProfilerActivity.");
    QCOMPARE(drawn("activities=[ProfilerActivity.CPU,", width),
             drawn("activities=\n[ProfilerActivity.\nCPU,", width));
  }

  // Behind underscores only where a part between other separators is too long.
  void anIdentifierThatFitsOnALineIsKeptWhole() {
    const int width = widthOf("torch.channels_last)");
    QCOMPARE(drawn("model.to(memory_format=torch.channels_last)", width),
             drawn("model.to(\nmemory_format=\ntorch.channels_last)", width));
    QCOMPARE(drawn("sm80_xmma_gemm", widthOf("sm80_xmma_")),
             drawn("sm80_xmma_\ngemm", widthOf("sm80_xmma_")));
  }

  // The profiler marks what it is of with "#".
  void aMethodOfADataLoaderIsKeptWhole() {
    const int width = widthOf("_SingleProcessDataLoaderIter.");
    QCOMPARE(drawn("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", width),
             drawn("enumerate(DataLoader)#\n_SingleProcessDataLoaderIter.\n__next__", width));
  }

  void aWordThatFitsOnALineIsKeptWhole() {
    const int width = widthOf("ProfilerActivity.CPU");
    QCOMPARE(drawn("with ProfilerActivity.CPU", width), drawn("with\nProfilerActivity.CPU", width));
  }

  // Some fonts have a multiplication sign for an x between digits.
  void namesHaveTheLettersTheyHave() {
    const auto drawn = [](const QString& text) {
      WrappedLabel label(text);
      label.setFont(textFont(40));
      label.resize(300, 80);
      return label.grab().toImage();
    };
    QVERIFY(drawn(QStringLiteral("1x2")) != drawn(QStringLiteral("1×2")));
  }

  void aFigureAndItsUnitStayOnOneLine() {
    const int width = widthOf("events at 47");
    QCOMPARE(drawn("events at 47 177 calls", width), drawn("events at\n47 177 calls", width));
    QCOMPARE(drawn("events at 22 GB/s", width), drawn("events at\n22 GB/s", width));
  }
};

RANKSCOPE_UI_TEST(WrappedLabelTest)
#include "wrapped_label_test.moc"

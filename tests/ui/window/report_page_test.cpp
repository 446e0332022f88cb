// SPDX-License-Identifier: GPL-3.0-or-later
// The HTML report as a browser shows it: every chart whole at any width of the page, whatever the size of the
// window that wrote it and whatever its timeline showed.
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/window/report_export.h"

#include <QFile>
#include <QProcess>
#include <QRectF>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QStandardPaths>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

QString browser() {
  for (const char* name : {"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}) {
    QString path = QStandardPaths::findExecutable(QString::fromLatin1(name));
    if (!path.isEmpty()) return path;
  }
  return {};
}

// Measures every chart: its box on the page, the width of the page, its view box, the extent of what it draws
// without its background, and the box in which it scrolls where the page is narrow.
constexpr auto kMeasure = R"(<pre id="extents"></pre><script>
const lines = [];
const box = r => [r.x, r.y, r.x + r.width, r.y + r.height].join(' ');
function measure(title, shown, svg, frame) {
  let left = 1e9, top = 1e9, right = -1e9, bottom = -1e9, first = true;
  const root = svg.getScreenCTM().inverse();
  for (const part of svg.querySelectorAll('rect,path,line,polyline,polygon,text,circle,image')) {
    const own = part.getBBox(), to = root.multiply(part.getScreenCTM());
    if (own.width == 0 && own.height == 0) continue;
    const corners = [[own.x, own.y], [own.x + own.width, own.y], [own.x, own.y + own.height],
                     [own.x + own.width, own.y + own.height]].map(([x, y]) => new DOMPoint(x, y).matrixTransform(to));
    for (const at of corners) {
      left = Math.min(left, at.x); right = Math.max(right, at.x);
      top = Math.min(top, at.y); bottom = Math.max(bottom, at.y);
    }
  }
  const view = svg.viewBox.baseVal;
  lines.push([title, box(shown), document.documentElement.scrollWidth, window.innerWidth,
              [view.width, view.height].join(' '), [left, top, right, bottom].join(' '),
              box(frame.getBoundingClientRect())].join('|'));
}
for (const figure of document.querySelectorAll('figure')) {
  // There may be another picture for narrow pages.
  const image = [...figure.querySelectorAll('img')].find(one => one.getBoundingClientRect().width > 0);
  // A picture of the window has its title in it.
  const title = (figure.querySelector('b')?.textContent ?? image?.alt ?? '').replaceAll('|', '/');
  if (!image) {
    // There may be another drawing for narrow pages.
    const svg = [...figure.querySelectorAll('svg')].find(one => one.getBoundingClientRect().width > 0);
    measure(title, svg.getBoundingClientRect(), svg, svg.closest('.chart') ?? svg);
    continue;
  }
  const shown = image.getBoundingClientRect();
  const text = new TextDecoder().decode(Uint8Array.from(atob(image.src.split(',')[1]), c => c.charCodeAt(0)));
  const place = document.createElement('div');
  place.style = 'position:absolute;left:0;top:0;width:10px;height:10px;overflow:hidden';
  place.innerHTML = text;
  document.body.append(place);
  measure(title, shown, place.querySelector('svg'), image.closest('.chart') ?? image);
}
document.getElementById('extents').textContent = lines.join('\n');
</script>)";

QRectF rectOf(const QString& text) {
  const QStringList at = text.split(' ');
  return at.size() == 4 ? QRectF(QPointF(at[0].toDouble(), at[1].toDouble()),
                                 QPointF(at[2].toDouble(), at[3].toDouble()))
                        : QRectF();
}

struct ReportWindow : TestWindow {
  const QString job = pathOf(folder.path() / "job");

  ReportWindow() { writeSmallJob(folder.path() / "job"); }

  [[nodiscard]] QByteArray report(const char* name) {
    const QString out = pathOf(folder.path() / name);
    window.reportExport().write({out, std::nullopt, std::nullopt, true});
    if (!settles()) return {};
    QFile file(out + "/report.html");
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
};

// What a browser of this width measured, a line for each chart.
QStringList measured(const QString& program, const QByteArray& page, const QString& file, int width) {
  static const QRegularExpression policy(
      QStringLiteral("<meta http-equiv=\"Content-Security-Policy\"[^>]*>"));
  QString text = QString::fromUtf8(page).remove(policy);
  text.replace(QStringLiteral("</body>"), QString::fromLatin1(kMeasure) + QStringLiteral("</body>"));
  QFile out(file);
  if (!out.open(QIODevice::WriteOnly)) return {};
  out.write(text.toUtf8());
  out.close();
  QProcess chromium;
  chromium.start(program, {"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--dump-dom",
                           QStringLiteral("--window-size=%1,900").arg(width), "file://" + file});
  if (!chromium.waitForFinished(kTimeoutMs)) return {};
  const QString shown = QString::fromUtf8(chromium.readAllStandardOutput());
  const auto begin = shown.indexOf(QStringLiteral("<pre id=\"extents\">")) + 18;
  return shown.mid(begin, shown.indexOf(QStringLiteral("</pre>"), begin) - begin)
      .split('\n', Qt::SkipEmptyParts);
}

} // namespace

class ReportPageTest : public QObject {
  Q_OBJECT
 private slots:
  void everyChartIsWholeAtAnyWidth_data() {
    QTest::addColumn<int>("width");
    QTest::newRow("narrow") << 640;
    QTest::newRow("half of a screen") << 900;
    QTest::newRow("almost wide") << 1100;
    QTest::newRow("wide") << 1600;
  }

  void everyChartIsWholeAtAnyWidth() {
    RANKSCOPE_QSKIP_WITHOUT(browser(), "no Chromium is installed");
    QFETCH(int, width);
    ReportWindow test;
    QVERIFY(test.opens(test.job));
    test.window.resize(900, 420); // most of each chart is out of view
    const QStringList charts =
        measured(browser(), test.report("out"), pathOf(test.folder.path() / "page.html"), width);
    QVERIFY2(charts.size() > 5, qPrintable(charts.join('\n')));
    for (const QString& line : charts) {
      const QStringList part = line.split('|');
      QCOMPARE(part.size(), 7);
      const QRectF shown = rectOf(part[1]);
      QCOMPARE(part[2].toInt(), width); // nothing makes the page scroll sideways
      const QRectF frame = rectOf(part[6]);
      QVERIFY2(frame.left() >= 0 && frame.right() <= width && shown.left() >= frame.left() - 1 &&
                   shown.right() <= frame.right() + 1 && shown.width() > 0.8 * std::min(1150, width - 48),
               qPrintable(line));
      const QStringList view = part[4].split(' ');
      const QSizeF size(view[0].toDouble(), view[1].toDouble());
      QVERIFY2(shown.width() > 0.9 * size.width(), qPrintable(line)); // texts of 12 pixels have 11 or more
      QVERIFY2(qAbs(shown.width() / shown.height() - size.width() / size.height()) <
                   0.05 * size.width() / size.height(),
               qPrintable(line));
      const QRectF drawn = rectOf(part[5]);
      constexpr qreal kStroke = 2;
      QVERIFY2(QRectF(QPointF(), size).adjusted(-kStroke, -kStroke, kStroke, kStroke).contains(drawn),
               qPrintable(line));
      QVERIFY2(drawn.width() > 0.8 * size.width() && drawn.height() > 0.7 * size.height(), qPrintable(line));
    }
  }

  void theReportIsTheSameAtAnySizeOfTheWindowAndPlaceOfTheTimeline() {
    ReportWindow test;
    QVERIFY(test.opens(test.job));
    test.window.resize(1500, 1000);
    const QByteArray first = test.report("first");
    QVERIFY(first.contains("Timeline of finding 1"));
    QVERIFY(first.contains("<svg viewBox") && first.contains("data:image/svg+xml"));
    QVERIFY(!first.contains("image/png"));
    test.window.resize(800, 480);
    const TimeRange all = test.window.session().trace()->extent();
    test.window.session().setWindow({all.begin, all.begin + all.length() / 50});
    QVERIFY(test.settles());
    const QByteArray second = test.report("second");
    QVERIFY(second == first);
  }

  void itNamesTheCommandsThatOpenIt() {
    ReportWindow test;
    QVERIFY(test.opens(test.job));
    const QByteArray page = test.report("out").replace("</span> <span>", " "); // where lines may break
    const QByteArray path = test.job.toUtf8();
    QVERIFY(page.contains("rankscope " + path + " --finding 1"));
    QVERIFY(page.contains("rankscope " + path + " --view overview"));
    QVERIFY(page.contains("rankscope-cli table steps " + path));
  }
};

RANKSCOPE_UI_TEST(ReportPageTest)
#include "report_page_test.moc"

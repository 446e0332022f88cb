// SPDX-License-Identifier: GPL-3.0-or-later
// Scope and export of the tabs: for the whole job and a selected range, equal to rankscope-cli.
#include "core/report/tables.h"
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/actions/actions.h"
#include "ui/job/session_file.h"
#include "ui/tabs/kernels/kernels_panel.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/report_export.h"
#include "ui/window/tab_pages.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QToolButton>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

QByteArray contentOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("not there: ") + path.toUtf8();
}

// Three ranks, and a folder for exported files.
struct ExportTest : TestWindow {
  const QString job = pathOf(folder.path() / "job");
  const QString out = pathOf(folder.path() / "out");
  const QString expected = pathOf(folder.path() / "expected");

  ExportTest() { writeSmallJob(folder.path() / "job"); }

  // The middle third of the job, to the nanosecond.
  [[nodiscard]] TimeRange someRange() {
    const TimeRange all = window.session().trace()->extent();
    return {all.begin + all.length() / 3, all.begin + 2 * (all.length() / 3)};
  }
  [[nodiscard]] QStringList rangeArguments() {
    const TimeNs origin = window.session().trace()->extent().begin;
    const auto text = [&](TimeNs time) { return QString::number(time - origin) + QStringLiteral("ns"); };
    return {"--from", text(someRange().begin), "--to", text(someRange().end)};
  }
  void exports(ExportRequest request) {
    QSignalSpy finished(&window.reportExport(), &ReportExport::finished);
    request.folder = out;
    window.reportExport().write(request);
    QVERIFY(settles());
    QCOMPARE(finished.size(), 1);
    QCOMPARE(finished.front().at(2).toString(), QString());
  }
  void asks(const QStringList& arguments) {
    QProcess cli;
    cli.start(QStringLiteral(RANKSCOPE_CLI),
              QStringList{"report", job, "--quiet", "--no-cache", "--out", expected} + arguments);
    QVERIFY(cli.waitForFinished(kTimeoutMs));
    QCOMPARE(cli.exitCode(), 0);
  }
  void comparesFiles() {
    const QStringList names = QDir(expected).entryList(QDir::Files);
    QVERIFY(names.size() > 10);
    QCOMPARE(QDir(out).entryList(QDir::Files), names);
    for (const QString& name : names)
      QVERIFY2(contentOf(out + "/" + name) == contentOf(expected + "/" + name), qPrintable(name));
  }
};

} // namespace

class ExportTests : public QObject {
  Q_OBJECT
 private slots:
  void allTablesAreTheHeadlessProgramsToTheByte() {
    ExportTest test;
    QVERIFY(test.opens(test.job));
    test.exports({{}, TableFormat::Csv, std::nullopt, false});
    test.asks({});
    test.comparesFiles();
  }

  void aSelectedRangeIsTheHeadlessProgramsPartToTheByte() {
    ExportTest test;
    QVERIFY(test.opens(test.job));
    test.window.session().setRange(test.someRange());
    QVERIFY(test.settles());
    test.exports({{}, TableFormat::Json, std::nullopt, false});
    test.asks(QStringList{"--format", "json"} + test.rangeArguments());
    test.comparesFiles();
  }

  void aRangeOfSomeRanksIsAboutThemAlone() {
    ExportTest test;
    QVERIFY(test.opens(test.job));
    test.window.session().setRange(test.someRange(), {{RankIndex(1), {TrackIndex(0)}}});
    QVERIFY(test.settles());
    QVERIFY2(test.window.tabs().scope().text().endsWith("rank 1"),
             qPrintable(test.window.tabs().scope().text()));
    test.exports({{}, TableFormat::Csv, std::nullopt, false});
    test.asks(QStringList{"--ranks", "1"} + test.rangeArguments());
    test.comparesFiles();
  }

  void aRangeLimitsTheTablesUntilTheWholeTraceIsAskedFor() {
    ExportTest test;
    QVERIFY(test.opens(test.job));
    QVERIFY(test.shows("kernels"));
    TableScope& scope = test.window.tabs().scope();
    QToolButton& button = test.window.tabs().scopeButton();
    const auto shown = [&] { return kernelsOf(test.window.tabs()).card().model().table(); };
    const auto calls = [&] {
      std::int64_t sum = 0;
      for (std::size_t row = 0; row < shown()->rowCount(); ++row)
        sum += std::get<std::int64_t>(shown()->at(row, *shown()->columnNamed("calls")));
      return sum;
    };
    const std::int64_t all = calls();
    QVERIFY(!button.isEnabled());
    test.window.session().setRange(test.someRange());
    QVERIFY(test.settles());
    QVERIFY(scope.limited());
    const std::int64_t some = calls();
    QVERIFY2(0 < some && some < all, qPrintable(QString("%1 of %2").arg(some).arg(all)));
    QVERIFY(button.text().startsWith("Range"));
    QTest::keyClick(&test.window, Qt::Key_R, Qt::ControlModifier);
    QVERIFY(test.settles());
    QCOMPARE(calls(), all);
    QCOMPARE(button.text(), QString("Tabs: whole trace"));
    QTest::mouseClick(&button, Qt::LeftButton);
    QVERIFY(test.settles());
    QCOMPARE(calls(), some);
    test.window.session().setRange({});
    QVERIFY(test.settles());
    QCOMPARE(calls(), all);
    QVERIFY(!button.isEnabled());
  }

  void oneFileHoldsFindingsPicturesAndTablesAndNothingFromElsewhere() {
    ExportTest test;
    QVERIFY(test.opens(test.job));
    test.exports({{}, std::nullopt, QStringLiteral("svg"), true});
    const QString html = QString::fromUtf8(contentOf(test.out + "/report.html"));
    QVERIFY(html.contains("<h1>job</h1>"));
    QVERIFY(html.contains("<svg viewBox") && html.contains("Timeline of finding 1"));
    QVERIFY(html.contains("data:image/svg+xml;base64,"));
    QCOMPARE(html.count("<div class=\"chart narrow\">"), html.count("<figure>"));
    QVERIFY(html.contains("<h2>Ranks</h2>") && html.contains("<h2>Kernels</h2>"));
    QVERIFY(!html.contains("<script") && !html.contains("http://") && !html.contains("https://"));
    const QStringList charts = QDir(test.out).entryList({"*.svg"}, QDir::Files);
    QVERIFY2(charts.contains("step-time-breakdown.svg"), qPrintable(charts.join(' ')));
    QVERIFY(contentOf(test.out + "/step-time-breakdown.svg").contains("<svg"));
    // Charts that this job has nothing for are left out.
    for (const char* empty : {"pipeline.svg", "pipeline-bubble.svg", "aligned-steps.svg", "addresses.svg",
                              "memory-snapshot.svg", "expert-dispatch.svg", "fsdp-units.svg"})
      QVERIFY2(!charts.contains(QLatin1String(empty)), empty);
  }

  void commandsInTheFileOpenTheRangeItIsOf() {
    ExportTest test;
    QVERIFY(test.opens(test.job));
    test.window.session().setRange(test.someRange(), {{RankIndex(1), {TrackIndex(0)}}});
    QVERIFY(test.settles());
    test.exports({{}, std::nullopt, std::nullopt, true});
    const QString html =
        QString::fromUtf8(contentOf(test.out + "/report.html")).replace("</span> <span>", " ");
    const QString words = test.rangeArguments().join(' ') + " --ranks 1";
    QVERIFY2(html.contains(QString("rankscope-cli table ranks %1 %2").arg(test.job, words)),
             qPrintable(words));
    QVERIFY(html.contains("--ranks 1 --view gains"));
    QVERIFY(html.contains("--range ") && !html.contains("Whole trace"));
  }

  void exportsAskedForDuringOneFollowItAndAllAreReported() {
    ExportTest test;
    QVERIFY(test.opens(test.job));
    QSignalSpy finished(&test.window.reportExport(), &ReportExport::finished);
    const QStringList folders{test.out + "/a", test.out + "/b", test.out + "/c"};
    for (const QString& folder : folders)
      test.window.reportExport().write({folder, TableFormat::Csv, std::nullopt, false});
    QVERIFY(test.settles());
    QCOMPARE(finished.size(), 3);
    const QStringList names = QDir(folders[0]).entryList(QDir::Files);
    QVERIFY(names.size() > 10);
    for (int i = 0; i < 3; ++i) {
      QCOMPARE(finished[i].at(0).toString(), folders[i]);
      QCOMPARE(finished[i].at(2).toString(), QString());
      QCOMPARE(QDir(folders[i]).entryList(QDir::Files), names);
      QVERIFY2(test.window.banner().text().contains(folders[i]), qPrintable(test.window.banner().text()));
    }
  }

  void anExportThatWaitsForAJobThatIsClosedIsNotOfTheNextOne() {
    ExportTest test;
    QVERIFY(test.opens(test.job));
    QSignalSpy finished(&test.window.reportExport(), &ReportExport::finished);
    for (const char* name : {"/a", "/b"})
      test.window.reportExport().write({test.out + name, TableFormat::Csv, std::nullopt, false});
    test.window.tabs().setReport(nullptr);
    QVERIFY(test.settles());
    QCOMPARE(finished.size(), 2);
    QCOMPARE(finished[0].at(2).toString(), QString());
    QVERIFY(finished[1].at(2).toString().contains("closed"));
    QVERIFY(!QDir(test.out + "/b").exists());
  }

  void allPartsOfAnExportAreOfTheRangeThatWasChosenWhileItWaited() {
    ExportTest test;
    QVERIFY(test.opens(test.job));
    const auto writes = [&](const char* name) {
      test.window.reportExport().write({test.out + name, TableFormat::Csv, QStringLiteral("svg"), true});
    };
    writes("/whole");
    QVERIFY(test.settles());
    test.window.session().setRange(test.someRange());
    writes("/waited"); // for the range to be analyzed
    QVERIFY(test.settles());
    writes("/after");
    QVERIFY(test.settles());
    const QStringList names = QDir(test.out + "/after").entryList(QDir::Files);
    QCOMPARE(QDir(test.out + "/waited").entryList(QDir::Files), names);
    int ofTheRange = 0;
    for (const QString& name : names) {
      const QByteArray after = contentOf(test.out + "/after/" + name);
      QVERIFY2(contentOf(test.out + "/waited/" + name) == after, qPrintable(name));
      ofTheRange += name.endsWith(".svg") && contentOf(test.out + "/whole/" + name) != after ? 1 : 0;
    }
    QVERIFY(ofTheRange > 1);
  }

  void anExcerptOfTheRangeHasTheBytesOfTheCommandLineAndOpens() {
    ExportTest test;
    QVERIFY(test.opens(test.job));
    test.window.session().setRange(test.someRange());
    QVERIFY(test.settles());
    ExportRequest request;
    request.tables.reset();
    request.charts.reset();
    request.html = false;
    request.excerpt = true;
    SessionState state;
    state.range = test.someRange();
    state.traces = QStringList{test.out + "/excerpt"};
    request.session = sessionText(state, test.out + "/excerpt");
    test.exports(request);
    QProcess cli;
    cli.start(QStringLiteral(RANKSCOPE_CLI),
              QStringList{"excerpt", test.job, "--quiet", "--no-cache", "--out", test.expected} +
                  test.rangeArguments());
    QVERIFY(cli.waitForFinished(kTimeoutMs));
    QCOMPARE(cli.exitCode(), 0);
    const QStringList traces = QDir(test.expected).entryList(QDir::Files);
    QCOMPARE(traces.size(), 3);
    for (const QString& name : traces)
      QVERIFY2(contentOf(test.out + "/excerpt/" + name) == contentOf(test.expected + "/" + name),
               qPrintable(name));
    QVERIFY(contentOf(test.out + "/excerpt/excerpt.txt").contains("rank0.json.gz: "));
    QVERIFY(test.opens(test.out + "/excerpt/excerpt.rankscope"));
    QCOMPARE(test.window.session().trace()->ranks().size(), 3U);
    QVERIFY(test.window.session().range().has_value());
  }

  void aFolderThatCannotBeMadeIsReported() {
    ExportTest test;
    QVERIFY(test.opens(test.job));
    QFile file(test.out);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.close();
    QSignalSpy finished(&test.window.reportExport(), &ReportExport::finished);
    ExportRequest request;
    request.folder = test.out;
    test.window.reportExport().write(request);
    QVERIFY(test.settles());
    QCOMPARE(finished.size(), 1);
    QVERIFY(finished.front().at(2).toString().contains(test.out));
  }
};

RANKSCOPE_UI_TEST(ExportTests)
#include "export_test.moc"

// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of Nsight Systems: the window offers to export them with nsys where it is installed, shows
// progress, can be told to stop, and opens what came of it. A script stands in for nsys.
#include "ui/opening/nsys_export.h"

#include "tests/support/nsys_file.h"
#include "tests/ui/settling.h"
#include "tests/ui/ui_test.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/main_window.h"

#include <QClipboard>
#include <QDirIterator>
#include <QFile>
#include <QGuiApplication>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <string>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

void write(const QString& path, const QByteArray& text, bool program = false) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(text);
  if (program) file.setPermissions(file.permissions() | QFile::ExeOwner);
}

// A folder with reports, a PATH with a script named nsys, and the exports that the script copies.
struct Reports {
  QTemporaryDir folder;
  QTemporaryDir programs;
  QByteArray oldPath = qgetenv("PATH");

  explicit Reports(const QByteArray& script) {
    for (const int rank : {0, 1}) { // each of a process of its own
      test::NsysFile file(ready(rank).toStdString());
      file.session(1'700'000'000'000'000'000, 0, "node-a");
      file.kernel(test::NsysFile::process(100 + rank), 0, 7, 1000, 2000, "kernel", 0);
    }
    write(programs.filePath(QStringLiteral("nsys")),
          "#!/bin/sh\nready0='" + ready(0).toUtf8() + "'\nready1='" + ready(1).toUtf8() + "'\n" + script,
          true);
    qputenv("PATH", programs.path().toUtf8() + ':' + oldPath);
    for (const char* rank : {"0", "1"})
      write(folder.filePath(QStringLiteral("trace rank%1.nsys-rep").arg(QLatin1String(rank))),
            "NVIDIA Tegra Profiler Report 2026@1@3@425-261338342291v0.\n");
  }
  ~Reports() { qputenv("PATH", oldPath); }
  Q_DISABLE_COPY_MOVE(Reports)

  [[nodiscard]] QString ready(int rank) const {
    return programs.filePath(QStringLiteral("ready%1.sqlite").arg(rank));
  }
  [[nodiscard]] QString report(int rank) const {
    return folder.filePath(QStringLiteral("trace rank%1.nsys-rep").arg(rank));
  }
};

// Copies the rank's export to where --output= says, and notes its arguments, one a line.
const QByteArray kExports = "for a in \"$@\"; do echo \"$a\" >> \"$0.arguments\"; case \"$a\" in "
                            "--output=*rank1*) cp \"$ready1\" \"${a#--output=}\";; "
                            "--output=*) cp \"$ready0\" \"${a#--output=}\";; esac; done\n";

// What is logged while it lives.
struct MessagesKept {
  MessagesKept() {
    text.clear();
    m_before = qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString& message) {
      text += message.toUtf8() + '\n';
    });
  }
  ~MessagesKept() { qInstallMessageHandler(m_before); }
  Q_DISABLE_COPY_MOVE(MessagesKept)

  static inline QByteArray text;

 private:
  QtMessageHandler m_before;
};

// Whether a file below the folder holds these bytes.
bool mentions(const QString& folder, const std::string& bytes) {
  QDirIterator files(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
  while (files.hasNext()) {
    QFile file(files.next());
    if (file.open(QIODevice::ReadOnly) && file.readAll().contains(QByteArray::fromStdString(bytes)))
      return true;
  }
  return false;
}

} // namespace

class NsysExportTest : public QObject {
  Q_OBJECT

 private slots:
  void exportsEachReportWithAnArgumentVector() {
    Reports reports(kExports);
    QCOMPARE(NsysExport::program(), reports.programs.filePath(QStringLiteral("nsys")));
    const QStringList found = NsysExport::reportsIn({reports.folder.path()});
    QCOMPARE(found, (QStringList{reports.report(0), reports.report(1)}));
    NsysExport job;
    QSignalSpy progressed(&job, &NsysExport::progressed), finished(&job, &NsysExport::finished);
    job.start(NsysExport::program(), found, {});
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(progressed.count(), 2);
    const QString output = reports.folder.filePath(QStringLiteral("trace rank0.sqlite"));
    QCOMPARE(finished.front().front().toStringList().front(), output);
    QFile arguments(NsysExport::program() + QStringLiteral(".arguments"));
    QVERIFY(arguments.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = arguments.readAll().split('\n');
    QCOMPARE(lines.mid(0, 5), (QList<QByteArray>{"export", "--type=sqlite", "--include-blobs=true",
                                                 "--output=" + output.toUtf8(), reports.report(0).toUtf8()}));
    QVERIFY(NsysExport::reportsIn({reports.folder.path()}).isEmpty()); // exported now
  }

  void failureSaysWhatNsysSaid() {
    Reports reports("echo 'The report is of a newer version' >&2\nexit 3\n");
    NsysExport job;
    QSignalSpy failed(&job, &NsysExport::failed);
    job.start(NsysExport::program(), {reports.report(0)}, {});
    QTRY_COMPARE(failed.count(), 1);
    QCOMPARE(failed.front().at(1).toString(), QStringLiteral("The report is of a newer version"));
    job.start(reports.folder.filePath(QStringLiteral("nowhere")), {reports.report(0)}, {});
    QTRY_COMPARE(failed.count(), 2);
  }

  void cancelEndsTheProgram() {
    Reports reports("exec sleep 600\n");
    NsysExport job;
    QSignalSpy cancelled(&job, &NsysExport::cancelled);
    job.start(NsysExport::program(), {reports.report(0), reports.report(1)}, {});
    QVERIFY(job.running());
    job.cancel();
    QTRY_COMPARE(cancelled.count(), 1);
    QVERIFY(!job.running());
  }

  void theWindowOffersItAndOpensTheExports() {
    Reports reports(kExports);
    QTemporaryDir settingsFolder;
    QSettings settings(settingsFolder.filePath("settings.ini"), QSettings::IniFormat);
    MainWindow window(settings);
    window.show();
    window.open({reports.folder.path()});
    QVERIFY(settles(window.pending()));
    QVERIFY2(window.banner().text().contains("2 reports of Nsight Systems"),
             qPrintable(window.banner().text()));
    auto buttons = window.banner().findChildren<QPushButton*>("bannerAction");
    QCOMPARE(buttons.size(), 2);
    QTest::mouseClick(buttons[1], Qt::LeftButton);
    QVERIFY2(
        QGuiApplication::clipboard()->text().startsWith("for f in *.nsys-rep; do nsys export --type=sqlite"),
        qPrintable(QGuiApplication::clipboard()->text()));
    QTest::mouseClick(buttons[0], Qt::LeftButton);
    QTRY_VERIFY(window.session().trace() != nullptr);
    QVERIFY(settles(window.pending()));
    QCOMPARE(window.session().trace()->ranks().size(), std::size_t{2});
  }

  // The environment of a recorded process has tokens; an export holds it.
  void secretsReachNoSessionSettingOrMessage() {
    const std::string secret = "planted-token-51c8";
    QTemporaryDir job;
    {
      test::NsysFile file(job.filePath("trace_rank0.sqlite").toStdString());
      file.session(1'700'000'000'000'000'000, 0, "node-a");
      file.kernel(test::NsysFile::process(100), 0, 7, 1000, 2000, "kernel", 0);
      file.capture("PROCESS_0:ENVIRONMENT_VARIABLE", "WANDB_API_KEY=\"" + secret + "\"");
      file.capture("PROCESS_0:ENVIRONMENT_VARIABLE", "RANK=\"" + secret + "\"");
      file.string("PATH=/bin;HF_TOKEN=" + secret);
    }
    QVERIFY(mentions(job.path(), secret)); // it is there to be found
    QTemporaryDir kept;
    const MessagesKept messages;
    {
      QSettings settings(kept.filePath("settings.ini"), QSettings::IniFormat);
      MainWindow window(settings);
      window.sessionStore().setFolder(kept.filePath("sessions"));
      window.show();
      window.open({job.path()});
      QVERIFY(settles(window.pending()));
      TraceSession& session = window.session();
      QVERIFY(session.trace());
      session.marks().add({"kept", {}, session.trace()->extent(), {}, true});
      session.reveal({RankIndex(0), EventIndex(0)});
      for (const char* const tab : {"overview", "timeline", "files"}) {
        window.showTab(tab);
        QVERIFY(settles(window.pending()));
      }
      window.close();
    }
    QVERIFY(!QDir(kept.filePath("sessions")).entryList(QDir::Files).isEmpty());
    QVERIFY(!mentions(kept.path(), secret));
    QVERIFY(!MessagesKept::text.contains(QByteArray::fromStdString(secret)));
  }
};

RANKSCOPE_UI_TEST(NsysExportTest)
#include "nsys_export_test.moc"

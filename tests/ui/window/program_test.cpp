// SPDX-License-Identifier: GPL-3.0-or-later
// The window's program as a file and as a process: how it is protected, what it loads, where it writes.
// Covers app/main and app/display too.
#include "tests/support/elf_file.h"
#include "tests/support/program_texts.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/tabs/tab_registry.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QImage>
#include <QProcess>

#include <algorithm>
#include <set>
#include <string>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

const QString kProgram = QStringLiteral(RANKSCOPE_WINDOW_PROGRAM);

QStringList filesUnder(const QString& folder) {
  QStringList files;
  for (QDirIterator at(folder, QDir::Files | QDir::Hidden | QDir::System, QDirIterator::Subdirectories);
       at.hasNext();)
    files << QDir(folder).relativeFilePath(at.next());
  files.sort();
  return files;
}

// Of what is installed beside the program.
QString textOf(const char* name) {
  QFile file(QStringLiteral(RANKSCOPE_TEXTS "/") + QString::fromLatin1(name));
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

} // namespace

class ProgramTest : public QObject {
  Q_OBJECT

 private slots:
  void theWindowIsHardened() {
    const auto facts = test::elfFacts(kProgram.toStdString());
    RANKSCOPE_QSKIP_UNLESS(facts, "programs are no ELF files here");
    for (const std::string& library : facts->libraries)
      QVERIFY2(library.find("Network") == std::string::npos, library.c_str());
#ifdef RANKSCOPE_HARDENED
    QVERIFY(facts->positionIndependent);
    QVERIFY(facts->relocationsReadOnly);
    QVERIFY(facts->bindsAtStart);
    QVERIFY(facts->stackNotExecutable);
    QVERIFY(std::ranges::count(facts->imports, "__stack_chk_fail") > 0);
#endif
  }

  // Manual page and completions; those of bash and zsh have the options of rankscope-cli too.
  void programTextsEqualTheHelp() {
    QProcess program;
    program.start(kProgram, {QStringLiteral("--help")});
    QVERIFY(program.waitForFinished(kTimeoutMs));
    const std::set<std::string> options = test::longOptionsIn(program.readAllStandardOutput().toStdString());
    QVERIFY(options.size() > 12);
    QVERIFY(test::longOptionsIn(test::manualText(textOf("man/rankscope.1").toStdString())) == options);
    QVERIFY(test::fishOptionsIn(textOf("completions/rankscope.fish").toStdString()) == options);
    for (const char* name : {"completions/rankscope.bash", "completions/_rankscope"}) {
      const std::string text = textOf(name).toStdString();
      const std::set<std::string> offered = test::longOptionsIn(text);
      for (const std::string& option : options) QVERIFY2(offered.count(option) == 1, option.c_str());
    }
  }

  // In the order of the bar.
  void theTabsEqualHelpManualAndCompletions() {
    QProcess program;
    program.start(kProgram, {QStringLiteral("--help")});
    QVERIFY(program.waitForFinished(kTimeoutMs));
    const QString help = QString::fromUtf8(program.readAllStandardOutput()).simplified();
    QVERIFY2(help.contains(QStringLiteral("tab to show: ") + tabIds().join(QStringLiteral(", "))),
             qPrintable(help));
    QVERIFY(textOf("man/rankscope.1").contains(tabIds().join(QStringLiteral(" \", \" "))));
    for (const char* name : {"rankscope.bash", "_rankscope", "rankscope.fish"})
      QVERIFY2(textOf((std::string("completions/") + name).c_str()).contains(tabIds().join(QLatin1Char(' '))),
               name);
    program.start(kProgram, {QStringLiteral("--view"), QStringLiteral("nowhere")});
    QVERIFY(program.waitForFinished(kTimeoutMs));
    QCOMPARE(program.exitCode(), 1);
    QVERIFY(program.readAllStandardError().contains("timeline, "));
  }

  // Also none that another library or a plugin would bring.
  void theWindowLoadsNoNetworkLibrary() {
    TestWindow test;
    writeSmallJob(test.folder.path() / "job", 2);
    QVERIFY(test.opens(pathOf(test.folder.path() / "job")));
    for (const QString& id : tabIds()) QVERIFY(test.shows(id));
    QFile maps(QStringLiteral("/proc/self/maps"));
    RANKSCOPE_QSKIP_UNLESS(maps.open(QIODevice::ReadOnly), "what is loaded cannot be seen here");
    const QByteArray loaded = maps.readAll();
    QVERIFY(loaded.contains("libQt6Widgets"));
    for (const char* library : {"libQt6Network", "libQt6WebEngine", "libcurl", "libssl"})
      QVERIFY2(!loaded.contains(library), library);
  }

  void withoutADisplayThatAnswersItSaysSo() {
    for (const char* display : {"", ":4095", "nowhere.invalid:1"}) {
      QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
      environment.remove("QT_QPA_PLATFORM");
      environment.remove("WAYLAND_DISPLAY");
      environment.remove("DISPLAY");
      if (*display != 0) environment.insert("DISPLAY", display);
      QProcess program;
      program.setProcessEnvironment(environment);
      program.start(kProgram, {});
      QVERIFY(program.waitForFinished());
      QCOMPARE(program.exitStatus(), QProcess::NormalExit);
      QCOMPARE(program.exitCode(), 1);
      const QString said = QString::fromUtf8(program.readAllStandardError());
      QVERIFY2(said.startsWith("rankscope: there is no display"), qPrintable(said));
      QVERIFY2(said.contains("--screenshot draws without one"), qPrintable(said));
      QCOMPARE(said.contains(":4095 cannot be reached"), QByteArray(display) == ":4095");
    }
  }

  void aPictureLeavesNothingOutsideTheCacheAndItsFile() {
    Folder folder;
    for (const char* name : {"home", "tmp", "run", "here", "out"})
      QVERIFY(QDir(folder.folder.path()).mkpath(QString::fromLatin1(name)));
    test::JobOptions options;
    options.targetEvents = 80'000; // smaller ones are not worth keeping
    test::generateJob(options, folder.path() / "job");
    const QStringList before = filesUnder(folder.folder.path());
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "RANKSCOPE_CACHE_DIR"})
      environment.remove(QString::fromLatin1(name));
    environment.insert(QStringLiteral("HOME"), pathOf(folder.path() / "home"));
    environment.insert(QStringLiteral("TMPDIR"), pathOf(folder.path() / "tmp"));
    environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), pathOf(folder.path() / "run"));
    QProcess program;
    program.setProcessEnvironment(environment);
    program.setWorkingDirectory(pathOf(folder.path() / "here"));
    program.start(kProgram, {pathOf(folder.path() / "job"), QStringLiteral("--screenshot"),
                             pathOf(folder.path() / "out/x.png")});
    QVERIFY(program.waitForFinished(4 * kTimeoutMs));
    QVERIFY2(program.exitCode() == 0, program.readAllStandardError().constData());
    QVERIFY(!QImage(pathOf(folder.path() / "out/x.png")).isNull());
    int cached = 0;
    for (const QString& file : filesUnder(folder.folder.path())) {
      if (before.contains(file) || file == QLatin1String("out/x.png")) continue;
      // Of the system's own libraries: fonts' index.
      if (file.startsWith(QLatin1String("home/.cache/fontconfig/"))) continue;
      QVERIFY2(file.startsWith(QLatin1String("home/.cache/rankscope/")), qPrintable(file));
      ++cached;
    }
    QVERIFY(cached > 0);
  }
};

RANKSCOPE_UI_TEST(ProgramTest)
#include "program_test.moc"

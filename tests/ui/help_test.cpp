// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of help promise keys, actions, pictures and proofs: all of them must be there.
#include "ui/actions.h"
#include "ui/main_window.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QKeySequence>
#include <QRegularExpression>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

constexpr qint64 kLargestPictureBytes = 150'000;
constexpr qint64 kAllPicturesBytes = 1'500'000;
constexpr int kWidestPicture = 1280;

const QDir kSource(QStringLiteral(RANKSCOPE_SOURCE_DIR));
const QDir kHelp(kSource.filePath(QStringLiteral("resources/help")));

QString textOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QStringList pages() {
  QStringList paths;
  for (const QString& name : kHelp.entryList({QStringLiteral("*.md")})) paths << kHelp.filePath(name);
  return paths;
}

QString allPages() {
  QString text;
  for (const QString& path : pages()) text += textOf(path) + QStringLiteral("\n\n");
  return text;
}

QStringList found(const QString& text, const char* pattern) {
  QStringList all;
  for (auto match = QRegularExpression(QLatin1String(pattern)).globalMatch(text); match.hasNext();)
    all << match.next().captured(1);
  return all;
}

// Paragraphs, and rows of tables, each on one line.
QStringList blocks(const QString& text) {
  QStringList all;
  QString paragraph;
  for (const QString& line : text.split(QLatin1Char('\n'))) {
    const bool ends =
        line.isEmpty() || line.startsWith(QLatin1Char('|')) || line.startsWith(QLatin1String("- "));
    if (ends && !paragraph.isEmpty()) all << std::exchange(paragraph, {});
    if (line.startsWith(QLatin1Char('|')))
      all << line;
    else if (!line.isEmpty())
      paragraph += (paragraph.isEmpty() ? QString() : QStringLiteral(" ")) + line.trimmed();
  }
  return all;
}

bool definesTest(const QString& file, const QString& name) {
  const QRegularExpression definition(QStringLiteral("\\bvoid (\\w+::)?%1\\(").arg(name));
  return textOf(kSource.filePath(QStringLiteral("tests/ui/%1.cpp").arg(file))).contains(definition);
}

bool definesUnitTest(const QString& suite, const QString& name) {
  const QDir units(kSource.filePath(QStringLiteral("tests/unit")));
  const QString wanted = QStringLiteral("(%1, %2)").arg(suite, name);
  const QStringList files = units.entryList({QStringLiteral("*_test.cpp")});
  return std::ranges::any_of(
      files, [&](const QString& file) { return textOf(units.filePath(file)).contains(wanted); });
}

} // namespace

class HelpTest : public QObject {
  Q_OBJECT

 private slots:
  void thereArePagesAndTheReadmeLeadsToEach() {
    QVERIFY(!pages().isEmpty());
    const QString readme = textOf(kSource.filePath(QStringLiteral("README.md")));
    for (const QString& path : pages())
      QVERIFY2(readme.contains(QStringLiteral("](%1)").arg(kSource.relativeFilePath(path))),
               qPrintable(path));
  }

  void everyPictureIsThereSmallAndShown() {
    const QStringList shown = found(allPages(), R"(\]\((pictures/[^)]+)\))");
    for (const QString& picture : shown) QVERIFY2(kHelp.exists(picture), qPrintable(picture));
    const QDir folder(kHelp.filePath(QStringLiteral("pictures")));
    qint64 all = 0;
    for (const QFileInfo& file : folder.entryInfoList(QDir::Files)) {
      QVERIFY2(shown.contains(QStringLiteral("pictures/") + file.fileName()), qPrintable(file.fileName()));
      QVERIFY2(file.size() <= kLargestPictureBytes, qPrintable(file.fileName()));
      QVERIFY2(QImage(file.filePath()).width() <= kWidestPicture, qPrintable(file.fileName()));
      all += file.size();
    }
    QVERIFY2(0 < all && all <= kAllPicturesBytes, qPrintable(QString::number(all)));
  }

  void everyLinkLeadsSomewhere() {
    for (const QString& link : found(allPages(), R"(\]\((\.\.[^)]+)\))"))
      QVERIFY2(QFile::exists(kHelp.filePath(link)), qPrintable(link));
  }

  void everyProofIsATest() {
    int proofs = 0;
    for (const QString& code : found(allPages(), "`([^`]+)`")) {
      static const QRegularExpression ofWindow(QStringLiteral("^([a-z_]+_test) (\\w+)$"));
      static const QRegularExpression ofUnit(QStringLiteral("^([A-Z]\\w+)\\.([a-z]\\w+)$"));
      if (const auto match = ofWindow.match(code); match.hasMatch()) {
        QVERIFY2(definesTest(match.captured(1), match.captured(2)), qPrintable(code));
        ++proofs;
      } else if (const auto unit = ofUnit.match(code); unit.hasMatch()) {
        QVERIFY2(definesUnitTest(unit.captured(1), unit.captured(2)), qPrintable(code));
        ++proofs;
      }
    }
    QVERIFY(proofs > 50);
  }

  // Keys stand before the action that they do, which is named as the window names it.
  void everyActionHasItsNameAndItsKeys() {
    QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
    MainWindow window(settings);
    const auto& actions = window.actions().actions();
    static const QRegularExpression parts(QStringLiteral("<kbd>(.+?)</kbd>|\\*([^*]+)\\*"));
    int named = 0;
    for (QString block : blocks(allPages())) {
      block.remove(QRegularExpression(QStringLiteral("`[^`]*`|\\*\\*[^*]*\\*\\*")));
      QStringList keys;
      for (auto match = parts.globalMatch(block); match.hasNext();) {
        const auto part = match.next();
        if (!part.captured(1).isEmpty()) {
          keys << part.captured(1);
          continue;
        }
        const auto action = std::ranges::find(actions, part.captured(2), &Action::title);
        QVERIFY2(action != actions.end(), qPrintable(part.captured(2)));
        ++named;
        for (const QString& key : std::exchange(keys, {}))
          QVERIFY2(std::ranges::any_of(
                       action->keys,
                       [&](QKeyCombination known) { return QKeySequence(known) == QKeySequence(key); }),
                   qPrintable(key + QStringLiteral(" for ") + action->title));
      }
      QVERIFY2(keys.isEmpty(), qPrintable(QStringLiteral("keys of no action: ") + block));
    }
    QVERIFY(named > 30);
    for (const QString& id : found(allPages(), R"(--do (\S+)`)"))
      QVERIFY2(window.actions().find(id), qPrintable(id));
  }
};

QTEST_MAIN(HelpTest)
#include "help_test.moc"

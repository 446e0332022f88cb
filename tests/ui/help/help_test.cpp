// SPDX-License-Identifier: GPL-3.0-or-later
// The pages of help promise keys, actions and pictures, those of docs tests: all of them must be there.
// Covers ui/widgets/text_page too.
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/actions/actions.h"
#include "ui/charts/chart_card.h"
#include "ui/details/bottom_panel.h"
#include "ui/help/help_guide.h"
#include "ui/help/help_page.h"
#include "ui/help/help_window.h"
#include "ui/tables/table_card.h"
#include "ui/tables/table_view.h"
#include "ui/tabs/tab_registry.h"
#include "ui/window/main_window.h"
#include "ui/window/tab_pages.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QImage>
#include <QKeySequence>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSettings>
#include <QTest>
#include <QTextBlock>
#include <QTextTable>
#include <QTreeWidget>

#include <algorithm>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

constexpr qint64 kMaxPictureBytes = 150'000;
constexpr qint64 kAllPicturesBytes = 1'500'000;
constexpr int kMaxPictureWidth = 1280;

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

// For developers: what is tested, and how.
QStringList developerPages() {
  const QDir folder(kSource.filePath(QStringLiteral("docs")));
  QStringList paths;
  for (const QString& name : folder.entryList({QStringLiteral("*.md")})) paths << folder.filePath(name);
  return paths;
}

QString textWithoutCode(const QStringList& paths) {
  QString text;
  for (const QString& path : paths) text += textOf(path) + QStringLiteral("\n\n");
  static const QRegularExpression codeBlocks(QStringLiteral("```.*?```"),
                                             QRegularExpression::DotMatchesEverythingOption);
  return text.remove(codeBlocks);
}

QString allPages() {
  return textWithoutCode(pages());
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

// Paths of the files of such names in a folder of the sources and below it.
QStringList filesUnder(const QString& folder, const QString& pattern) {
  QStringList found;
  QDirIterator all(kSource.filePath(folder), {pattern}, QDir::Files, QDirIterator::Subdirectories);
  while (all.hasNext()) found << all.next();
  return found;
}

bool definesTest(const QString& file, const QString& name) {
  const QRegularExpression definition(QStringLiteral("\\bvoid (\\w+::)?%1\\(").arg(name));
  return std::ranges::any_of(filesUnder(QStringLiteral("tests/ui"), file + QStringLiteral(".cpp")),
                             [&](const QString& path) { return textOf(path).contains(definition); });
}

bool definesUnitTest(const QString& suite, const QString& name) {
  const QString wanted = QStringLiteral("(%1, %2)").arg(suite, name);
  return std::ranges::any_of(filesUnder(QStringLiteral("tests/unit"), QStringLiteral("*_test.cpp")),
                             [&](const QString& path) { return textOf(path).contains(wanted); });
}

// One line of help documents the keys of all of them.
bool isOfATab(const Action& action) {
  return std::ranges::any_of(tabSpecs(), [&](const TabSpec& tab) { return action.id == actionOfTab(tab); });
}

} // namespace

class HelpTest : public QObject {
  Q_OBJECT

 private slots:
  void theReadmeLeadsToTheGuideAndShowsAPicture() {
    const QString readme = textOf(kSource.filePath(QStringLiteral("README.md")));
    QVERIFY(readme.contains(QStringLiteral("](resources/help/index.md)")));
    const QStringList links = found(readme, R"(\]\((?!https?:)([^)#]+)[^)]*\))");
    QVERIFY(links.size() > 5 && links.front().endsWith(QStringLiteral(".png")));
    for (const QString& link : links) QVERIFY2(kSource.exists(link), qPrintable(link));
  }

  void contributorsFindEveryPageForDevelopers() {
    const QString contributing = textOf(kSource.filePath(QStringLiteral("CONTRIBUTING.md")));
    QVERIFY(!developerPages().isEmpty());
    for (const QString& path : developerPages()) {
      QVERIFY2(contributing.contains(QStringLiteral("](%1)").arg(kSource.relativeFilePath(path))),
               qPrintable(path));
      for (const QString& link : found(textOf(path), R"(\]\((?!https?:)([^)#]+)[^)]*\))"))
        QVERIFY2(QFileInfo(path).dir().exists(link), qPrintable(link));
    }
  }

  void everyPictureIsThereSmallAndShown() {
    const QStringList shown = found(allPages(), R"(\]\((pictures/[^)]+)\))");
    for (const QString& picture : shown) QVERIFY2(kHelp.exists(picture), qPrintable(picture));
    const QDir folder(kHelp.filePath(QStringLiteral("pictures")));
    qint64 all = 0;
    for (const QFileInfo& file : folder.entryInfoList(QDir::Files)) {
      QVERIFY2(shown.contains(QStringLiteral("pictures/") + file.fileName()), qPrintable(file.fileName()));
      QVERIFY2(file.size() <= kMaxPictureBytes, qPrintable(file.fileName()));
      QVERIFY2(QImage(file.filePath()).width() <= kMaxPictureWidth, qPrintable(file.fileName()));
      all += file.size();
    }
    QVERIFY2(0 < all && all <= kAllPicturesBytes, qPrintable(QString::number(all)));
  }

  void everyLinkLeadsSomewhere() {
    for (const QString& link : found(allPages(), R"(\]\((\.\.[^)]+)\))"))
      QVERIFY2(QFile::exists(kHelp.filePath(link)), qPrintable(link));
    for (const QString& path : pages()) {
      for (const QString& link : found(textOf(path), R"(\]\(([^)]*\.md[^)]*|#[^)]*)\))")) {
        if (link.startsWith(QLatin1String(".."))) continue;
        const QString file = link.section(QLatin1Char('#'), 0, 0);
        const QString anchor = link.section(QLatin1Char('#'), 1);
        const int page = guidePageAt(file.isEmpty() ? QFileInfo(path).fileName() : file);
        QVERIFY2(page >= 0, qPrintable(link));
        if (anchor.isEmpty()) continue;
        const auto& sections = guidePages()[static_cast<std::size_t>(page)].sections;
        QVERIFY2(std::ranges::count(sections, anchor, &GuideSection::anchor) == 1, qPrintable(link));
      }
    }
  }

  void everyPageAndPictureIsBuiltIn() {
    TestWindow test; // names the resources
    QCOMPARE(guidePages().size(), static_cast<std::size_t>(pages().size()));
    QCOMPARE(guidePages().front().file, QStringLiteral("index.md"));
    for (const QString& path : pages()) {
      const int page = guidePageAt(QFileInfo(path).fileName());
      QVERIFY2(page >= 0, qPrintable(path));
      QCOMPARE(guidePages()[static_cast<std::size_t>(page)].markdown, textOf(path));
    }
    for (const QString& picture : QDir(kHelp.filePath(QStringLiteral("pictures"))).entryList(QDir::Files))
      QVERIFY2(QFile::exists(QStringLiteral(":/help/pictures/") + picture), qPrintable(picture));
  }

  void theIndexLeadsToEveryPage() {
    const QString index = textOf(kHelp.filePath(QStringLiteral("index.md")));
    for (const QString& path : pages()) {
      const QString name = QFileInfo(path).fileName();
      if (name != QLatin1String("index.md"))
        QVERIFY2(index.contains(QStringLiteral("](%1)").arg(name)), qPrintable(name));
    }
  }

  void everyTabAndEachOfItsChartsAndTablesIsExplained() {
    TestWindow test;
    const QString tabs = textOf(kHelp.filePath(QStringLiteral("tabs.md")));
    for (const TabSpec& tab : tabSpecs()) {
      const QString heading = QStringLiteral("\n## %1\n").arg(tab.title());
      QVERIFY2(tab.name() == QLatin1String("timeline") || tabs.contains(heading), qPrintable(heading));
    }
    for (const QString& section : tabs.split(QStringLiteral("\n## ")).mid(1)) {
      const QString title = section.section(QLatin1Char('\n'), 0, 0);
      const bool ofATab =
          std::ranges::any_of(tabSpecs(), [&](const TabSpec& tab) { return tab.title() == title; });
      QVERIFY2(!ofATab || section.contains(QStringLiteral("](pictures/")), qPrintable(title));
    }
    int cards = 0;
    const auto explained = [&](const QString& title) {
      ++cards;
      return title.isEmpty() || tabs.contains(QStringLiteral("**%1**").arg(title));
    };
    for (const ChartCard* card : test.window.findChildren<ChartCard*>())
      QVERIFY2(explained(card->title()), qPrintable(card->title()));
    for (TableCard* card : test.window.findChildren<TableCard*>()) {
      const QString title = card->view().accessibleName();
      if (!bottomPanelOf(test.window).isAncestorOf(card)) QVERIFY2(explained(title), qPrintable(title));
    }
    QVERIFY(cards > 15);
  }

  void everyKeyIsOnItsPage() {
    TestWindow test;
    const QString timeline = textOf(kHelp.filePath(QStringLiteral("timeline.md")));
    const QString tabs = textOf(kHelp.filePath(QStringLiteral("tabs.md")));
    QVERIFY(timeline.contains("Ctrl+1 to Ctrl+9") && tabs.contains("Ctrl+1 to Ctrl+9"));
    for (const Action& action : test.window.actions().actions()) {
      if (action.keys.empty() || isOfATab(action)) continue;
      const QString& page = action.scope == KeyScope::Tables ? tabs : timeline;
      QVERIFY2(page.contains(QStringLiteral("*%1*").arg(action.title)), qPrintable(action.title));
    }
  }

  void f1ShowsTheGuideAndEveryPageHasItsTextPicturesAndTables() {
    TestWindow test;
    QVERIFY(QTest::qWaitForWindowActive(&test.window, kTimeoutMs));
    QTest::keyClick(&test.window, Qt::Key_F1);
    auto* const help = test.window.findChild<HelpWindow*>();
    QVERIFY(help != nullptr && help->isVisible());
    auto* const page = help->findChild<HelpPage*>();
    for (std::size_t p = 0; p < guidePages().size(); ++p) {
      help->goTo({p, 0});
      const GuidePage& guide = guidePages()[p];
      QVERIFY2(page->document()->firstBlock().text() == guide.title(), qPrintable(guide.file));
      int pictures = 0;
      for (QTextBlock block = page->document()->begin(); block.isValid(); block = block.next()) {
        for (auto at = block.begin(); !at.atEnd(); ++at) {
          if (!at.fragment().charFormat().isImageFormat()) continue;
          const QUrl name(at.fragment().charFormat().toImageFormat().name());
          const auto image = page->loadResource(QTextDocument::ImageResource, name).value<QImage>();
          QVERIFY2(!image.isNull() && image.width() <= page->viewport()->width(),
                   qPrintable(name.toString()));
          ++pictures;
        }
      }
      QCOMPARE(pictures, static_cast<int>(guide.markdown.count(QLatin1String("!["))));
      QCOMPARE(page->document()->toPlainText().contains(QLatin1String("<kbd>")), false);
    }
    QVERIFY(test.window.actions().run(QStringLiteral("help.columns")));
    QCOMPARE(guidePages()[help->place().page].file, QStringLiteral("columns.md"));
    QVERIFY(page->document()->rootFrame()->childFrames().size() > 10);
  }

  void linksLeadToTheirSectionsAndBackAgain() {
    TestWindow test;
    HelpWindow& help = HelpWindow::of(test.window, test.window.session());
    help.showPage(QStringLiteral("opening.md"));
    auto* const page = help.findChild<HelpPage*>();
    const auto& sections =
        guidePages()[static_cast<std::size_t>(guidePageAt(QStringLiteral("findings.md")))].sections;
    const auto wanted = std::ranges::find_if(sections, [](const GuideSection& section) {
      return section.title.contains(QStringLiteral("memory_growth"));
    });
    QVERIFY(wanted != sections.end());
    emit page->anchorClicked(QUrl(QStringLiteral("findings.md#") + wanted->anchor));
    const GuidePlace place = help.place();
    const GuidePage& guide = guidePages()[place.page];
    QCOMPARE(guide.file, QStringLiteral("findings.md"));
    QVERIFY(guide.sections[place.section].title.contains(QStringLiteral("memory_growth")));
    QVERIFY(page->textCursor().block().text().contains(QStringLiteral("memory_growth")));
    QVERIFY(page->verticalScrollBar()->value() > 0);
    QTest::keyClick(&help, Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(guidePages()[help.place().page].file, QStringLiteral("opening.md"));
    QTest::keyClick(&help, Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(help.place(), place);
  }

  void aLinkOutOfTheGuideIsShownAndNotOpened() {
    TestWindow test;
    HelpWindow& help = HelpWindow::of(test.window, test.window.session());
    help.showPage(QStringLiteral("perfetto.md"));
    auto* const page = help.findChild<HelpPage*>();
    auto* const address = help.findChild<QLineEdit*>(QStringLiteral("outsideAddress"));
    QVERIFY(!address->isVisible());
    const GuidePlace before = help.place();
    for (const char* link : {"https://example.org/x", "../../tests/ui/help_test.cpp", "file:///etc/passwd"}) {
      emit page->anchorClicked(QUrl(QString::fromLatin1(link)));
      QVERIFY(address->isVisible());
      QCOMPARE(address->text(), QString::fromLatin1(link));
      QCOMPARE(help.place(), before);
    }
    QVERIFY(
        !page->loadResource(QTextDocument::ImageResource, QUrl(QStringLiteral("file:///x.png"))).isValid());
    QVERIFY(!page->loadResource(QTextDocument::HtmlResource, QUrl(QStringLiteral("a.html"))).isValid());
  }

  // Showing a widget shows its children one by one, and may resize it meanwhile.
  void theOldDocumentOutlivesAResize() {
    TestWindow test;
    HelpWindow& help = HelpWindow::of(test.window, test.window.session());
    help.showPage(QStringLiteral("opening.md"));
    auto* const page = help.findChild<HelpPage*>();
    const QPointer<QTextDocument> before = page->document();
    help.resize(help.width() + 100, help.height());
    QTRY_VERIFY(page->document() != before);
    QTRY_VERIFY(before.isNull());
    const QPointer<QTextDocument> now = page->document();
    page->resize(page->width() - 100, page->height());
    QVERIFY(page->document() != now);
    QVERIFY(!now.isNull());
  }

  // In a window that is as tall as a short page, a long one brings a scroll bar, and going back takes it
  // away.
  void pagesChangeWithAndWithoutAScrollBar() {
    TestWindow test;
    HelpWindow& help = HelpWindow::of(test.window, test.window.session());
    help.showPage(QStringLiteral("index.md"));
    auto* const page = help.findChild<HelpPage*>();
    help.resize(help.width(), 3000);
    QTRY_VERIFY(page->verticalScrollBar()->maximum() == 0);
    for (const char* file : {"columns.md", "index.md", "findings.md", "index.md"}) {
      help.showPage(QString::fromLatin1(file));
      QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
      const QString title = guidePages()[help.place().page].title();
      QCOMPARE(page->document()->firstBlock().text(), title);
      QCOMPARE(page->findChildren<QTextDocument*>(QString(), Qt::FindDirectChildrenOnly).size(), 1);
    }
  }

  void searchFindsSectionsByAllOfTheirWords() {
    TestWindow test;
    HelpWindow& help = HelpWindow::of(test.window, test.window.session());
    help.showPage(QStringLiteral("index.md"));
    auto* const index = help.findChild<QTreeWidget*>();
    QCOMPARE(index->topLevelItemCount(), static_cast<int>(guidePages().size()));
    auto* const field = help.findChild<QLineEdit*>(QStringLiteral("guideSearch"));
    field->setText(QStringLiteral("TENSOR cores Volta"));
    QVERIFY(index->topLevelItemCount() > 0);
    QVERIFY(index->topLevelItem(0)->text(0).contains(QStringLiteral("no_tensor_cores")));
    QTest::keyClick(field, Qt::Key_Return);
    QCOMPARE(guidePages()[help.place().page].file, QStringLiteral("findings.md"));
    QVERIFY(!help.findChild<HelpPage*>()->extraSelections().isEmpty());
    field->setText(QStringLiteral("nosuchwordanywhere"));
    QCOMPARE(index->topLevelItemCount(), 0);
    field->clear();
    QCOMPARE(index->topLevelItemCount(), static_cast<int>(guidePages().size()));
  }

  void theGuideFollowsTheTheme() {
    TestWindow test;
    HelpWindow& help = HelpWindow::of(test.window, test.window.session());
    help.showPage(QStringLiteral("timeline.md"));
    for (const ThemeChoice choice : {ThemeChoice::Dark, ThemeChoice::Light}) {
      test.window.setThemeChoice(choice);
      const Theme& theme = test.window.session().theme();
      const QImage picture = help.grab().toImage();
      const QColor ground = picture.pixelColor(picture.width() - 30, picture.height() / 2);
      QCOMPARE(ground.lightness() < 128, theme.name == ThemeName::Dark);
      const QString folder = qEnvironmentVariable("RANKSCOPE_TEST_PICTURES");
      if (!folder.isEmpty())
        picture.save(QDir(folder).filePath(theme.name == ThemeName::Dark ? QStringLiteral("help-dark.png")
                                                                         : QStringLiteral("help-light.png")));
    }
  }

  void everyProofIsATest() {
    int proofs = 0;
    for (const QString& code : found(textWithoutCode(developerPages()), "`([^`]+)`")) {
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

  // Keys are followed by their action, named as in the window.
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

RANKSCOPE_UI_TEST(HelpTest)
#include "help_test.moc"

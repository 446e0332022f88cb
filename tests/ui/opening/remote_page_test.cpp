// SPDX-License-Identifier: GPL-3.0-or-later
// Opening remotes in the window: the address, the choice of what to fetch, fetching, cancel and resume, with
// a real S3 server on the loopback. Covers ui/job/remote_choice and ui/base/remote_names.
#include "ui/opening/remote_page.h"

#include "tests/support/remote_servers.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/actions/actions.h"
#include "ui/job/session_file.h"
#include "ui/opening/load_bar.h"
#include "ui/opening/recent_paths.h"
#include "ui/opening/remote_dialog.h"
#include "ui/opening/start_page.h"
#include "ui/widgets/message_banner.h"
#include "ui/window/report_export.h"

#include <QApplication>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QStyle>
#include <QStyleOptionViewItem>
#include <QTimer>
#include <QTreeWidget>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

namespace fs = std::filesystem;

RemoteContents someContents() {
  std::vector<RemoteFile> files;
  for (const char* const node : {"node0", "node1"})
    for (int rank = 0; rank < 2; ++rank)
      files.push_back(
          {std::string(node) + "/rank" + std::to_string(rank + (node[4] == '1' ? 2 : 0)) + ".json.gz",
           1'500'000'000, "2026-01-01T00:00:00Z"});
  files.push_back({"nccl.log", 1000, ""});
  files.push_back({"notes.md", 1000, ""});
  return remoteContents("s3://bucket/job", files, false);
}

// On the box before a file's name.
void clickCheck(const RemotePage& page, int row) {
  const auto* const files = page.findChild<QTreeWidget*>(QStringLiteral("remoteFiles"));
  QStyleOptionViewItem option;
  option.initFrom(files);
  option.rect = files->visualItemRect(files->topLevelItem(row));
  option.rect.setWidth(files->columnWidth(0));
  option.features = QStyleOptionViewItem::HasCheckIndicator | QStyleOptionViewItem::HasDisplay;
  const QRect box = files->style()->subElementRect(QStyle::SE_ItemViewItemCheckIndicator, &option, files);
  QTest::mouseClick(files->viewport(), Qt::LeftButton, Qt::NoModifier, box.center());
}

// Types an address into the dialog that opens, and accepts it.
class AddressTyper {
 public:
  explicit AddressTyper(QString address) : m_address(std::move(address)) {
    QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { type(); });
    m_timer.start(10);
  }
  [[nodiscard]] const QString& before() const { return m_before; }

 private:
  void type() {
    auto* const dialog = qobject_cast<RemoteDialog*>(QApplication::activeModalWidget());
    if (dialog == nullptr || !dialog->isVisible()) return;
    m_timer.stop();
    auto* const field = dialog->findChild<QLineEdit*>(QStringLiteral("remoteAddress"));
    m_before = field->text();
    QTest::keyClicks(field, m_address); // replaces what is selected
    QTest::keyClick(field, Qt::Key_Return);
  }

  QTimer m_timer;
  QString m_address;
  QString m_before;
};

// A server with a job of four ranks, and the environment that reaches it.
struct Remote {
  QTemporaryDir folder;
  fs::path path = folder.path().toStdString();
  test::RemoteEnvironment environment{path};
  test::RemoteServer server = test::RemoteServer::s3(path / "s3");
  QString address;

  Remote() {
    environment.set("AWS_ACCESS_KEY_ID", "S3RVER");
    environment.set("AWS_SECRET_ACCESS_KEY", "S3RVER");
    writeSmallJob(path / "job", 4);
    fs::remove(path / "job/ground_truth.json");
    test::runRclone({"copy", (path / "job").string(), test::s3Remote(server.port(), "runs/job")});
    address = QString::fromStdString(test::s3Address(server.port(), "runs/job"));
  }
  void useCacheIn(MainWindow& window) const {
    window.document().setTraceCache(TraceCacheSettings{(path / "cache").string(), std::uint64_t{1} << 30, 0});
  }
};

std::string textBelow(const fs::path& folder) {
  std::ostringstream text;
  if (!fs::exists(folder)) return {};
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
  return text.str();
}

} // namespace

class RemotePageTest : public QObject {
  Q_OBJECT

 private:
  static bool servers() { return !test::programPath("rclone").empty() && !test::s3rverPath().empty(); }

 private slots:
  void thePageShowsWhatIsThereAndFollowsTheChoice();
  void filesAreChosenByTheMouse();
  void namesWithoutRanksOfferNone();
  void ranksAreNumbersAndRanges();
  void theDialogChecksTheForm();
  void typingMovesNothingInTheDialog();
  void recentRemotesHaveACloudAndStayInTheList();
  void sessionsKeepNamesOfRemotes();
  void aRemoteIsListedChosenAndFetched();
  void whatIsMissingOrDeniedIsToldInTheWindow();
  void cancelKeepsWhatIsWholeAndOpeningAgainFetchesTheRest();
  void anAddressIsDroppedAndItsCredentialsAreNowhere();
};

void RemotePageTest::thePageShowsWhatIsThereAndFollowsTheChoice() {
  RemotePage page;
  page.resize(900, 700);
  page.ask(someContents());
  page.show();
  const auto* const files = page.findChild<QTreeWidget*>(QStringLiteral("remoteFiles"));
  QCOMPARE(files->topLevelItemCount(), 5);
  QCOMPARE(page.findChild<QLabel*>(QStringLiteral("startText"))->text(),
           QStringLiteral("4 ranks · 2 nodes · 5 files · 5.6 GiB · 1 other file is left out"));
  auto* const ranks = page.findChild<QLineEdit*>(QStringLiteral("remoteRanks"));
  QTest::keyClicks(ranks, QStringLiteral("1-2"));
  QCOMPARE(files->topLevelItemCount(), 3); // the log belongs to all
  QCOMPARE(page.findChild<QLabel*>(QStringLiteral("remoteFigure"))->text(),
           QStringLiteral("3 files to open, 2.8 GiB to fetch"));
  QTest::keyClicks(ranks, QStringLiteral("x"));
  QVERIFY(!page.answer());
  QVERIFY(!page.findChild<QPushButton*>(QStringLiteral("primary"))->isEnabled());
  ranks->clear();
  auto* const nodes = page.findChildren<QComboBox*>().front();
  QVERIFY(nodes->isVisible());
  nodes->setCurrentIndex(2);
  QCOMPARE(files->topLevelItemCount(), 3);
  clickCheck(page, 0);
  int answers = 0;
  connect(&page, &RemotePage::fetchWanted, this, [&](const RemoteAnswer& answer) {
    ++answers;
    QCOMPARE(answer.node, std::optional<std::string>("node1"));
    QCOMPARE(answeredFiles(someContents(), answer), (std::vector<std::size_t>{3, 4}));
  });
  QTest::mouseClick(page.findChild<QPushButton*>(QStringLiteral("primary")), Qt::LeftButton);
  QCOMPARE(answers, 1);
}

void RemotePageTest::filesAreChosenByTheMouse() {
  RemotePage page;
  page.resize(900, 700);
  page.ask(someContents());
  page.show();
  const auto* const figure = page.findChild<QLabel*>(QStringLiteral("remoteFigure"));
  auto* const fetch = page.findChild<QPushButton*>(QStringLiteral("primary"));
  QCOMPARE(figure->text(), QStringLiteral("5 files to open, 5.6 GiB to fetch"));
  QTest::mouseClick(page.findChild<QPushButton*>(QStringLiteral("noFiles")), Qt::LeftButton);
  QVERIFY(!fetch->isEnabled());
  QCOMPARE(figure->text(), QStringLiteral("No file is chosen"));
  clickCheck(page, 0);
  clickCheck(page, 2);
  QCOMPARE(figure->text(), QStringLiteral("2 files to open, 2.8 GiB to fetch"));
  QVERIFY(page.answer());
  QCOMPARE(answeredFiles(someContents(), *page.answer()).size(), 2U);
  QTest::mouseClick(page.findChild<QPushButton*>(QStringLiteral("allFiles")), Qt::LeftButton);
  QVERIFY(page.answer()->without.empty());
  page.ask(someContents());
  QVERIFY(page.answer()->without.empty());
}

void RemotePageTest::namesWithoutRanksOfferNone() {
  const std::vector<RemoteFile> files{{"node0_0.pt.trace.json", 10, ""}};
  const RemoteContents contents = remoteContents("s3://bucket/job", files, false);
  RemotePage page;
  page.ask(contents);
  page.show();
  QVERIFY(!page.findChild<QLineEdit*>(QStringLiteral("remoteRanks"))->isEnabled());
  QVERIFY(page.answer());
  QCOMPARE(answeredFiles(contents, *page.answer()).size(), 1U);
  page.ask(someContents());
  QVERIFY(page.findChild<QLineEdit*>(QStringLiteral("remoteRanks"))->isEnabled());
}

void RemotePageTest::ranksAreNumbersAndRanges() {
  QCOMPARE(ranksFromText(QStringLiteral("0, 3-5")), (std::set<int>{0, 3, 4, 5}));
  for (const char* const text : {"", "a", "3-", "-3", "5-3", "1,,2", "1-2-3", "99999999999"})
    QVERIFY2(!ranksFromText(QString::fromLatin1(text)), text);
}

void RemotePageTest::theDialogChecksTheForm() {
  RemoteDialog dialog;
  auto* const address = dialog.findChild<QLineEdit*>(QStringLiteral("remoteAddress"));
  const auto buttons = dialog.findChildren<QPushButton*>();
  const auto list = std::ranges::find_if(buttons, &QPushButton::isDefault);
  QVERIFY(list != buttons.end());
  for (const char* const text : {"s3://bucket/x", "box:runs", "sftp://me@h/p", " gs://b/p "}) {
    address->setText(QString::fromLatin1(text));
    QVERIFY2((*list)->isEnabled(), text);
  }
  for (const char* const text :
       {"", "/data/job", "s3://", "hdfs://x/y", "sftp://me:word@h/p", "s3://b/p?no=1"}) {
    address->setText(QString::fromLatin1(text));
    QVERIFY2(!(*list)->isEnabled(), text);
  }
}

void RemotePageTest::typingMovesNothingInTheDialog() {
  RemoteDialog dialog;
  dialog.show();
  QApplication::processEvents();
  auto* const address = dialog.findChild<QLineEdit*>(QStringLiteral("remoteAddress"));
  auto* const buttons = dialog.findChild<QDialogButtonBox*>();
  const auto places = [&] {
    QApplication::processEvents();
    return std::array{address->geometry(), buttons->geometry(), dialog.rect()};
  };
  const auto before = places();
  for (const char* const text : {"w", "wrong:", "s3://", "s3://bucket/x"}) {
    address->setText(QString::fromLatin1(text));
    QVERIFY2(places() == before, text);
  }
}

void RemotePageTest::recentRemotesHaveACloudAndStayInTheList() {
  const QStringList remote{QStringLiteral("s3://bucket/runs/job?region=eu")};
  QCOMPARE(recentTitle(remote), QStringLiteral("\u2601 job"));
  QCOMPARE(recentPlace(remote), remote.front());
  QVERIFY(RecentPaths::exists(remote));
  const QTemporaryDir folder;
  QSettings settings(folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat);
  RecentPaths recent(settings);
  recent.add(remote);
  QCOMPARE(recent.entries().front(), remote);
}

void RemotePageTest::sessionsKeepNamesOfRemotes() {
  SessionState state;
  state.traces = QStringList{QStringLiteral("s3://bucket/job"), QStringLiteral("box:job")};
  const auto read = sessionFromText(sessionText(state, QStringLiteral("/data")), QStringLiteral("/other"));
  QVERIFY(read.ok());
  QCOMPARE(read->traces, state.traces);
  const SessionPlaces places = sessionPlaces(state.traces, QStringLiteral("/user"));
  QVERIFY(places.nextToTraces.isEmpty());
  QVERIFY(places.inUserFolder.startsWith(QStringLiteral("/user/")));
}

void RemotePageTest::aRemoteIsListedChosenAndFetched() {
  RANKSCOPE_QSKIP_WITHOUT(QString::fromLatin1(servers() ? "yes" : ""), test::kNoS3rver);
  const Remote remote;
  TestWindow fixture(loadJob);
  MainWindow& window = fixture.window;
  remote.useCacheIn(window);
  auto* const openRemote = window.findChild<QPushButton*>(QStringLiteral("openRemote"));
  {
    const AddressTyper typer(remote.address);
    QTest::mouseClick(openRemote, Qt::LeftButton);
    QVERIFY(typer.before().isEmpty());
  }
  QTRY_VERIFY(window.remotePage().isVisible());
  QTest::keyClick(&window.remotePage(), Qt::Key_Escape);
  QVERIFY(!window.remotePage().isVisible());
  {
    const AddressTyper typer(remote.address);
    QTest::mouseClick(openRemote, Qt::LeftButton);
    QCOMPARE(typer.before(), remote.address);
  }
  QTRY_VERIFY(window.remotePage().isVisible());
  QTest::keyClicks(window.focusWidget(), QStringLiteral("1,3"));
  QTest::keyClick(window.focusWidget(), Qt::Key_Return);
  QTRY_VERIFY(window.session().trace() != nullptr);
  QVERIFY(fixture.settles());
  QCOMPARE(window.session().trace()->ranks().size(), 2U);
  QVERIFY(!window.remotePage().isVisible());
  QCOMPARE(RecentPaths(fixture.settings).entries().front(), QStringList{remote.address});
  // The report opens the chosen files again.
  ExportRequest request;
  request.folder = pathOf(remote.path / "report");
  request.tables.reset();
  request.charts.reset();
  QSignalSpy written(&window.reportExport(), &ReportExport::finished);
  window.reportExport().write(request);
  QVERIFY(written.count() > 0 || written.wait(kTimeoutMs));
  const std::string html = textBelow(remote.path / "report");
  QVERIFY(html.find("runs/job/rank1.") != std::string::npos);
  QVERIFY(html.find("runs/job/rank0.") == std::string::npos);
  QVERIFY(fixture.settles());
  // The rest is small enough to be fetched unasked.
  window.open({remote.address});
  QVERIFY(fixture.settles());
  QCOMPARE(window.session().trace()->ranks().size(), 4U);
}

void RemotePageTest::whatIsMissingOrDeniedIsToldInTheWindow() {
  RANKSCOPE_QSKIP_WITHOUT(QString::fromLatin1(servers() ? "yes" : ""), test::kNoS3rver);
  Remote remote;
  TestWindow fixture(loadJob);
  MainWindow& window = fixture.window;
  remote.useCacheIn(window);
  const auto told = [&](const QString& address) {
    window.open({address});
    return fixture.settles() && window.banner().isVisible() ? window.banner().text() : QString();
  };
  QString missing = remote.address;
  missing.replace(QStringLiteral("traces/"), QStringLiteral("nowhere/"));
  QVERIFY2(told(missing).contains(QStringLiteral("not found")), qPrintable(told(missing)));
  const QString denied =
      told(remote.address + QStringLiteral("&access_key_id=NOBODY&secret_access_key=HIDDEN"));
  QVERIFY2(denied.contains(QStringLiteral("access denied")), qPrintable(denied));
  QVERIFY(!denied.contains(QStringLiteral("HIDDEN")) && !denied.contains(QStringLiteral("NOBODY")));
  QVERIFY(RecentPaths(fixture.settings).entries().isEmpty());
}

void RemotePageTest::cancelKeepsWhatIsWholeAndOpeningAgainFetchesTheRest() {
  RANKSCOPE_QSKIP_WITHOUT(QString::fromLatin1(servers() ? "yes" : ""), test::kNoS3rver);
  Remote remote;
  TestWindow fixture(loadJob);
  MainWindow& window = fixture.window;
  remote.useCacheIn(window);
  // One file after the other, and slowly.
  remote.environment.set("RCLONE_BWLIMIT", "60k");
  remote.environment.set("RCLONE_TRANSFERS", "1");
  window.open({remote.address});
  auto* const bar = window.findChild<LoadBar*>();
  QTRY_VERIFY(bar->isVisible() && bar->text().startsWith(QStringLiteral("Fetching · ")));
  QTest::mouseClick(bar->findChild<QPushButton*>(QStringLiteral("cancelLoad")), Qt::LeftButton);
  QVERIFY(fixture.settles());
  QVERIFY(!bar->isVisible());
  remote.environment.unset("RCLONE_BWLIMIT");
  remote.environment.unset("RCLONE_TRANSFERS");
  window.open({remote.address});
  QVERIFY(fixture.settles());
  QVERIFY(window.session().trace() != nullptr);
  QCOMPARE(window.session().trace()->ranks().size(), 4U);
  // Nothing that broke off is left.
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(remote.path / "cache/remote"))
    QVERIFY2(entry.path().string().find("/.part") == std::string::npos, entry.path().c_str());
}

void RemotePageTest::anAddressIsDroppedAndItsCredentialsAreNowhere() {
  RANKSCOPE_QSKIP_WITHOUT(QString::fromLatin1(servers() ? "yes" : ""), test::kNoS3rver);
  Remote remote;
  remote.environment.unset("AWS_ACCESS_KEY_ID");
  remote.environment.unset("AWS_SECRET_ACCESS_KEY");
  TestWindow fixture(loadJob);
  MainWindow& window = fixture.window;
  remote.useCacheIn(window);
  window.sessionStore().setFolder(pathOf(remote.path / "sessions"));
  QMimeData data;
  data.setText(remote.address + QStringLiteral("&access_key_id=S3RVER&secret_access_key=S3RVER"));
  QDragEnterEvent enter(QPoint(400, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&window, &enter);
  QVERIFY(enter.isAccepted());
  QDropEvent drop(QPointF(400, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&window, &drop);
  QVERIFY(fixture.settles());
  QVERIFY(window.session().trace() != nullptr);
  QCOMPARE(window.session().trace()->ranks().size(), 4U);
  QCOMPARE(RecentPaths(fixture.settings).entries().front(), QStringList{remote.address});
  fixture.settings.sync();
  window.sessionStore().saveNow();
  QVERIFY(fixture.settles());
  for (const fs::path& folder : {remote.path / "cache", remote.path / "sessions", fixture.folder.path()})
    QVERIFY2(textBelow(folder).find("S3RVER") == std::string::npos, folder.c_str());
  QVERIFY(!window.windowTitle().contains(QStringLiteral("S3RVER")));
  // What was typed into the dialog is kept without them.
  {
    const AddressTyper typer(data.text());
    window.actions().menuAction(QStringLiteral("file.openRemote"))->trigger();
  }
  QTRY_VERIFY(window.remotePage().isVisible());
  fixture.settings.sync();
  QVERIFY(textBelow(fixture.folder.path()).find("S3RVER") == std::string::npos);
  QVERIFY(!window.remotePage().findChild<QLabel*>(QStringLiteral("startTitle"))->text().contains("S3RVER"));
}

RANKSCOPE_UI_TEST(RemotePageTest)
#include "remote_page_test.moc"

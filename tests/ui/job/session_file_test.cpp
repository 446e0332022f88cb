// SPDX-License-Identifier: GPL-3.0-or-later
// Stored sessions: round trip, unknown fields of newer versions, damaged files, and restoring when the job
// or the file is opened. Covers ui/job/session_files too.
#include "tests/support/child_process.h"
#include "tests/ui/timeline_fixture.h"
#include "tests/ui/ui_test.h"
#include "ui/details/find_tools.h"
#include "ui/details/mark_tools.h"
#include "ui/job/event_finder.h"
#include "ui/job/session_file.h"
#include "ui/job/session_store.h"
#include "ui/window/main_window.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QSettings>
#include <QTemporaryDir>

#include <random>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

SessionState fullState() {
  SessionState state;
  state.traces = {QStringLiteral("/data/job"), QStringLiteral("/data/more/x.json.gz")};
  state.part = {{.steps = LoadFilter::Steps{3, 5}, .ranks = {0, 3}}, 2};
  const MarkedTrack track{3, 1, "stream|0|7"};
  state.accepted = {{"R10", "wait.rank", std::vector{1, 3}, "known"},
                    {"R63", std::nullopt, std::nullopt, ""}};
  state.regions = {{QStringLiteral("warm up"),
                    QStringLiteral("slow: \"why\"\n?"),
                    {kBase + 1, kBase + 987654321},
                    {track},
                    true},
                   {QStringLiteral("µ"), {}, {-5, 7}, {}, true}};
  state.timeline[QStringLiteral("pinned")] = QStringLiteral("stream 7");
  state.window = TimeRange{kBase, kBase + 1'000'000'001};
  state.range = TimeRange{kBase + 3, kBase + 5};
  state.rangeTracks = {track, {4, 2, "thread|12|a|b"}};
  state.selection = SavedEvent{track, kBase + 123456789, QStringLiteral("void f<int>()")};
  state.scroll = ScrollPlace{{3, 2, "more"}, -17};
  state.tab = QStringLiteral("gains");
  state.search = QStringLiteral("kind:nccl dur>1ms");
  state.theme = QStringLiteral("light");
  return state;
}

struct SessionFolder {
  QTemporaryDir folder;
  [[nodiscard]] QString operator/(const QString& name) const { return folder.filePath(name); }
};

void writeJob(const QString& folder, int ranks = 2) {
  QDir().mkpath(folder);
  for (int rank = 0; rank < ranks; ++rank)
    test::writeTraceFile((folder + QStringLiteral("/rank%1.json").arg(rank)).toStdString(),
                         rankText(rank, ranks));
}

// A window that stores sessions in its own folder.
struct UserSession {
  QSettings settings;
  MainWindow window;

  UserSession(const SessionFolder& folder, bool keeps = true)
      : settings(folder / QStringLiteral("settings.ini"), QSettings::IniFormat), window(settings) {
    if (keeps) window.sessionStore().setFolder(folder / QStringLiteral("sessions"));
    window.resize(1280, 800);
    window.show();
  }
  [[nodiscard]] bool opens(const QString& path) {
    window.open({path});
    return ui::settles(window.pending()) && window.session().trace();
  }
  [[nodiscard]] TimeNs origin() { return window.session().trace()->extent().begin; }
};

} // namespace

class SessionFileTest : public QObject {
  Q_OBJECT

 private slots:
  void whatIsWrittenIsReadAgainToTheNanosecond();
  void pathsAreRelativeToTheFile();
  void fieldsOfANewerVersionAreCarriedAlong();
  void damagedFieldsAreLeftOutAndTheOthersStay();
  void textsThatAreNoSessionReportIt();
  void noDamageIsTooMuch();
  void regionsOfTheSessionAreNotWritten();
  void aJobsOwnFileIsNamedAfterIt();
  void whatWasMarkedIsThereWhenTheJobIsOpenedAgain();
  void nothingIsWrittenNextToTheTraces();
  void sessionsOfEarlierVersionsNextToTheTracesAreReadAndNotChanged();
  void aFolderThatCannotBeWrittenIsNoHindrance();
  void ofVeryManySessionsThoseWithMarksStay();
  void aFullDiskOrAKilledWriterLeavesTheOldSessionIntact();
  void aSessionFileOpensItsJobAsItWasLeft();
  void theTimelineIsScrolledToWhereItWas();
  void aSessionFileOfNothingReportsIt();
  void aThemeThatWasAskedForStandsAgainstTheSession();
  void theSelectionIsFoundByWhatItIs();
};

void SessionFileTest::whatIsWrittenIsReadAgainToTheNanosecond() {
  SessionState state = fullState();
  state.regions.push_back({QStringLiteral("a note"), {}, {kBase + 77, kBase + 77}, {}, true, 3});
  const auto read = sessionFromText(sessionText(state, QStringLiteral("/data")), QStringLiteral("/data"));
  QVERIFY(read.ok());
  QVERIFY(read.value() == state);
  QVERIFY(sessionFromText(sessionText({}, QStringLiteral("/")), QStringLiteral("/")).value() ==
          SessionState{});
}

void SessionFileTest::pathsAreRelativeToTheFile() {
  const QByteArray text = sessionText(fullState(), QStringLiteral("/data/more"));
  QVERIFY2(text.contains("\"../job\"") && text.contains("\"x.json.gz\""), text.constData());
  QVERIFY(!text.contains("/data"));
  const auto moved = sessionFromText(text, QStringLiteral("/data/me/more"));
  QCOMPARE(moved.value().traces,
           (QStringList{QStringLiteral("/data/me/job"), QStringLiteral("/data/me/more/x.json.gz")}));
  // A relative path is one of where the program was started.
  SessionState relative;
  relative.traces = {QStringLiteral("a/job")};
  const QString folder = QDir::current().absoluteFilePath(QStringLiteral("sessions"));
  const auto read = sessionFromText(sessionText(relative, folder), folder);
  QCOMPARE(read.value().traces, QStringList{QDir::current().absoluteFilePath(QStringLiteral("a/job"))});
}

void SessionFileTest::fieldsOfANewerVersionAreCarriedAlong() {
  QByteArray text = sessionText(fullState(), QStringLiteral("/data"));
  text.replace("\"search\"", "\"hologram\": {\"depth\": 3}, \"search\"");
  const auto state = sessionFromText(text, QStringLiteral("/data"));
  QVERIFY(state.ok());
  QCOMPARE(state.value().search, fullState().search);
  QVERIFY(sessionText(state.value(), QStringLiteral("/data")).contains("hologram"));
}

void SessionFileTest::damagedFieldsAreLeftOutAndTheOthersStay() {
  const QByteArray text = R"({"rankscope_session": "9", "traces": [7, "a", null], "regions": [
    {"name": "bad", "range": ["5"]}, {"name": "backwards", "range": ["9", "3"]}, 12,
    {"name": "good", "range": ["3", "9"], "tracks": [{"rank": "x"}, {"rank": 1, "track": "t"}]}],
    "window": {"begin": 3}, "range": ["1e9", "x"], "selection": [1], "search": 17, "theme": null})";
  const auto state = sessionFromText(text, QStringLiteral("/d"));
  QVERIFY(state.ok());
  QCOMPARE(state.value().traces, QStringList{QStringLiteral("/d/a")});
  QCOMPARE(state.value().regions.size(), 1u);
  QCOMPARE(state.value().regions[0].name, QStringLiteral("good"));
  QCOMPARE(state.value().regions[0].tracks.size(), 1u);
  QVERIFY(!state.value().window && !state.value().range && !state.value().selection);
}

void SessionFileTest::textsThatAreNoSessionReportIt() {
  for (const char* text : {"", "{", "[]", "{}", "{\"traceEvents\": []}", "\xff\xfe"}) {
    const auto state = sessionFromText(text, QStringLiteral("/"));
    QVERIFY2(!state.ok(), text);
    QVERIFY(state.error().message.starts_with("not a session file"));
  }
  QVERIFY(!readSessionFile(QStringLiteral("/nowhere/x.rankscope")).ok());
}

void SessionFileTest::noDamageIsTooMuch() {
  const QByteArray whole = sessionText(fullState(), QStringLiteral("/data"));
  std::mt19937 random(4);
  for (int round = 0; round < 2000; ++round) {
    QByteArray text = whole;
    for (unsigned i = 0; i <= random() % 4; ++i)
      text[static_cast<qsizetype>(random() % static_cast<unsigned>(text.size()))] =
          static_cast<char>(random() % 256);
    if (random() % 3 == 0)
      text.truncate(static_cast<qsizetype>(random() % static_cast<unsigned>(text.size())));
    const auto state = sessionFromText(text, QStringLiteral("/data"));
    if (!state) continue;
    for (const Region& region : state.value().regions) QVERIFY(region.range.begin <= region.range.end);
    QVERIFY(
        sessionFromText(sessionText(state.value(), QStringLiteral("/data")), QStringLiteral("/data")).ok());
  }
}

void SessionFileTest::regionsOfTheSessionAreNotWritten() {
  SessionState state = fullState();
  state.regions[0].saved = false;
  const auto read = sessionFromText(sessionText(state, QStringLiteral("/")), QStringLiteral("/"));
  QCOMPARE(read.value().regions.size(), 1u);
  QCOMPARE(read.value().regions[0].name, QStringLiteral("µ"));
}

void SessionFileTest::aJobsOwnFileIsNamedAfterIt() {
  const SessionFolder folder;
  writeJob(folder / QStringLiteral("job"));
  const QString job = folder / QStringLiteral("job");
  QCOMPARE(sessionPlaces({job}, {}).nextToTraces, job + QStringLiteral("/.rankscope"));
  QCOMPARE(sessionPlaces({job + QStringLiteral("/rank0.json")}, {}).nextToTraces,
           job + QStringLiteral("/.rank0.json.rankscope"));
  const SessionPlaces some = sessionPlaces(
      {job + QStringLiteral("/rank0.json"), job + QStringLiteral("/rank1.json")}, QStringLiteral("/u"));
  const SessionPlaces reversed = sessionPlaces(
      {job + QStringLiteral("/rank1.json"), job + QStringLiteral("/rank0.json")}, QStringLiteral("/u"));
  QCOMPARE(some.nextToTraces, reversed.nextToTraces);
  QCOMPARE(some.inUserFolder, reversed.inUserFolder);
  QVERIFY(some.inUserFolder != sessionPlaces({job}, QStringLiteral("/u")).inUserFolder);
}

void SessionFileTest::whatWasMarkedIsThereWhenTheJobIsOpenedAgain() {
  const SessionFolder folder;
  const QString job = folder / QStringLiteral("job");
  writeJob(job);
  TimeRange window;
  {
    UserSession first(folder);
    QVERIFY(first.opens(job));
    TraceSession& session = first.window.session();
    window = {first.origin() + kMs, first.origin() + 3 * kMs};
    session.setWindow(window);
    session.marks().add({QStringLiteral("kept"), QStringLiteral("note"), window, {}, true});
    session.marks().add({QStringLiteral("gone"), {}, {window.begin, window.begin + 5}, {}, false});
    first.window.finder().setText(QStringLiteral("sgemm"));
    first.window.close();
  }
  UserSession second(folder);
  QVERIFY(second.opens(job));
  QCOMPARE(second.window.session().marks().regions().size(), 1u);
  QCOMPARE(second.window.session().marks().regions()[0].note, QStringLiteral("note"));
  QCOMPARE(second.window.session().window(), window);
  QCOMPARE(second.window.finder().text(), QStringLiteral("sgemm"));
}

void SessionFileTest::nothingIsWrittenNextToTheTraces() {
  const SessionFolder folder;
  const QString job = folder / QStringLiteral("job");
  writeJob(job);
  TimeRange window;
  {
    UserSession first(folder);
    QVERIFY(first.opens(job));
    window = {first.origin() + kMs, first.origin() + 3 * kMs};
    first.window.session().setWindow(window);
    first.window.session().marks().add({QStringLiteral("kept"), {}, window, {}, true});
    first.window.close();
  }
  QCOMPARE(QDir(job).entryList(QDir::Files | QDir::Hidden).size(), 2);
  UserSession second(folder);
  QVERIFY(second.opens(job));
  QCOMPARE(second.window.session().window(), window);
}

void SessionFileTest::sessionsOfEarlierVersionsNextToTheTracesAreReadAndNotChanged() {
  const SessionFolder folder;
  const QString job = folder / QStringLiteral("job");
  writeJob(job);
  const QString nextToTraces = sessionPlaces({job}, {}).nextToTraces;
  SessionState old;
  old.traces = {job};
  old.regions = {{QStringLiteral("old"), {}, {kBase, kBase + kMs}, {}, true}};
  QCOMPARE(writeSessionFile(nextToTraces, old), std::nullopt);
  QFile file(nextToTraces);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray before = file.readAll();
  {
    UserSession first(folder);
    QVERIFY(first.opens(job));
    QCOMPARE(first.window.session().marks().regions().size(), 1u);
    QCOMPARE(first.window.session().marks().regions()[0].name, QStringLiteral("old"));
    first.window.session().marks().add({QStringLiteral("new"), {}, {kBase, kBase + 2 * kMs}, {}, true});
    first.window.close();
  }
  file.seek(0);
  QCOMPARE(file.readAll(), before);
  UserSession second(folder);
  QVERIFY(second.opens(job));
  QCOMPARE(second.window.session().marks().regions().size(), 2u);
  // The same files are read: the session file next to them is no trace.
  QCOMPARE(second.window.session().trace()->files().size(), 2u);
}

void SessionFileTest::aFolderThatCannotBeWrittenIsNoHindrance() {
  const SessionFolder folder;
  SessionState state = fullState();
  // A file in place of a folder: not writable, even for root.
  QFile file(folder / QStringLiteral("file"));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.close();
  const SessionPlaces places{folder / QStringLiteral("file/.rankscope"),
                             folder / QStringLiteral("user/x.rankscope")};
  QVERIFY(writeStored(places, state));
  const auto read = readStored(places);
  QVERIFY(read.has_value());
  QCOMPARE(read->regions.size(), 2u);
  QVERIFY(!writeStored({places.nextToTraces, folder / QStringLiteral("file/user/x.rankscope")}, state));
}

void SessionFileTest::ofVeryManySessionsThoseWithMarksStay() {
  const SessionFolder folder;
  QDir().mkpath(folder / QStringLiteral("user"));
  const auto put = [&](const QString& name, const SessionState& state, int age) {
    const QString path = folder / (QStringLiteral("user/") + name + QStringLiteral(".rankscope"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(sessionText(state, folder / QStringLiteral("user")));
    file.flush();
    QVERIFY(file.setFileTime(QDateTime::currentDateTime().addSecs(-age), QFileDevice::FileModificationTime));
  };
  put(QStringLiteral("marked"), fullState(), 20'000);
  put(QStringLiteral("looked"), {}, 10'000);
  for (int i = 0; i < 1000; ++i) put(QString::number(i), {}, i);
  QVERIFY(writeStored({{}, folder / QStringLiteral("user/0.rankscope")}, {}));
  QVERIFY(QFile::exists(folder / QStringLiteral("user/marked.rankscope")));
  QVERIFY(!QFile::exists(folder / QStringLiteral("user/looked.rankscope")));
  QVERIFY(QFile::exists(folder / QStringLiteral("user/999.rankscope")));
}

void SessionFileTest::aFullDiskOrAKilledWriterLeavesTheOldSessionIntact() {
  const SessionFolder folder;
  const QString path = folder / QStringLiteral("a.rankscope");
  SessionState old;
  old.search = QStringLiteral("old");
  QCOMPARE(writeSessionFile(path, old), std::nullopt);
  constexpr rlim_t kMaxFileBytes = 100;
  const auto writeMore = [&] { return writeSessionFile(path, fullState()) ? 1 : 0; };
  QCOMPARE(test::inChild([&] {
             test::limitFiles(kMaxFileBytes);
             return writeMore();
           }),
           1);
  for (const rlim_t byte : {rlim_t{0}, kMaxFileBytes}) {
    QCOMPARE(test::inChild([&] {
               test::dieAtByte(byte);
               return writeMore();
             }),
             -1);
  }
  const auto read = readSessionFile(path);
  QVERIFY(read);
  QCOMPARE(read->search, old.search);
}

void SessionFileTest::aSessionFileOpensItsJobAsItWasLeft() {
  const SessionFolder folder;
  writeJob(folder / QStringLiteral("sent/job"));
  TimeRange range;
  EventRef selected;
  {
    UserSession first(folder, false);
    QVERIFY(first.opens(folder / QStringLiteral("sent/job")));
    TraceSession& session = first.window.session();
    range = {first.origin() + kMs, first.origin() + 2 * kMs};
    session.setRange(range, {{RankIndex(1), {TrackIndex(0)}}});
    selected = {RankIndex(1), EventIndex(3)};
    session.select(selected);
    session.editChoice([&](TimelineChoice& choice) {
      choice.setPinned(keyOf(*session.trace(), RankIndex(1), TrackIndex(0)), true);
    });
    session.marks().add({QStringLiteral("look"), {}, range, {}, true});
    QVERIFY(!writeSessionFile(folder / QStringLiteral("sent/look.rankscope"),
                              first.window.sessionStore().state()));
  }
  QVERIFY(QDir().rename(folder / QStringLiteral("sent"), folder / QStringLiteral("received")));
  UserSession second(folder, false);
  QVERIFY(second.opens(folder / QStringLiteral("received/look.rankscope")));
  QCOMPARE(second.window.session().range(), std::optional(range));
  QCOMPARE(second.window.session().rangeTracks().size(), 1u);
  QCOMPARE(second.window.session().selection(), selected);
  QCOMPARE(second.window.session().choice().pinned.size(), 1u);
  QCOMPARE(second.window.session().marks().regions().size(), 1u);
}

void SessionFileTest::theTimelineIsScrolledToWhereItWas() {
  const SessionFolder folder;
  writeJob(folder / QStringLiteral("job"), 12);
  int top = 0;
  TrackKey first;
  const auto timeline = [](UserSession& of) -> TimelineView& {
    return *of.window.findChild<TimelineView*>();
  };
  {
    UserSession before(folder);
    QVERIFY(before.opens(folder / QStringLiteral("job")));
    TimelineView& view = timeline(before);
    before.window.session().editChoice([](TimelineChoice& choice) {
      for (int rank = 0; rank < 12; ++rank) choice.open[{rank, 1, {}}] = true;
    });
    QApplication::processEvents();
    QVERIFY(view.scrollBar().maximum() > 400);
    view.scrollBar().setValue(view.scrollBar().maximum() / 2 + 7);
    top = view.scrollBar().value();
    QVERIFY(before.window.session().scrollPlace());
    first = before.window.session().scrollPlace()->section;
    QVERIFY(first.rank > 0);
    before.window.close(); // stores it
  }
  UserSession again(folder);
  QVERIFY(again.opens(folder / QStringLiteral("job")));
  QCOMPARE(timeline(again).scrollBar().value(), top);
  // The tab of a session file is shown, unless another one was asked for.
  SessionState state = again.window.sessionStore().state();
  state.tab = QStringLiteral("kernels");
  const QString path = folder / QStringLiteral("at.rankscope");
  QVERIFY(!writeSessionFile(path, state));
  UserSession third(folder, false);
  QVERIFY(third.opens(path));
  QCOMPARE(third.window.currentTab(), QStringLiteral("kernels"));
  QCOMPARE(timeline(third).scrollBar().value(), top);
  UserSession fourth(folder, false);
  fourth.window.showTab(QStringLiteral("memory"));
  QVERIFY(fourth.opens(path));
  QCOMPARE(fourth.window.currentTab(), QStringLiteral("memory"));
}

void SessionFileTest::aSessionFileOfNothingReportsIt() {
  const SessionFolder folder;
  UserSession userSession(folder, false);
  QFile file(folder / QStringLiteral("bad.rankscope"));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write("{\"rankscope_session\": 1}");
  file.close();
  userSession.window.open({file.fileName()});
  QVERIFY(userSession.window.pending().idle());
  QVERIFY(userSession.window.document().error().has_value());
  QVERIFY(userSession.window.document().error()->text().find("contains no traces") != std::string::npos);
}

void SessionFileTest::aThemeThatWasAskedForStandsAgainstTheSession() {
  const SessionFolder folder;
  writeJob(folder / QStringLiteral("job"));
  SessionState state;
  state.traces = {folder / QStringLiteral("job")};
  state.theme = QStringLiteral("light");
  QFile file(folder / QStringLiteral("look.rankscope"));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(sessionText(state, folder.folder.path()));
  file.close();
  UserSession asked(folder, false);
  asked.window.askForTheme(ThemeChoice::Dark);
  QVERIFY(asked.opens(file.fileName()));
  QVERIFY(asked.window.session().theme().name == ThemeName::Dark);
  UserSession left(folder, false);
  left.window.setThemeChoice(ThemeChoice::Dark);
  QVERIFY(left.opens(file.fileName()));
  QVERIFY(left.window.session().theme().name == ThemeName::Light);
}

void SessionFileTest::theSelectionIsFoundByWhatItIs() {
  const auto job = loadRanks(2);
  const RankTrace& trace = *job->rank(RankIndex(1)).trace;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const EventRef event{RankIndex(1), EventIndex(i)};
    SavedEvent saved = savedEvent(*job, event);
    QCOMPARE(findSaved(*job, saved), event);
    saved.begin += 300; // its clock was aligned since
    QCOMPARE(findSaved(*job, saved), event);
    saved.name = QStringLiteral("nothing of that name");
    QVERIFY(!findSaved(*job, saved).valid());
  }
}

RANKSCOPE_UI_TEST(SessionFileTest)
#include "session_file_test.moc"

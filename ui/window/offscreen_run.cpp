// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/offscreen_run.h"

#include "core/base/number_ranges.h"
#include "core/io/load/missing_capture.h"
#include "ui/base/save_file.h"
#include "ui/base/work_failures.h"
#include "ui/job/loaded_part.h"
#include "ui/opening/file_problems.h"
#include "ui/tabs/tab_registry.h"
#include "ui/timeline/tracks/range_tracks.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/window/stacks_bench.h"
#include "ui/window/tab_pages.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>
#include <QTemporaryDir>
#include <QThread>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <set>
#include <vector>

namespace rankscope::ui {

namespace {

constexpr int kSuccess = 0;
constexpr int kFailed = 1;
constexpr int kNothingRead = 2;

void printError(const QString& line) {
  std::fprintf(stderr, "rankscope: %s\n", qUtf8Printable(line));
}

void waitUntilSettled(MainWindow& window) {
  QEventLoop loop;
  QObject::connect(&window.pending(), &PendingWork::settled, &loop, &QEventLoop::quit);
  while (!window.pending().idle()) loop.exec();
}

// A window with its own settings, so that a picture is independent of the user's settings and does not
// change them.
struct OffscreenWindow {
  QTemporaryDir folder;
  QSettings settings{folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat};
  MainWindow window;
  std::optional<Error> failure; // of work for the picture

  explicit OffscreenWindow(std::optional<ThemeChoice> theme)
      : window(settings, loadJob, theme.value_or(ThemeChoice::Dark)) {
    if (theme) window.askForTheme(*theme);
    QObject::connect(&WorkFailures::ofProgram(), &WorkFailures::reported, &window,
                     [this](const Error& error) { failure = error; });
  }

  // Empty unless some work failed.
  [[nodiscard]] std::optional<int> failed() const {
    if (!failure) return std::nullopt;
    printError(QString::fromStdString(failure->text()));
    return kNothingRead;
  }

  // The exit status, or nothing when the traces are open.
  std::optional<int> open(const OffscreenRun& run) {
    window.document().setTraceCache(run.load.cache);
    window.setAttribute(Qt::WA_DontShowOnScreen);
    window.resize(run.size);
    window.show();
    if (run.paths.isEmpty()) return std::nullopt;
    window.open(run.paths, run.load);
    waitUntilSettled(window);
    if (window.document().error()) {
      printError(QString::fromStdString(window.document().error()->text()));
      return isMissingCapture(*window.document().error()) ? kFailed : kNothingRead;
    }
    if (const auto status = failed()) return status;
    if (run.load.capture) {
      const std::string without = ranksWithoutCapture(*window.session().trace(), *run.load.capture);
      if (!without.empty())
        printError(QStringLiteral("warning: --capture: ") + QString::fromStdString(without));
    }
    for (const FileProblem& fileProblem : fileProblems(*window.session().trace()))
      printError(fileProblem.line);
    if (const auto& report = window.document().tables().report) {
      for (const QString& line : missingSteps(report->analysis(), run.load.filter))
        printError(QStringLiteral("warning: --load-steps: ") + line);
    }
    if (run.whenOpen) {
      run.whenOpen(window);
      waitUntilSettled(window);
    }
    if (const auto problem = showTarget(window, run.target)) {
      printError(*problem);
      return kFailed;
    }
    if (run.target.finding) {
      waitUntilSettled(window);
      if (const auto problem = showFinding(window, *run.target.finding)) {
        printError(*problem);
        return kFailed;
      }
    }
    if (TabPage* const page = window.tabs().currentPage()) page->prepare();
    waitUntilSettled(window);
    return failed();
  }
};

struct Scene {
  QString name;
  std::vector<TimeRange> windows; // one a frame
};

TimeRange around(TimeNs center, double length) {
  const auto half = static_cast<TimeNs>(length / 2);
  return {center - half, center + half};
}

// Zooms from the whole job to a thousandth of it, pans at three depths, and zooms back.
std::vector<Scene> script(TimeRange all) {
  constexpr int kFrames = 120;
  constexpr double kMaxDepth = 1000;
  const TimeNs center = all.begin + all.length() / 5 * 3;
  const auto length = static_cast<double>(all.length());
  Scene in{"zoom in", {}};
  for (int i = 0; i < kFrames; ++i)
    in.windows.push_back(around(center, length * std::pow(kMaxDepth, -i / (kFrames - 1.0))));
  Scene out{"zoom out", {in.windows.rbegin(), in.windows.rend()}};
  std::vector<Scene> scenes{std::move(in)};
  for (const int depth : {2, 30, 1000}) {
    Scene pan{QStringLiteral("pan at 1/%1").arg(depth), {}};
    for (int i = 0; i < kFrames; ++i) {
      const auto shift = static_cast<TimeNs>(length / depth * 0.4 * std::sin(i * 0.1));
      pan.windows.push_back(around(center + shift, length / depth));
    }
    scenes.push_back(std::move(pan));
  }
  scenes.push_back(std::move(out));
  return scenes;
}

double milliseconds(const QElapsedTimer& clock) {
  return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

double rounded(double ms) {
  return std::round(ms * 1000) / 1000;
}

// Processor time of the UI thread; elapsed time where that is not available.
double workedMilliseconds() {
#if defined(Q_OS_UNIX)
  timespec now{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0)
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
#endif
  static QElapsedTimer sinceFirst = [] {
    QElapsedTimer clock;
    clock.start();
    return clock;
  }();
  return milliseconds(sinceFirst);
}

template <class Work> double worked(Work&& work) {
  const double before = workedMilliseconds();
  work();
  return workedMilliseconds() - before;
}

struct Settling {
  double longest = 0; // longest processEvents() call
  double all = 0;
};

Settling settle(MainWindow& window) {
  constexpr int kPauseUs = 200;
  Settling settling;
  do {
    const double span = worked([] { QCoreApplication::processEvents(); });
    settling.longest = std::max(settling.longest, span);
    settling.all += span;
    QThread::usleep(kPauseUs);
  } while (!window.pending().idle());
  return settling;
}

QJsonObject firstLook(OffscreenWindow& offscreen, const TabSpec& tab, QImage& image) {
  MainWindow& window = offscreen.window;
  const auto draw = [&] {
    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
    window.content().render(&image);
  };
  QElapsedTimer whole;
  whole.start();
  const double open = worked([&] { window.showTab(tab.name()); });
  const double empty = worked(draw);
  const Settling settling = settle(window);
  const double first = worked(draw);
  const double passed = milliseconds(whole);
  return {{"view", tab.title()},
          {"open_ms", rounded(open)},
          {"empty_frame_ms", rounded(empty)},
          {"longest_ms", rounded(settling.longest)},
          {"busy_ms", rounded(settling.all)},
          {"first_frame_ms", rounded(first)},
          {"next_frame_ms", rounded(worked(draw))},
          {"ui_ms", rounded(open + empty + settling.all + first)},
          {"passed_ms", rounded(passed)}};
}

QJsonObject percentiles(std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  const auto at = [&](double share) {
    const auto index = static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1));
    return std::round(ms[index] * 1000) / 1000;
  };
  return {{"frames", static_cast<qint64>(ms.size())},
          {"p50_ms", at(0.5)},
          {"p90_ms", at(0.9)},
          {"p99_ms", at(0.99)},
          {"max_ms", at(1.0)}};
}

} // namespace

std::optional<QString> showFinding(MainWindow& window, int id) {
  const auto& report = window.tabs().scope().report();
  const std::size_t count = report ? report->findings().size() : 0;
  if (count == 0) return MainWindow::tr("--finding %1: the job has no findings").arg(id);
  if (id < 1 || static_cast<std::size_t>(id) > count)
    return MainWindow::tr("--finding %1: the job has the findings 1 to %2").arg(id).arg(count);
  window.tabs().openFinding(report->findings()[static_cast<std::size_t>(id - 1)]);
  return std::nullopt;
}

std::optional<RankPlace> rankPlaceFromText(const QString& text) {
  RankPlace place;
  bool rank = false, time = false;
  for (const QString& part : text.split(QLatin1Char(','))) {
    const QString key = part.section(QLatin1Char('='), 0, 0).trimmed();
    const QString value = part.section(QLatin1Char('='), 1).trimmed();
    if (key == QLatin1String("rank")) {
      place.rank = value.toInt(&rank);
    } else if (key == QLatin1String("ts")) {
      const auto at = timeFromText(value);
      time = at.has_value();
      place.time = at.value_or(0);
    } else {
      return std::nullopt;
    }
  }
  return rank && time ? std::optional(place) : std::nullopt;
}

namespace {

// The rank's lanes with a millisecond around the time.
std::optional<QString> showPlace(MainWindow& window, const RankPlace& place) {
  constexpr TimeNs kAround = 500'000;
  TraceSession& session = window.session();
  const TraceSet& job = *session.trace();
  const auto found = std::ranges::find(job.ranks(), place.rank, &RankEntry::rank);
  if (found == job.ranks().end()) return MainWindow::tr("--at: the job has no rank %1").arg(place.rank);
  const TimeNs time = job.extent().begin + place.time;
  if (time >= job.extent().end) return MainWindow::tr("--at: the time is after the end of the job");
  window.tabs().showPlace();
  const TimeRange around{time - kAround, time + kAround};
  session.revealPlace(RankIndex(static_cast<std::uint32_t>(found - job.ranks().begin())),
                      JobRange::of(around));
  session.setWindow(around);
  return std::nullopt;
}

// Selects the range, on all tracks of its ranks.
std::optional<QString> selectRange(TraceSession& session, const ViewTarget& target) {
  const TraceSet& job = *session.trace();
  const TimeRange all = job.extent();
  TimeRange range = all;
  if (target.range) range = TimeRange{all.begin + target.range->begin, all.begin + target.range->end};
  if (range.begin >= all.end) return MainWindow::tr("--range: the range is after the end of the job");
  std::vector<RankTracks> tracks;
  std::set<int> missing(target.ranks.begin(), target.ranks.end());
  for (std::size_t i = 0; i < job.ranks().size(); ++i) {
    const int rank = job.ranks()[i].rank;
    missing.erase(rank);
    if (std::ranges::find(target.ranks, rank) != target.ranks.end())
      tracks.push_back(allTracksOf(job, RankIndex(i)));
  }
  if (!missing.empty())
    return MainWindow::tr("--ranks: the job does not have %1")
        .arg(QString::fromStdString(numberRangesText({missing.begin(), missing.end()})));
  session.setRange(session.drawnAt(range), std::move(tracks));
  return std::nullopt;
}

} // namespace

bool showsPlace(const ViewTarget& target) {
  return target.from || target.to || target.range || !target.ranks.empty() || target.select || target.at;
}

std::optional<QString> showTarget(MainWindow& window, const ViewTarget& target) {
  TraceSession& session = window.session();
  const auto& traces = session.trace();
  if (!target.tab.isEmpty()) window.showTab(target.tab);
  const TimeRange all = traces->extent();
  TimeRange shown{all.begin + target.from.value_or(0), target.to ? all.begin + *target.to : all.end};
  if (target.from || target.to) {
    if (shown.empty()) return MainWindow::tr("--from must be before --to and within the job");
    if (shown.begin >= all.end) return MainWindow::tr("--from: the time is after the end of the job");
    session.setWindow(shown);
  }
  if (target.range || !target.ranks.empty()) {
    if (auto problem = selectRange(session, target)) return problem;
  }
  const auto act = [&]() -> std::optional<QString> {
    if (!target.actions.isEmpty()) waitUntilSettled(window); // until their results are known
    for (const QString& action : target.actions)
      if (!window.actions().run(action))
        return MainWindow::tr("--do %1: unknown action, or not available now").arg(action);
    return std::nullopt;
  };
  if (target.at) {
    if (auto problem = showPlace(window, *target.at)) return problem;
  }
  if (!target.select) return act();
  const EventRef event = findEvent(*traces, *target.select,
                                   target.from || target.to ? shown : TimeRange{all.begin, all.end + 1});
  if (!event.valid()) return MainWindow::tr("--select: no matching event");
  session.reveal(event);
  if (target.from || target.to) session.setWindow(shown); // reveal() may have moved the window
  return act();
}

int savePicture(const OffscreenRun& run, const QString& file) {
  OffscreenWindow offscreen(run.theme);
  if (const auto status = offscreen.open(run)) return *status;
  // The last content of a panel is shown by a pending event.
  QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents);
  if (const auto status = offscreen.failed()) return *status;
  const auto problem = savePng(file, picture(offscreen.window.content(), run.size));
  if (!problem) return kSuccess;
  printError(MainWindow::tr("%1: %2").arg(file, *problem));
  return kFailed;
}

int benchFrames(const OffscreenRun& run) {
  OffscreenWindow offscreen(run.theme);
  if (const auto status = offscreen.open(run)) return *status;
  if (run.target.tab == QLatin1String("stacks")) {
    std::fputs(QJsonDocument(stacksBench(offscreen.window)).toJson().constData(), stdout);
    return kSuccess;
  }
  TraceSession& session = offscreen.window.session();
  TimelineView& timeline = *offscreen.window.content().findChild<TimelineView*>();
  offscreen.window.tabs().showPlace();
  timeline.prepare();
  waitUntilSettled(offscreen.window);
  QJsonArray scenes;
  std::vector<double> all;
  // Painted as in an open window: QWidget::render() also visits every widget of the window. The first frame
  // is measured separately: fonts are loaded and texts laid out.
  QElapsedTimer first;
  first.start();
  timeline.window()->setAttribute(Qt::WA_DontShowOnScreen);
  timeline.window()->show();
  timeline.repaint();
  const double firstFrame = static_cast<double>(first.nsecsElapsed()) / 1e6;
  for (const Scene& scene : script(session.trace()->extent())) {
    std::vector<double> times;
    for (const TimeRange& shown : scene.windows) {
      QElapsedTimer clock;
      clock.start();
      session.setWindow(shown, false);
      timeline.repaint();
      times.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    all.insert(all.end(), times.begin(), times.end());
    QJsonObject entry = percentiles(std::move(times));
    entry.insert("scene", scene.name);
    scenes.append(entry);
  }
  QJsonObject report = percentiles(std::move(all));
  report.insert("first_ms", firstFrame);
  report.insert("width", timeline.width());
  report.insert("height", timeline.height());
  report.insert("events", static_cast<qint64>(session.trace()->eventCount()));
  report.insert("scenes", scenes);
  std::fputs(QJsonDocument(report).toJson().constData(), stdout);
  return kSuccess;
}

int benchTabs(const OffscreenRun& run) {
  OffscreenWindow offscreen(run.theme);
  OffscreenRun start = run;
  start.target.tab.clear();
  if (const auto status = offscreen.open(start)) return *status;
  QImage image(offscreen.window.content().size(), QImage::Format_RGB32);
  // Lays out the window and loads fonts.
  settle(offscreen.window);
  offscreen.window.content().render(&image);
  settle(offscreen.window);
  QJsonArray views;
  const QString first = offscreen.window.currentTab(); // this tab is visible already
  for (const TabSpec& tab : tabSpecs())
    if (tab.name() != first) views.append(firstLook(offscreen, tab, image));
  const TraceSet& traces = *offscreen.window.session().trace();
  const QJsonObject report{{"width", image.width()},
                           {"height", image.height()},
                           {"events", static_cast<qint64>(traces.eventCount())},
                           {"ranks", static_cast<qint64>(traces.ranks().size())},
                           {"views", views}};
  std::fputs(QJsonDocument(report).toJson().constData(), stdout);
  return kSuccess;
}

} // namespace rankscope::ui

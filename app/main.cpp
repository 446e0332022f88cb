// SPDX-License-Identifier: GPL-3.0-or-later
// The window application: parses the command line, then shows the window, writes a screenshot, or measures
// frame times.
#include "app/display.h"
#include "app/filter_options.h"
#include "app/typed_arguments.h"
#include "core/base/caught.h"
#include "core/base/number_ranges.h"
#include "core/base/thread_team.h"
#include "ui/base/text_scale.h"
#include "ui/tabs/tab_registry.h"
#include "ui/widgets/opens_beside.h"
#include "ui/window/application.h"
#include "ui/window/offscreen_run.h"
#include "ui/window/tab_pages.h"

#include <CLI/CLI.hpp>

#include <QScreen>
#include <QSettings>
#include <QStandardPaths>

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

constexpr int kSuccess = 0;
constexpr int kWrongUsage = 1;
constexpr int kNothingRead = 2;

struct Arguments {
  std::vector<std::string> paths;
  std::vector<std::string> with;
  std::string screenshot;
  std::string view;
  std::string size;
  std::string from;
  std::string to;
  std::string range;
  std::string ranks;
  std::string select;
  std::string at;
  std::string finding;
  std::string theme;
  std::vector<std::string> actions;
  bool benchFrames = false;
  bool benchTabs = false;
  bool noCache = false;
  FilterOptions filter;
  unsigned threads = 0;
  int capture = 0;
  int textSize = 0; // percent; 0: from the desktop
};

void declare(CLI::App& app, Arguments& arguments) {
  app.add_option(
      "PATH", arguments.paths,
      "trace files, folders to search recursively, archives, or remotes: s3://bucket/path, NAME:path of "
      "rclone");
  app.add_option("--with", arguments.with, "another job, to compare with the first");
  app.add_option("--screenshot", arguments.screenshot,
                 "render the window into this PNG file, without a display, and exit");
  app.add_option("--view", arguments.view,
                 "tab to show: " + tabIds().join(QStringLiteral(", ")).toStdString());
  app.add_option("--size", arguments.size, "size of the window or the picture, as 1920x1080");
  app.add_option("--from", arguments.from,
                 "start of the visible time range: 1.234s, 12ms, 350us after the job's first event");
  app.add_option("--to", arguments.to, "end of the visible time range");
  app.add_option("--range", arguments.range,
                 "time range to select, which tabs are of then: 12ms..20ms after the job's first event");
  app.add_option("--ranks", arguments.ranks, "ranks of that range, as 0,3-5 (default: all)");
  app.add_option("--select", arguments.select, "event to select: rank=3,name=ncclAllReduce");
  app.add_option("--at", arguments.at, "rank and time to show: rank=3,ts=1.234s");
  app.add_option("--finding", arguments.finding,
                 "finding to show, by its id in the table of findings: 1, 2, ...");
  app.add_option("--theme", arguments.theme, "dark or light");
  app.add_option("--text-size", arguments.textSize,
                 "text size in percent, 100 to 250 (default: as set in the desktop)")
      ->check(CLI::Range(100, qRound(kMaxTextScale * 100)));
  app.add_option("--do", arguments.actions, "actions to run first, by id: tracks.pin color.phase")
      ->expected(1, 20);
  app.add_flag("--bench-frames", arguments.benchFrames,
               "run scripted zooms and pans, print frame times as JSON, exit");
  app.add_flag("--bench-tabs", arguments.benchTabs,
               "open each tab once, print how long each blocks the window as JSON, exit");
  app.add_flag("--no-cache", arguments.noCache, "read the trace files; neither use nor write the cache");
  addFilterOptions(app, arguments.filter);
  app.add_option("--threads", arguments.threads, "number of threads (default: all cores)");
  app.add_option("--capture", arguments.capture, "use only this profiling cycle of every rank: 1, 2, ...")
      ->check(CLI::PositiveNumber);
  app.set_version_flag("--version", RANKSCOPE_VERSION);
}

// Parses option values; returns an error message if one is invalid.
class Interpreter {
 public:
  explicit Interpreter(const Arguments& arguments) : m_arguments(arguments) {}

  std::optional<QString> into(OffscreenRun& run) {
    for (const std::string& path : m_arguments.paths) run.paths << QString::fromLocal8Bit(path.c_str());
    run.load.threadCount = m_arguments.threads;
    if (!m_arguments.noCache) run.load.cache = userTraceCache();
    if (m_arguments.capture > 0) run.load.capture = m_arguments.capture;
    if (const std::string usageProblem = filterError(m_arguments.filter); !usageProblem.empty()) {
      printError(QString::fromStdString(usageProblem));
    } else {
      run.load.filter = filterFrom(m_arguments.filter);
    }
    readView(run.target);
    readSize(run);
    readTime("--from", m_arguments.from, run.target.from);
    readTime("--to", m_arguments.to, run.target.to);
    if (run.target.from && run.target.to && *run.target.from >= *run.target.to)
      printError("--from must lie before --to");
    readRange(run.target);
    if (!m_arguments.select.empty()) {
      run.target.select = eventQueryFromText(QString::fromStdString(m_arguments.select));
      if (!run.target.select) printError("--select wants rank=N,name=TEXT or name=TEXT");
    }
    if (!m_arguments.at.empty()) {
      run.target.at = rankPlaceFromText(QString::fromStdString(m_arguments.at));
      if (!run.target.at) printError("--at wants rank=N,ts=TIME, as rank=3,ts=1.234s");
    }
    readFinding(run.target);
    readTheme(run);
    for (const std::string& action : m_arguments.actions)
      run.target.actions << QString::fromStdString(action);
    if (run.paths.isEmpty() && !m_arguments.with.empty()) printError("--with: name the first job too");
    const bool aimed = showsPlace(run.target) || run.target.finding || !run.target.actions.isEmpty();
    if (run.paths.isEmpty() && (m_arguments.benchFrames || m_arguments.benchTabs || aimed))
      printError("nothing to open: name a trace file or a folder");
    return m_complaint;
  }

 private:
  void printError(const QString& text) {
    if (!m_complaint) m_complaint = text;
  }

  void readView(ViewTarget& target) {
    if (m_arguments.view.empty()) return;
    const QString name = QString::fromStdString(m_arguments.view);
    const QString known = tabIds().join(QStringLiteral(", "));
    if (tabNamed(name) >= 0)
      target.tab = name;
    else
      printError(QStringLiteral("--view %1: no such tab; there are %2").arg(name, known));
  }

  void readFinding(ViewTarget& target) {
    if (m_arguments.finding.empty()) return;
    bool number = false;
    const int id = QString::fromStdString(m_arguments.finding).toInt(&number);
    if (number && id >= 1)
      target.finding = id;
    else
      printError(QStringLiteral("--finding %1: ids of findings are whole numbers and begin at 1")
                     .arg(QString::fromStdString(m_arguments.finding.substr(0, 40))));
  }

  void readSize(OffscreenRun& run) {
    if (m_arguments.size.empty()) return;
    if (const auto size = sizeFromText(QString::fromStdString(m_arguments.size)))
      run.size = *size;
    else
      printError(QStringLiteral("--size wants WIDTHxHEIGHT, each %1 to %2, as 1920x1080")
                     .arg(kMinPictureSize)
                     .arg(kMaxPictureSize));
  }

  void readTime(const char* option, const std::string& text, std::optional<TimeNs>& time) {
    if (text.empty()) return;
    time = timeFromText(QString::fromStdString(text));
    if (!time)
      printError(QStringLiteral("%1 wants a time such as 1.234s, 12ms or 350us").arg(QLatin1String(option)));
  }

  void readRange(ViewTarget& target) {
    if (!m_arguments.range.empty()) {
      const QString text = QString::fromStdString(m_arguments.range);
      const auto begin = timeFromText(text.section(QStringLiteral(".."), 0, 0));
      const auto end = timeFromText(text.section(QStringLiteral(".."), 1));
      if (begin && end && *begin < *end)
        target.range = TimeRange{*begin, *end};
      else
        printError("--range wants two times such as 12ms..20ms");
    }
    if (m_arguments.ranks.empty()) return;
    if (const auto ranks = numbersInRanges(m_arguments.ranks))
      target.ranks = *ranks;
    else
      printError("--ranks wants a list of ranks such as 0,3-5");
  }

  void readTheme(OffscreenRun& run) {
    if (m_arguments.theme == "dark")
      run.theme = ThemeChoice::Dark;
    else if (m_arguments.theme == "light")
      run.theme = ThemeChoice::Light;
    else if (!m_arguments.theme.empty())
      printError(QStringLiteral("--theme wants dark or light"));
  }

  const Arguments& m_arguments;
  std::optional<QString> m_complaint;
};

// Opens the job of --with beside the first.
std::function<void(MainWindow&)> comparisonOf(const Arguments& arguments, const LoadOptions& load) {
  if (arguments.with.empty()) return {};
  QStringList paths;
  for (const std::string& path : arguments.with) paths << QString::fromLocal8Bit(path.c_str());
  const bool chosen = !arguments.view.empty(); // by --view
  return [paths, load, chosen](MainWindow& window) {
    if (auto* const page = dynamic_cast<OpensBeside*>(window.tabs().pageNamed(QStringLiteral("compare"))))
      page->openBeside(paths, load);
    if (!chosen) window.showTab(QStringLiteral("compare"));
  };
}

int showWindow(const Arguments& arguments, const OffscreenRun& run) {
  QSettings settings;
  MainWindow window(settings);
  window.document().setTraceCache(run.load.cache);
  window.document().setMemory(availableMemory);
  // Not every desktop makes a window smaller that is larger than its screen.
  if (const QScreen* const screen = window.screen())
    window.resize(window.size().boundedTo(screen->availableSize()));
  if (run.theme) window.askForTheme(*run.theme);
  window.followSystemTheme();
  if (!arguments.size.empty()) window.resize(run.size);
  window.showTab(run.target.tab);
  if (showsPlace(run.target))
    QObject::connect(
        &window.document(), &JobDocument::opened, &window,
        [&] {
          if (const auto problem = showTarget(window, run.target))
            std::cerr << "rankscope: " << problem->toStdString() << '\n';
        },
        Qt::SingleShotConnection);
  // The findings come with the tables, after the job.
  if (run.target.finding)
    QObject::connect(
        &window.document(), &JobDocument::analyzed, &window,
        [&] {
          if (const auto problem = showFinding(window, *run.target.finding))
            std::cerr << "rankscope: " << problem->toStdString() << '\n';
        },
        static_cast<Qt::ConnectionType>(Qt::SingleShotConnection | Qt::QueuedConnection));
  window.sessionStore().setFolder(QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) +
                                  QStringLiteral("/sessions"));
  // A place or a finding that is asked for is one of the whole job. Opened before it is shown: a session has
  // its theme.
  const bool whole = showsPlace(run.target) || run.target.finding;
  window.open(run.paths, run.load, whole ? OpenedPart::AsAsked : OpenedPart::AsLeft);
  window.show();
  if (run.whenOpen) run.whenOpen(window);
  return QApplication::exec();
}

// Suppresses Qt warnings of an offscreen window, which are not errors of Rankscope.
void dropRemarks(QtMsgType type, const QMessageLogContext&, const QString& text) {
  if (type == QtCriticalMsg || type == QtFatalMsg) std::cerr << "rankscope: " << text.toStdString() << '\n';
}

// Offscreen there is no user to ask, so loads everything, with a warning about its size.
decltype(LoadOptions::mayRead) warner(const LoadOptions& load) {
  const unsigned threads = load.threadCount > 0 ? load.threadCount : defaultThreadCount();
  return [filter = load.filter, threads](std::span<const DiscoveredFile> files) {
    const std::string warning = memoryWarning(files, filter, threads);
    if (!warning.empty()) std::cerr << "rankscope: " + warning + "\n";
    return true;
  };
}

int wrongUsage(const QString& text) {
  std::cerr << "rankscope: " << text.toStdString() << '\n';
  return kWrongUsage;
}

int run(int argc, char** argv) {
  Arguments arguments;
  CLI::App parser("Rankscope: look into the PyTorch profiler traces of a distributed training job",
                  "rankscope");
  declare(parser, arguments);
  try {
    TypedArguments typed(argc, argv);
    parser.parse(typed.count(), typed.words());
  } catch (const CLI::ParseError& error) {
    return parser.exit(error) == 0 ? kSuccess : kWrongUsage;
  }
  OffscreenRun wanted;
  if (const auto usageProblem = Interpreter(arguments).into(wanted)) return wrongUsage(*usageProblem);
  wanted.whenOpen = comparisonOf(arguments, wanted.load);

  const bool offscreen = !arguments.screenshot.empty() || arguments.benchFrames || arguments.benchTabs;
  if (offscreen) wanted.load.mayRead = warner(wanted.load);
  if (offscreen) qInstallMessageHandler(dropRemarks);
  if (offscreen && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  if (const std::string problem = displayProblem(); !problem.empty())
    return wrongUsage(QString::fromStdString(problem) +
                      QStringLiteral("; --screenshot draws without one, rankscope-cli needs none"));
  Application application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("rankscope"));
  QApplication::setApplicationName(QStringLiteral("rankscope"));
  QApplication::setApplicationVersion(QStringLiteral(RANKSCOPE_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("rankscope"));
  // A picture is the same whatever the user has chosen for the window.
  const int chosen = arguments.textSize > 0 || offscreen ? arguments.textSize : savedTextSize(QSettings());
  setTextScale(chosen > 0 ? chosen / 100.0 : textScaleOf(QApplication::font()));
  if (arguments.benchFrames) return benchFrames(wanted);
  if (arguments.benchTabs) return benchTabs(wanted);
  if (offscreen) return savePicture(wanted, QString::fromLocal8Bit(arguments.screenshot.c_str()));
  return showWindow(arguments, wanted);
}

// REQUIRES: called within a catch block.
void reportException() noexcept {
  const Error error = caughtError();
  std::fprintf(stderr, "rankscope: %s\n", error.message.c_str());
}

} // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (...) {
    reportException();
    return kNothingRead;
  }
}

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/stacks_bench.h"

#include "ui/flames/flame_view.h"
#include "ui/job/trace_session.h"
#include "ui/widgets/analysis_page.h"
#include "ui/widgets/choice_row.h"
#include "ui/window/main_window.h"
#include "ui/window/tab_pages.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QScrollBar>
#include <QThread>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <random>
#include <string>
#include <vector>

namespace rankscope::ui {

namespace {

constexpr int kFrames = 120;
constexpr double kMaxDepth = 1000;

// Processor time of this thread, so that other programs do not count; elapsed time where it is not known.
double worked() {
#if defined(Q_OS_UNIX)
  timespec now{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0)
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
#endif
  static const auto begin = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double passed(const QElapsedTimer& clock) {
  return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

QJsonObject percentilesOf(std::vector<double> ms) {
  std::ranges::sort(ms);
  const auto at = [&](double share) {
    return std::round(ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))] * 1000) / 1000;
  };
  return {{"frames", static_cast<qint64>(ms.size())},
          {"p50_ms", at(0.5)},
          {"p99_ms", at(0.99)},
          {"max_ms", at(1)}};
}

// Zooms in to a thousandth, pans there and at a thirtieth, and zooms out, half way down the rows too.
QJsonObject framesOf(FlameView& view) {
  const auto whole = static_cast<double>(view.layoutShown()->whole);
  std::vector<double> times;
  const auto show = [&](double center, double length) {
    const double before = worked();
    view.showRange(center - length / 2, center + length / 2);
    view.viewport()->repaint();
    times.push_back(worked() - before);
  };
  view.fit();
  view.viewport()->repaint(); // loads fonts
  for (const int scroll : {0, view.verticalScrollBar()->maximum() / 2}) {
    view.verticalScrollBar()->setValue(scroll);
    for (int i = 0; i < kFrames; ++i) show(whole * 0.4, whole * std::pow(kMaxDepth, -i / (kFrames - 1.0)));
    for (const int depth : {1000, 30, 2}) {
      for (int i = 0; i < kFrames; ++i) {
        const double length = whole / depth;
        show(whole * 0.4 + length * std::sin(i * 0.1), length);
      }
    }
    for (int i = kFrames; i-- > 0;) show(whole * 0.4, whole * std::pow(kMaxDepth, -i / (kFrames - 1.0)));
  }
  QJsonObject result = percentilesOf(std::move(times));
  std::size_t boxes = 0;
  for (const auto& row : view.layoutShown()->rows) boxes += row.size();
  result.insert("boxes", static_cast<qint64>(boxes));
  result.insert("nodes", static_cast<qint64>(view.layoutShown()->tree.size()));
  return result;
}

// A million nodes of four thousand frames; the same in every run.
FlameLayout madeLayout() {
  constexpr std::uint32_t kNodes = 1'000'000;
  constexpr std::uint32_t kNames = 4000;
  StackTree tree;
  std::mt19937 random(7); // NOLINT(cert-msc51-cpp): a fixed picture
  for (std::uint32_t i = 0; i < kNames; ++i)
    tree.frameOf("frame_of_a_function_" + std::to_string(i),
                 i % 3 == 0 ? FrameKind::Kernel : FrameKind::Operator);
  std::vector<std::uint32_t> open{StackTree::kRoot};
  while (tree.size() < kNodes) {
    // A walk of calls and returns up to forty deep.
    if (open.size() > 40 || (open.size() > 1 && random() % 2 == 0))
      open.pop_back();
    else
      open.push_back(tree.apart(open.back(), static_cast<std::uint32_t>(random() % kNames)));
  }
  StackSums sums(tree.size());
  for (std::uint32_t node = 1; node < tree.size(); ++node)
    sums[node] = {static_cast<std::int64_t>(1 + random() % 1000), 1};
  return mergedLayout(std::move(tree), std::move(sums));
}

void settleStacks(MainWindow& window) {
  do {
    QCoreApplication::processEvents();
    QThread::usleep(200);
  } while (!window.pending().idle());
}

// Until the graph of the range is shown.
QJsonArray rangesOf(MainWindow& window, FlameView& view) {
  TraceSession& session = window.session();
  const TimeRange all = session.trace()->extent();
  QJsonArray ranges;
  for (const int percent : {1, 10, 50, 90}) {
    const TimeNs length = all.length() / 100 * percent;
    const TimeNs begin = all.begin + (all.length() - length) / 2;
    std::shared_ptr<const FlameLayout> before; // kept, so that the next one has another place
    before = view.layoutShown();
    QElapsedTimer clock;
    clock.start();
    session.setRange(TimeRange{begin, begin + length});
    while (view.layoutShown() == before) QCoreApplication::processEvents();
    view.viewport()->repaint();
    ranges.append(QJsonObject{{"percent", percent}, {"ms", std::round(passed(clock) * 10) / 10}});
    settleStacks(window);
  }
  session.setRange(std::nullopt);
  settleStacks(window);
  return ranges;
}

} // namespace

QJsonObject stacksBench(MainWindow& window) {
  window.showTab("stacks");
  auto& panel = window.tabs().page<AnalysisPage>("stacks");
  FlameView& view = *panel.findChild<FlameView*>();
  ChoiceRow& weights = *panel.findChild<ChoiceRow*>(QStringLiteral("stackWeights"));
  ChoiceRow& modes = *panel.findChild<ChoiceRow*>(QStringLiteral("stackModes"));
  panel.prepare();
  settleStacks(window);
  QJsonObject report{{"width", view.viewport()->width()},
                     {"height", view.viewport()->height()},
                     {"events", static_cast<qint64>(window.session().trace()->eventCount())}};
  constexpr int kMostWeights = 2; // host and device time
  QJsonObject ranges;
  for (int weight = 0; weight < kMostWeights; ++weight) {
    weights.choose(weight);
    settleStacks(window);
    if (view.layoutShown()->rows.empty()) continue;
    ranges.insert(QString::number(weight), rangesOf(window, view));
  }
  report.insert("ranges_by_weight", ranges);
  weights.choose(0);
  settleStacks(window);
  report.insert("merged", framesOf(view));
  modes.choose(1);
  settleStacks(window);
  report.insert("time order", framesOf(view));
  view.setLayoutToShow(std::make_shared<const FlameLayout>(madeLayout()), StackWeight::HostSelf);
  report.insert("a million nodes", framesOf(view));
  return report;
}

} // namespace rankscope::ui

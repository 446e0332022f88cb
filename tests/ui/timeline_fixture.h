// SPDX-License-Identifier: GPL-3.0-or-later
// A timeline on screen with a job of known times, driven by real key, wheel and mouse events. The canvas is
// 1000 pixels wide and the window shows everything.
#pragma once

#include "core/io/load/trace_loader.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/ui/settling.h"
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/headers/track_headers.h"
#include "ui/timeline/view/timeline_view.h"

#include <QApplication>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTest>
#include <QWheelEvent>

#include <memory>
#include <string>
#include <vector>

namespace rankscope::ui::test_timeline {

namespace test = rankscope::test;

inline constexpr TimeNs kMs = 1'000'000;
inline constexpr TimeNs kBase = 1'700'000'000'000'000'000;
inline constexpr int kMainThread = 100;

// Compute from 1 to 4 ms and from 6 to 7 ms; an AllReduce from 6 to 9 ms: exposed from 7 on. Idle from 4
// to 6.
inline std::string rankText(int rank, int worldSize) {
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(rank, worldSize);
  trace.addStep(1, 0, 10 * kMs);
  trace.addAnnotation(kMainThread, kMs / 2, 3 * kMs, "forward");
  trace.addAnnotation(kMainThread, 4 * kMs, 4 * kMs, "backward");
  trace.addCpuOp(kMainThread, kMs / 2, 2 * kMs, "aten::linear");
  trace.addCpuOp(kMainThread, kMs / 2 + 1000, kMs, "aten::mm");
  trace.addRuntime(kMainThread, kMs / 2 + 2000, 20'000, "cudaLaunchKernel", 11);
  trace.addKernel(0, 7, kMs, 2 * kMs, "void ampere_sgemm<float>(int)", 11);
  trace.addKernel(0, 7, 3 * kMs, kMs, "void elementwise<float>(int)");
  trace.addRuntime(kMainThread, 5 * kMs, 20'000, "cudaLaunchKernel", 12);
  trace.addKernel(0, 7, 6 * kMs, kMs, "void ampere_sgemm<float>(int)", 12);
  trace.addCollective(0, 20, 6 * kMs, 3 * kMs, "allreduce", 1024, worldSize);
  return trace.text();
}

inline std::string hostOnlyText() {
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(0, 1);
  trace.addCpuOp(kMainThread, 0, 2 * kMs, "aten::linear");
  return trace.text();
}

// A thousand short kernels with short pauses.
inline std::string denseText() {
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(0, 1);
  for (int i = 0; i < 1000; ++i)
    trace.addKernel(0, 7, i * 10'000 + (i * 7919) % 3000, 4000 + (i * 104729) % 3000,
                    i % 3 == 0 ? "gemm" : "relu");
  return trace.text();
}

inline std::string deepText() {
  test::TraceText trace;
  trace.baseTime(kBase).distributedInfo(0, 1);
  for (std::int64_t depth = 0; depth < 60; ++depth)
    trace.addPython(kMainThread, depth, 10 * kMs - 2 * depth,
                    "model.py(" + std::to_string(depth) + "): forward", depth, depth - 1);
  for (std::int64_t depth = 0; depth < 50; ++depth)
    trace.addCpuOp(kMainThread, depth, 10 * kMs - 2 * depth, "aten::op" + std::to_string(depth));
  trace.addKernel(0, 7, kMs, kMs, "gemm");
  return trace.text();
}

inline std::shared_ptr<const TraceSet> load(const std::vector<std::string>& texts) {
  const test::TemporaryFolder folder;
  for (std::size_t i = 0; i < texts.size(); ++i)
    test::writeTraceFile(folder / ("rank" + std::to_string(i) + ".json"), texts[i]);
  Progress progress;
  const auto loaded = loadTraces({folder.path().string()}, {}, progress);
  if (!loaded) qFatal("%s", loaded.error().text().c_str());
  return loaded.value();
}

inline std::shared_ptr<const TraceSet> loadRanks(int count) {
  std::vector<std::string> texts;
  texts.reserve(static_cast<std::size_t>(count));
  for (int rank = 0; rank < count; ++rank) texts.push_back(rankText(rank, count));
  return load(texts);
}

// Waits for all that the view draws.
inline void drawAll(TimelineView& view, TraceSession& session) {
  view.prepare();
  if (!settles(session.pending())) qFatal("the timeline does not settle");
}

struct Shown {
  TraceSession session;
  TimelineView view{session};

  explicit Shown(std::shared_ptr<const TraceSet> trace) {
    view.setFiguresShown(false);
    view.resize(1230 + 12, 700); // with the headers' 230 and the scroll bar's 12 a canvas of 1000 pixels
    view.show();
    session.setTrace(std::move(trace));
    drawAll(view, session);
    QApplication::processEvents();
  }

  [[nodiscard]] TimelineCanvas& canvas() { return view.canvas(); }
  [[nodiscard]] TimeNs origin() const { return session.trace()->extent().begin; }
  [[nodiscard]] TimeRange window() const { return session.window(); }

  [[nodiscard]] EventRef find(std::string_view name, std::size_t rank = 0, int nth = 0) const {
    const RankTrace& trace = *session.trace()->rank(RankIndex(rank)).trace;
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      const std::string_view text = session.trace()->names()[trace.events.name[EventIndex(i)]];
      if (text == name && nth-- == 0) return {RankIndex(rank), EventIndex(i)};
    }
    return {};
  }
  // A point of the canvas in the row of an event, at a share of its length.
  [[nodiscard]] QPoint pointOn(EventRef event, double share = 0.5) {
    const TimeRange range = session.rangeOf(event);
    const auto t = range.begin + static_cast<TimeNs>(static_cast<double>(range.length()) * share);
    const Lane* const lane = view.trackLayout().laneOf(event);
    return {static_cast<int>(canvas().xOf(t)), lane->top + lane->height / 2 - canvas().scrollTop()};
  }
  void click(QPoint at, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mouseClick(&canvas(), Qt::LeftButton, modifiers, at);
  }
  void hover(QPoint at) { send(canvas(), QEvent::MouseMove, at, Qt::NoButton); }
  static void send(QWidget& widget, QEvent::Type type, QPoint at, Qt::MouseButtons buttons,
                   Qt::KeyboardModifiers modifiers = {}) {
    QMouseEvent event(type, QPointF(at), QPointF(widget.mapToGlobal(at)),
                      type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton, buttons, modifiers);
    QApplication::sendEvent(&widget, &event);
  }
  static void drag(QWidget& widget, QPoint from, QPoint to, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mousePress(&widget, Qt::LeftButton, modifiers, from);
    send(widget, QEvent::MouseMove, (from + to) / 2, Qt::LeftButton, modifiers);
    send(widget, QEvent::MouseMove, to, Qt::LeftButton, modifiers);
    QTest::mouseRelease(&widget, Qt::LeftButton, modifiers, to);
  }
  static void wheel(QWidget& widget, QPoint at, QPoint angle, Qt::KeyboardModifiers modifiers = {},
                    QPoint pixels = {}) {
    QWheelEvent event(QPointF(at), QPointF(widget.mapToGlobal(at)), pixels, angle, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    // Only spontaneous events propagate to the parents of a widget that ignores them.
    QSpontaneKeyEvent::setSpontaneous(&event);
    qApp->notify(&widget, &event);
  }
  void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(&canvas(), key, modifiers);
  }
  [[nodiscard]] QImage picture() { return canvas().grab().toImage().convertToFormat(QImage::Format_RGB32); }
};

} // namespace rankscope::ui::test_timeline

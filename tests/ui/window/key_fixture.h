// SPDX-License-Identifier: GPL-3.0-or-later
// A window with a job of three ranks open and its timeline under the keyboard: real keys go to whatever has
// the focus.
#pragma once

#include "tests/ui/highlight_fixture.h"
#include "tests/ui/tab_pages.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QKeyEvent>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <cstddef>
#include <string_view>

namespace rankscope::ui::test_timeline {

struct UserSession {
  static constexpr std::size_t kRanks = 3;

  QTemporaryDir folder;
  QSettings settings{folder.filePath("settings.ini"), QSettings::IniFormat};
  MainWindow window{settings};

  UserSession() {
    for (std::size_t rank = 0; rank < kRanks; ++rank)
      test::writeTraceFile(folder.filePath(QStringLiteral("rank%1.json").arg(rank)).toStdString(),
                           waitingRankText(static_cast<int>(rank), kRanks));
    window.resize(1400, 1000);
    window.show();
    window.open({folder.path()});
    if (!settles() || !session().trace()) qFatal("the job does not open");
    drawAll(timelineOf(window), window.session());
    window.activateWindow();
    if (!QTest::qWaitForWindowActive(&window, kTimeoutMs)) qFatal("the window does not get the keyboard");
    timelineOf(window).setFocus();
  }

  [[nodiscard]] bool settles() { return ui::settles(window.pending(), kTimeoutMs); }
  [[nodiscard]] TraceSession& session() { return window.session(); }
  [[nodiscard]] TimelineView& timeline() { return timelineOf(window); }
  [[nodiscard]] TimelineCanvas& canvas() { return timelineOf(window).canvas(); }
  [[nodiscard]] TimeRange shown() { return session().window(); }
  [[nodiscard]] TimeNs origin() { return session().trace()->extent().begin; }
  void show(TimeNs from, TimeNs to) { session().setWindow({origin() + from, origin() + to}); }

  [[nodiscard]] EventRef event(std::string_view name, std::size_t rank = 0, int nth = 0) {
    const TraceSet& traces = *session().trace();
    const RankTrace& trace = *traces.rank(RankIndex(rank)).trace;
    for (std::size_t i = 0; i < trace.events.size(); ++i)
      if (traces.names()[trace.events.name[EventIndex(i)]] == name && nth-- == 0)
        return {RankIndex(rank), EventIndex(i)};
    return {};
  }
  [[nodiscard]] EventRef launchOf(EventRef kernel) {
    return {kernel.rank, session().trace()->rank(kernel.rank).trace->deviceDetail(kernel.event).launch};
  }
  [[nodiscard]] QPoint pointOn(EventRef what, double share = 0.5) {
    const TimeRange range = session().rangeOf(what);
    const auto t = range.begin + static_cast<TimeNs>(static_cast<double>(range.length()) * share);
    const Lane* const lane = timeline().trackLayout().laneOf(what);
    return {static_cast<int>(canvas().xOf(t)), lane->top + lane->height / 2 - canvas().scrollTop()};
  }
  // What the keyboard writes to; the timeline when a dialog was there and took the focus with it.
  [[nodiscard]] QWidget* focus() {
    if (!QApplication::focusWidget()) {
      window.activateWindow();
      static_cast<void>(QTest::qWaitForWindowActive(&window));
      timeline().setFocus();
    }
    return QApplication::focusWidget() ? QApplication::focusWidget() : &canvas();
  }
  void press(int key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(focus(), static_cast<Qt::Key>(key), modifiers);
  }
  // A key of another layout: what it prints, and the place of the key that prints it, as X11 counts it.
  // False: nothing wants it more than a shortcut of the sign would.
  bool pressPlace(int printed, quint32 place, Qt::KeyboardModifiers modifiers = {}) {
    QWidget* const to = focus();
    QKeyEvent claim(QEvent::ShortcutOverride, printed, modifiers, place, 0, 0);
    claim.ignore();
    QApplication::sendEvent(to, &claim);
    for (const QEvent::Type type : {QEvent::KeyPress, QEvent::KeyRelease}) {
      QKeyEvent key(type, printed, modifiers, place, 0, 0);
      QSpontaneKeyEvent::setSpontaneous(&key); // so that it goes up to the parents
      qApp->notify(to, &key);
    }
    return claim.isAccepted();
  }
};

} // namespace rankscope::ui::test_timeline

// SPDX-License-Identifier: GPL-3.0-or-later
// Four hundred random actions on the window: every action of the registry, keys, clicks, drags and wheels
// anywhere, other jobs opened while one loads, loads cancelled, tabs, themes and sizes changed. What must
// hold then is that nothing crashes, what is shown stays within the job, and that the window afterwards
// opens a job as a fresh one does. The order follows from the seed; RANKSCOPE_MONKEY_SEED and
// RANKSCOPE_MONKEY_ACTIONS ask for others and more, as tests/nightly.sh does. When something fails, the
// last actions are printed.
#include "core/analysis/findings/findings.h"
#include "core/analysis/job/analysis.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/job/trace_session.h"
#include "ui/tabs/tab_registry.h"

#include <QApplication>
#include <QDeadlineTimer>
#include <QDialog>
#include <QLineEdit>
#include <QPointer>
#include <QTimer>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <utility>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

constexpr unsigned kSeed = 20'260'101;
constexpr int kActions = 400;

int numberFrom(const char* variable, int otherwise) {
  bool ok = false;
  const int number = qEnvironmentVariableIntValue(variable, &ok);
  return ok ? number : otherwise;
}

// Dialogs that open during the run are dismissed.
class DialogCloser : public QTimer {
 public:
  DialogCloser() {
    setInterval(5);
    callOnTimeout([] {
      if (QWidget* const popup = QApplication::activePopupWidget()) popup->close();
      if (auto* const dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget())) dialog->reject();
    });
    start();
  }
};

class Monkey {
 public:
  Monkey(MainWindow& window, QStringList jobs, unsigned seed)
      : m_window(window), m_jobs(std::move(jobs)), m_random(seed) {}

  void doSomething() {
    const int what = upTo(100);
    if (what < 38) {
      runAction();
    } else if (what < 55) {
      pressKey();
    } else if (what < 80) {
      useMouse();
    } else if (what < 84) {
      const QString tab = tabIds()[upTo(static_cast<int>(tabIds().size()))];
      note(QStringLiteral("tab ") + tab);
      m_window.showTab(tab);
    } else if (what < 87) {
      const QSize size(700 + upTo(1300), 420 + upTo(800));
      note(QStringLiteral("size %1x%2").arg(size.width()).arg(size.height()));
      m_window.resize(size);
    } else if (what < 89) {
      note("theme");
      m_window.setThemeChoice(upTo(2) == 0 ? ThemeChoice::Dark : ThemeChoice::Light);
    } else if (what < 92) {
      const QString& job = m_jobs[upTo(static_cast<int>(m_jobs.size()))];
      note("open " + job);
      m_window.open({job});
    } else if (what < 93) {
      note("cancel");
      m_window.document().loading().cancel();
    } else if (what < 96) {
      selectSomething();
    } else if (what < 98) {
      showSomewhere();
    } else {
      typeSearch();
    }
    // Now and then work that is under way gets time to end in between, mostly it is interrupted.
    const QDeadlineTimer until(upTo(8) == 0 ? 60 : 2);
    do QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    while (!until.hasExpired());
  }

  // Empty while all is as it must be.
  [[nodiscard]] QString wrong() {
    TraceSession& session = m_window.session();
    const auto traces = session.trace();
    if (!traces) return {};
    const TimeRange limits = session.limits();
    const TimeRange window = session.window();
    if (window.empty()) return QStringLiteral("nothing is shown");
    if (window.end < limits.begin || limits.end < window.begin) return QStringLiteral("outside of the job");
    const EventRef selection = session.selection();
    if (!selection.valid()) return {};
    if (selection.rank.value >= traces->ranks().size()) return QStringLiteral("a rank that is not there");
    if (selection.event.value >= traces->rank(selection.rank).trace->events.size())
      return QStringLiteral("an event that is not there");
    return {};
  }

  [[nodiscard]] QString lastThings() const {
    return QStringList(m_done.begin(), m_done.end()).join(QStringLiteral("\n  "));
  }

 private:
  int upTo(int end) { return static_cast<int>(m_random() % static_cast<unsigned>(std::max(end, 1))); }

  void note(const QString& text) {
    m_done.push_back(text);
    if (m_done.size() > 25) m_done.pop_front();
  }

  void runAction() {
    const auto& actions = m_window.actions().actions();
    const Action& action = actions[static_cast<std::size_t>(upTo(static_cast<int>(actions.size())))];
    if (action.id == "file.quit") return;
    note("action " + action.id);
    m_window.actions().run(action.id);
  }

  Qt::KeyboardModifiers someModifiers() {
    static constexpr std::array kOften{Qt::KeyboardModifiers(),
                                       Qt::KeyboardModifiers(),
                                       Qt::KeyboardModifiers(Qt::ShiftModifier),
                                       Qt::KeyboardModifiers(Qt::ControlModifier),
                                       Qt::KeyboardModifiers(Qt::AltModifier),
                                       Qt::ControlModifier | Qt::ShiftModifier};
    return kOften[static_cast<std::size_t>(upTo(kOften.size()))];
  }

  void pressKey() {
    static constexpr std::array kOthers{Qt::Key_Tab,    Qt::Key_Return,   Qt::Key_Escape,      Qt::Key_Space,
                                        Qt::Key_Left,   Qt::Key_Right,    Qt::Key_Up,          Qt::Key_Down,
                                        Qt::Key_Home,   Qt::Key_End,      Qt::Key_Plus,        Qt::Key_Minus,
                                        Qt::Key_PageUp, Qt::Key_PageDown, Qt::Key_BracketLeft, Qt::Key_Slash,
                                        Qt::Key_Period, Qt::Key_Question, Qt::Key_BracketRight};
    const int which = upTo(26 + 10 + static_cast<int>(kOthers.size()));
    const int key = which < 26   ? Qt::Key_A + which
                    : which < 36 ? Qt::Key_0 + which - 26
                                 : kOthers[static_cast<std::size_t>(which - 36)];
    const Qt::KeyboardModifiers modifiers = someModifiers();
    if (key == Qt::Key_Q && modifiers == Qt::ControlModifier) return;
    QWidget* const focus = QApplication::focusWidget();
    note(QStringLiteral("key ") + QKeySequence(QKeyCombination(modifiers, Qt::Key(key))).toString());
    QTest::keyClick(focus ? focus : static_cast<QWidget*>(&m_window), Qt::Key(key), modifiers);
  }

  // What takes the mouse at a place in the window.
  void useMouse() {
    const QPoint place(upTo(m_window.width()), upTo(m_window.height()));
    QWidget* const widget = m_window.childAt(place);
    if (!widget) return;
    const QPoint at = widget->mapFrom(&m_window, place);
    const int how = upTo(10);
    note(QStringLiteral("mouse %1 at %2,%3 on %4")
             .arg(how)
             .arg(place.x())
             .arg(place.y())
             .arg(QLatin1String(widget->metaObject()->className())));
    if (how < 4)
      return QTest::mouseClick(widget, upTo(6) ? Qt::LeftButton : Qt::RightButton, someModifiers(), at);
    if (how < 5) return QTest::mouseDClick(widget, Qt::LeftButton, {}, at);
    if (how < 7) return drag(*widget, at);
    if (how < 8) return QTest::mouseMove(widget, at);
    const QPoint delta(upTo(3) ? 0 : 120 - 240 * upTo(2), 120 - 240 * upTo(2));
    QWheelEvent wheel(at, widget->mapToGlobal(at), {}, delta, Qt::NoButton, someModifiers(),
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(widget, &wheel);
  }

  void drag(QWidget& widget, QPoint from) {
    const Qt::KeyboardModifiers modifiers = someModifiers();
    const QPointer<QWidget> held(&widget);
    QTest::mousePress(&widget, Qt::LeftButton, modifiers, from);
    for (int i = 0; i < 3 && held; ++i) QTest::mouseMove(held, QPoint(upTo(900), upTo(600)));
    if (held) QTest::mouseRelease(held, Qt::LeftButton, modifiers, QPoint(upTo(900), upTo(600)));
  }

  void selectSomething() {
    const auto traces = m_window.session().trace();
    if (!traces || traces->ranks().empty()) return;
    const RankIndex rank(static_cast<std::size_t>(upTo(static_cast<int>(traces->ranks().size()))));
    const std::size_t events = traces->rank(rank).trace->events.size();
    if (events == 0) return;
    const EventIndex event(static_cast<std::size_t>(upTo(static_cast<int>(events))));
    note(QStringLiteral("select %1 of rank %2").arg(event.value).arg(rank.value));
    m_window.session().reveal({rank, event});
  }

  void showSomewhere() {
    const TimeRange limits = m_window.session().limits();
    if (limits.empty()) return;
    const auto length = static_cast<std::uint64_t>(limits.length());
    const TimeNs begin = limits.begin - limits.length() / 4 + static_cast<TimeNs>(m_random() % length);
    const TimeNs end = begin + static_cast<TimeNs>(m_random() % length >> upTo(30));
    note(QStringLiteral("window %1 %2").arg(begin).arg(end));
    m_window.session().setWindow({begin, end});
  }

  void typeSearch() {
    static const QStringList kTexts{"gemm", "dur>1ms rank:1", "/(nccl|gemm/", "kind:nccl dur>", "\"", "é∞",
                                    ""};
    auto* const field = m_window.findChild<QLineEdit*>("searchField");
    if (!field) return;
    const QString& text = kTexts[upTo(static_cast<int>(kTexts.size()))];
    note("search " + text);
    field->setFocus();
    field->setText(text);
    QTest::keyClick(field, Qt::Key_Return);
  }

  MainWindow& m_window;
  QStringList m_jobs;
  std::mt19937 m_random;
  std::deque<QString> m_done;
};

test::JobOptions withFaults() {
  test::JobOptions options;
  options.ranks = 4;
  options.steps = 3;
  options.withStack = true;
  options.straggler.rank = 2;
  options.straggler.extraNs = 2'000'000;
  return options;
}

} // namespace

class MonkeyTest : public QObject {
  Q_OBJECT

 private slots:
  void nothingThatIsDoneInAnyOrderBreaksTheWindow();
};

void MonkeyTest::nothingThatIsDoneInAnyOrderBreaksTheWindow() {
  const Folder jobs;
  writeSmallJob(jobs / "small");
  test::generateJob(withFaults(), jobs / "faulty");
  writeSmallJob(jobs / "cut", 2);
  for (const auto& file : std::filesystem::directory_iterator(jobs / "cut"))
    std::filesystem::resize_file(file.path(), std::filesystem::file_size(file.path()) / 2);
  const QStringList paths{pathOf(jobs / "small"), pathOf(jobs / "faulty"), pathOf(jobs / "cut"),
                          pathOf(jobs / "nowhere")};
  TestWindow test;
  QVERIFY(test.opens(paths[1]));
  const std::size_t findings =
      findingsOf(*test.window.session().analysis(), jobAccount(*test.window.session().analysis(), 1)).size();
  QVERIFY(findings > 0);

  const DialogCloser closer;
  const auto seed = static_cast<unsigned>(numberFrom("RANKSCOPE_MONKEY_SEED", kSeed));
  Monkey monkey(test.window, paths, seed);
  const int actions = numberFrom("RANKSCOPE_MONKEY_ACTIONS", kActions);
  for (int i = 0; i < actions; ++i) {
    monkey.doSomething();
    const QString wrong = monkey.wrong();
    if (!wrong.isEmpty())
      QFAIL(qPrintable(
          QStringLiteral("%1 after %2 actions:\n  %3").arg(wrong).arg(i + 1).arg(monkey.lastThings())));
  }
  QVERIFY2(test.settles(), qPrintable("does not come to rest after:\n  " + monkey.lastThings()));
  QVERIFY2(test.opens(paths[1]), qPrintable("does not open a job after:\n  " + monkey.lastThings()));
  for (const QString& id : tabIds()) QVERIFY2(test.shows(id), qPrintable(id));
  QCOMPARE(test.window.session().trace()->ranks().size(), std::size_t{4});
  QCOMPARE(
      findingsOf(*test.window.session().analysis(), jobAccount(*test.window.session().analysis(), 1)).size(),
      findings);
}

RANKSCOPE_UI_TEST(MonkeyTest)
#include "monkey_test.moc"

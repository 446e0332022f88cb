// SPDX-License-Identifier: GPL-3.0-or-later
// One whole sitting with mouse and keys: open a job, find the straggler, follow a kernel to its operator,
// select a range, export, and open the session again. On a display if there is one, else offscreen.
#include "tests/ui/tab_pages.h"
#include "tests/ui/ui_test.h"
#include "tests/ui/window_fixture.h"
#include "ui/details/bottom_panel.h"
#include "ui/details/details_panel.h"
#include "ui/findings/finding_card.h"
#include "ui/findings/findings_panel.h"
#include "ui/timeline/canvas/timeline_canvas.h"
#include "ui/timeline/view/timeline_view.h"
#include "ui/window/report_export.h"
#include "ui/window/tab_pages.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QDialogButtonBox>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTimer>

#include <functional>
#include <initializer_list>
#include <memory>
#include <utility>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

struct Journey {
  Folder job;
  Folder out;
  std::unique_ptr<TestWindow> test = std::make_unique<TestWindow>();

  [[nodiscard]] MainWindow& window() { return test->window; }
  [[nodiscard]] TraceSession& session() { return test->window.session(); }
  [[nodiscard]] TimelineCanvas& canvas() { return timelineOf(window()).canvas(); }

  void activate() {
    window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window(), kTimeoutMs));
  }
  void press(int key, Qt::KeyboardModifiers modifiers = {}) {
    QWidget* const focus = QApplication::focusWidget();
    QTest::keyClick(focus ? focus : &window(), static_cast<Qt::Key>(key), modifiers);
  }
  // As a file manager drops a folder on the window.
  void drop(const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window(), &drop);
  }
  [[nodiscard]] const RankTrace& trace(RankIndex rank) { return *session().trace()->rank(rank).trace; }
  [[nodiscard]] QPoint pointOn(EventRef event) {
    const QRectF box = canvas().outlineOf(event);
    return (box & QRectF(canvas().rect())).center().toPoint();
  }
  // A kernel of the rank in sight that was launched by an operator and is wide enough for the mouse.
  [[nodiscard]] EventRef kernelInSight(RankIndex rank) {
    const RankTrace& of = trace(rank);
    EventRef widest;
    for (EventIndex event = of.deviceBegin; event < of.deviceEnd; ++event.value) {
      if (of.events.kind[event] != EventKind::Kernel) continue;
      const EventIndex launch = of.deviceDetail(event).launch;
      if (!launch.valid() || !of.parentOf(launch).valid()) continue;
      const EventRef kernel{rank, event};
      const QRectF box = canvas().outlineOf(kernel);
      if (!QRectF(canvas().rect()).contains(box)) continue;
      if (!widest.valid() || box.width() > canvas().outlineOf(widest).width()) widest = kernel;
    }
    return widest;
  }
};

// Answers the dialog that a key opens, then lets it close.
class Answer {
 public:
  explicit Answer(QString path) : m_path(std::move(path)) {
    QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { answer(); });
    m_timer.start(10);
  }

 private:
  void answer() {
    auto* const dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
    if (!dialog) return;
    if (auto* const files = qobject_cast<QFileDialog*>(dialog))
      files->selectFile(m_path);
    else
      dialog->findChild<QLineEdit*>()->setText(m_path);
    QTest::mouseClick(dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save), Qt::LeftButton);
  }

  QTimer m_timer;
  QString m_path;
};

void openJob(Journey& journey) {
  journey.activate();
  QSignalSpy opened(&journey.window().document(), &JobDocument::opened);
  journey.drop(QString::fromStdString(journey.job.path().string()));
  QVERIFY(opened.count() > 0 || opened.wait(kTimeoutMs));
  QVERIFY(journey.test->settles());
  QCOMPARE(journey.window().currentTab(), QString("timeline"));
}

void findStraggler(Journey& journey, int rank) {
  const QList<FindingCard*> cards = journey.window().tabs().findings().findChildren<FindingCard*>();
  QVERIFY(!cards.empty());
  FindingCard* const first = cards.front();
  QVERIFY2(first->accessibleName().startsWith(QStringLiteral("Straggler: rank %1").arg(rank)),
           qPrintable(first->accessibleName()));
  QSignalSpy moved(&journey.session(), &TraceSession::windowChanged);
  QTest::mouseClick(first, Qt::LeftButton, {}, QPoint(20, 20));
  QVERIFY(moved.count() > 0);
  QVERIFY(journey.test->settles());
  QCOMPARE(journey.window().currentTab(), QString("timeline"));
  const RankIndex index(static_cast<std::size_t>(rank));
  QVERIFY(timelineOf(journey.window()).trackLayout().rankExpanded(index));
}

void followKernel(Journey& journey, int rank) {
  const RankIndex index(static_cast<std::size_t>(rank));
  journey.canvas().setFocus();
  const EventRef kernel = journey.kernelInSight(index);
  QVERIFY(kernel.valid());
  QTest::mouseClick(&journey.canvas(), Qt::LeftButton, {}, journey.pointOn(kernel));
  QCOMPARE(journey.session().selection(), kernel);
  BottomPanel& bottom = bottomPanelOf(journey.window());
  QCOMPARE(bottom.currentPanel(), static_cast<QWidget*>(&detailsOf(journey.window())));
  const RankTrace& trace = journey.trace(index);
  const EventIndex launch = trace.deviceDetail(kernel.event).launch;
  journey.press(Qt::Key_BracketLeft);
  QCOMPARE(journey.session().selection(), (EventRef{index, launch}));
  QVERIFY(journey.test->settles());
  journey.press(Qt::Key_BracketLeft);
  const EventRef caller = journey.session().selection();
  QCOMPARE(trace.events.kind[caller.event], EventKind::CpuOp);
  // And in the table of operators.
  journey.press(Qt::Key_F);
  QVERIFY(journey.test->settles());
  QContextMenuEvent menu(QContextMenuEvent::Keyboard, QPoint(), QPoint());
  QApplication::sendEvent(&journey.canvas(), &menu);
  auto* const items = timelineTabOf(journey.window()).findChild<QMenu*>(QStringLiteral("sliceMenu"));
  QVERIFY(items);
  for (QAction* const item : items->actions())
    if (item->text() == QLatin1String("Show in Operators")) item->trigger();
  items->close();
  journey.activate();
  QCOMPARE(journey.window().currentTab(), QString("operators"));
  QVERIFY(journey.test->settles());
  QVERIFY(operatorsOf(journey.window().tabs()).card().selectedRow() >= 0);
  journey.press(Qt::Key_1, Qt::ControlModifier);
  QCOMPARE(journey.window().currentTab(), QString("timeline"));
}

void selectRange(Journey& journey) {
  TimelineCanvas& canvas = journey.canvas();
  canvas.setFocus();
  journey.press(Qt::Key_Home);
  const int y = canvas.height() / 2;
  const QPoint from(canvas.width() / 4, y);
  const QPoint to(canvas.width() * 3 / 4, y);
  QSignalSpy ranged(&journey.session(), &TraceSession::rangeChanged);
  QTest::mousePress(&canvas, Qt::LeftButton, Qt::ShiftModifier, from);
  for (const QPoint at : {(from + to) / 2, to}) {
    QMouseEvent move(QEvent::MouseMove, QPointF(at), QPointF(canvas.mapToGlobal(at)), Qt::NoButton,
                     Qt::LeftButton, Qt::ShiftModifier);
    QApplication::sendEvent(&canvas, &move);
  }
  QTest::mouseRelease(&canvas, Qt::LeftButton, Qt::ShiftModifier, to);
  QVERIFY(ranged.count() > 0);
  QVERIFY(journey.session().range() && !journey.session().range()->empty());
  QVERIFY(journey.test->settles());
}

void exportReport(Journey& journey) {
  QSignalSpy written(&journey.window().reportExport(), &ReportExport::finished);
  const QString folder = QString::fromStdString(journey.out / "report");
  {
    const Answer answer(folder);
    journey.press(Qt::Key_E, Qt::ControlModifier);
  }
  QVERIFY(written.count() > 0 || written.wait(kTimeoutMs));
  QVERIFY(journey.test->settles());
  for (const char* file : {"ranks.csv", "findings.csv", "report.html"})
    QVERIFY2(QFile::exists(folder + QLatin1Char('/') + QLatin1String(file)), file);
}

// In a window of its own, as after the program was closed.
void reopenSession(Journey& journey) {
  const QString file = QString::fromStdString(journey.out / "look.rankscope");
  {
    const Answer answer(file);
    journey.press(Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
  }
  QVERIFY(QFile::exists(file));
  const TimeRange window = journey.session().window();
  const auto range = journey.session().range();
  const EventRef selection = journey.session().selection();
  const TimelineChoice choice = journey.session().choiceAsShown(); // with the ranks expanded by themselves
  QVERIFY(selection.valid());
  journey.test = std::make_unique<TestWindow>();
  journey.activate();
  QSignalSpy opened(&journey.window().document(), &JobDocument::opened);
  journey.drop(file);
  QVERIFY(opened.count() > 0 || opened.wait(kTimeoutMs));
  QVERIFY(journey.test->settles());
  QCOMPARE(journey.session().window(), window);
  QCOMPARE(journey.session().range(), range);
  QCOMPARE(journey.session().selection(), selection);
  QCOMPARE(journey.session().choice().open, choice.open);
}

void travel(const test::JobOptions& options) {
  Journey journey;
  test::generateJob(options, journey.job.path());
  const int straggler = options.straggler.rank;
  for (const std::function<void()>& part : std::initializer_list<std::function<void()>>{
           [&] { openJob(journey); }, [&] { findStraggler(journey, straggler); },
           [&] { followKernel(journey, straggler); }, [&] { selectRange(journey); },
           [&] { exportReport(journey); }, [&] { reopenSession(journey); }}) {
    part();
    if (QTest::currentTestFailed()) return;
  }
}

} // namespace

class JourneyTest : public QObject {
  Q_OBJECT

 private slots:
  void eightRanks() {
    test::JobOptions options;
    options.ranks = 8;
    options.straggler = {.rank = 5, .extraNs = 3'000'000};
    travel(options);
  }

  void fiveHundredAndTwelveRanks() {
    test::JobOptions options;
    options.ranks = 512;
    options.layers = 1;
    options.buckets = 1;
    options.withMemory = false;
    options.withShapes = false;
    options.withGpuAnnotations = false;
    options.straggler = {.rank = 77, .extraNs = 3'000'000};
    travel(options);
  }
};

RANKSCOPE_UI_TEST(JourneyTest)
#include "journey_test.moc"

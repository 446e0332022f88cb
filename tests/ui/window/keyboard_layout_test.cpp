// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of the window on other keyboard layouts: positions count where letters do not.
#include "tests/ui/ui_test.h"
#include "tests/ui/window/key_fixture.h"
#include "ui/details/bottom_panel.h"
#include "ui/timeline/view/view_motion.h"

#include <optional>
#include <utility>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::ui::test_timeline;

namespace {

// X11 counts the keys of a keyboard from 8 on; a US layout prints these on them.
enum Place : quint32 {
  kPlaceZero = 19,
  kPlaceQ = 24,
  kPlaceW = 25,
  kPlaceO = 32,
  kPlaceLeftBracket = 34,
  kPlaceRightBracket = 35,
  kPlaceA = 38,
  kPlaceS = 39,
  kPlaceD = 40,
  kPlaceF = 41,
  kPlaceSemicolon = 47,
  kPlaceZ = 52,
  kPlaceComma = 59,
  kPlacePeriod = 60,
};

} // namespace

class KeyboardLayoutTest : public QObject {
  Q_OBJECT

 private slots:
  void onAFrenchKeyboardPlacesCount();
  void onADvorakKeyboardPlacesCount();
  void onARussianKeyboardEveryKeyIsTheAmericanOne();
  void bracketsAreWhereOtherLayoutsHaveAccents();
  void signsTypedWithShiftElsewhereAreTheSameSigns();
};

void KeyboardLayoutTest::onAFrenchKeyboardPlacesCount() {
  UserSession userSession;
  TraceSession& session = userSession.session();
  userSession.show(4 * kMs, 6 * kMs);
  const TimeRange start = userSession.shown();
  QVERIFY(userSession.pressPlace(Qt::Key_Z, kPlaceW));
  QVERIFY(userSession.shown().length() < start.length());
  QVERIFY(!userSession.timeline().motion().moving()); // it went up as the key that went down
  session.setWindow(start);
  // Q is printed there, but must not collapse the panel.
  const bool folded = bottomPanelOf(userSession.window).collapsed();
  QVERIFY(userSession.pressPlace(Qt::Key_Q, kPlaceA));
  QVERIFY(userSession.shown().begin < start.begin);
  QCOMPARE(userSession.shown().length(), start.length());
  QCOMPARE(bottomPanelOf(userSession.window).collapsed(), folded);
  QVERIFY(userSession.pressPlace(Qt::Key_A, kPlaceQ));
  QCOMPARE(bottomPanelOf(userSession.window).collapsed(), !folded);
  const TimeRange expected = userSession.shown();
  userSession.pressPlace(Qt::Key_W, kPlaceZ);
  QCOMPARE(userSession.shown(), expected);
  // With Ctrl the letter counts: Ctrl+A must not quit.
  QVERIFY(!userSession.pressPlace(Qt::Key_A, kPlaceQ, Qt::ControlModifier));
  QCOMPARE(session.range(), std::optional(session.trace()->extent()));
  QVERIFY(userSession.window.isVisible());
  userSession.pressPlace(Qt::Key_M, kPlaceSemicolon);
  QCOMPARE(session.marks().regions().size(), 1u);
  userSession.pressPlace(Qt::Key_Agrave, kPlaceZero);
  QCOMPARE(userSession.shown(), session.limits());
}

void KeyboardLayoutTest::onADvorakKeyboardPlacesCount() {
  UserSession userSession;
  TraceSession& session = userSession.session();
  userSession.show(4 * kMs, 6 * kMs);
  const TimeRange start = userSession.shown();
  userSession.pressPlace(Qt::Key_Comma, kPlaceW);
  const TimeRange zoomed = userSession.shown();
  QVERIFY(zoomed.length() < start.length());
  userSession.pressPlace(Qt::Key_O, kPlaceS);
  QVERIFY(userSession.shown().length() > zoomed.length());
  QVERIFY(!session.choice().alignedStep);
  session.setWindow(start);
  userSession.pressPlace(Qt::Key_E, kPlaceD);
  QVERIFY(userSession.shown().begin > start.begin);
  const EventRef gemm = userSession.event("gemm_kernel");
  session.select(gemm);
  userSession.pressPlace(Qt::Key_V, kPlacePeriod);
  QCOMPARE(session.selection(), userSession.event("relu_kernel"));
  userSession.pressPlace(Qt::Key_W, kPlaceComma);
  QCOMPARE(session.selection(), gemm);
  userSession.pressPlace(Qt::Key_R, kPlaceO);
  QCOMPARE(session.range(), std::optional(session.rangeOf(gemm)));
  userSession.pressPlace(Qt::Key_U, kPlaceF);
  userSession.pressPlace(Qt::Key_U, kPlaceF);
  QVERIFY(userSession.shown().length() < 2 * session.rangeOf(gemm).length());
}

void KeyboardLayoutTest::onARussianKeyboardEveryKeyIsTheAmericanOne() {
  UserSession userSession;
  TraceSession& session = userSession.session();
  userSession.show(4 * kMs, 6 * kMs);
  const TimeRange start = userSession.shown();
  QVERIFY(userSession.pressPlace(0x0426, kPlaceW));
  QVERIFY(userSession.shown().length() < start.length());
  const bool folded = bottomPanelOf(userSession.window).collapsed();
  QVERIFY(userSession.pressPlace(0x0419, kPlaceQ));
  QCOMPARE(bottomPanelOf(userSession.window).collapsed(), !folded);
  const EventRef gemm = userSession.event("gemm_kernel");
  session.select(gemm);
  userSession.pressPlace(0x0425, kPlaceLeftBracket);
  QCOMPARE(session.selection(), userSession.launchOf(gemm));
  userSession.pressPlace(0x042a, kPlaceRightBracket);
  QCOMPARE(session.selection(), gemm);
  userSession.pressPlace(0x042e, kPlacePeriod);
  QCOMPARE(session.selection(), userSession.event("relu_kernel"));
  userSession.pressPlace(0x0424, kPlaceA, Qt::ControlModifier);
  QCOMPARE(session.range(), std::optional(session.trace()->extent()));
}

void KeyboardLayoutTest::bracketsAreWhereOtherLayoutsHaveAccents() {
  UserSession userSession;
  TraceSession& session = userSession.session();
  const EventRef gemm = userSession.event("gemm_kernel");
  for (const auto& [left, right] : {std::pair<int, int>(Qt::Key_Dead_Circumflex, Qt::Key_Dollar),
                                    std::pair<int, int>(Qt::Key_Udiaeresis, Qt::Key_Asterisk),
                                    std::pair<int, int>(Qt::Key_Aring, Qt::Key_Dead_Diaeresis)}) {
    session.select(gemm);
    userSession.pressPlace(left, kPlaceLeftBracket);
    QCOMPARE(session.selection(), userSession.launchOf(gemm));
    userSession.pressPlace(right, kPlaceRightBracket);
    QCOMPARE(session.selection(), gemm);
  }
  // Where the key prints a sign that has a meaning of its own, it keeps it: '+' zooms in.
  const TimeNs before = userSession.shown().length();
  userSession.pressPlace(Qt::Key_Plus, kPlaceRightBracket);
  QVERIFY(userSession.shown().length() < before);
  QCOMPARE(session.selection(), gemm);
}

void KeyboardLayoutTest::signsTypedWithShiftElsewhereAreTheSameSigns() {
  UserSession userSession;
  TraceSession& session = userSession.session();
  session.select(userSession.event("gemm_kernel"));
  userSession.press(Qt::Key_Period, Qt::ShiftModifier);
  QCOMPARE(session.selection(), userSession.event("relu_kernel"));
  userSession.press(Qt::Key_0, Qt::ShiftModifier);
  QCOMPARE(userSession.shown(), session.limits());
}

RANKSCOPE_UI_TEST(KeyboardLayoutTest)
#include "keyboard_layout_test.moc"

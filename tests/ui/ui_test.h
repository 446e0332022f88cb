// SPDX-License-Identifier: GPL-3.0-or-later
// The last line of every *_test.cpp here: RANKSCOPE_UI_TEST(Fixture) makes the fixture known under the name
// of its file, and `rankscope_ui_tests NAME` runs it, alone in its process. A static initMain() of the
// fixture is called before there is an application.
#pragma once

#include "tests/support/shared_data.h"
#include "tests/ui/settling.h"

#include <QObject>
#include <QTest>

#include <functional>
#include <memory>

namespace rankscope::ui {

struct UiTest {
  const char* file;
  std::function<void()> prepare;
  std::function<std::unique_ptr<QObject>()> make;
};

// The program then reports to ctest that its fixture was skipped in part.
void noteSkip();

// Returns something, so that a static variable can be initialized by it.
bool addUiTest(UiTest test);

template <class Fixture> bool addUiTestOf(const char* file) {
  UiTest test{.file = file, .prepare = [] {}, .make = [] { return std::make_unique<Fixture>(); }};
  if constexpr (requires { Fixture::initMain(); }) test.prepare = [] { Fixture::initMain(); };
  return addUiTest(std::move(test));
}

} // namespace rankscope::ui

// What is waited for comes, however busy the machine is: these wait for as long as all else does.
#undef QTRY_VERIFY
#undef QTRY_VERIFY2
#undef QTRY_COMPARE
#define QTRY_VERIFY(condition) QTRY_VERIFY_WITH_TIMEOUT(condition, rankscope::ui::kTimeoutMs)
#define QTRY_VERIFY2(condition, text) QTRY_VERIFY2_WITH_TIMEOUT(condition, text, rankscope::ui::kTimeoutMs)
#define QTRY_COMPARE(actual, expected) QTRY_COMPARE_WITH_TIMEOUT(actual, expected, rankscope::ui::kTimeoutMs)

// As RANKSCOPE_SKIP_UNLESS is for tests of GoogleTest.
#define RANKSCOPE_QSKIP_UNLESS(condition, reason)                                                            \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      QVERIFY2(!rankscope::test::everythingMustRun(), reason);                                               \
      rankscope::ui::noteSkip();                                                                             \
      QSKIP(reason);                                                                                         \
    }                                                                                                        \
  } while (false)

// For a program that is large and that nobody needs to build or run Rankscope: a test without it is skipped
// everywhere, and counted.
#define RANKSCOPE_QSKIP_WITHOUT(program, reason)                                                             \
  do {                                                                                                       \
    if ((program).isEmpty()) {                                                                               \
      rankscope::ui::noteSkip();                                                                             \
      QSKIP(reason);                                                                                         \
    }                                                                                                        \
  } while (false)

#define RANKSCOPE_UI_TEST(Fixture)                                                                           \
  static const bool kKnown##Fixture = rankscope::ui::addUiTestOf<Fixture>(__FILE__);

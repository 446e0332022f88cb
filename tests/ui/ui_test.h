// SPDX-License-Identifier: GPL-3.0-or-later
// The last line of every *_test.cpp here: RANKSCOPE_UI_TEST(Fixture) makes the fixture known under the name
// of its file, and `rankscope_ui_tests NAME` runs it, alone in its process. A static initMain() of the
// fixture is called before there is an application.
#pragma once

#include <QObject>

#include <functional>
#include <memory>

namespace rankscope::ui {

struct UiTest {
  const char* file;
  std::function<void()> prepare;
  std::function<std::unique_ptr<QObject>()> make;
};

// Returns something, so that a static variable can be initialised by it.
bool addUiTest(UiTest test);

template <class Fixture> bool addUiTestOf(const char* file) {
  UiTest test{.file = file, .prepare = [] {}, .make = [] { return std::make_unique<Fixture>(); }};
  if constexpr (requires { Fixture::initMain(); }) test.prepare = [] { Fixture::initMain(); };
  return addUiTest(std::move(test));
}

} // namespace rankscope::ui

#define RANKSCOPE_UI_TEST(Fixture)                                                                           \
  static const bool kKnown##Fixture = rankscope::ui::addUiTestOf<Fixture>(__FILE__);

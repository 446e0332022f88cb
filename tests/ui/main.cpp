// SPDX-License-Identifier: GPL-3.0-or-later
// Runs one fixture of the window's tests: rankscope_ui_tests NAME [ARGUMENTS OF QT TEST]. A process of its
// own for each, since settings, styles and an application are the process's. Ends with 77 when nothing failed
// but something was skipped.
#include "tests/ui/ui_test.h"
#include "ui/window/application.h"

#include <QFileInfo>
#include <QTest>

#include <cstdio>
#include <map>
#include <utility>
#include <vector>

namespace rankscope::ui {

namespace {

constexpr int kSkipped = 77;
bool skipped = false;

std::map<QString, UiTest>& knownTests() {
  static std::map<QString, UiTest> tests;
  return tests;
}

} // namespace

void noteSkip() {
  skipped = true;
}

bool addUiTest(UiTest test) {
  const QString name = QFileInfo(QString::fromUtf8(test.file)).completeBaseName();
  if (!knownTests().emplace(name, std::move(test)).second)
    qFatal("two fixtures are named %s", qPrintable(name));
  return true;
}

} // namespace rankscope::ui

int main(int argc, char** argv) {
  auto& tests = rankscope::ui::knownTests();
  const auto chosen = argc > 1 ? tests.find(QString::fromLocal8Bit(argv[1])) : tests.end();
  if (chosen == tests.end()) {
    std::fputs("usage: rankscope_ui_tests NAME [ARGUMENTS OF QT TEST], one of\n", stderr);
    for (const auto& [name, test] : tests) std::fprintf(stderr, "  %s\n", qPrintable(name));
    return 1;
  }
  std::vector<char*> arguments{argv[0]};
  arguments.insert(arguments.end(), argv + 2, argv + argc);
  arguments.push_back(nullptr);
  int count = static_cast<int>(arguments.size()) - 1;

  chosen->second.prepare();
  QCoreApplication::setAttribute(Qt::AA_Use96Dpi);
  rankscope::ui::Application application(count, arguments.data());
  const std::unique_ptr<QObject> fixture = chosen->second.make();
  const int failures = QTest::qExec(fixture.get(), application.arguments());
  return failures == 0 && rankscope::ui::skipped ? rankscope::ui::kSkipped : failures;
}

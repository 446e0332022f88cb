// SPDX-License-Identifier: GPL-3.0-or-later
// A main window for a test: with settings and a folder of its own, shown offscreen.
#pragma once

#include "tests/support/job_generator.h"
#include "tests/ui/settling.h"
#include "ui/window/main_window.h"

#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <utility>

namespace rankscope::ui {

struct Folder {
  QTemporaryDir folder;

  [[nodiscard]] std::filesystem::path path() const { return folder.path().toStdString(); }
  [[nodiscard]] std::string operator/(const char* name) const { return (path() / name).string(); }
};

struct TestWindow {
  Folder folder;
  QSettings settings{QString::fromStdString(folder / "settings.ini"), QSettings::IniFormat};
  MainWindow window;

  explicit TestWindow(LoadFunction load = loadTraces) : window(settings, std::move(load)) {
    window.resize(1280, 800);
    window.show();
  }

  [[nodiscard]] bool settles() { return ui::settles(window.pending()); }
  [[nodiscard]] bool opens(const QString& path) {
    window.open({path});
    return settles() && window.session().trace() != nullptr;
  }
  // Looks at a tab and waits for what it shows.
  [[nodiscard]] bool shows(const QString& tab) {
    window.showTab(tab);
    return settles();
  }
};

[[nodiscard]] inline QString pathOf(const std::filesystem::path& path) {
  return QString::fromStdString(path.string());
}

// Ranks of two steps, each kernel launched by a call and a collective at the end.
inline void writeSmallJob(const std::filesystem::path& folder, int ranks = 3) {
  test::JobOptions options;
  options.ranks = ranks;
  options.steps = 2;
  options.layers = 2;
  test::generateJob(options, folder);
}

} // namespace rankscope::ui

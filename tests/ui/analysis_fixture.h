// SPDX-License-Identifier: GPL-3.0-or-later
// A window with a generated job open, for tests of the tabs over the analysis.
#pragma once

#include "tests/support/job_generator.h"
#include "tests/ui/settling.h"
#include "ui/job/trace_session.h"
#include "ui/window/main_window.h"
#include "ui/window/tab_pages.h"

#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <memory>
#include <string>

namespace rankscope::ui::test_analysis {

namespace test = rankscope::test;

struct OpenJob {
  QTemporaryDir folder;
  QSettings settings{folder.filePath("settings.ini"), QSettings::IniFormat};
  MainWindow window{settings};

  explicit OpenJob(const test::JobOptions& options, QSize size = {1280, 800}) {
    const std::filesystem::path job = folder.filePath("job").toStdString();
    test::generateJob(options, job);
    open(QString::fromStdString(job.string()), size);
  }
  OpenJob(const QString& path, QSize size) { open(path, size); }

  void open(const QString& path, QSize size) {
    window.resize(size);
    window.show();
    window.open({path});
    if (!settles()) qFatal("the job did not settle");
  }
  [[nodiscard]] bool settles() { return ui::settles(window.pending()); }
  [[nodiscard]] TabPages& tabs() { return window.tabs(); }
  [[nodiscard]] TraceSession& session() { return window.session(); }
  // What the tabs are about.
  [[nodiscard]] const JobReport& report() { return *tabs().scope().report(); }
  [[nodiscard]] const Analysis& analysis() { return report().analysis(); }
  // Selects a range in the timeline and waits for what follows.
  bool selects(TimeRange range) {
    session().setRange(range);
    return settles();
  }
};

// Four ranks of five steps; rank 1 computes 4 ms longer in each, and one layer's tensors are kept.
inline test::JobOptions jobWithFaults() {
  test::JobOptions options;
  options.ranks = 4;
  options.steps = 5;
  options.straggler = {1, 4'000'000, 0, test::StragglerKind::Compute};
  options.leakBytesPerStep = 8 << 20;
  options.leakRank = 2;
  return options;
}

} // namespace rankscope::ui::test_analysis

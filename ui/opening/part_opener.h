// SPDX-License-Identifier: GPL-3.0-or-later
// Lets a part of a job be opened: of one that would not fit into memory, of one that was given up for it, and
// of any that somebody wants less of. It makes the forecast away from the UI thread, puts the question on the
// page, and says what is to be opened; whoever owns the window shows the page while asking(). UI thread.
#pragma once

#include "ui/base/latest_task.h"
#include "ui/job/load_job.h"
#include "ui/opening/part_page.h"

#include <QObject>

#include <atomic>
#include <memory>

namespace rankscope::ui {

// What was asked of a LoadJob.
struct Opening {
  QStringList paths;
  LoadOptions options;
};

class PartOpener : public QObject {
  Q_OBJECT
 public:
  // Follows the job: it asks when one would not fit and falls silent when another one starts.
  PartOpener(LoadJob& job, PartPage& page, QObject* parent = nullptr);
  ~PartOpener() override;

  // Free memory of now; empty: nobody knows.
  void setMemory(MemoryFunction available) { m_available = std::move(available); }
  // givenBack: bytes of memory that come free when what is open is closed.
  void ask(const Opening& opening, PartQuestion::Reason reason, std::uint64_t givenBack);
  void leave();

  [[nodiscard]] bool asking() const { return m_asking; }
  // A forecast is under way.
  [[nodiscard]] bool forecasting() const { return m_forecast.pending(); }

 signals:
  void askingChanged();
  void forecastMade();
  // The options have a mayRead: it was asked. crowded: there is room only once what is open is closed.
  void openWanted(const rankscope::ui::Opening& opening, bool crowded);

 private:
  void show(LoadForecast forecast, PartQuestion::Reason reason);
  void findSteps();
  void choose(const LoadFilter& filter);

  PartPage& m_page;
  MemoryFunction m_available;
  Opening m_opening;
  bool m_asking = false;
  LatestTask<LoadForecast> m_forecast;
  LatestTask<std::optional<LoadFilter::Steps>> m_steps;
  std::shared_ptr<std::atomic<bool>> m_enough; // of the search for steps that runs
};

} // namespace rankscope::ui

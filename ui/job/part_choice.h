// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of a job is to be opened: of one that would not fit into memory, of one that was given up for
// it, and of any that somebody wants less of. It holds the question with its forecast, made away from the UI
// thread, and says what is to be opened once it is answered; a page shows it while asking(). UI thread.
#pragma once

#include "ui/base/latest_task.h"
#include "ui/job/load_job.h"

#include <QObject>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace rankscope::ui {

// What was asked of a LoadJob.
struct Opening {
  QStringList paths;
  LoadOptions options;
};

struct PartQuestion {
  enum class Reason : std::uint8_t { WouldNotFit, RanLow, Asked };

  Reason reason = Reason::Asked;
  QStringList paths;
  LoadForecast forecast;                   // available == 0: nobody knows
  LoadFilter filter;                       // as it was opened or to be opened
  std::optional<LoadFilter::Steps> marked; // the job's steps
  bool stepsSought = false;                // nothing in marked means that there are none

  // Bytes of memory that loading this takes; at most that when it has steps and nobody knows their share.
  [[nodiscard]] std::uint64_t needed(const LoadFilter& part) const;
};

class PartChoice : public QObject {
  Q_OBJECT
 public:
  // Follows the job: it asks when one would not fit and falls silent when another one starts.
  PartChoice(PendingWork& pending, LoadJob& job, QObject* parent = nullptr);
  ~PartChoice() override;

  // Free memory of now; empty: nobody knows.
  void setMemory(MemoryFunction available) { m_available = std::move(available); }
  // givenBack: bytes of memory that come free when what is open is closed.
  void ask(const Opening& opening, PartQuestion::Reason reason, std::uint64_t givenBack);
  // The answers.
  void choose(const LoadFilter& filter);
  void leave();

  [[nodiscard]] bool asking() const { return m_asking; }
  // REQUIRES: asking().
  [[nodiscard]] const PartQuestion& question() const { return m_question; }

 signals:
  // There is a question, or another one.
  void asked();
  // The question knows of the steps.
  void stepsFound();
  void left();
  // The options have a mayRead: it was asked. crowded: there is room only once what is open is closed.
  void openWanted(const rankscope::ui::Opening& opening, bool closeFirst);

 private:
  void put(LoadForecast forecast, PartQuestion::Reason reason);
  void findSteps();

  MemoryFunction m_available;
  Opening m_opening;
  PartQuestion m_question;
  bool m_asking = false;
  LatestTask<LoadForecast> m_forecast;
  LatestTask<std::optional<LoadFilter::Steps>> m_steps;
  std::shared_ptr<std::atomic<bool>> m_cancelSearch; // of the search for steps that runs
};

// "without Python stack · steps 3 to 5"; empty for everything.
[[nodiscard]] QString partText(const LoadFilter& filter);

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of the part of a job to open: for a job that would not fit into memory, one that ran out of
// it, or on request. Holds the question with its memory forecast, computed on a worker, and emits what to
// open once it is answered; a page shows it while asking(). UI thread.
#pragma once

#include "ui/base/latest_task.h"
#include "ui/job/load_job.h"

#include <QObject>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

namespace rankscope::ui {

// Paths and options of a LoadJob.
struct Opening {
  QStringList paths;
  LoadOptions options;
};

struct PartQuestion {
  enum class Reason : std::uint8_t { WouldNotFit, RanLow, Asked };

  Reason reason = Reason::Asked;
  QStringList paths;
  LoadForecast forecast;                   // available == 0: unknown
  LoadFilter filter;                       // current filter
  std::optional<LoadFilter::Steps> marked; // the job's steps
  bool stepsSought = false;                // then an empty `marked` means that there are no steps
  std::map<int, std::uint64_t> rankBytes;  // of files, by rank; of files that do not name theirs: none
  std::uint64_t otherBytes = 0;            // of these
  bool ranksSought = false;                // then no rank means that no file names its rank

  // Memory in bytes for loading this part; an upper bound if the share of the steps is unknown.
  [[nodiscard]] std::uint64_t needed(const LoadFilter& part) const;

 private:
  [[nodiscard]] double shareOf(const std::vector<int>& ranks) const;
};

class PartChoice : public QObject {
  Q_OBJECT
 public:
  // Follows the job: asks if one would not fit, and withdraws the question when another one starts.
  PartChoice(PendingWork& pending, LoadJob& job, QObject* parent = nullptr);
  ~PartChoice() override;

  // Reports free memory; empty: unknown.
  void setMemory(MemoryFunction available) { m_available = std::move(available); }
  // givenBack: bytes that closing the open job would free.
  void ask(const Opening& opening, PartQuestion::Reason reason, std::uint64_t givenBack);
  // The answers.
  void choose(const LoadFilter& filter);
  void leave();

  [[nodiscard]] bool asking() const { return m_asking; }
  // REQUIRES: asking().
  [[nodiscard]] const PartQuestion& question() const { return m_question; }

 signals:
  // There is a new question.
  void asked();
  // The steps or the ranks of the question are known.
  void foundMore();
  void left();
  // The options have a mayRead, as the user has decided. closeFirst: it fits only after the open job is
  // closed.
  void openWanted(const rankscope::ui::Opening& opening, bool closeFirst);

 private:
  void put(LoadForecast forecast, PartQuestion::Reason reason);
  void findSteps();
  void findRanks();

  MemoryFunction m_available;
  Opening m_opening;
  PartQuestion m_question;
  bool m_asking = false;
  LatestTask<LoadForecast> m_forecast;
  LatestTask<std::optional<LoadFilter::Steps>> m_steps;
  struct FoundRanks {
    std::map<int, std::uint64_t> bytes;
    std::uint64_t other = 0;
  };
  LatestTask<FoundRanks> m_ranks;
  std::shared_ptr<std::atomic<bool>> m_cancelSearch; // of the running search for steps
};

} // namespace rankscope::ui

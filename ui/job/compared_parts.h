// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the open job that are to be compared: anyone who shows a rank, host, step, capture or range
// can make it a side; the compare tab follows. One for each session, which owns it; made when first asked
// for. UI thread.
#pragma once

#include <QObject>
#include <QString>

#include <cstdint>
#include <optional>
#include <string>

namespace rankscope::ui {

class TraceSession;

// A part of a job.
struct JobPart {
  enum class Kind : std::uint8_t {
    Whole,
    Rank,
    OtherRanks, // all but this one
    Capture,
    Host,
    Step,
    Steps, // from number to last
  };
  Kind kind = Kind::Whole;
  std::int64_t number = 0; // of the rank, the capture (by time, from 0) or the step
  std::int64_t last = 0;   // step
  std::string host;

  bool operator==(const JobPart&) const = default;
};

// "Rank 3", "Steps 5–9", "Host node-1".
[[nodiscard]] QString partTitle(const JobPart& part);

class ComparedParts : public QObject {
  Q_OBJECT
 public:
  [[nodiscard]] static ComparedParts& of(TraceSession& session);

  // What was made side A, for a side B still to come.
  [[nodiscard]] const std::optional<JobPart>& sideA() const { return m_sideA; }
  void setSideA(const JobPart& part);
  // With side A.
  void compareWith(const JobPart& part);
  void compare(const JobPart& a, const JobPart& b);

 signals:
  // Both sides are known.
  void wanted(const rankscope::ui::JobPart& a, const rankscope::ui::JobPart& b);

 private:
  using QObject::QObject;

  std::optional<JobPart> m_sideA;
};

} // namespace rankscope::ui

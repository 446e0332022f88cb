// SPDX-License-Identifier: GPL-3.0-or-later
// The other job that is open for a comparison, for every tab that can ask both. One for each session, which
// owns it; made when first asked for. UI thread.
#pragma once

#include "core/report/job_report.h"

#include <QObject>

#include <memory>

namespace rankscope::ui {

class TraceSession;

class JobBeside : public QObject {
  Q_OBJECT
 public:
  [[nodiscard]] static JobBeside& of(TraceSession& session);

  // Null if there is none.
  [[nodiscard]] const std::shared_ptr<const JobReport>& report() const { return m_report; }
  void setReport(std::shared_ptr<const JobReport> report);

 signals:
  void changed();

 private:
  using QObject::QObject;

  std::shared_ptr<const JobReport> m_report;
};

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/job_beside.h"

#include "ui/job/trace_session.h"

#include <utility>

namespace rankscope::ui {

JobBeside& JobBeside::of(TraceSession& session) {
  auto* beside = session.findChild<JobBeside*>(QString(), Qt::FindDirectChildrenOnly);
  return beside != nullptr ? *beside : *new JobBeside(&session);
}

void JobBeside::setReport(std::shared_ptr<const JobReport> report) {
  if (report == m_report) return;
  m_report = std::move(report);
  emit changed();
}

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/job/compared_parts.h"

#include "ui/base/ui_text.h"
#include "ui/job/trace_session.h"

namespace rankscope::ui {

QString partTitle(const JobPart& part) {
  switch (part.kind) {
  case JobPart::Kind::Whole:
    return tr("Whole job");
  case JobPart::Kind::Rank:
    return tr("Rank %1").arg(part.number);
  case JobPart::Kind::OtherRanks:
    return tr("All but rank %1").arg(part.number);
  case JobPart::Kind::Capture:
    return tr("Capture %1").arg(part.number + 1);
  case JobPart::Kind::Host:
    return tr("Host %1").arg(QString::fromStdString(part.host));
  case JobPart::Kind::Step:
    return tr("Step %1").arg(part.number);
  case JobPart::Kind::Steps:
    break;
  }
  return tr("Steps %1–%2").arg(part.number).arg(part.last);
}

ComparedParts& ComparedParts::of(TraceSession& session) {
  auto* parts = session.findChild<ComparedParts*>(QString(), Qt::FindDirectChildrenOnly);
  if (parts != nullptr) return *parts;
  parts = new ComparedParts(&session);
  // Of another job they mean nothing.
  connect(&session, &TraceSession::traceChanged, parts, [parts, &session] {
    if (!session.trace()) parts->m_sideA.reset();
  });
  return *parts;
}

void ComparedParts::setSideA(const JobPart& part) {
  m_sideA = part;
}

void ComparedParts::compareWith(const JobPart& part) {
  if (m_sideA) compare(*m_sideA, part);
}

void ComparedParts::compare(const JobPart& a, const JobPart& b) {
  m_sideA = a;
  emit wanted(a, b);
}

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/finding_target.h"

#include "ui/base/highlight_choice.h"
#include "ui/job/trace_session.h"

#include <algorithm>

namespace rankscope::ui {

namespace {

constexpr TimeNs kInstant = 1'000; // shorter than any useful view
constexpr TimeNs kAroundInstant = 1'000'000;

bool isIdleTime(FindingKind kind) {
  using enum FindingKind;
  return kind == Synchronization || kind == IdleAfterBackward || kind == LaunchBound || kind == GpuIdle;
}

} // namespace

FindingTarget targetOf(const Finding& finding) {
  using enum FindingKind;
  const QString subject = QString::fromStdString(finding.subject);
  switch (finding.kind) {
  case Fragmentation:
  case MemoryGrowth:
  case MemorySpike:
    return {QStringLiteral("memory")};
  case LowOccupancy:
  case FewBlocks:
    return {QStringLiteral("kernels"), subject};
  case NoTensorCores:
  case CpuCopy:
    return {QStringLiteral("operators"), subject};
  case CommunicationDominates:
  case LowOverlapRank:
    return {QStringLiteral("distributed")};
  case ClockDisagreement:
    return {finding.event.valid() ? QString() : QStringLiteral("distributed")};
  case CaptureQuality:
    return {finding.event.valid() || !finding.place.empty() ? QString() : QStringLiteral("files")};
  default:
    return {};
  }
}

JobRange placeToShow(const Analysis& analysis, const Finding& finding) {
  const JobRange place = finding.place;
  if (place.empty() || place.length() >= kInstant) return place;
  if (finding.rank.valid()) {
    const ClockCorrection& clock = analysis.clocks().of(finding.rank);
    const StepWindows& steps = analysis.wholeStepWindows(finding.rank);
    const auto step = steps.indexAt(clock.fromJob(place.begin).ns());
    if (step) return clock.toJob(RankRange::of(steps.steps[*step].range));
  }
  return {place.begin - kAroundInstant, place.end + kAroundInstant};
}

void revealFinding(TraceSession& session, const Analysis& analysis, const Finding& finding) {
  if (!session.trace()) return;
  const JobRange place = placeToShow(analysis, finding);
  RankIndex rank = finding.rank.valid() ? finding.rank : finding.event.rank;
  if (!rank.valid() && !analysis.ranks().empty()) rank = analysis.ranks().front();
  if (isIdleTime(finding.kind) && !finding.place.empty() && rank.valid())
    session.selectGap(GapRef{rank, finding.place});
  else if (finding.event.valid())
    session.select(finding.event);
  if (!place.empty())
    session.revealPlace(rank, place);
  else if (finding.event.valid())
    session.reveal(finding.event);
}

} // namespace rankscope::ui

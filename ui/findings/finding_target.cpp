// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/finding_target.h"

#include "ui/base/highlight_choice.h"
#include "ui/job/trace_session.h"

#include <algorithm>
#include <optional>

namespace rankscope::ui {

namespace {

constexpr TimeNs kInstant = 1'000; // shorter than any useful view
constexpr TimeNs kAroundInstant = 1'000'000;

bool isIdleTime(FindingKind kind) {
  using enum FindingKind;
  switch (kind) {
  case DdpBuffersBroadcast:
  case DdpBucketCopies:
  case ObjectCollectives:
  case TinyKernels:
  case LaunchBound:
  case UnfusedOptimizer:
  case Synchronization:
  case DataLoaderStall:
  case GraphBreaks:
  case DeviceAllocation:
  case Python:
  case GarbageCollection:
  case Descheduled:
  case RecordingEdge:
  case UnexplainedIdle:
  case StepBurst:
    return true;
  default:
    return false;
  }
}

} // namespace

FindingTarget targetOf(const Finding& finding) {
  using enum FindingKind;
  const QString subject = QString::fromStdString(finding.subject);
  switch (finding.kind) {
  case Fragmentation:
  case MemoryGrowth:
  case NearLimit:
  case MemoryExpected:
  case OutOfMemory:
    return {QStringLiteral("memory")};
  case HangHost:
  case HangDevice:
  case HangMismatch:
  case HangNoDump:
    return {QStringLiteral("hang")};
  case NoTensorCores:
  case UnfusedAttention:
  case MisalignedGemm:
  case LayoutConversions:
  case Casts:
  case UnfusedElementwise:
  case Norms:
  case SmallGrids:
  case Contention:
  case Atomics:
    return {QStringLiteral("kernels"), subject};
  case FewChannels:
  case NetSocket:
  case NetNoGdr:
  case NetShm:
  case NetNicUnused:
  case NetNvlsOff:
  case NetPinned:
  case NetChoice:
  case NetMixedVersion:
  case NetInitSlow:
  case NetWarning:
  case NetIncomplete:
    return {QStringLiteral("network")};
  case MemoryBoundDecode:
  case InferenceGaps:
  case DecodeBandwidthLow:
  case PrefillBlocksDecode:
  case NoCudaGraph:
  case PaddedBatch:
    return {QStringLiteral("efficiency")};
  case ClockDisagreement:
    return {finding.event.valid() ? QString() : QStringLiteral("distributed")};
  case Benchmark:
  case OneStep:
  case StartupRecorded:
    return {QStringLiteral("overview")};
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

namespace {

// The gap of the devices in the middle of the place; empty where they work.
std::optional<JobRange> gapIn(const Analysis& analysis, RankIndex rank, JobRange place) {
  const ClockCorrection& clock = analysis.clocks().of(rank);
  const TimeNs middle = clock.fromJob(place.begin + place.length() / 2).ns();
  for (const IdleGap& gap : analysis.gaps(rank).ofDevices) {
    if (gap.range.contains(middle)) return clock.toJob(RankRange::of(gap.range));
  }
  return std::nullopt;
}

} // namespace

JobRange gapAround(const Analysis& analysis, RankIndex rank, JobRange place) {
  return gapIn(analysis, rank, place).value_or(place);
}

void revealFinding(TraceSession& session, const Analysis& analysis, const Finding& finding) {
  if (!session.trace()) return;
  const JobRange place = placeToShow(analysis, finding);
  RankIndex rank = finding.rank.valid() ? finding.rank : finding.event.rank;
  if (!rank.valid() && !analysis.ranks().empty()) rank = analysis.ranks().front();
  const bool idleTime = isIdleTime(finding.kind) && !finding.place.empty() && rank.valid();
  if (const auto gap = idleTime ? gapIn(analysis, rank, place) : std::nullopt)
    session.selectGap(GapRef{rank, *gap});
  else if (finding.event.valid())
    session.select(finding.event);
  if (!place.empty())
    session.revealPlace(rank, place);
  else if (finding.event.valid())
    session.reveal(finding.event);
}

} // namespace rankscope::ui

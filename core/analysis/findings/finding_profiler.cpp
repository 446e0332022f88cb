// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about the profiler's part in what was recorded: events that are missing, time that it took itself;
// and host waits for room in the launch queue, which are no fault.
#include "core/analysis/classify/name_traits.h"
#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/job/recording_advice.h"
#include "core/base/statistics.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr double kDroppedIdle = 0.3;
constexpr double kDroppedUnexplained = 0.1;
constexpr double kMinOverhead = 0.02;
constexpr double kMinQueueFull = 0.05;
// A call that waits for room takes so many times as long as others, and no less than this.
constexpr double kTimesUsual = 20;
constexpr TimeNs kMinQueueWait = 50'000;
constexpr std::size_t kRegularGaps = 8;
constexpr double kRegularVariation = 0.1;
constexpr TimeNs kSliceOfOther = 500'000;

// As many launches as device events, every one of them linked, and yet the device idles although work was
// queued: what ran there was not recorded, nor its launch. Whether that is so.
bool findDroppedEvents(FindingContext& context) {
  const KeptAccount& kept = context.kept();
  const double idle = kept.classTimes[static_cast<std::size_t>(TimeClass::Idle)];
  const double unexplained = kept.timeOf("queue.unexplained");
  if (context.shareOf(idle) <= kDroppedIdle || context.shareOf(unexplained) <= kDroppedUnexplained)
    return false;
  for (const RankIndex rank : context.ranks()) {
    const auto allLinked = context.ofRank<bool>(rank, "every device event has its launch", [&] {
      const RankTrace& trace = context.traceOf(rank);
      return trace.deviceBegin != trace.deviceEnd &&
             trace.byLaunch.size() == trace.deviceEnd.value - trace.deviceBegin.value;
    });
    if (!allLinked) return false;
  }
  Finding finding =
      infoAbout(FindingKind::EventsDropped,
                fmt::format("Events missing: GPU idle {:.0f} %", 100 * context.shareOf(idle)),
                fmt::format("Every device event has its launch, and {} of the idle time has no "
                            "explanation: events were dropped "
                            "or filtered. Idle figures are upper bounds.",
                            context.timeText(unexplained)),
                recordedByNsight(context.analysis().trace())
                    ? "Record a shorter time, or trace less (--trace=cuda,nvtx); export the whole report."
                    : "Record fewer steps at once, or raise the profiler's buffer "
                      "(KINETO_CUPTI_BUFFER_MB); do not filter the file.");
  finding.leaf = leafText(Leaf::QueueUnexplained);
  finding.time = static_cast<TimeNs>(std::llround(unexplained));
  context.add(std::move(finding));
  return true;
}

// What these rows are named; "Unrecognized" may be anything.
std::uint8_t isProfilerWork(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  return has("Buffer") || has("Lazy Function Loading") || has("Instrumentation") || has("Resource") ? 1 : 0;
}

// The profiler's own rows in the kept steps.
struct OverheadRows {
  TimeNs time = 0;
  NameId longest;
};

// Launch calls that wait for room while the device is busy, in the kept steps.
struct QueueWaits {
  ExactSum time;
  std::int64_t calls = 0;
};

struct UnexplainedGaps {
  std::vector<double> gaps;
  TimeRange longest;
};

} // namespace

template <class Archive, Described<OverheadRows> T> void describe(Archive& archive, T& rows) {
  auto& [time, longest] = rows;
  archive(time, longest);
}
template <class Archive, Described<QueueWaits> T> void describe(Archive& archive, T& waits) {
  auto& [time, calls] = waits;
  archive(time, calls);
}
template <class Archive, Described<UnexplainedGaps> T> void describe(Archive& archive, T& of) {
  auto& [gaps, longest] = of;
  archive(gaps, longest);
}

namespace {

OverheadRows overheadRows(const FindingContext& context, RankIndex rank) {
  const RankTrace& trace = context.traceOf(rank);
  NameMemory isKnown(context.analysis().trace().names(), &isProfilerWork);
  std::vector<TimeRange> rows;
  EventIndex longest;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Overhead) continue;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      if (!context.windowAt(rank, trace.events.begin[event]) || isKnown[trace.events.name[event]] == 0)
        continue;
      rows.push_back(trace.events.range(event));
      if (!longest.valid() || trace.events.duration[event] > trace.events.duration[longest]) longest = event;
    }
  }
  return {IntervalSet(std::move(rows)).totalLength(),
          longest.valid() ? trace.events.name[longest] : NameId()};
}

QueueWaits queueWaits(const FindingContext& context, RankIndex rank) {
  const RankTrace& trace = context.traceOf(rank);
  std::vector<TimeNs> durations;
  std::vector<EventIndex> launches;
  EventIndex previous;
  for (const EventIndex device : trace.byLaunch) {
    const EventIndex launch = trace.deviceDetail(device).launch;
    if (launch == previous || trace.events.kind[device] != EventKind::Kernel) continue;
    previous = launch;
    if (!context.windowAt(rank, trace.events.begin[launch])) continue;
    durations.push_back(trace.events.duration[launch]);
    launches.push_back(launch);
  }
  QueueWaits waits;
  if (durations.empty()) return waits;
  const double limit =
      std::max(kTimesUsual * median(std::move(durations)), static_cast<double>(kMinQueueWait));
  const IntervalSet& busy = context.analysis().wholeActivity(rank).busy;
  for (const EventIndex launch : launches) {
    const TimeRange range = trace.events.range(launch);
    if (static_cast<double>(range.length()) < limit || busy.coveredWithin(range) < range.length()) continue;
    waits.time += range.length();
    ++waits.calls;
  }
  return waits;
}

UnexplainedGaps unexplainedGaps(const FindingContext& context, RankIndex rank) {
  UnexplainedGaps found;
  for (const KeptWindow& window : context.kept().windows[rank.value]) {
    context.account().of(rank).pieces.forEachWithin(
        window.range, [&](TimeRange range, const TimePieces::Piece& piece) {
          if (piece.leaf != Leaf::QueueUnexplained || range.length() < kSliceOfOther) return;
          found.gaps.push_back(static_cast<double>(range.length()));
          if (range.length() > found.longest.length()) found.longest = range;
        });
  }
  return found;
}

void findOverhead(FindingContext& context) {
  RankIndex worst;
  double most = 0;
  std::string name;
  for (const RankIndex rank : context.ranks()) {
    const auto rows =
        context.ofRank<OverheadRows>(rank, "profiler overhead", [&] { return overheadRows(context, rank); });
    const double time = context.perStep(rank, rows.time);
    if (time <= most) continue;
    most = time;
    worst = rank;
    name = context.analysis().trace().names()[rows.longest];
  }
  if (context.shareOf(most) < kMinOverhead) return;
  Finding finding = infoAbout(
      FindingKind::ProfilerOverhead,
      fmt::format("Profiler overhead: {} ({})", context.timeText(most),
                  percentText(100 * context.shareOf(most))),
      fmt::format(
          "The profiler works within the steps of {}, mostly in {}. Steps are that much longer than without "
          "it, at most.",
          context.rankText(worst), name),
      fmt::format("Profile again without {}, after warmup steps, and fewer steps.",
                  costlyOptions(context.analysis().trace())));
  finding.rank = worst;
  context.add(std::move(finding));
}

void findFullQueue(FindingContext& context) {
  RankIndex worst;
  double most = 0;
  std::int64_t calls = 0;
  for (const RankIndex rank : context.ranks()) {
    const auto waits = context.ofRank<QueueWaits>(rank, "waits for the launch queue",
                                                  [&] { return queueWaits(context, rank); });
    const double time = context.perStep(rank, waits.time);
    if (time <= most) continue;
    most = time;
    worst = rank;
    calls = waits.calls;
  }
  if (context.shareOf(most) < kMinQueueFull) return;
  Finding finding = infoAbout(
      FindingKind::LaunchQueueFull, fmt::format("Launch queue full: host waits {}", context.timeText(most)),
      fmt::format(
          "{} of {} {} for room in the launch queue while the GPU is busy. The host is far ahead of the "
          "device: this is healthy.",
          countedText(calls, "launch call"), context.rankText(worst), calls == 1 ? "waits" : "wait"),
      {});
  finding.rank = worst;
  context.add(std::move(finding));
}

// Unexplained gaps of nearly equal length: the device may have run another process in turns.
void findOtherProcess(FindingContext& context) {
  for (const RankIndex rank : context.ranks()) {
    const auto [gaps, longest] = context.ofRank<UnexplainedGaps>(
        rank, "unexplained gaps", [&] { return unexplainedGaps(context, rank); });
    if (gaps.size() < kRegularGaps) continue;
    const double middle = median(gaps);
    if (medianAbsoluteDeviation(gaps) > kRegularVariation * middle) continue;
    Finding finding = infoAbout(
        FindingKind::OtherProcess,
        fmt::format("Another process on the GPU? {}, {} gaps", context.rankText(rank), gaps.size()),
        fmt::format("{} unexplained gaps of about {} each, as time slices of another process would leave.",
                    gaps.size(), durationText(static_cast<TimeNs>(middle))),
        "nvidia-smi pmon lists the processes on the GPU.");
    finding.confidence = Confidence::Hint;
    finding.leaf = leafText(Leaf::QueueUnexplained);
    finding.rank = rank;
    finding.place = context.toJob(rank, RankRange::of(longest));
    context.add(std::move(finding));
    return;
  }
}

} // namespace

void findProfilerFindings(FindingContext& context) {
  if (!context.hasDevices()) return;
  const bool dropped = findDroppedEvents(context);
  findOverhead(context);
  findFullQueue(context);
  if (!dropped) findOtherProcess(context); // the same gaps have one explanation
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about the recording itself: what limits how far the other figures can be trusted.
#include "core/analysis/findings/finding_rules.h"
#include "core/base/exact_sum.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <set>

namespace rankscope {

namespace {

constexpr double kManyWithoutLaunch = 0.05;
// A kernel that begins this much before its launch was timed by a clock that disagrees with the host's.
constexpr TimeNs kSkewTolerance = 5'000;
constexpr TimeNs kOffsetWorthSaying = 1'000'000;

Finding doubt(std::string title, std::string evidence, std::string fix, Severity severity) {
  Finding finding;
  finding.kind = FindingKind::CaptureQuality;
  finding.severity = severity;
  finding.title = std::move(title);
  finding.evidence = std::move(evidence);
  finding.fix = std::move(fix);
  return finding;
}

void findMissingRanks(FindingContext& context) {
  const TraceSet& trace = context.analysis().trace();
  const auto world = trace.worldSize();
  std::set<int> present;
  for (const RankEntry& entry : trace.ranks()) present.insert(entry.rank);
  if (!world || *world <= static_cast<std::int64_t>(present.size()) || present.size() < 2) return;
  context.add(doubt(
      fmt::format("{} of {} ranks are missing", *world - static_cast<std::int64_t>(present.size()), *world),
      "Waits are measured against the ranks that are here: the last one of a collective may be one that is "
      "not.",
      "Collect the traces of all ranks, or read waits and stragglers as lower bounds.", Severity::Info));
}

// Per rank: device time whose launch was not recorded, and how far kernels run ahead of their launch.
void findLaunchDoubts(FindingContext& context) {
  for (const RankIndex rank : context.ranks()) {
    const RankTrace& trace = *context.analysis().trace().rank(rank).trace;
    std::int64_t without = 0, skewed = 0;
    ExactSum time;
    TimeNs skew = 0;
    EventIndex worst;
    for (EventIndex e = trace.deviceBegin; e < trace.deviceEnd; ++e.value) {
      const EventIndex launch = trace.deviceDetail(e).launch;
      if (!launch.valid()) {
        ++without;
        time += trace.events.duration[e];
        continue;
      }
      const TimeNs early = trace.events.begin[launch] - trace.events.begin[e];
      if (early <= kSkewTolerance) continue;
      ++skewed;
      if (early > skew) worst = e;
      skew = std::max(skew, early);
    }
    const auto all = static_cast<double>(trace.deviceEnd.value - trace.deviceBegin.value);
    if (static_cast<double>(without) > kManyWithoutLaunch * all &&
        without < trace.deviceEnd.value - trace.deviceBegin.value) {
      Finding finding =
          doubt(fmt::format("{} of {} device events of {} have no launch in the recording", without,
                            groupedText(static_cast<std::int64_t>(all)), context.rankText(rank)),
                fmt::format("{} of device time cannot be assigned to operators.", durationText(time)),
                "Record CPU activities as well, let the profiler warm up (schedule(wait, warmup, active)), "
                "and upgrade "
                "where CUDA graphs or driver launches are not recorded.",
                Severity::Info);
      finding.rank = rank;
      finding.cost = time;
      context.add(std::move(finding));
    }
    if (skewed == 0) continue;
    Finding finding = doubt(fmt::format("{} device events of {} begin before their launch, by up to {}",
                                        skewed, context.rankText(rank), durationText(skew)),
                            "The device's clock is converted to the host's with an error; launch delays and "
                            "gaps' causes of this rank are "
                            "uncertain by as much. Nothing was shifted.",
                            "Newer drivers and profilers convert the clocks better.", Severity::Info);
    finding.kind = FindingKind::ClockDisagreement;
    finding.rank = rank;
    finding.cost = skew;
    finding.event = {rank, worst};
    if (worst.valid()) finding.place = context.toJob(rank, RankRange::of(trace.events.range(worst)));
    context.add(std::move(finding));
  }
}

void findClockDoubts(FindingContext& context) {
  const ClockAlignment& clocks = context.analysis().clocks();
  std::set<std::uint32_t> told;
  for (const RankIndex rank : context.ranks()) {
    const RankClock& clock = clocks.ranks[rank.value];
    if (clock.domain == 0 || !told.insert(clock.domain).second) continue;
    const std::string& host = context.analysis().trace().rank(rank).host;
    const bool hostIsSplit = std::ranges::any_of(context.ranks(), [&](RankIndex other) {
      return context.analysis().trace().rank(other).host == host &&
             clocks.ranks[other.value].domain != clock.domain;
    });
    const std::string where = host.empty() || hostIsSplit ? context.rankText(rank) : "host " + host;
    const TimeNs offset = -clock.correction.offset;
    if (!clock.feasible) {
      Finding finding = doubt(
          fmt::format("The clock of {} cannot be brought into line", where),
          fmt::format(
              "Its collectives contradict each other by {}: some were matched wrongly, or its clock jumped.",
              durationText(clock.bounds->begin - clock.bounds->end)),
          "Read waits across these hosts with care; PyTorch 2.12 and later record sequence numbers, which "
          "settle it.",
          Severity::Warning);
      finding.kind = FindingKind::ClockDisagreement;
      finding.rank = rank;
      finding.cost = clock.bounds->begin - clock.bounds->end;
      context.add(std::move(finding));
    } else if (std::abs(offset) >= kOffsetWorthSaying) {
      Finding finding = doubt(
          fmt::format("The clock of {} is {} {} that of {}", where, durationText(std::abs(offset)),
                      offset > 0 ? "ahead of" : "behind", context.rankText(RankIndex(0))),
          fmt::format("Corrected, with {} left for 95 % of its collectives{}.",
                      durationText(clock.residual.value_or(0)),
                      clock.correction.driftPpb != 0
                          ? fmt::format(" and a drift of {:.1f} ppm", -clock.correction.driftPpb / 1000)
                          : std::string()),
          "Synchronise the hosts' clocks (chrony, PTP) if you compare them in other tools.", Severity::Info);
      finding.kind = FindingKind::ClockDisagreement;
      finding.rank = rank;
      finding.cost = std::abs(offset);
      context.add(std::move(finding));
    }
  }
  if (clocks.unconnectedDomains > 0) {
    context.add(doubt(fmt::format("{} without a collective in common with the first",
                                  countedText(clocks.unconnectedDomains, "host")),
                      "Their clocks are shown as recorded; times across these hosts cannot be compared.",
                      "Record steps in which all ranks communicate.", Severity::Info));
  }
}

void findUnmatched(FindingContext& context) {
  const CollectiveMatch& match = context.analysis().collectives().match;
  const MatchCounts& counts = match.counts;
  const std::uint64_t all = counts.complete + counts.partial + counts.unmatched;
  if (counts.partial + counts.unmatched == 0 || all == 0) return;
  ExactSum time;
  for (const CollectiveInstance& instance : match.instances) {
    if (!instance.matched()) time += instance.end - instance.firstBegin;
  }
  if (20 * (counts.partial + counts.unmatched) < all) return;
  Finding finding = doubt(
      fmt::format("{} of {} collectives were not found on all ranks", counts.partial + counts.unmatched, all),
      fmt::format("{} with some of their ranks, {} alone: their waits are not or only partly known.",
                  counts.partial, countedText(static_cast<std::int64_t>(counts.unmatched), "call")),
      "Start and stop the profiler on all ranks at the same step.", Severity::Info);
  finding.cost = time;
  context.add(std::move(finding));
}

void findDamage(FindingContext& context) {
  const TraceSet& trace = context.analysis().trace();
  for (const RankIndex rank : context.ranks()) {
    const FileRecord& file = trace.file(trace.rank(rank).file);
    if (file.skipped == 0) continue;
    Finding finding = doubt(
        fmt::format("{} of {} could not be read",
                    countedText(static_cast<std::int64_t>(file.skipped), "event"), context.rankText(rank)),
        file.diagnostics.items().empty()
            ? std::string("The files table lists them.")
            : fmt::format("First at {}.", file.diagnostics.items().front().whereAndWhat()),
        "Copy the file again or record again: figures of this rank lack what these events held.",
        Severity::Warning);
    finding.rank = rank;
    context.add(std::move(finding));
  }
}

} // namespace

void findQualityFindings(FindingContext& context) {
  findMissingRanks(context);
  findLaunchDoubts(context);
  findClockDoubts(context);
  findUnmatched(context);
  findDamage(context);
}

} // namespace rankscope

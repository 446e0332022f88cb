// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about the quality of the recording: what limits the accuracy of other figures.
#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/job/cut_ranks.h"
#include "core/analysis/job/scope.h"
#include "core/base/exact_sum.h"
#include "core/base/unit_text.h"
#include "core/model/missing_part.h"
#include "core/model/side_files.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr double kMaxMissingLaunchShare = 0.05;
// A kernel that begins earlier than this before its launch indicates a skew between device and host clock.
constexpr TimeNs kSkewTolerance = 5'000;
constexpr TimeNs kMinReportedOffset = 1'000'000;

Finding qualityFinding(std::string title, std::string evidence, std::string fix, Severity severity) {
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
  const std::int64_t leftOut = std::ranges::count_if(
      trace.side().leftOutRanks, [&](int rank) { return rank < *world && !present.contains(rank); });
  const std::int64_t missing = *world - static_cast<std::int64_t>(present.size()) - leftOut;
  if (missing > 0)
    context.add(qualityFinding(
        fmt::format("Missing ranks: {} of {}", missing, *world),
        "Waits are measured against the recorded ranks: the last rank of a collective may be a missing one.",
        "Collect the traces of all ranks, or treat waits and straggler costs as lower bounds.",
        Severity::Info));
  if (leftOut > 0)
    context.add(qualityFinding(fmt::format("Ranks left out: {} of {}", leftOut, *world),
                               "Waits are measured against the loaded ranks: the last rank of a collective "
                               "may be one of the others.",
                               "Open all ranks, or treat waits and straggler costs as lower bounds.",
                               Severity::Info));
}

// What recordings of other programs lack, once for all ranks that lack it.
void findMissingParts(FindingContext& context) {
  struct Lacking {
    std::string advice;
    std::vector<RankIndex> ranks;
  };
  std::map<std::string, Lacking> parts;
  for (const RankIndex rank : context.ranks()) {
    for (const Diagnostic& diagnostic : context.analysis().trace().rank(rank).trace->diagnostics.items()) {
      const auto part = missingPartOf(diagnostic.text);
      if (!part) continue;
      Lacking& lacking = parts[std::string(part->first)];
      lacking.advice = part->second;
      lacking.ranks.push_back(rank);
    }
  }
  for (auto& [title, lacking] : parts) {
    Finding finding =
        qualityFinding(title, "This data is not in the recording.", lacking.advice, Severity::Info);
    if (lacking.ranks.size() == 1) finding.rank = lacking.ranks.front();
    finding.ranks = std::move(lacking.ranks);
    context.add(std::move(finding));
  }
}

// Device events of a rank whose launch was not recorded, and that begin before it.
struct LaunchProblems {
  RankIndex rank;
  std::int64_t events = 0;
  std::int64_t without = 0;
  ExactSum allTime, time; // of all, and of those without
  std::int64_t skewed = 0;
  TimeNs skew = 0; // the largest
  EventIndex worst;
  TimeRange range; // of the worst

  [[nodiscard]] bool lacksLaunches() const {
    return static_cast<double>(without) > kMaxMissingLaunchShare * static_cast<double>(events) &&
           without < events;
  }
};

} // namespace

template <class Archive, Described<LaunchProblems> T> void describe(Archive& archive, T& of) {
  auto& [rank, events, without, allTime, time, skewed, skew, worst, range] = of;
  archive(events, without, allTime, time, skewed, skew, worst, range);
  static_cast<void>(rank); // is that of the job
}

namespace {

// Launches are looked for in the whole recording, whatever range is asked about.
std::string_view wholeText(const FindingContext& context) {
  return isOfRange(context.analysis()) ? " in the whole recording" : "";
}

LaunchProblems launchProblemsOf(const FindingContext& context, RankIndex rank) {
  const RankTrace& trace = context.traceOf(rank);
  LaunchProblems found;
  found.rank = rank;
  found.events = trace.deviceEnd.value - trace.deviceBegin.value;
  for (EventIndex e = trace.deviceBegin; e < trace.deviceEnd; ++e.value) {
    const EventIndex launch = trace.deviceDetail(e).launch;
    found.allTime += trace.events.duration[e];
    if (!launch.valid()) {
      ++found.without;
      found.time += trace.events.duration[e];
      continue;
    }
    const TimeNs early = trace.events.begin[launch] - trace.events.begin[e];
    if (early <= kSkewTolerance) continue;
    ++found.skewed;
    if (early > found.skew) {
      found.worst = e;
      found.range = trace.events.range(e);
    }
    found.skew = std::max(found.skew, early);
  }
  return found;
}

// One finding for all ranks that lack launches.
void addMissingLaunches(FindingContext& context, const std::vector<LaunchProblems>& ranks) {
  std::int64_t without = 0, events = 0;
  ExactSum allTime, time;
  Finding where;
  for (const LaunchProblems& of : ranks) {
    if (!of.lacksLaunches()) continue;
    without += of.without;
    events += of.events;
    allTime += of.allTime;
    time += of.time;
    where.ranks.push_back(of.rank);
  }
  if (where.ranks.empty()) return;
  const auto whole = static_cast<double>(std::int64_t{allTime});
  const auto part = static_cast<double>(std::int64_t{time});
  const std::string shareText =
      whole > 0 ? fmt::format(" ({})", percentText(100 * part / whole)) : std::string();
  Finding finding = qualityFinding(
      fmt::format("Missing launches{}: {} of {} device events, {}", wholeText(context), groupedText(without),
                  groupedText(events), context.ranksText(where)),
      fmt::format("{} of device time{} cannot be attributed to operators.", durationText(time), shareText),
      "Record CPU activities too, let the profiler warm up (schedule(wait, warmup, active)), and upgrade "
      "PyTorch if CUDA graphs or driver launches are not recorded.",
      Severity::Info);
  if (where.ranks.size() == 1) finding.rank = where.ranks.front();
  finding.ranks = std::move(where.ranks);
  context.add(std::move(finding));
}

void findLaunchProblems(FindingContext& context) {
  std::vector<LaunchProblems> ranks;
  ranks.reserve(context.ranks().size());
  for (const RankIndex rank : context.ranks()) {
    ranks.push_back(context.ofRank<LaunchProblems>(rank, "missing and late launches",
                                                   [&] { return launchProblemsOf(context, rank); }));
    ranks.back().rank = rank;
  }
  addMissingLaunches(context, ranks);
  for (const LaunchProblems& of : ranks) {
    if (of.skewed == 0) continue;
    Finding finding = qualityFinding(
        fmt::format("Clock skew{}: {} before {} launch, up to {}, {}", wholeText(context),
                    countedText(of.skewed, "device event"), of.skewed == 1 ? "its" : "their",
                    durationText(of.skew), context.rankText(of.rank)),
        "The conversion of the device clock to the host clock is inaccurate; launch delays and gap "
        "causes of this rank are uncertain by this amount. Nothing was corrected.",
        "Use a newer driver and profiler; they convert clocks more accurately.", Severity::Info);
    finding.kind = FindingKind::ClockDisagreement;
    finding.rank = of.rank;
    finding.event = {of.rank, of.worst};
    if (!of.range.empty()) finding.place = context.toJob(of.rank, RankRange::of(of.range));
    context.add(std::move(finding));
  }
}

// A host whose clock was corrected, or could not be.
struct ClockCase {
  RankIndex rank; // one of it
  std::string where;
  TimeNs time = 0; // by which it is off, or by which its collectives contradict each other
};

// The largest first; many hosts are one finding, with the worst of them named.
std::string caseList(std::vector<ClockCase>& cases, const FindingContext& context) {
  constexpr std::size_t kMaxNamed = 5;
  std::ranges::stable_sort(cases, std::greater<>(), [](const ClockCase& c) { return std::abs(c.time); });
  std::string text;
  for (std::size_t i = 0; i < std::min(kMaxNamed, cases.size()); ++i) {
    const std::optional<TimeNs>& residual = context.analysis().clocks().ranks[cases[i].rank.value].residual;
    text += fmt::format("{}{} {}", i == 0 ? "" : "; ", cases[i].where, signedDurationText(cases[i].time));
    if (residual) text += fmt::format(" (residual {})", durationText(*residual));
  }
  if (cases.size() > kMaxNamed)
    text += fmt::format("; {} more in clock_offset_us of the ranks table", cases.size() - kMaxNamed);
  return text + ".";
}

void addClockCases(FindingContext& context, std::vector<ClockCase> cases, std::string_view title,
                   std::string_view evidence, std::string_view fix, Severity severity) {
  if (cases.empty()) return;
  const std::string list = caseList(cases, context);
  // Ranks of which no host is known have a clock each.
  const bool hosts =
      std::ranges::all_of(cases, [](const ClockCase& one) { return one.where.starts_with("host "); });
  const std::string where =
      cases.size() == 1 ? cases.front().where
                        : countedText(static_cast<std::int64_t>(cases.size()), hosts ? "host" : "clock");
  Finding finding =
      qualityFinding(fmt::format("{}: {}, {}{}", title, where, cases.size() == 1 ? "" : "up to ",
                                 durationText(std::abs(cases.front().time))),
                     fmt::format("{} {}", evidence, list), std::string(fix), severity);
  finding.kind = FindingKind::ClockDisagreement;
  finding.rank = cases.front().rank;
  context.add(std::move(finding));
}

std::string clockName(const FindingContext& context, RankIndex rank) {
  const Analysis& analysis = context.analysis();
  const std::string& host = analysis.trace().rank(rank).host;
  const bool hostIsSplit = std::ranges::any_of(context.ranks(), [&](RankIndex other) {
    return analysis.trace().rank(other).host == host &&
           analysis.clocks().ranks[other.value].domain != analysis.clocks().ranks[rank.value].domain;
  });
  return host.empty() || hostIsSplit ? context.rankText(rank) : "host " + host;
}

void findClockProblems(FindingContext& context) {
  const ClockAlignment& clocks = context.analysis().clocks();
  std::set<std::uint32_t> reported;
  std::vector<ClockCase> failed, offset;
  for (const RankIndex rank : context.ranks()) {
    const RankClock& clock = clocks.ranks[rank.value];
    if (clock.domain == 0 || !reported.insert(clock.domain).second) continue;
    const TimeNs ahead = -clock.correction.offset;
    if (!clock.feasible)
      failed.push_back({rank, clockName(context, rank), clock.bounds->begin - clock.bounds->end});
    else if (std::abs(ahead) >= kMinReportedOffset)
      offset.push_back({rank, clockName(context, rank), ahead});
  }
  addClockCases(context, std::move(failed), "Clock alignment failed",
                "Some collectives were matched incorrectly, or a clock jumped. Remaining contradiction:",
                "Waits across these hosts are unreliable; PyTorch 2.12 and later record sequence numbers, "
                "which make the match exact.",
                // gloo runs collectives of one group on several threads, in any order.
                context.hasDevices() ? Severity::Warning : Severity::Info);
  addClockCases(context, std::move(offset), "Clock offset",
                fmt::format("Corrected. Ahead (+) of or behind (-) {}:", context.rankText(RankIndex(0))),
                "Synchronize the hosts' clocks (chrony, PTP) if you compare them in other tools.",
                Severity::Info);
  if (clocks.unconnectedDomains > 0) {
    context.add(qualityFinding(
        fmt::format("Unaligned clocks: {}", countedText(clocks.unconnectedDomains, "host")),
        "No collective in common with the first host: their clocks are shown as recorded, and times across "
        "these hosts are not comparable.",
        "Record steps in which all ranks communicate.", Severity::Info));
  }
}

// What is missing of the collectives: only what there is of each.
std::string unmatchedText(const MatchCounts& counts) {
  std::vector<std::string> parts;
  if (counts.partial > 0)
    parts.push_back(fmt::format("{} found on some of {} ranks only", counts.partial,
                                counts.partial == 1 ? "its" : "their"));
  if (counts.unmatched > 0)
    parts.push_back(fmt::format("{} without a partner on another rank", counts.unmatched));
  return fmt::format("{}: their waits are unknown or incomplete.", fmt::join(parts, ", "));
}

void findUnmatched(FindingContext& context) {
  const MatchCounts& counts = context.analysis().collectives().match.counts;
  const std::uint64_t all = counts.complete + counts.partial + counts.unmatched;
  if (counts.partial + counts.unmatched == 0 || 20 * (counts.partial + counts.unmatched) < all) return;
  Finding finding = qualityFinding(
      fmt::format("Unmatched collectives: {} of {}", counts.partial + counts.unmatched, all),
      unmatchedText(counts), "Start and stop the profiler on all ranks at the same step.", Severity::Info);
  context.add(std::move(finding));
}

// "First: byte 5: ..." of what was skipped; not of what was never recorded.
std::string firstSkipped(const Diagnostics& diagnostics) {
  const auto first = std::ranges::find(diagnostics.items(), DiagnosticKind::Skipped, &Diagnostic::kind);
  if (first == diagnostics.items().end()) return "See the files table.";
  const std::string text = first->whereAndWhat();
  return fmt::format("First: {}{}", text, text.ends_with('.') ? "" : ".");
}

void findDamage(FindingContext& context) {
  const TraceSet& trace = context.analysis().trace();
  const std::vector<CutRank> cut = cutRanks(context.analysis());
  const std::string_view means =
      cut.size() < context.ranks().size() ? " Means over ranks leave it out." : std::string_view();
  for (const CutRank& of : cut) {
    const FileRecord& file = trace.file(trace.rank(of.rank).file);
    // Profilers write one thread after the other: half of the events may be missing up to the last moment.
    const bool unknown = of.missingTime == 0 && of.missingEvents == 0;
    const std::string what = unknown ? ""
                             : of.missingTimePct >= of.missingEventsPct
                                 ? fmt::format(", {:.0f} % of the job's time missing", of.missingTimePct)
                                 : fmt::format(", {:.0f} % of its events missing", of.missingEventsPct);
    Finding finding =
        qualityFinding(fmt::format("Truncated file: {}{}", context.rankText(of.rank), what),
                       fmt::format("{} ends too early: {}.{}", file.path, missingText(of), means),
                       "Copy the file again or record again: check the disk's free space and let the "
                       "profiler finish writing.",
                       Severity::Warning);
    finding.rank = of.rank;
    context.add(std::move(finding));
  }
  for (const RankIndex rank : context.ranks()) {
    const FileRecord& file = trace.file(trace.rank(rank).file);
    // The event in which a truncated file ends has its finding above.
    const bool isCut = std::ranges::find(cut, rank, &CutRank::rank) != cut.end();
    if (file.skipped <= (isCut ? 1U : 0U)) continue;
    Finding finding = qualityFinding(
        fmt::format("Unreadable events: {}, {}", file.skipped, context.rankText(rank)),
        firstSkipped(file.diagnostics),
        "Copy the file again or record again: the figures of this rank do not include these events.",
        Severity::Warning);
    finding.rank = rank;
    context.add(std::move(finding));
  }
}

} // namespace

void findQualityFindings(FindingContext& context) {
  findProfilerFindings(context);
  findMissingRanks(context);
  findMissingParts(context);
  findLaunchProblems(context);
  findClockProblems(context);
  findUnmatched(context);
  findDamage(context);
}

} // namespace rankscope

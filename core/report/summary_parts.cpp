// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/summary_parts.h"

#include "core/base/number_ranges.h"
#include "core/base/unit_text.h"
#include "core/index/interval_set.h"
#include "core/model/rank_digest.h"
#include "core/model/recorded_once.h"
#include "core/report/efficiency_view.h"
#include "core/report/process_groups.h"
#include "core/report/text_table.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kFindingsShown = 5;

// One rank of each clock domain that was corrected.
std::vector<RankIndex> correctedDomains(const Analysis& analysis) {
  const ClockAlignment& clocks = analysis.clocks();
  std::vector<RankIndex> ranks;
  std::set<std::uint32_t> reported;
  for (const RankIndex rank : analysis.ranks()) {
    const RankClock& clock = clocks.ranks[rank.value];
    if (!clock.correction.changesNothing() && reported.insert(clock.domain).second) ranks.push_back(rank);
  }
  return ranks;
}

TimeNs offsetOf(const Analysis& analysis, RankIndex rank) {
  const RankTime begin(analysis.trace().rank(rank).trace->extent.begin);
  return analysis.clocks().of(rank).aheadOfJob(begin);
}

void writeEfficiency(JsonWriter& json, const JobReport& report) {
  const EfficiencyView view = efficiencyFigures(report, report.efficiencySettings());
  const auto number = [&](std::string_view name, const std::optional<double>& value) {
    value ? json.literal(name, fmt::format("{:.6g}", *value)) : json.null(name);
  };
  json.beginObject("efficiency");
  number("mfu_pct", view.mfuPct);
  number("hfu_pct", view.hfuPct);
  number("busy_hfu_pct", view.busyHfuPct);
  number("coverage_pct", view.coveragePct);
  number("flops_per_step", view.flopsPerStep);
  number("tflops_per_gpu", view.tflopsPerGpu);
  number("peak_tflops", view.peak > 0 ? std::optional(view.peak) : std::nullopt);
  json.text("peak_from", view.peaks.from);
  json.text("dtype", numberFormatText(view.format));
  json.text("model", view.convention);
  json.text("unknown", whyNoMfu(view));
  json.endObject();
}

// Collectives that only recordings of a second profiler have, which recorded what others have.
std::int64_t recordedAgain(const Analysis& analysis) {
  if (!analysis.trace().severalCaptures()) return 0;
  const std::vector<RankIndex> once = recordedOnce(analysis.trace(), analysis.ranks());
  const CollectiveMatch& match = analysis.collectives().match;
  return std::ranges::count_if(match.instances, [&](const CollectiveInstance& instance) {
    return std::ranges::none_of(match.of(instance), [&](const Participant& part) {
      return std::ranges::binary_search(once, part.rank) ||
             !std::ranges::binary_search(analysis.ranks(), part.rank);
    });
  });
}

} // namespace

std::string recordedText(const Analysis& analysis) {
  std::vector<TimeRange> ranges;
  for (std::size_t i = 0; i < analysis.trace().ranks().size(); ++i) {
    const RankRange own = RankRange::of(analysis.trace().ranks()[i].trace->extent);
    ranges.push_back(analysis.clocks().of(RankIndex(i)).toJob(own).ns());
  }
  std::ranges::sort(ranges, {}, &TimeRange::begin);
  const TimeNs recorded = IntervalSet(std::move(ranges)).totalLength();
  const TimeNs whole = analysis.extent().length();
  std::string text = durationText(recorded) + " recorded";
  if (durationText(recorded) != durationText(whole)) text += " within " + durationText(whole);
  return text;
}

std::string topFindingsText(std::span<const Finding> findings, std::size_t checked, std::string_view note) {
  if (findings.empty())
    return fmt::format("\nNo findings; {} of {} checks could be made.\n", checked, kFindingKindCount);
  std::string text = "\nFindings\n";
  if (!note.empty()) text += fmt::format("  {}\n", note);
  for (std::size_t i = 0; i < std::min(kFindingsShown, findings.size()); ++i)
    text += fmt::format("  {:9} {}\n", severityText(findings[i].severity), printableText(findings[i].title));
  if (findings.size() > kFindingsShown)
    text += fmt::format("  and {} more: rankscope-cli findings\n", findings.size() - kFindingsShown);
  return text;
}

namespace {

std::string exactCountText(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", groupedText(count), count == 1 ? one : many);
}

} // namespace

std::vector<std::string> contradictedGroups(const Analysis& analysis) {
  const CollectiveMatch& match = analysis.collectives().match;
  std::vector<std::set<int>> others(match.groups.size());
  for (const CollectiveInstance& instance : match.instances) {
    const std::vector<std::int32_t>& members = match.group(instance).members;
    if (members.empty()) continue;
    for (const Participant& part : match.of(instance)) {
      const int rank = analysis.trace().rank(part.rank).rank;
      if (!std::ranges::binary_search(members, rank)) others[instance.group.value].insert(rank);
    }
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (others[i].empty()) continue;
    texts.push_back(fmt::format(
        "{} {} took part in {} as well, of which {} no {} by the metadata",
        others[i].size() == 1 ? "rank" : "ranks", numberRangesText({others[i].begin(), others[i].end()}),
        printableText(match.groups[i].label()), others[i].size() == 1 ? "it is" : "they are",
        others[i].size() == 1 ? "member" : "members"));
  }
  return texts;
}

std::string collectivesText(const Analysis& analysis) {
  const CollectiveMatch& match = analysis.collectives().match;
  if (match.instances.empty()) return {};
  const MatchCounts& counts = match.counts;
  const std::int64_t again = recordedAgain(analysis);
  // They are matched over whole recordings.
  const bool isPart = std::ranges::any_of(
      analysis.ranks(), [&](RankIndex rank) { return analysis.window(rank) != kWholeRecording; });
  std::string text = fmt::format(
      "\nCollectives{}: {}", isPart ? " of the whole recordings" : "",
      exactCountText(static_cast<std::int64_t>(match.instances.size()) - again, "instance", "instances"));
  if (again > 0)
    text += fmt::format(", and {} of them as the other profiler recorded them", groupedText(again));
  if (counts.complete + counts.partial + counts.unmatched > 0) {
    text += fmt::format(
        "; {} on all ranks, {} on some ranks, {}", groupedText(static_cast<std::int64_t>(counts.complete)),
        groupedText(static_cast<std::int64_t>(counts.partial)),
        exactCountText(static_cast<std::int64_t>(counts.unmatched), "unmatched call", "unmatched calls"));
    std::string by;
    for (const auto& [count, how] : {std::pair(counts.bySequence, "sequence number"),
                                     std::pair(counts.byOrder, "order"), std::pair(counts.byTime, "time")}) {
      if (count > 0)
        by += fmt::format("{}{} by {}", by.empty() ? "" : ", ", groupedText(static_cast<std::int64_t>(count)),
                          how);
    }
    if (!by.empty()) text += " (matched " + by + ")";
  }
  text += "\n" + processGroupsText(match.groups);
  for (const std::string& contradicted : contradictedGroups(analysis)) text += "  " + contradicted + "\n";
  return text;
}

std::string clocksText(const Analysis& analysis) {
  std::string text;
  for (const RankIndex rank : correctedDomains(analysis)) {
    const RankClock& clock = analysis.clocks().ranks[rank.value];
    const RankEntry& entry = analysis.trace().rank(rank);
    text += fmt::format("  {} (rank {}): {} against rank {}",
                        entry.host.empty() ? "unknown host" : entry.host, entry.rank,
                        signedDurationText(offsetOf(analysis, rank)), analysis.trace().ranks().front().rank);
    if (clock.correction.driftPpb != 0)
      text += fmt::format(", drift {:.1f} ppm", -clock.correction.driftPpb / 1e3);
    if (clock.residual) text += ", residual " + durationText(*clock.residual);
    text += clock.feasible ? "\n" : ", inconsistent with its collectives\n";
  }
  return text.empty() ? text : "\nClock corrections (from collectives)\n" + text;
}

void writeJobParts(JsonWriter& json, const JobReport& report, std::span<const AcceptedFinding> accepted) {
  const Analysis& analysis = report.analysis();
  const CollectiveMatch& match = analysis.collectives().match;
  json.beginObject("collectives");
  const auto count = [&](std::string_view name, std::uint64_t value) {
    json.integer(name, static_cast<std::int64_t>(value));
  };
  count("instances", match.instances.size());
  count("complete", match.counts.complete);
  count("partial", match.counts.partial);
  count("unmatched", match.counts.unmatched);
  count("by_sequence", match.counts.bySequence);
  count("by_order", match.counts.byOrder);
  count("by_time", match.counts.byTime);
  json.endObject();
  writeProcessGroups(json, match.groups);
  json.beginArray("clocks");
  for (const RankIndex rank : correctedDomains(analysis)) {
    const RankClock& clock = analysis.clocks().ranks[rank.value];
    json.beginObject();
    json.integer("rank", analysis.trace().rank(rank).rank);
    json.text("host", analysis.trace().rank(rank).host);
    json.literal("offset_us", microsecondsText(offsetOf(analysis, rank)));
    json.literal("drift_ppm", fmt::format("{:.3f}", -clock.correction.driftPpb / 1e3));
    clock.residual ? json.literal("residual_us", microsecondsText(*clock.residual))
                   : json.null("residual_us");
    json.literal("feasible", clock.feasible ? "true" : "false");
    json.endObject();
  }
  json.endArray();
  if (knowsEfficiency(report, report.efficiencySettings())) writeEfficiency(json, report);
  if (!report.hasFindings()) return;
  std::array<std::int64_t, 3> findings{};
  std::int64_t known = 0;
  for (const Finding& finding : report.findings()) {
    ++findings[static_cast<std::size_t>(finding.severity)];
    known += acceptedAs(report, finding, accepted) != nullptr ? 1 : 0;
  }
  json.beginObject("findings");
  for (const Severity severity : {Severity::Critical, Severity::Warning, Severity::Info})
    json.integer(severityText(severity), findings[static_cast<std::size_t>(severity)]);
  json.integer("accepted", known); // of them all
  json.endObject();
}

} // namespace rankscope

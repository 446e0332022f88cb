// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/findings_table.h"

#include "core/analysis/findings/finding_checks.h"
#include "core/analysis/job/analysis.h"
#include "core/analysis/job/scope.h"
#include "core/analysis/network/job_network.h"
#include "core/base/unit_text.h"
#include "core/report/job_totals.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>

namespace rankscope {

namespace {

// Escapes characters with a meaning in Markdown.
std::string markdownText(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '*' || c == '_' || c == '`' || c == '<' || c == '|' || c == '\\' || c == '#') safe += '\\';
    safe += c;
  }
  return safe;
}

// Numbers of the ranks that a finding lists; empty if it lists none.
std::set<int> listedRanks(const Analysis& analysis, const Finding& finding) {
  std::set<int> numbers;
  for (const RankIndex each : finding.ranks) numbers.insert(analysis.trace().rank(each).rank);
  return numbers;
}

} // namespace

std::string findingPlaceText(const Analysis& analysis, const Finding& finding, std::string_view between) {
  // Of files that lie beside recordings, where there are none.
  if (analysis.ranks().empty()) return "no recording";
  RankIndex rank = finding.rank;
  const RankCounts counts = countRanks(analysis);
  const std::set<int> numbers = listedRanks(analysis, finding);
  if (numbers.size() > 1) {
    std::string text = numberRangesText({numbers.begin(), numbers.end()});
    text = "ranks " + text;
    if (finding.step) text += fmt::format("{}see step {}", between, *finding.step);
    return text;
  }
  if (!rank.valid() && counts.captures == 1) rank = analysis.ranks().front();
  std::string text = "all ranks";
  std::string capture; // of the place: what it costs is the mean of all
  if (!rank.valid() && counts.ranks == 1) {
    const int only = analysis.trace().rank(analysis.ranks().front()).rank;
    text = fmt::format("rank {}{}{} captures", only, between, counts.captures);
  } else if (rank.valid()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    text = fmt::format("rank {}", entry.rank);
    if (analysis.trace().severalCaptures()) capture = fmt::format("capture {}", entry.capture);
  }
  const std::string step = finding.step ? fmt::format("step {}", *finding.step) : std::string();
  if (!capture.empty() || !step.empty())
    text += fmt::format("{}see {}{}{}", between, capture, capture.empty() || step.empty() ? "" : ", ", step);
  return text;
}

std::string titleWithRanks(const Analysis& analysis, const Finding& finding) {
  const std::set<int> numbers = listedRanks(analysis, finding);
  if (numbers.size() < 2 || numbers.size() >= countRanks(analysis).ranks) return finding.title;
  return fmt::format("{} on ranks {}", finding.title, numberRangesText({numbers.begin(), numbers.end()}));
}

std::string findingCostText(const JobReport& report, const Finding& finding) {
  if (finding.gain) {
    std::string text = gainText(*finding.gain);
    if (report.keptAccount().areSteps) text += "/step";
    const std::string share = gainShareText(*finding.gain, report.keptAccount().stepTime);
    return share.empty() ? text : text + " (" + share + ")";
  }
  if (finding.costBytes) return bytesText(*finding.costBytes);
  return {};
}

std::optional<double> findingSharePct(const JobReport& report, const Finding& finding) {
  const double step = report.keptAccount().stepTime;
  if (!finding.gain || step <= 0) return std::nullopt;
  return 100 * static_cast<double>(finding.gain->low) / step;
}

std::string titleWithoutCost(std::string_view title, std::string_view cost) {
  for (std::size_t at = title.find(cost); !cost.empty() && at != std::string_view::npos;
       at = title.find(cost, at + 1)) {
    const std::string_view before = title.substr(0, at);
    std::string_view after = title.substr(at + cost.size());
    if (after.starts_with("/step")) after.remove_prefix(5);
    if (!before.ends_with(": ") && !before.ends_with(", ")) continue;
    if (after.empty()) return std::string(before.substr(0, before.size() - 2));
    // "180 GiB of 192 GiB" is a whole.
    if (after.size() > 4 && after.starts_with(" of ") && after[4] >= '0' && after[4] <= '9') continue;
    for (const std::string_view joint : {" of ", ", "})
      if (after.starts_with(joint)) return std::string(before).append(after.substr(joint.size()));
  }
  return std::string(title);
}

std::string findingText(const JobReport& report, const Finding& finding) {
  const Analysis& analysis = report.analysis();
  std::string place = findingPlaceText(analysis, finding, ", ");
  if (!finding.place.empty()) place += ", at " + durationText(finding.place.begin - analysis.extent().begin);
  const std::string cost = findingCostText(report, finding);
  std::string text = fmt::format("{}: {}\n  {}{}\n", severityText(finding.severity), finding.title, place,
                                 cost.empty() ? "" : ", " + cost);
  text += fmt::format("  {}\n", finding.evidence);
  if (!finding.fix.empty()) text += fmt::format("  Fix: {}\n", finding.fix);
  return text;
}

std::string findingMarkdown(const JobReport& report, const Finding& finding) {
  const Analysis& analysis = report.analysis();
  const std::string cost = findingCostText(report, finding);
  std::string text =
      fmt::format("- **{}** ({}, {}{})\n", markdownText(finding.title), severityText(finding.severity),
                  findingPlaceText(analysis, finding, ", "), cost.empty() ? "" : ", " + cost);
  text += fmt::format("  {}\n", markdownText(finding.evidence));
  if (!finding.fix.empty()) text += fmt::format("  *Fix:* {}\n", markdownText(finding.fix));
  return text;
}

ResultTable findingsTable(const JobReport& report, std::span<const AcceptedFinding> accepted) {
  ResultTable table("findings", {{"id", Unit::Identity},
                                 {"severity", Unit::Text},
                                 {"kind", Unit::Text},
                                 {"rank", Unit::Identity},
                                 {"capture", Unit::Identity},
                                 {"step", Unit::Identity},
                                 {"begin_us", Unit::Nanoseconds},
                                 {"end_us", Unit::Nanoseconds},
                                 {"cost_us", Unit::Nanoseconds},
                                 {"leaf", Unit::Text},
                                 {"rule", Unit::Text},
                                 {"time_us", Unit::Nanoseconds},
                                 {"gain_low_us", Unit::Nanoseconds},
                                 {"gain_high_us", Unit::Nanoseconds},
                                 {"share_pct", Unit::Percent},
                                 {"steps", Unit::Count},
                                 {"confidence", Unit::Text},
                                 {"title", Unit::Text},
                                 {"evidence", Unit::Text},
                                 {"fix", Unit::Text},
                                 {"accepted", Unit::Text}});
  const Analysis& analysis = report.analysis();
  const JobTime jobBegin = analysis.extent().begin;
  std::int64_t id = 0;
  for (const Finding& finding : report.findings()) {
    const RankEntry* const rank = finding.rank.valid() ? &analysis.trace().rank(finding.rank) : nullptr;
    const bool placed = !finding.place.empty();
    table.addRow({Cell(++id),
                  Cell(severityText(finding.severity)),
                  Cell(findingKindText(finding.kind)),
                  rank != nullptr ? Cell(std::int64_t{rank->rank}) : Cell(),
                  rank != nullptr ? Cell(std::int64_t{rank->capture}) : Cell(),
                  cellOf(finding.step),
                  placed ? Cell(finding.place.begin - jobBegin) : Cell(),
                  placed ? Cell(finding.place.end - jobBegin) : Cell(),
                  cellOf(finding.cost),
                  textCell(finding.leaf),
                  Cell(findingRule(finding.kind)),
                  cellOf(finding.time),
                  finding.gain ? Cell(finding.gain->low) : Cell(),
                  finding.gain ? Cell(finding.gain->high) : Cell(),
                  cellOf(findingSharePct(report, finding)),
                  finding.steps > 0 ? Cell(finding.steps) : Cell(),
                  Cell(confidenceText(finding.confidence)),
                  textCell(finding.title),
                  textCell(finding.evidence),
                  textCell(finding.fix),
                  textCell(acceptanceText(report, finding, accepted))});
  }
  return table;
}

std::string costsNote(const Analysis& analysis) {
  if (!isOfRange(analysis)) return {};
  const bool areSteps = std::ranges::any_of(
      analysis.ranks(), [&](RankIndex rank) { return analysis.stepWindows(rank).areSteps(); });
  return areSteps ? "Costs per step are of the whole steps that begin in the range."
                  : "No step begins in the range: costs are of its time.";
}

std::string findingsText(const JobReport& report, std::span<const AcceptedFinding> accepted) {
  std::string text;
  for (const Finding& finding : report.findings()) {
    text += findingText(report, finding);
    if (const AcceptedFinding* const as = acceptedAs(report, finding, accepted))
      text += as->note.empty() ? "  Accepted\n" : fmt::format("  Accepted: {}\n", as->note);
    text += "\n";
  }
  const std::string note = costsNote(report.analysis());
  if (!text.empty()) return note.empty() ? text : note + "\n\n" + text;
  const std::vector<FindingKind> checked = checkedKinds(report);
  // Dumps and snapshots alone are checked, too.
  if (report.analysis().ranks().empty() && checked.empty())
    return "The selection contains no recorded activity.\n";
  text = "No findings. Checks:\n";
  for (const FindingKind kind : checked) text += fmt::format("  {}\n", findingKindTitle(kind));
  return text;
}

std::vector<FindingKind> checkedKinds(const JobReport& report) {
  const auto unchecked = uncheckedKinds(report.analysis(), report.network());
  std::vector<FindingKind> kinds;
  kinds.reserve(kFindingKindCount);
  for (int i = 0; i < kFindingKindCount; ++i) {
    const auto kind = static_cast<FindingKind>(i);
    const bool isUnchecked = std::ranges::any_of(unchecked, [kind](const UncheckedKinds& of) {
      return std::ranges::find(of.kinds, kind) != of.kinds.end();
    });
    if (!isUnchecked) kinds.push_back(kind);
  }
  return kinds;
}

} // namespace rankscope

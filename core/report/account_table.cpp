// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/account_table.h"

#include "core/analysis/job/cut_ranks.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/model/rank_recordings.h"
#include "core/report/findings_table.h"
#include "core/report/job_totals.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// A step of a rank: which step of the job, and when.
struct AccountedStep {
  RankIndex rank;
  std::size_t place = 0; // index in Analysis::keptSteps(); 0 for a window per recording
  TimeRange range;
  StepStatus status = StepStatus::Kept;
};

constexpr std::size_t kSlots = kTimeClassCount * kLeafCount;

std::size_t slotOf(TimeClass timeClass, Leaf leaf) {
  return static_cast<std::size_t>(timeClass) * kLeafCount + static_cast<std::size_t>(leaf);
}

// All steps that begin in scope, kept or not.
std::vector<AccountedStep> accountedSteps(const JobReport& report) {
  std::vector<AccountedStep> found;
  const Analysis& analysis = report.analysis();
  const KeptSteps& kept = analysis.keptSteps();
  for (const RankIndex rank : analysis.ranks()) {
    const StepWindows& whole = analysis.wholeStepWindows(rank);
    if (!whole.areSteps()) continue;
    std::size_t at = 0;
    for (const StepAccount& step : report.account().of(rank).steps) {
      while (at < whole.steps.size() && whole.steps[at].range != step.range) ++at;
      if (at == whole.steps.size()) break;
      found.push_back({rank, kept.stepOfRank[rank.value][at], step.range, kept.status(rank.value, at)});
      ++at;
    }
  }
  return found;
}

// Steps included in a view, of all ranks.
std::vector<AccountedStep> stepsOf(const JobReport& report, const AccountPart& part) {
  const KeptAccount& kept = report.keptAccount();
  std::vector<AccountedStep> found;
  if (!kept.areSteps && !part.step) {
    for (const RankIndex rank : report.analysis().ranks()) {
      for (const KeptWindow& window : kept.windows[rank.value]) found.push_back({rank, 0, window.range});
    }
    return found;
  }
  for (const AccountedStep& step : accountedSteps(report)) {
    if (part.step ? step.place == *part.step : step.status == StepStatus::Kept) found.push_back(step);
  }
  return found;
}

// Weighted sums by class and leaf.
struct Sums {
  double total = 0;
  std::array<double, kSlots> times{};

  void add(const Sums& other, double weight) {
    total += weight * other.total;
    for (std::size_t i = 0; i < kSlots; ++i) times[i] += weight * other.times[i];
  }
};

// Of a rank, whatever the number of its recordings.
struct RankTotals {
  RankIndex first; // of the recordings
  Sums sums;       // over its steps
  std::size_t steps = 0;
};

struct Totals {
  Sums shown;                               // of the selected part
  std::map<int, RankTotals> byRank;         // by number
  std::array<LongestPiece, kSlots> longest; // in the selected part
  std::set<int> ranks;                      // of the selected part, like the next ones
  std::set<RankIndex> recordings;
  std::set<std::size_t> places;
};

bool isSameRank(const Analysis& analysis, RankIndex a, RankIndex b) {
  return analysis.trace().rank(a).rank == analysis.trace().rank(b).rank;
}

Totals totalsOf(const JobReport& report, const AccountPart& part) {
  const Analysis& analysis = report.analysis();
  const std::vector<AccountedStep> steps = stepsOf(report, part);
  // The mean leaves out truncated ranks; asked for, they are shown.
  const std::vector<RankIndex> whole = wholeRanks(analysis);
  const auto isShown = [&](RankIndex rank) {
    return part.rank.valid() ? isSameRank(analysis, rank, part.rank)
                             : std::ranges::binary_search(whole, rank);
  };
  std::map<std::size_t, std::size_t> members; // ranks of each step that are shown
  for (const AccountedStep& step : steps) {
    if (isShown(step.rank)) ++members[step.place];
  }
  Totals totals;
  for (const AccountedStep& step : steps) {
    Sums sums;
    sums.total = static_cast<double>(step.range.length());
    const bool shown = isShown(step.rank);
    const TimePieces& pieces = report.account().of(step.rank).pieces;
    pieces.forEachWithin(step.range, [&](TimeRange range, const TimePieces::Piece& piece) {
      const std::size_t slot = slotOf(piece.timeClass, piece.leaf);
      sums.times[slot] += static_cast<double>(range.length());
      LongestPiece& longest = totals.longest[slot];
      if (shown && range.length() > longest.range.length()) longest = {step.rank, range, piece.event};
    });
    const int number = analysis.trace().rank(step.rank).rank;
    RankTotals& ofRank = totals.byRank.try_emplace(number, RankTotals{step.rank, {}, 0}).first->second;
    ofRank.sums.add(sums, 1);
    ++ofRank.steps;
    if (!shown) continue;
    totals.shown.add(sums, 1.0 / static_cast<double>(members.size() * members[step.place]));
    totals.ranks.insert(number);
    totals.recordings.insert(step.rank);
    totals.places.insert(step.place);
  }
  return totals;
}

bool concerns(const Analysis& analysis, const Finding& finding, RankIndex rank) {
  if (!rank.valid()) return true;
  const auto isOf = [&](RankIndex each) { return isSameRank(analysis, each, rank); };
  if (!finding.ranks.empty()) return std::ranges::any_of(finding.ranks, isOf);
  return !finding.rank.valid() || isOf(finding.rank);
}

void addFindings(const JobReport& report, RankIndex rank, AccountLeaf& leaf) {
  std::size_t longest = 0;
  const std::vector<Finding>& findings = report.findings();
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const std::string& about = findings[i].leaf;
    if (about.empty() || !isUnder(leaf.leaf, about) || !concerns(report.analysis(), findings[i], rank))
      continue;
    if (about.size() < longest) continue;
    if (about.size() > longest) leaf.findings.clear();
    longest = about.size();
    leaf.findings.push_back(i);
  }
  leaf.ofBranch = longest > 0 && longest < leafText(leaf.leaf).size();
  leaf.warns = !leaf.ofBranch && std::ranges::any_of(leaf.findings, [&](std::size_t at) {
    return findings[at].severity != Severity::Info;
  });
}

void addRanks(const Totals& totals, std::size_t slot, AccountLeaf& leaf) {
  for (const auto& [number, of] : totals.byRank) {
    const double mean = of.sums.times[slot] / static_cast<double>(of.steps);
    if (!leaf.lowestRank.valid() || mean < leaf.lowest) {
      leaf.lowest = mean;
      leaf.lowestRank = of.first;
    }
    if (!leaf.highestRank.valid() || mean > leaf.highest) {
      leaf.highest = mean;
      leaf.highestRank = of.first;
    }
  }
}

// Rounds to whole nanoseconds that add up to the rounded total: the largest remainders are rounded up.
std::vector<TimeNs> wholeTimes(const AccountView& view) {
  std::vector<TimeNs> whole;
  std::vector<std::pair<double, std::size_t>> rests;
  for (std::size_t i = 0; i < view.leaves.size(); ++i) {
    const double time = view.leaves[i].time;
    whole.push_back(truncated(time));
    rests.emplace_back(std::floor(time) - time, i);
  }
  TimeNs missing = rounded(view.stepTime) - std::accumulate(whole.begin(), whole.end(), TimeNs{0});
  std::ranges::sort(rests);
  for (std::size_t i = 0; i < rests.size() && missing > 0; ++i, --missing) ++whole[rests[i].second];
  return whole;
}

Cell rankCell(const JobReport& report, RankIndex rank) {
  return rank.valid() ? Cell(std::int64_t{report.analysis().trace().rank(rank).rank}) : Cell();
}

} // namespace

std::vector<std::size_t> accountSteps(const JobReport& report, RankIndex rank) {
  std::set<std::size_t> places;
  for (const AccountedStep& step : accountedSteps(report)) {
    if (!rank.valid() || isSameRank(report.analysis(), step.rank, rank)) places.insert(step.place);
  }
  return {places.begin(), places.end()};
}

AccountView accountView(const JobReport& report, const AccountPart& part) {
  const Analysis& analysis = report.analysis();
  const Totals totals = totalsOf(report, part);
  AccountView view;
  view.part = part;
  view.stepTime = totals.shown.total;
  view.ranks = totals.ranks.size();
  view.recordings = totals.recordings.size();
  view.steps = totals.places.size();
  view.areSteps = report.keptAccount().areSteps || part.step.has_value();
  for (const RankIndex rank : analysis.ranks()) {
    view.hasDevices = view.hasDevices || !analysis.trace().rank(rank).trace->devices.empty();
    const StepWindows& steps = analysis.wholeStepWindows(rank);
    view.ofRange = view.ofRange || analysis.window(rank) != kWholeRecording || steps.areSteps();
  }
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    if (totals.shown.times[slot] <= 0) continue;
    AccountLeaf leaf;
    leaf.timeClass = static_cast<TimeClass>(slot / kLeafCount);
    leaf.leaf = static_cast<Leaf>(slot % kLeafCount);
    leaf.time = totals.shown.times[slot];
    leaf.longest = totals.longest[slot];
    addRanks(totals, slot, leaf);
    addFindings(report, part.rank, leaf);
    view.classTimes[slot / kLeafCount] += leaf.time;
    view.leaves.push_back(std::move(leaf));
  }
  std::ranges::stable_sort(
      view.leaves, {}, [](const AccountLeaf& leaf) { return std::pair(leafGroup(leaf.leaf), -leaf.time); });
  return view;
}

ResultTable accountTable(const JobReport& report, const AccountView& view) {
  ResultTable table("account", {{"leaf", Unit::Text},
                                {"title", Unit::Text},
                                {"class", Unit::Text},
                                {"time_us", Unit::Nanoseconds},
                                {"share_pct", Unit::Percent},
                                {"min_us", Unit::Nanoseconds},
                                {"min_rank", Unit::Identity},
                                {"max_us", Unit::Nanoseconds},
                                {"max_rank", Unit::Identity},
                                {"gain_low_us", Unit::Nanoseconds},
                                {"gain_high_us", Unit::Nanoseconds},
                                {"severity", Unit::Text},
                                {"finding_id", Unit::Identity},
                                {"finding", Unit::Text}});
  const std::vector<TimeNs> times = wholeTimes(view);
  const bool several = rankRows(report.analysis().trace(), report.analysis().ranks()).count() > 1;
  for (std::size_t i = 0; i < view.leaves.size(); ++i) {
    const AccountLeaf& leaf = view.leaves[i];
    const Finding* const finding =
        leaf.findings.empty() ? nullptr : &report.findings()[leaf.findings.front()];
    const bool hasGain = finding != nullptr && finding->gain && !leaf.ofBranch;
    const std::string title =
        finding != nullptr ? titleWithRanks(report.analysis(), *finding) : std::string();
    // A finding may be about a branch, of which other parts have rows of their own.
    const auto ofLeaf = [&](TimeNs gain) { return Cell(std::min(gain, times[i])); };
    table.addRow(
        {Cell(leafText(leaf.leaf)), Cell(leafTitle(leaf.leaf)), Cell(timeClassTitle(leaf.timeClass)),
         Cell(times[i]), Cell(view.stepTime > 0 ? 100 * leaf.time / view.stepTime : 0.0),
         several ? Cell(rounded(leaf.lowest)) : Cell(), several ? rankCell(report, leaf.lowestRank) : Cell(),
         several ? Cell(rounded(leaf.highest)) : Cell(),
         several ? rankCell(report, leaf.highestRank) : Cell(), hasGain ? ofLeaf(finding->gain->low) : Cell(),
         hasGain ? ofLeaf(finding->gain->high) : Cell(),
         finding != nullptr ? Cell(severityText(finding->severity)) : Cell(),
         finding != nullptr ? Cell(static_cast<std::int64_t>(leaf.findings.front()) + 1) : Cell(),
         finding != nullptr ? Cell(std::string_view(title)) : Cell()});
  }
  return table;
}

std::string unknownWaitText(const Analysis& analysis, const AccountView& view) {
  const CollectiveMatch& match = analysis.collectives().match;
  const auto alone = std::ranges::count_if(match.instances, [&](const CollectiveInstance& instance) {
    return !instance.matched() && match.group(instance).size != 1;
  });
  const bool transfers = std::ranges::any_of(
      view.leaves, [](const AccountLeaf& leaf) { return isUnder(leaf.leaf, "comm") && leaf.time > 0; });
  if (alone == 0 || !transfers) return {};
  const auto all = static_cast<std::int64_t>(match.instances.size());
  return fmt::format("Transfers hold waiting too: of {} collectives, only one rank was recorded.",
                     alone == all ? "all " + groupedText(all)
                                  : fmt::format("{} of {}", groupedText(alone), groupedText(all)));
}

std::string_view accountTitle(const AccountView& view) {
  return view.areSteps ? "Step" : view.ofRange ? "Range" : "Recording";
}

std::string accountSentence(const AccountView& view) {
  if (view.stepTime <= 0) return {};
  // Edges and start-up of the recording are no idle time of the job.
  std::array<double, kTimeClassCount> times = view.classTimes;
  double edges = 0, startUp = 0;
  for (const AccountLeaf& leaf : view.leaves) {
    if (leafGroup(leaf.leaf) != LeafGroup::Recording) continue;
    times[static_cast<std::size_t>(leaf.timeClass)] -= leaf.time;
    (leaf.leaf == Leaf::CaptureInit ? startUp : edges) += leaf.time;
  }
  std::string text = fmt::format("{} {} = ", accountTitle(view), durationText(rounded(view.stepTime)));
  bool first = true;
  const auto add = [&](double amount, std::string_view title) {
    const TimeNs time = rounded(amount);
    if (time <= 0) return;
    text += fmt::format("{}{} {}", first ? "" : " + ", durationText(time), title);
    first = false;
  };
  for (std::size_t i = 0; i < kTimeClassCount; ++i) add(times[i], timeClassTitle(static_cast<TimeClass>(i)));
  add(edges, "at the edges of the recording");
  add(startUp, "start-up");
  return text;
}

std::string leftOutText(const JobReport& report) {
  const Analysis& analysis = report.analysis();
  std::map<StepStatus, std::set<int>> numbers;
  // Truncated ranks are left out as a whole.
  for (const RankIndex rank : wholeRanks(analysis)) {
    const StepWindows& windows = analysis.stepWindows(rank);
    if (!windows.areSteps()) continue;
    const std::vector<StepStatus> status = analysis.stepStatus(rank);
    for (std::size_t i = 0; i < status.size(); ++i) {
      if (status[i] == StepStatus::Kept) continue;
      numbers[status[i]].insert(static_cast<int>(
          std::clamp<std::int64_t>(windows.steps[i].number, 0, std::numeric_limits<int>::max())));
    }
  }
  std::string text;
  for (const auto& [status, of] : numbers) {
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : "; ", of.size() == 1 ? "step" : "steps",
                        numberRangesText({of.begin(), of.end()}), stepStatusText(status));
  }
  return text;
}

std::vector<AccountBar> accountBars(const AccountView& view,
                                    const std::array<bool, kLeafGroupCount>& expanded) {
  std::array<std::size_t, kLeafGroupCount> small{};
  const auto isSmall = [&](const AccountLeaf& leaf) {
    return leaf.time < kSmallLeaf * view.stepTime && !leaf.warns;
  };
  for (const AccountLeaf& leaf : view.leaves) {
    if (isSmall(leaf)) ++small[static_cast<std::size_t>(leafGroup(leaf.leaf))];
  }
  std::vector<AccountBar> bars;
  double begin = 0;
  for (std::size_t i = 0; i < view.leaves.size(); ++i) {
    const AccountLeaf& leaf = view.leaves[i];
    const LeafGroup group = leafGroup(leaf.leaf);
    const auto at = static_cast<std::size_t>(group);
    const bool collected = isSmall(leaf) && small[at] > 1 && !expanded[at];
    // The small leaves of a group are its last ones, so they are adjacent.
    const bool joins = collected && !bars.empty() && bars.back().group == group &&
                       isSmall(view.leaves[bars.back().leaves.front()]);
    if (!joins) bars.push_back({group, begin, 0, {}});
    bars.back().time += leaf.time;
    bars.back().leaves.push_back(i);
    begin += leaf.time;
  }
  return bars;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// The account of a step for people: from the ideal to the measured step leaf by leaf, as the mean over ranks
// and kept steps, or of one of them, each with its range over the ranks, the findings about it and the place
// where it lasts longest. Times of the leaves add up to the step. Pure; O(pieces of the account in these
// steps).
#pragma once

#include "core/export/result_table.h"
#include "core/report/job_report.h"
#include "core/report/leaf_texts.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

// Which steps of whom.
struct AccountPart {
  RankIndex rank;                  // invalid: the mean over the ranks
  std::optional<std::size_t> step; // position in Analysis::keptSteps(); nothing: the mean over the kept steps

  bool operator==(const AccountPart&) const = default;
};

// The longest stretch of time in a leaf.
struct LongestPiece {
  RankIndex rank;   // invalid: none
  TimeRange range;  // on the clock of its recording
  EventIndex event; // that stands for it; may be invalid
};

struct AccountLeaf {
  TimeClass timeClass = TimeClass::Idle;
  Leaf leaf = Leaf::Ideal;
  double time = 0; // nanoseconds of a step
  // Of the ranks' means over the same steps, whatever rank is chosen.
  double lowest = 0;
  double highest = 0;
  RankIndex lowestRank;
  RankIndex highestRank;
  LongestPiece longest;
  // Positions in JobReport::findings(): those about this leaf; else those about the smallest branch of the
  // tree that it is in.
  std::vector<std::size_t> findings;
  bool ofBranch = false; // the latter
  bool warns = false;    // one of the former is a warning or critical
};

struct AccountView {
  AccountPart part;
  double stepTime = 0; // nanoseconds; leaves and classes add up to it
  std::array<double, kTimeClassCount> classTimes{};
  // By group, then the largest first, the small ones that are collected last; none empty.
  std::vector<AccountLeaf> leaves;
  std::size_t ranks = 0; // recordings that it is of
  std::size_t steps = 0; // steps of the job that it is of; 1 without
  bool areSteps = false; // false: a window per recording
  bool ofRange = false;  // without steps: not all of the recording
  bool hasDevices = false;
};

[[nodiscard]] AccountView accountView(const JobReport& report, const AccountPart& part);

// Positions in Analysis::keptSteps() of the steps that begin in what is asked about, of one rank or of any.
[[nodiscard]] std::vector<std::size_t> accountSteps(const JobReport& report, RankIndex rank);

// leaf, title, class, time_us (of a step), share_pct (of the step), min_us, min_rank, max_us, max_rank (of
// the ranks' means), gain_low_us, gain_high_us (of the first finding about the leaf itself), severity,
// finding_id, finding. Times are rounded so that they add up to the step.
[[nodiscard]] ResultTable accountTable(const JobReport& report, const AccountView& view);

// "Step 222 ms = 38.9 ms compute + 13.2 ms exposed communication + 1.10 ms memcpy + 169 ms idle".
[[nodiscard]] std::string accountSentence(const AccountView& view);
// "steps 1, 4 (evaluation or checkpoint among training steps)": of those that begin in what is asked about;
// empty without any.
[[nodiscard]] std::string leftOutText(const JobReport& report);

// A row of the waterfall: a leaf, or the small ones of a group together.
struct AccountBar {
  LeafGroup group = LeafGroup::Ideal;
  double begin = 0; // nanoseconds from the step's begin: the bars before it
  double time = 0;
  std::vector<std::size_t> leaves; // positions in AccountView::leaves; several: collected
};

// Leaves below this share of the step are collected where a group has several, but for those that warn: what
// is little as a mean may be much on one rank.
inline constexpr double kSmallLeaf = 0.01;

// In the order of the view. expanded: groups whose small leaves have a bar each.
[[nodiscard]] std::vector<AccountBar> accountBars(const AccountView& view,
                                                  const std::array<bool, kLeafGroupCount>& expanded = {});

} // namespace rankscope

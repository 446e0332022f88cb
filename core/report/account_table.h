// SPDX-License-Identifier: GPL-3.0-or-later
// The account of a step for display: from ideal to measured step by leaf, as the mean over ranks and kept
// steps, or of a single rank or step. Each leaf has its range over ranks, its findings, and its longest
// occurrence. Leaf times add up to the step. Pure; O(pieces of the account in these steps).
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

// Selects rank and step.
struct AccountPart {
  RankIndex rank;                  // and the other recordings of its rank; invalid: the mean over the ranks
  std::optional<std::size_t> step; // index in Analysis::keptSteps(); empty: the mean over kept steps

  bool operator==(const AccountPart&) const = default;
};

// The longest continuous time in a leaf.
struct LongestPiece {
  RankIndex rank;   // invalid: none
  TimeRange range;  // on the recording's clock
  EventIndex event; // representative event; may be invalid
};

struct AccountLeaf {
  TimeClass timeClass = TimeClass::Idle;
  Leaf leaf = Leaf::Ideal;
  double time = 0; // nanoseconds per step
  // Of the ranks' means over the same steps, independent of the selected rank.
  double lowest = 0;
  double highest = 0;
  RankIndex lowestRank; // its first recording, like the next one
  RankIndex highestRank;
  LongestPiece longest;
  // Indices in JobReport::findings(): those about this leaf; if none, those about the smallest branch of the
  // tree that contains it.
  std::vector<std::size_t> findings;
  bool ofBranch = false; // whether the findings are about a branch
  bool warns = false;    // whether a finding about this leaf is a warning or critical
};

struct AccountView {
  AccountPart part;
  double stepTime = 0; // nanoseconds; sum of the leaves and of the classes
  std::array<double, kTimeClassCount> classTimes{};
  // By group, then largest first; leaves below kSmallLeaf are last in their group. No leaf is empty.
  std::vector<AccountLeaf> leaves;
  std::size_t ranks = 0; // number of ranks included
  std::size_t recordings = 0;
  std::size_t steps = 0; // number of steps included; 1 without steps
  bool areSteps = false; // false: one window per recording
  bool ofRange = false;  // without steps: only part of the recording
  bool hasDevices = false;
};

[[nodiscard]] AccountView accountView(const JobReport& report, const AccountPart& part);

// Indices in Analysis::keptSteps() of the steps in scope, of one rank, whatever the recording, or of all
// (invalid rank).
[[nodiscard]] std::vector<std::size_t> accountSteps(const JobReport& report, RankIndex rank);

// Columns: leaf, title, class, time_us (per step), share_pct (of the step), min_us, min_rank, max_us,
// max_rank (over the ranks' means), gain_low_us, gain_high_us (of the first finding about the leaf, at most
// its time), severity, finding_id, finding. Times are rounded so that they add up to the step.
[[nodiscard]] ResultTable accountTable(const JobReport& report, const AccountView& view);

// What the account is of: "Step", "Range" or "Recording".
[[nodiscard]] std::string_view accountTitle(const AccountView& view);
// "Step 222 ms = 38.9 ms compute + 13.2 ms exposed communication + 1.10 ms memcpy + 169 ms idle"; edges and
// start-up of the recording are told apart from idle time.
[[nodiscard]] std::string accountSentence(const AccountView& view);
// Why transfers of the view hold waiting too; empty if they do not. Of a collective of which no other rank
// was recorded, it is not known what part was waiting.
[[nodiscard]] std::string unknownWaitText(const Analysis& analysis, const AccountView& view);
// Excluded steps in scope with their reasons: "steps 1, 4 (evaluation or checkpoint among training steps)";
// empty if there are none.
[[nodiscard]] std::string leftOutText(const JobReport& report);

// A bar of the waterfall: a leaf, or the small leaves of a group together.
struct AccountBar {
  LeafGroup group = LeafGroup::Ideal;
  double begin = 0; // nanoseconds since the begin of the step, the sum of the previous bars
  double time = 0;
  std::vector<std::size_t> leaves; // indices in AccountView::leaves; several if merged
};

// Leaves below this share of the step are merged if a group has several, except leaves with warnings: a small
// mean may be large on one rank.
inline constexpr double kSmallLeaf = 0.01;

// In the order of the view. expanded: groups whose small leaves are not merged.
[[nodiscard]] std::vector<AccountBar> accountBars(const AccountView& view,
                                                  const std::array<bool, kLeafGroupCount>& expanded = {});

} // namespace rankscope

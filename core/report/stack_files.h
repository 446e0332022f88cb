// SPDX-License-Identifier: GPL-3.0-or-later
// Stacks in the formats of other programs. All are deterministic: stacks are sorted by their frames. Weights
// are whole numbers of nanoseconds, bytes or things; stacks that weigh nothing are left out.
//   folded      "outer;inner 123\n", for flamegraph.pl, speedscope and Perfetto
//   speedscope  its JSON file format; only positive weights
//   pprof       a gzip-compressed Profile message; only positive weights
//   csv         stack, count and weight
//   SVG         a flame graph
#pragma once

#include "core/analysis/stacks/job_stacks.h"
#include "core/analysis/stacks/stack_difference.h"
#include "core/export/result_table.h"

#include <span>
#include <string>
#include <string_view>

namespace rankscope {

// ';' reads ':', line ends read ' '.
[[nodiscard]] std::string foldedFrame(std::string_view frame);
[[nodiscard]] std::string foldedText(const WeighedStacks& stacks);

// title: the job's name.
[[nodiscard]] std::string speedscopeText(const WeighedStacks& stacks, std::string_view title);

// One sample for each stack, with how many events have it and its weight, and what it weighs in `more`: a
// stack that only one of them has weighs 0 in the others. recorded: when; empty: not known.
[[nodiscard]] std::string pprofBytes(const WeighedStacks& stacks, std::span<const WeighedStacks> more = {},
                                     TimeRange recorded = {});

[[nodiscard]] ResultTable stacksTable(const WeighedStacks& stacks);

[[nodiscard]] std::string flameSvg(const WeighedStacks& stacks, std::string_view title);

// The stacks of two jobs. folded: "outer;inner 123 456\n", A and B, as difffolded.pl writes it. csv: the same
// with the difference, B less A. SVG: frames as wide as the larger of both, orange where B weighs more, blue
// where less, in full color from 5 % of the whole.
[[nodiscard]] std::string foldedText(const StackDifference& difference);
[[nodiscard]] ResultTable stacksTable(const StackDifference& difference);
[[nodiscard]] std::string flameSvg(const StackDifference& difference, std::string_view title);

} // namespace rankscope

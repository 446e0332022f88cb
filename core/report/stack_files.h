// SPDX-License-Identifier: GPL-3.0-or-later
// Stacks in the formats of other programs. All are deterministic: stacks are sorted by their frames. Weights
// are whole numbers of nanoseconds, bytes or things; stacks that weigh nothing are left out.
//   folded      "outer;inner 123\n", for flamegraph.pl, speedscope and Perfetto
//   speedscope  its JSON file format
//   pprof       a gzip-compressed Profile message; only positive weights
//   csv         stack, count and weight
//   SVG         a flame graph
#pragma once

#include "core/analysis/stacks/job_stacks.h"
#include "core/export/result_table.h"

#include <string>
#include <string_view>

namespace rankscope {

// ';' reads ':', line ends read ' '.
[[nodiscard]] std::string foldedFrame(std::string_view frame);
[[nodiscard]] std::string foldedText(const WeighedStacks& stacks);

// title: the job's name.
[[nodiscard]] std::string speedscopeText(const WeighedStacks& stacks, std::string_view title);

[[nodiscard]] std::string pprofBytes(const WeighedStacks& stacks);

[[nodiscard]] ResultTable stacksTable(const WeighedStacks& stacks);

[[nodiscard]] std::string flameSvg(const WeighedStacks& stacks, std::string_view title);

} // namespace rankscope

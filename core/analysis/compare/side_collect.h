// SPDX-License-Identifier: GPL-3.0-or-later
// What Compare asks of one side, from its analysis and account: nothing is counted anew but what operators,
// kernels, modules and collectives took within the kept steps. The ranks and steps are those of the analysis,
// less truncated ranks beside whole ones.
// Pure; the same for any number of threads. A pass over the host's and the device's events of each rank.
#pragma once

#include "core/analysis/account/attribution.h"
#include "core/analysis/compare/side_facts.h"
#include "core/analysis/findings/finding_kinds.h"
#include "core/base/progress.h"

#include <span>
#include <string>
#include <vector>

namespace rankscope {

struct SideOptions {
  bool total = false; // sums over ranks and kept steps instead of means
  unsigned threadCount = 1;
  const Progress* progress = nullptr;
  bool findings = true; // whether findings are compared, which take as long as the rest
};

// account: jobAccount(analysis); findings: of them.
[[nodiscard]] SideFacts collectSide(const Analysis& analysis, const JobAccount& account,
                                    std::span<const Finding> findings, const SideOptions& options = {});

// "rank 3 is left out: its file is truncated", as of means over ranks; empty if all are whole.
[[nodiscard]] std::string truncationNote(const Analysis& analysis);

// Which recordings were made at one time: by RankIndex, the number of the capture from 0, of the ranks that
// the analysis is about. Those that overlap, directly or by others, on the job's clock are one capture,
// whatever their numbers.
[[nodiscard]] std::vector<std::size_t> captureCycles(const Analysis& analysis);

} // namespace rankscope

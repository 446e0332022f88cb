// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with a job, what fixing it would gain and how: small rules over the account of its steps and
// the results of the other analyses; a healthy job has none above info. A pure function of the Analysis and
// its account, which know nothing of it: the caller keeps the findings. Cost O(pieces of the account)
// and, for a few rules that hold, a pass over the device events.
#pragma once

#include "core/analysis/account/attribution.h"
#include "core/analysis/findings/finding_kinds.h"

#include <functional>
#include <vector>

namespace rankscope {

struct DeviceReplay;
struct EfficiencySettings;
struct HangAnalysis;
struct Iteration;
struct JobEfficiency;
struct JobParallel;
struct NetProblem;

// What is known already of the files beside the recordings.
struct SideConclusions {
  const HangAnalysis* hang = nullptr;       // null without dumps
  std::vector<const DeviceReplay*> replays; // of all devices of all snapshots
};

// What operators computed, which is read from the files when a rule asks for it.
struct EfficiencySource {
  const EfficiencySettings* settings = nullptr;
  std::function<const JobEfficiency&()> efficiency;
};

// Of the ranks and windows that the analysis is asked about: by severity, then lower gain, leaf, rank; what
// costs bytes or no time after what costs time. Communication of which the waiting is not known, as other
// ranks were not recorded, stands where half of its gain would. account: jobAccount(analysis). replayed:
// gains that a replay of the job knows better than the formulas; may be empty. parallel: how the job is
// divided; without it, findings about that are left out. network: what is wrong with its links; may be null.
// iterations: of inference, by RankIndex; may be null. side: where it is null, the files beside the
// recordings are replayed here. efficiency: null where nothing is to be said about MFU.
[[nodiscard]] std::vector<Finding>
findingsOf(const Analysis& analysis, const JobAccount& account, const GainSource& replayed = {},
           const JobParallel* parallel = nullptr, const std::vector<NetProblem>* network = nullptr,
           const std::vector<std::vector<Iteration>>* iterations = nullptr,
           const SideConclusions* side = nullptr, const EfficiencySource* efficiency = nullptr);

} // namespace rankscope

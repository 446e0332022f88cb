// SPDX-License-Identifier: GPL-3.0-or-later
// What Compare knows of one side: who recorded it, every step with its classes and leaves, and what
// operators, kernels, modules, collectives and ranks took of a kept step. Everything is text and numbers, so
// sides of different jobs, of one job and from a baseline file compare alike. Times are nanoseconds; those
// of rows are of a step: the mean over the kept steps of the mean over their ranks, or sums where asked for.
// Plain data.
#pragma once

#include "core/analysis/account/leaves.h"
#include "core/analysis/steps/kept_steps.h"
#include "core/analysis/steps/step_window.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

inline constexpr std::size_t kClassLeaves = kTimeClassCount * kLeafCount;

[[nodiscard]] constexpr std::size_t classLeaf(TimeClass timeClass, Leaf leaf) {
  return static_cast<std::size_t>(timeClass) * kLeafCount + static_cast<std::size_t>(leaf);
}

using ClassTimes = std::array<double, kTimeClassCount>;
using ClassLeafTimes = std::array<double, kClassLeaves>; // by classLeaf

// Whether a fact was recorded, and what it says.
enum class Recorded : std::uint8_t { Unknown, No, Yes };

struct SideIdentity {
  std::string job;
  std::vector<int> ranks;       // ascending, each once
  std::vector<int> notCompared; // recorded, but not on the other side
  std::optional<std::int64_t> worldSize;
  std::size_t cycles = 0;  // captures that cover each other in time
  bool equalCycles = true; // all of the same ranks
  std::string devices;     // "NVIDIA H100"; several are joined
  std::string hosts;
  std::string backend;
  std::string ncclVersion; // as the next two: "2.22.3", several are joined
  std::string runtimeVersion;
  std::string driverVersion;
  StepSource found = StepSource::Whole; // of the worst of its recordings
  std::size_t deviceEvents = 0;         // in the kept steps
  bool hasDevices = false;
  Recorded shapes = Recorded::Unknown;
  Recorded stacks = Recorded::Unknown;
  Recorded memory = Recorded::Unknown;
  std::uint64_t fingerprint = 0;         // of the recordings and steps; equal: the same ones
  std::uint64_t source = 0;              // of the recordings' job alone
  std::vector<std::uint64_t> recordings; // one number for each, equal for the same recording; ascending
  std::optional<std::int64_t> peakAllocatedBytes;
  std::vector<std::string> notes; // what people must know of this side
};

// A step of one rank.
struct SideStep {
  int rank = 0;
  int capture = 1;
  std::int64_t number = Step::kUnknownNumber;
  std::size_t sample = 0;      // in SideFacts::samples
  std::uint64_t recording = 0; // as SideIdentity::recordings
  RankIndex index;             // invalid from a baseline
  TimeRange range;             // on the clock of its recording; empty from a baseline
  TimeNs duration = 0;
  std::array<TimeNs, kTimeClassCount> classes{}; // add up to the duration
};

// A step of the job: the means over its ranks.
struct SideSample {
  std::size_t cycle = 0;
  std::int64_t number = Step::kUnknownNumber;
  StepStatus status = StepStatus::Kept;
  std::size_t position = 0; // among the kept ones, from 1; 0: not kept
  std::size_t ranks = 0;
  double duration = 0;
  ClassTimes classes{};
  ClassLeafTimes leaves{};
  double launchedBefore = 0; // share of its device time that was launched before the recording

  [[nodiscard]] bool kept() const { return status == StepStatus::Kept; }
};

// Of all rows: calls and times of a step. owned: of the time that compute kernels ran, what is this row's; on
// ranks without a device, of the time that operators computed on the host.
struct SideOperator {
  std::string name; // normalized; empty: launched by no operator that was recorded
  std::string shapes;
  std::string phase;
  std::string module;
  double calls = 0;
  double hostSelf = 0;
  double device = 0;
  double owned = 0;
  std::vector<double> ownedBySample; // of the kept samples; empty where it would be too much
};

struct SideKernel {
  std::string name; // normalized
  std::string operatorName;
  bool computes = false;
  double calls = 0;
  double time = 0;
  double owned = 0;
  std::vector<double> callsBySample; // as ownedBySample
  std::vector<double> timeBySample;
};

struct SideModule {
  std::string path;
  double calls = 0; // of operators within
  double host = 0;
  double device = 0;
  double owned = 0;
};

struct CollectiveTimes {
  double calls = 0;
  double wait = 0;
  double transfer = 0;
  double exposed = 0;
  double busBytes = 0; // of timed calls, by the bus factor
  double busTime = 0;

  void add(const CollectiveTimes& other, double weight);
};

// The first, second, ... call of its row in a step.
struct CollectiveInStep : CollectiveTimes {
  double place = 0; // among all calls of its group in the step, times the calls
};

struct SideCollective : CollectiveTimes {
  std::string group;
  std::string operation;
  std::int64_t bytes = -1;              // -1: not known
  std::string ranks;                    // "8 by 4": size of the group, stride of its ranks; empty: not known
  std::vector<CollectiveInStep> inStep; // empty: not known, or too many
};
void addCollective(SideCollective& sum, const SideCollective& row, double weight);

// A figure of a table about the layout: what it is of, and its mean over kept steps and ranks.
struct SideFigure {
  std::string table;
  std::string row; // its keys
  std::string figure;
  double value = 0;
};

struct SideRank {
  int rank = 0;
  double step = 0;
  double wait = 0; // in collectives
  double exposed = 0;
};

struct SideFinding {
  std::string kind;
  std::string leaf;
  std::optional<int> rank;
  std::optional<double> gainLow;
  std::string title;
};

struct SideFacts {
  SideIdentity identity;
  std::vector<SideStep> steps;     // by rank, capture and time
  std::vector<SideSample> samples; // by cycle and time
  std::vector<SideOperator> operators;
  std::vector<SideKernel> kernels;
  std::vector<SideModule> modules;
  std::vector<SideCollective> collectives;
  std::vector<SideRank> ranks;
  std::vector<SideFinding> findings;
  std::vector<SideFigure> parallel; // as the tables of parallelism have them; none from a baseline
  bool areSteps = false;            // false: a window per recording stands for a step
  bool isTotal = false;             // sums, not means
  bool fromBaseline = false;
  [[nodiscard]] std::vector<double> durations() const;
  [[nodiscard]] std::vector<double> classDurations(TimeClass timeClass) const;
  [[nodiscard]] std::size_t keptCount() const;
  // Means over the kept samples, or sums.
  [[nodiscard]] double meanDuration() const;
  [[nodiscard]] ClassLeafTimes meanLeaves() const;
  // The mean kept step, also where rows are sums.
  [[nodiscard]] double meanStep() const;
  // Kept samples of each cycle that has some.
  [[nodiscard]] std::vector<std::size_t> cycleSizes() const;
  // Of values of the kept samples, in their order, the mean in each such cycle. Values of another number than
  // these samples are returned as they are.
  [[nodiscard]] std::vector<double> cycleMeans(std::span<const double> keptValues) const;
};

// Further runs of a side: their steps, each run's captures as cycles of their own. Rows are means over all
// kept steps. REQUIRES: at least one, all with means.
[[nodiscard]] SideFacts mergedSides(std::vector<SideFacts> runs);

} // namespace rankscope

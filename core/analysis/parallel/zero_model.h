// SPDX-License-Identifier: GPL-3.0-or-later
// Memory against communication by ZeRO stage, for the model that the job trains: what its states take on each
// rank and what each rank sends in a step, if replicas kept them whole (DDP), or divided optimizer states
// (1), gradients too (2), or parameters too (3, FSDP). Beside it what was really sent. Parameters are counted
// from the units of FSDP or the buckets of DDP; bytes of states are those of Adam in mixed precision. Means
// over ranks and the kept steps in the window. Source: the ZeRO paper, section 3 and 7. Pure passes.
#pragma once

#include "core/analysis/parallel/job_parallel.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

enum class ZeroScheme : std::uint8_t { Replicas, Stage1, Stage2, Stage3 };
inline constexpr std::size_t kZeroSchemeCount = 4;

// "ddp", "zero1", "zero2", "zero3".
[[nodiscard]] std::string_view zeroSchemeId(ZeroScheme scheme);

// Elements that a rank sends in a step, per parameter: 2(N − 1)/N, for stage 3 3(N − 1)/N.
[[nodiscard]] double zeroVolume(ZeroScheme scheme, std::int64_t ranks);

struct ZeroStageCost {
  double stateBytes = 0; // parameters, gradients, optimizer states of a rank
  double elements = 0;   // sent by a rank in a step
  double factor = 1;     // of those of DDP
};

struct ZeroModel {
  double parameters = 0;  // that the ranks of a group share
  std::int64_t ranks = 0; // of a group: N
  ZeroScheme inUse = ZeroScheme::Replicas;
  std::array<ZeroStageCost, kZeroSchemeCount> stages{};
  double measuredElements = 0;         // sent by a rank in a step
  std::optional<double> measuredBytes; // empty if a number format is not known
  double gathersPerUnit = 0;           // in a step; 0 without FSDP
  bool replicatedToo = false;          // sums of shards over replicas (HSDP) are part of what was measured

  // What was sent over what the stage in use needs.
  [[nodiscard]] double ratio() const {
    const double expected = stages[static_cast<std::size_t>(inUse)].elements;
    return expected > 0 ? measuredElements / expected : 0;
  }
};

// Nothing for jobs without FSDP units and DDP buckets, and where their elements are not known.
[[nodiscard]] std::optional<ZeroModel> zeroModel(const Analysis& analysis, const JobParallel& parallel);

// Why a rank sends more or less than its stage needs; empty within 5 %.
[[nodiscard]] std::string zeroNote(const ZeroModel& model);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// A change of a job whose effect can be predicted, as people write it: ID[=ARGUMENT[:FILTER]], several joined
// by + and applied in that order. Changes shorten or lengthen what there is, or take a wait away; they never
// add work or change the order of anything. Plain data and texts.
//
//   no_stragglers              every rank as the median of its peers
//   rank_as_peers=R            one rank as the median of its peers; "slowest": the straggler
//   without_rank=R             no rank waits for rank R
//   all_but_as_peers=R         every rank but R
//   kernel=K[:FILTER]          kernels that the search finds take K times as long
//   link=M[:GROUP]             links M times as fast; a group's name, intra or inter
//   transfer_zero  perfect_overlap  no_contention  zero_host  no_sync  copies_overlapped
//   host=K                     the host takes K times as long
//   no_gap=LEAF[:RANK]         without idle time of a leaf, or of all leaves under a name; of all ranks or
//   one
#pragma once

#include "core/base/result.h"
#include "core/base/strong_index.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

enum class ScenarioKind : std::uint8_t {
  NoStragglers,
  RankAsPeers,
  WithoutRank,
  AllButAsPeers,
  Kernel,
  Link,
  TransferZero,
  PerfectOverlap,
  NoContention,
  ZeroHost,
  Host,
  NoGap,
  NoSync,
  CopiesOverlapped,
};

inline constexpr std::size_t kScenarioKindCount =
    static_cast<std::size_t>(ScenarioKind::CopiesOverlapped) + 1;

// "no_stragglers", "rank_as_peers", ...
[[nodiscard]] std::string_view scenarioId(ScenarioKind kind);
// A sentence for people.
[[nodiscard]] std::string_view scenarioTitle(ScenarioKind kind);

struct ScenarioPart {
  // Which device events a filter means.
  using Selects = std::function<bool(RankIndex, EventIndex)>;

  ScenarioKind kind = ScenarioKind::NoStragglers;
  std::optional<int> rank; // nothing: the straggler; of NoGap all ranks
  double factor = 1;       // of kernel, link and host
  std::string text;        // filter, group or leaf
  Selects selects;         // of Kernel; none: all
};

struct Scenario {
  std::vector<ScenarioPart> parts;
};

// The error says what is wrong and what is possible.
[[nodiscard]] Result<Scenario> scenarioFromText(std::string_view text);
[[nodiscard]] std::string scenarioText(const Scenario& scenario);
// The eight that are asked where nothing else is.
[[nodiscard]] std::vector<Scenario> defaultScenarios();

} // namespace rankscope

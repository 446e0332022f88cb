// SPDX-License-Identifier: GPL-3.0-or-later
// What each collective of a rank was asked for: the host event that issued it, the phase in which that was,
// and the labels that enclose the issuer (of DDP, FSDP, DTensor, experts, embeddings, ring attention). A
// device's call was issued by its launch. gloo runs calls later on other threads, in the order in which they
// were issued, so the k-th record of an operation belongs to the k-th call of it. O(collectives · depth of
// the call tree).
#pragma once

#include "core/analysis/collectives/group_names.h"
#include "core/analysis/job/analysis.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace rankscope {

// Bits of CallUse::labels.
enum class CallLabel : std::uint16_t {
  Ddp = 1,           // DistributedDataParallel
  Fsdp = 2,          // FSDP, FSDP2, DeepSpeed stage 3
  DTensor = 4,       // redistribution of a DTensor
  Expert = 8,        // dispatch and combine of tokens
  EmbeddingAll = 16, // all-to-all of embedding tables
  Context = 32       // attention over the sequence of several ranks
};

// The label of an operator or annotation; 0 for most names.
[[nodiscard]] std::uint16_t callLabelOf(std::string_view name);

struct CallUse {
  EventIndex issuer;                                            // invalid if not recorded
  TimeNs issued = 0;                                            // on the clock of the rank
  CollectiveOperation operation = CollectiveOperation::Unknown; // as issued: gloo reduces where it scatters
  Phase phase = Phase::None;                                    // None, Forward, Backward or Optimizer
  bool afterBackward = false; // issued after a backward pass of the same step
  std::uint16_t labels = 0;
  NameId label{}; // the innermost that says any of these; invalid without one

  [[nodiscard]] bool has(CallLabel asked) const { return (labels & static_cast<std::uint16_t>(asked)) != 0; }
};

// By index of Analysis::collectiveCalls.
[[nodiscard]] std::vector<CallUse> callUses(const Analysis& analysis, RankIndex rank);

} // namespace rankscope

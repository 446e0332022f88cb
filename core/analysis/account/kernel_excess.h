// SPDX-License-Identifier: GPL-3.0-or-later
// What single compute kernels take beyond what the same work could take, and why: the compute leaves of the
// account, kernel by kernel, with the two bounds of what a better kernel would save. `high` is the kernel's
// part in its leaf. A kernel that is not critical saves nothing at once: the work behind it on its stream had
// not been launched when it ended, so the device would wait longer instead. Plain data.
#pragma once

#include "core/analysis/account/leaves.h"
#include "core/base/strong_index.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope {

// What a model of a kernel's time was made from, least certain first.
enum class ModelBasis : std::uint8_t {
  Names,   // what kernels of this name are
  Times,   // the same work at other times or on other ranks, or its neighbors on the stream
  Shapes,  // what its operator was called with
  Counted, // its whole time: without it the step lacks nothing
};
[[nodiscard]] constexpr bool isValid(ModelBasis value) {
  return value <= ModelBasis::Counted;
}

struct KernelExcess {
  EventIndex kernel;
  TimeRange owned; // of the device's compute time; the excess is its end
  Leaf leaf = Leaf::Ideal;
  ModelBasis basis = ModelBasis::Names;
  bool critical = false; // and not in a step in which the devices wait for launches longer than they compute
  TimeNs high = 0;       // above 0, never more than owned
  TimeNs low = 0;        // never more than high; 0 unless it is critical

  [[nodiscard]] TimeRange range() const { return {owned.end - high, owned.end}; }
};

// By owned time, which does not overlap.
using KernelExcesses = std::vector<KernelExcess>;

struct GainBounds {
  TimeNs low = 0;
  TimeNs high = 0;

  bool operator==(const GainBounds&) const = default;
};

struct ExcessSum {
  Leaf leaf = Leaf::Ideal;
  NameId name; // of the kernels
  GainBounds gain;
  std::int64_t kernels = 0;
  std::int64_t critical = 0;
  ModelBasis basis = ModelBasis::Counted; // the least certain
};

// Of the window, by leaf, then the largest first, then by name. Their `high` adds up to the account's times
// of the leaves in the window, exactly; `low` of a kernel at its edge is cut to what of its excess is inside.
[[nodiscard]] std::vector<ExcessSum> excessWithin(std::span<const KernelExcess> excesses,
                                                  const RankTrace& trace, const StringTable& names,
                                                  TimeRange window);
// Of one leaf.
[[nodiscard]] GainBounds gainOf(std::span<const KernelExcess> excesses, Leaf leaf, TimeRange window);

// Whether the work that its stream ran next had been launched when the kernel ended. Where no launch was
// recorded: whether it followed at once. The last one of a stream is not. O(rows · log).
[[nodiscard]] bool isCritical(const RankTrace& trace, EventIndex kernel);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/leaves.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace rankscope {

namespace {

constexpr std::array<std::string_view, kLeafCount> kLeaves{"wait.rank",
                                                           "wait.start",
                                                           "comm.unlaunched",
                                                           "comm.tail",
                                                           "comm.slow_link",
                                                           "comm.fragmented",
                                                           "comm.transfer",
                                                           "host.input",
                                                           "host.sync",
                                                           "host.comm",
                                                           "host.alloc",
                                                           "host.compile",
                                                           "host.checkpoint",
                                                           "host.gc",
                                                           "host.python",
                                                           "host.descheduled",
                                                           "host.dispatch.forward",
                                                           "host.dispatch.backward",
                                                           "host.dispatch.optimizer",
                                                           "host.dispatch.ddp",
                                                           "host.dispatch.other",
                                                           "queue.latency",
                                                           "queue.dependency",
                                                           "queue.unexplained",
                                                           "copy.h2d",
                                                           "copy.d2h",
                                                           "copy.d2d",
                                                           "copy.p2p",
                                                           "compute.attention",
                                                           "compute.simt",
                                                           "compute.misaligned",
                                                           "compute.layout",
                                                           "compute.cast",
                                                           "compute.atomics",
                                                           "compute.norm",
                                                           "compute.optimizer",
                                                           "compute.unfused",
                                                           "compute.small_grid",
                                                           "compute.contention",
                                                           "compute.clock",
                                                           "compute.recompute",
                                                           "ideal",
                                                           "capture.edge",
                                                           "capture.init"};

template <class Counts> TimeNs sumWhere(std::span<const LeafTime> times, Counts counts) {
  return std::accumulate(times.begin(), times.end(), TimeNs{0}, [&](TimeNs sum, const LeafTime& part) {
    return counts(part) ? sum + part.time : sum;
  });
}

} // namespace

std::string_view timeClassText(TimeClass timeClass) {
  static constexpr std::array<std::string_view, kTimeClassCount> kTexts{"compute", "exposed_communication",
                                                                        "exposed_memory", "idle"};
  return kTexts[static_cast<std::size_t>(timeClass)];
}

std::string_view leafText(Leaf leaf) {
  return kLeaves[static_cast<std::size_t>(leaf)];
}

std::optional<Leaf> leafNamed(std::string_view text) {
  const auto found = std::ranges::find(kLeaves, text);
  if (found == kLeaves.end()) return std::nullopt;
  return static_cast<Leaf>(found - kLeaves.begin());
}

bool isUnder(Leaf leaf, std::string_view name) {
  const std::string_view text = leafText(leaf);
  return text.starts_with(name) && (text.size() == name.size() || text[name.size()] == '.');
}

TimeNs totalOf(std::span<const LeafTime> times) {
  return sumWhere(times, [](const LeafTime&) { return true; });
}

TimeNs timeOf(std::span<const LeafTime> times, TimeClass timeClass) {
  return sumWhere(times, [&](const LeafTime& part) { return part.timeClass == timeClass; });
}

TimeNs timeOf(std::span<const LeafTime> times, Leaf leaf) {
  return sumWhere(times, [&](const LeafTime& part) { return part.leaf == leaf; });
}

} // namespace rankscope

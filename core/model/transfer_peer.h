// SPDX-License-Identifier: GPL-3.0-or-later
// The other end of a send or receive, as recorded. PyTorch writes "Src Rank" and "Dst Rank" as ranks of the
// job; what backends are called with (the arguments of "c10d::send", the ranges of NCCL in Nsight Systems)
// are places in the process group.
#pragma once

#include <cstdint>
#include <span>

namespace rankscope {

enum class PeerNumbering : std::uint32_t { Job, Group };

[[nodiscard]] constexpr bool isValid(PeerNumbering value) {
  return value <= PeerNumbering::Group;
}

struct TransferPeer {
  std::int32_t number = -1; // -1 not recorded
  PeerNumbering numbering = PeerNumbering::Job;

  // Not recorded if it cannot be a rank.
  [[nodiscard]] static TransferPeer of(std::int64_t number, PeerNumbering numbering) {
    if (number < 0 || number > INT32_MAX) return {};
    return {static_cast<std::int32_t>(number), numbering};
  }

  [[nodiscard]] bool known() const { return number >= 0; }

  // The rank in the job; -1 if the group has no such place. members: ranks of the group, ascending; empty if
  // they are not known, which is taken for the group of all ranks.
  [[nodiscard]] std::int32_t rankAmong(std::span<const std::int32_t> members) const {
    if (numbering == PeerNumbering::Job || members.empty() || !known()) return number;
    const auto place = static_cast<std::size_t>(number);
    return place < members.size() ? members[place] : -1;
  }

  [[nodiscard]] bool operator==(const TransferPeer&) const = default;
};

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// An event as a reader hands it over, before it has a row: 40 bytes, the size that a load's memory is made
// of.
#pragma once

#include "core/base/time_range.h"
#include "core/model/source_ref.h"

#include <cstdint>

namespace rankscope {

inline constexpr std::uint32_t kNoRecord = 0xffffffffu;

struct RawEvent {
  TimeNs begin;
  TimeNs duration;
  std::uint64_t sourceBits : SourceRef::kBits; // see source()
  std::uint64_t kind : 8;                      // EventKind
  std::uint32_t name;
  std::uint32_t track; // in the reader's tables
  // Correlation of runtime calls, External id of host events; of device events the position in `device`,
  // of instants that in `memory` or kNoRecord.
  std::uint32_t link;

  [[nodiscard]] SourceRef source() const { return SourceRef(sourceBits); }
  void setSource(SourceRef source) {
    sourceBits = source.readerBits() & ((std::uint64_t{1} << SourceRef::kBits) - 1);
  }
};
static_assert(sizeof(RawEvent) == 40);

} // namespace rankscope

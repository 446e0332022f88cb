// SPDX-License-Identifier: GPL-3.0-or-later
// Records as they lie in memory, on disk: an array of them is mapped and used where it is. What the compiler
// puts between members is written as zeros, so that equal records are equal bytes and nothing of the
// program's memory leaks into a file. Records with such gaps list their members here; one that is
// added and not listed does not compile.
#pragma once

#include "core/model/rank_trace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace rankscope {

template <class Visit> void eachMember(const DeviceDetail& record, Visit&& visit) {
  const auto& [launch, externalId, device, stream, bytes, blocksPerSm, occupancyPct, evidence] = record;
  visit(launch, externalId, device, stream, bytes, blocksPerSm, occupancyPct, evidence);
}

template <class Visit> void eachMember(const MemoryEvent& record, Visit&& visit) {
  const auto& [time, event, bytes, address, totalAllocated, totalReserved, deviceType, device] = record;
  visit(time, event, bytes, address, totalAllocated, totalReserved, deviceType, device);
}

template <class T>
concept GappedRecord = requires(const T& record) {
  eachMember(record, [](const auto&...) {});
};

// Whether arrays of T may be written: no pointers, and every gap known.
template <class T>
concept PlainRecord = std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T> &&
    (std::has_unique_object_representations_v<T> || std::is_floating_point_v<T> || GappedRecord<T>);

// The bytes of records, gaps as zeros. to.size() is records.size_bytes().
template <PlainRecord T> void copyRecordBytes(std::span<const T> records, std::span<std::byte> to) {
  if constexpr (GappedRecord<T>) {
    std::ranges::fill(to, std::byte{});
    for (const T& record : records) {
      const auto* const begin = reinterpret_cast<const std::byte*>(&record);
      const auto copy = [&](const auto& member) {
        const auto* const from = reinterpret_cast<const std::byte*>(&member);
        std::memcpy(to.data() + (from - begin), from, sizeof member);
      };
      eachMember(record, [&](const auto&... members) { (copy(members), ...); });
      to = to.subspan(sizeof(T));
    }
  } else if (!records.empty()) {
    std::memcpy(to.data(), records.data(), records.size_bytes());
  }
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Writes arrays of records in their memory layout, so that they can be mapped and used in place. Padding is
// written as zeros, so that equal records are equal bytes and no other program memory gets into a file.
// Records with padding list their members here; a new member that is not listed is a compile error.
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
  const auto& [launch, externalId, device, evidence, stream, bytes, blocksPerSm, occupancyPct] = record;
  visit(launch, externalId, device, evidence, stream, bytes, blocksPerSm, occupancyPct);
}

template <class Visit> void eachMember(const MemoryEvent& record, Visit&& visit) {
  const auto& [time, event, bytes, address, totalAllocated, totalReserved, deviceType, device] = record;
  visit(time, event, bytes, address, totalAllocated, totalReserved, deviceType, device);
}

template <class T>
concept GappedRecord = requires(const T& record) {
  eachMember(record, [](const auto&...) {});
};

// Whether arrays of T can be written: no pointers, and all padding known.
template <class T>
concept PlainRecord = std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T> &&
    (std::has_unique_object_representations_v<T> || std::is_floating_point_v<T> || GappedRecord<T>);

// Copies records with zeroed padding. to.size() must be records.size_bytes().
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

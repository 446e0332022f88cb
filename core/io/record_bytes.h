// SPDX-License-Identifier: GPL-3.0-or-later
// Records as they lie in memory, on disk: an array of them is mapped and used where it is. What the compiler
// puts between members is written as zeros, so that equal records are equal bytes and nothing of the
// program's memory leaks into a file. A record with such gaps lists its members here; a member that is added
// and not listed does not compile.
#pragma once

#include "core/model/rank_trace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace rankscope {

template <class T> inline constexpr auto kRecordMembers = std::tuple{};

template <>
inline constexpr auto kRecordMembers<DeviceDetail> =
    std::tuple{&DeviceDetail::launch,       &DeviceDetail::externalId, &DeviceDetail::device,
               &DeviceDetail::stream,       &DeviceDetail::bytes,      &DeviceDetail::blocksPerSm,
               &DeviceDetail::occupancyPct, &DeviceDetail::evidence};

template <>
inline constexpr auto kRecordMembers<MemoryEvent> =
    std::tuple{&MemoryEvent::time,       &MemoryEvent::event,          &MemoryEvent::bytes,
               &MemoryEvent::address,    &MemoryEvent::totalAllocated, &MemoryEvent::totalReserved,
               &MemoryEvent::deviceType, &MemoryEvent::device};

namespace record_bytes {

struct Anything {
  template <class T> operator T() const;
};

template <class T, std::size_t... i> constexpr bool takes(std::index_sequence<i...>) {
  return requires {
    T{(static_cast<void>(i), Anything{})...};
  };
}

// Whether T has so many members.
template <class T, std::size_t count>
inline constexpr bool kHasMembers = takes<T>(std::make_index_sequence<count>()) &&
                                    !takes<T>(std::make_index_sequence<count + 1>());

template <class T>
inline constexpr bool kIsListed = std::tuple_size_v<std::remove_const_t<decltype(kRecordMembers<T>)>> != 0;

} // namespace record_bytes

// Whether arrays of T may be written: no pointers, and every gap known.
template <class T>
concept PlainRecord = std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T> &&
    (std::has_unique_object_representations_v<T> || std::is_floating_point_v<T> ||
     record_bytes::kIsListed<T>);

// The bytes of records, gaps as zeros. to.size() is records.size_bytes().
template <PlainRecord T> void copyRecordBytes(std::span<const T> records, std::span<std::byte> to) {
  if constexpr (record_bytes::kIsListed<T>) {
    constexpr auto kMembers = kRecordMembers<T>;
    static_assert(record_bytes::kHasMembers<T, std::tuple_size_v<decltype(kMembers)>>, "list every member");
    std::ranges::fill(to, std::byte{});
    for (const T& record : records) {
      const auto* const begin = reinterpret_cast<const std::byte*>(&record);
      const auto copy = [&](const auto& member) {
        const auto* const from = reinterpret_cast<const std::byte*>(&member);
        std::memcpy(to.data() + (from - begin), from, sizeof member);
      };
      std::apply([&](auto... members) { (copy(record.*members), ...); }, kMembers);
      to = to.subspan(sizeof(T));
    }
  } else if (!records.empty()) {
    std::memcpy(to.data(), records.data(), records.size_bytes());
  }
}

} // namespace rankscope

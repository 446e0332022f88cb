// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/cache/record_bytes.h"

#include <cstring>
#include <gtest/gtest.h>
#include <new>
#include <string>
#include <vector>

namespace rankscope {

namespace {

struct WithUnknownGap {
  std::int64_t large;
  std::int8_t small;
};
struct WithoutGap {
  std::int64_t large;
  std::int32_t a, b;
};
static_assert(PlainRecord<WithoutGap> && PlainRecord<double> && PlainRecord<EventFlow>);
static_assert(PlainRecord<DeviceDetail> && PlainRecord<MemoryEvent> && PlainRecord<CollectiveDetail>);
static_assert(!PlainRecord<WithUnknownGap>, "a gap that nobody listed");
static_assert(!PlainRecord<std::string>);

// A record in memory that was full of rubbish before.
template <class T> struct Dirty {
  explicit Dirty(int rubbish) { std::memset(bytes, rubbish, sizeof bytes); }
  T& fill(const T& values) {
    T& record = *new (bytes) T;
    eachMember(values, [&](const auto&... from) {
      eachMember(record, [&](const auto&... to) {
        ((std::memcpy(const_cast<void*>(static_cast<const void*>(&to)), &from, sizeof from)), ...);
      });
    });
    return record;
  }
  alignas(T) unsigned char bytes[sizeof(T)];
};

template <class T> std::vector<std::byte> bytesOf(const T& record) {
  std::vector<std::byte> bytes(sizeof(T), std::byte{0x55});
  copyRecordBytes(std::span<const T>(&record, 1), bytes);
  return bytes;
}

template <class T> void expectSameBytes(const T& values) {
  Dirty<T> ones(0xff);
  Dirty<T> others(0xa5);
  const std::vector<std::byte> bytes = bytesOf(ones.fill(values));
  EXPECT_EQ(bytes, bytesOf(others.fill(values)))
      << "equal records are equal bytes, whatever lay there before";
  EXPECT_EQ(bytes, bytesOf(values));
}

} // namespace

TEST(RecordBytes, leakNothingOfWhatLiesBetweenMembers) {
  DeviceDetail device;
  device.launch = EventIndex(3);
  device.stream = 7;
  device.evidence = CommunicationEvidence::Name;
  expectSameBytes(device);
  MemoryEvent memory;
  memory.time = 99;
  memory.bytes = -5;
  memory.device = 1;
  expectSameBytes(memory);
}

TEST(RecordBytes, areTheRecordsAgain) {
  std::vector<DeviceDetail> records(3);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].externalId = static_cast<std::uint32_t>(i + 1);
    records[i].bytes = 1000 * static_cast<std::int64_t>(i);
    records[i].occupancyPct = 12.5F;
  }
  std::vector<DeviceDetail> again(records.size());
  copyRecordBytes(std::span<const DeviceDetail>(records), std::as_writable_bytes(std::span(again)));
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(again[i].externalId, records[i].externalId);
    EXPECT_EQ(again[i].bytes, records[i].bytes);
    EXPECT_EQ(again[i].occupancyPct, records[i].occupancyPct);
    EXPECT_EQ(again[i].launch, records[i].launch);
  }
  copyRecordBytes(std::span<const DeviceDetail>(), std::span<std::byte>());
}

} // namespace rankscope

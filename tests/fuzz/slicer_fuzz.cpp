// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a trace file: its slices follow one another without gaps and lie inside of the text, whatever
// their length, and a reader gets through each of them. The first byte says how long slices are.
#include "core/io/kineto/event_reader.h"
#include "core/io/kineto/event_slicer.h"
#include "tests/fuzz/memory_file.h"

using namespace rankscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::MemoryFile memory;
  if (size < 2) return 0;
  const std::size_t sliceBytes = std::size_t{1} << (data[0] % 14U);
  memory.fill({data + 1, size - 1});
  const auto file = FileBytes::open(memory.path());
  test::require(static_cast<bool>(file));
  EventSlicer slicer(*file, sliceBytes);
  if (!slicer.start()) return 0;
  ReaderTables tables;
  EventReader reader(tables);
  std::optional<std::uint64_t> endAt;
  bool last = false;
  while (const auto slice = slicer.next()) {
    test::require(!last && slice->begin < slice->end && slice->end <= slice->tailEnd);
    test::require(!endAt || slice->textAt == *endAt);
    last = slice->last;
    endAt = slice->endAt();
    const SliceReading reading = reader.read(*slice, slicer.boundary());
    if (reading.unfinishedAt)
      test::require(!slice->last && *reading.unfinishedAt >= slice->textAt && *reading.unfinishedAt < *endAt);
    for (const Diagnostic& told : reading.events.diagnostics.items())
      test::require(told.at.readerBits() <= *endAt);
  }
  test::require(last && *endAt <= slicer.textBytes());
  return 0;
}

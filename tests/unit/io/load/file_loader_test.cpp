// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/file_loader.h"

#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

// A file of four events, where at most so many can be numbered.
Result<LoadedFile> loadedOfAtMost(std::uint64_t events) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.addCpuOp(1, 0, 5'000, "first").addCpuOp(1, 6'000, 5'000, "second");
  text.addRuntime(1, 7'000, 1'000, "cudaLaunchKernel", 3).addKernel(0, 7, 9'000, 1'000, "kernel", 3);
  const std::string path = folder / "rank0.json";
  test::writeTraceFile(path, text.text());
  Progress progress;
  WorkQueue queue;
  NameSequencer names(queue);
  const LoadFilter filter;
  LoadContext context{{progress, queue, [] { return 1U; }, filter}, names, traceReaders(), events};
  return loadFile(path, 0, context);
}

TEST(FileLoader, readsAsManyEventsAsCanBeNumbered) {
  const auto loaded = loadedOfAtMost(4);
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_EQ(loaded->recordings.at(0).trace->events.size(), 4U);
  // An index is a number below that of no event, and one behind the last event is none either.
  EXPECT_TRUE(EventIndex(kMostEvents).valid());
  EXPECT_FALSE(EventIndex(kMostEvents + 1).valid());
}

TEST(FileLoader, refusesEventsThatCannotBeNumbered) {
  const auto loaded = loadedOfAtMost(3);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::Unsupported);
  EXPECT_TRUE(loaded.error().file.ends_with("rank0.json"));
  EXPECT_EQ(loaded.error().message,
            "4 events of one rank, of which at most 3 can be shown: open some of its steps, or leave out its "
            "Python stack");
}

} // namespace
} // namespace rankscope

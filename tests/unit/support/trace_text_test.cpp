// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/trace_facts.h"
#include "tests/support/trace_text.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace rankscope::test {
namespace {

namespace fs = std::filesystem;

TEST(TraceText, writesWhatAStrictParserReadsBack) {
  const fs::path path =
      fs::temp_directory_path() / ("rankscope_text_" + std::to_string(getpid()) + ".json.gz");
  TraceText trace;
  trace.distributedInfo(1, 2).baseTime(1'000'000'000'000);
  trace.addStep(3, 0, 9'000)
      .addCpuOp(100, 1'001, 2'000, "aten::\"mm\"\n")
      .addRuntime(100, 1'500, 300, "cudaLaunchKernel", 7);
  trace.addKernel(0, 7, 4'000, 1'234, "gemm", 7).addCollective(0, 20, 4'100, 500, "allreduce", 64, 40, 8);
  trace.addMemory(100, 5'000, -512, 1024, 4096)
      .addFlow('s', 7, 100, 100, 1'500)
      .addInstant(100, 6'000, "mark");
  trace.addPython(100, 0, 10, "f.py(1): f", 1)
      .addCopy(0, 7, 6'000, 10, "Memcpy HtoD", 8)
      .addSet(0, 7, 6'010, 10, 8);
  trace.addGpuAnnotation(0, 7, 0, 5, "x").addThreadName(0, 7, "stream 7").addProcessLabel(0, "GPU 0");
  writeTraceFile(path.string(), trace.text());
  const std::vector<ReadEvent> events = readStrictly(path);
  fs::remove(path);
  ASSERT_EQ(events.size(), static_cast<std::size_t>(trace.events()));
  EXPECT_EQ(events[1].name, "aten::\"mm\"\n");
  EXPECT_EQ(events[1].begin, 1'000'000'001'001);
  EXPECT_EQ(events[3].end - events[3].begin, 1'234);
  EXPECT_EQ(events[3].correlation, 7);
  EXPECT_EQ(events[5].bytes, -512);
}

} // namespace
} // namespace rankscope::test

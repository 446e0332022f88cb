// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of kernels: of a text, of an occupancy, and of the kernels of a recording.
#include "core/analysis/efficiency/kernel_grid.h"

#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/report_of.h"

#include <gtest/gtest.h>

namespace rankscope {

TEST(KernelGrid, isCountedAsItsCallTakesIt) {
  const auto blocksOf = [](std::string_view text, std::string_view launch) {
    const auto found = launchedBlocks(text, launch);
    return found ? std::pair(found->blocks, found->threads) : std::pair<std::int64_t, std::int64_t>();
  };
  const auto none = std::pair<std::int64_t, std::int64_t>();
  EXPECT_EQ(blocksOf("[12, 11, 2] · [128, 2, 1]", "cudaLaunchKernel"), std::pair(264L, 256L));
  EXPECT_EQ(blocksOf("[512, 1, 1] · [256, 1, 1]", "hipModuleLaunchKernel"), std::pair(512L, 256L));
  // In threads.
  EXPECT_EQ(blocksOf("[77824, 1, 1] · [256, 1, 1]", "hipExtModuleLaunchKernel"), std::pair(304L, 256L));
  EXPECT_EQ(blocksOf("[15872, 8, 1] · [256, 1, 1]", "hipExtModuleLaunchKernel"), std::pair(62L * 8, 256L));
  // Other profilers write the threads of the grid where the block would be.
  EXPECT_EQ(blocksOf("[256, 1, 1] · [65536, 1, 1]", "hipExtModuleLaunchKernel"), std::pair(256L, 0L));
  EXPECT_EQ(blocksOf("[512, 1, 1] · [256, 1, 1]", ""), none) << "threads or blocks";
  for (const char* damaged :
       {"", "[1, 2, 3]", "[0, 1, 1] · [1, 1, 1]", "[1, 1] · [1, 1, 1]", "[1, 1, x] · [1, 1, 1]",
        "[-5, 1, 1] · [1, 1, 1]", "[9000000000, 9000000000, 9000000000] · [1, 1, 1]"})
    EXPECT_EQ(blocksOf(damaged, "cudaLaunchKernel"), none) << damaged;
}

TEST(KernelGrid, occupancyTellsHowManyBlocksFit) {
  EXPECT_EQ(blocksThatFit(50, 256, 2048), 4);
  EXPECT_EQ(blocksThatFit(19, 384, 2048), 1) << "18.75 %, rounded";
  EXPECT_EQ(blocksThatFit(12, 128, 2048), 2) << "12.5 %, rounded";
  EXPECT_EQ(blocksThatFit(31, 128, 2048), 5);
  EXPECT_EQ(blocksThatFit(0, 256, 2048), 1);
  EXPECT_EQ(blocksThatFit(50, 0, 2048), 1);
  EXPECT_EQ(blocksThatFit(-1, 256, 2048), 1);
}

TEST(KernelGrid, isKnownOfKernelsThatHaveOne) {
  const test::TemporaryFolder folder;
  test::TraceText text;
  text.metadata("deviceProperties", R"([{"id": 0, "name": "Tesla V100-SXM2-32GB", "computeMajor": 7,)"
                                    R"( "computeMinor": 0, "numSms": 80}])");
  const auto add = [&](int number, const char* launch, const char* name, const std::string& args) {
    text.addRuntime(1, 2'000 * number, 1'000, launch, number);
    text.addSlice("kernel", 0, 7, 20'000 * number, 10'000, name,
                  R"("device": 0, "stream": 7, "correlation": )" + std::to_string(number) + args);
  };
  add(1, "cudaLaunchKernel", "few",
      R"(, "blocks per SM": 0.8, "grid": [64, 1, 1], "block": [256, 1, 1], "est. achieved occupancy %": 10)");
  add(2, "cudaLaunchKernel", "many",
      R"(, "blocks per SM": 12.8, "grid": [1, 2, 512], "block": [256, 1, 1], "est. achieved occupancy %": 50)");
  add(3, "hipModuleLaunchKernel", "read", R"(, "grid": [7, 3, 1], "block": [256, 1, 1])");
  add(4, "cudaLaunchKernel", "without", "");
  test::writeTraceFile((folder.path() / "rank0.json").string(), text.text());
  const auto report = reportOf(folder.path());
  const TraceSet& job = report->analysis().trace();
  const RankTrace& trace = *job.rank(RankIndex(0)).trace;
  std::vector<EventIndex> kernels{EventIndex()};
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) kernels.push_back(event);
  const auto grids = kernelGrids(job, RankIndex(0), kernels, 80);
  ASSERT_EQ(grids.size(), 3U);
  for (const auto& [event, grid] : grids) {
    const std::string_view name = job.names()[trace.events.name[event]];
    EXPECT_EQ(grid.blocks, name == "few" ? 64 : name == "many" ? 1024 : 21) << name;
    EXPECT_EQ(grid.perMultiprocessor, name == "many" ? 4 : 1) << name;
  }
}

} // namespace rankscope

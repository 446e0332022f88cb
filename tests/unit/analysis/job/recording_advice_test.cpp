// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/job/recording_advice.h"

#include "core/report/job_report.h"
#include "core/report/summary_text.h"
#include "tests/support/trace_text.h"
#include "tests/unit/io/nsys/made_export.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace rankscope {

TEST(RecordingAdvice, namesTheOptionsOfTheProfilerThatRecorded) {
  const TemporaryFolder folder;
  test::TraceText text;
  text.addKernel(0, 7, 1000, 500, "gemm", -1);
  test::writeTraceFile(folder / "rank0.json", text.text());
  Export file;
  fillStep(file, kPid, 0);
  const auto kineto = loadJob(folder / "rank0.json");
  const auto nsight = file.open();
  ASSERT_TRUE(kineto && nsight);
  EXPECT_FALSE(recordedByNsight(*kineto));
  EXPECT_TRUE(recordedByNsight(*nsight));
  EXPECT_EQ(optionFor(Recordable::Shapes, *kineto), "record_shapes=True");
  EXPECT_EQ(optionFor(Recordable::Shapes, *nsight), "emit_nvtx(record_shapes=True)");
  EXPECT_EQ(optionFor(Recordable::Device, *nsight), "nsys profile --trace=cuda,nvtx");
  // What Nsight Systems cannot record is said to be of the other profiler.
  for (const Recordable what : {Recordable::Stacks, Recordable::Memory})
    EXPECT_TRUE(optionFor(what, *nsight).starts_with("torch.profiler and ")) << optionFor(what, *nsight);
  EXPECT_EQ(scheduleAdvice(5, 3, *kineto), "torch.profiler.schedule(wait=5, warmup=2, active=3)");
  EXPECT_NE(scheduleAdvice(1, 3, *nsight).find("after the first step"), std::string::npos);
  EXPECT_NE(scheduleAdvice(5, 3, *nsight).find("--capture-range=cudaProfilerApi"), std::string::npos);
  const auto summaryOf = [](const std::shared_ptr<const TraceSet>& set) {
    return summaryText(JobReport(std::make_shared<const Analysis>(set)));
  };
  EXPECT_NE(summaryOf(kineto).find("No ProfilerStep in 1 recording"), std::string::npos);
  Export unmarked;
  unmarked->kernel(NsysFile::process(kPid), 0, 7, 10, 20, "gemm", 0);
  EXPECT_NE(summaryOf(unmarked.open()).find("No marked steps in 1 recording"), std::string::npos);
  EXPECT_EQ(costlyOptions(*nsight).find("with_stack"), std::string::npos);
}

} // namespace rankscope

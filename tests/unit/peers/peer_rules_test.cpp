// SPDX-License-Identifier: GPL-3.0-or-later
// Rules of the other tools on recordings small enough to count by hand: without a rule the figure is that of
// our definitions, with it the tool's.
#include "core/analysis/job/analysis.h"
#include "core/io/load/trace_loader.h"
#include "tests/peers/peer_hta.h"
#include "tests/peers/peer_tb.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"
#include "tests/unit/times.h"

#include <gtest/gtest.h>

namespace rankscope::peers {

namespace {

class Recording {
 public:
  explicit Recording(const test::TraceText& text) {
    const std::string path = m_folder / "rank0.pt.trace.json";
    test::writeTraceFile(path, text.text());
    Progress progress;
    auto loaded = loadTraces({path}, {}, progress);
    if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
    m_analysis = std::make_unique<const Analysis>(*loaded);
    m_files.push_back(readPeerFile(m_analysis->trace(), RankIndex(0)));
    m_ours = {&m_analysis->operatorTree(RankIndex(0)), &m_analysis->stepWindows(RankIndex(0)), {}};
  }

  [[nodiscard]] const std::vector<PeerFile>& files() const { return m_files; }

  [[nodiscard]] double hta(const std::string& column, HtaRules rules) const {
    return *htaTemporal(htaTraces(m_files, rules), rules).at({"0", column}).low;
  }

  // The figures of the first step.
  [[nodiscard]] std::vector<double> steps(const std::string& column, TbRules rules) const {
    const TbEvents events = tbEvents(m_files[0], rules);
    const TbProfile profile(m_files[0], events, m_ours, rules);
    Figures figures;
    addTbSteps(profile, "w", figures);
    std::vector<double> result;
    for (const auto& [key, figure] : figures)
      if (key.column == column) result.push_back(*figure.low);
    return result;
  }

  [[nodiscard]] double operatorFigure(const std::string& name, const std::string& column,
                                      TbRules rules) const {
    const TbEvents events = tbEvents(m_files[0], rules);
    const TbProfile profile(m_files[0], events, m_ours, rules);
    Figures figures;
    addTbOperators(profile, "w", figures);
    return *figures.at({"w," + name, column}).low;
  }

 private:
  test::TemporaryFolder m_folder;
  std::unique_ptr<const Analysis> m_analysis;
  std::vector<PeerFile> m_files;
  OurView m_ours;
};

// A step of 900 us that a kernel covers, with 100 us of copies, a call and an operator under it.
test::TraceText coveredStep() {
  test::TraceText text;
  text.addStep(1, 0, 900 * kUs)
      .addCpuOp(100, 10 * kUs, 800 * kUs, "aten::mm", "\"External id\": 7")
      .addRuntime(100, 20 * kUs, 10 * kUs, "cudaLaunchKernel", 1)
      .addKernel(0, 7, 0, 900 * kUs, "gemm", 1)
      .addCopy(0, 8, 100 * kUs, 100 * kUs, "Memcpy HtoD", 64, 2);
  return text;
}

} // namespace

TEST(PeerRules, aCoveredStepStartsAgainWithEachCategory) {
  const Recording recording(coveredStep());
  const TbRules restart = TbRules().with(TbRule::SlotsStartAgain);
  EXPECT_EQ(recording.steps("kernel_us", {}), std::vector{900.0});
  EXPECT_EQ(recording.steps("memcpy_us", {}), std::vector{0.0});
  EXPECT_EQ(recording.steps("kernel_us", restart), std::vector{900.0});
  EXPECT_EQ(recording.steps("memcpy_us", restart), std::vector{100.0});
}

TEST(PeerRules, anAnnotationOnADeviceRowIsAStepToThePlugin) {
  test::TraceText text = coveredStep();
  text.addGpuAnnotation(0, 7, 0, 900 * kUs, "ProfilerStep#1");
  const Recording recording(text);
  EXPECT_EQ(recording.steps("total_us", {}), std::vector{900.0});
  const auto counted = TbRules().with(TbRule::GpuAnnotationsAreSteps).with(TbRule::StepOfEachThread);
  EXPECT_EQ(recording.steps("total_us", counted), (std::vector{900.0, 0.0}));
}

TEST(PeerRules, aRuntimeCallIsNoWorkOfItsOperator) {
  const Recording recording(coveredStep());
  EXPECT_EQ(recording.operatorFigure("aten::mm", "host_self_us", {}), 800);
  EXPECT_EQ(recording.operatorFigure("aten::mm", "device_self_us", {}), 900);
  // The call says no External id, so no operator has it: neither its time nor its kernel.
  const auto byId = TbRules().with(TbRule::CallsLeaveSelfTime).with(TbRule::LinkedByExternalId);
  EXPECT_EQ(recording.operatorFigure("aten::mm", "host_self_us", byId), 800);
  EXPECT_EQ(recording.operatorFigure("aten::mm", "device_self_us", byId), 0);
  EXPECT_EQ(recording.operatorFigure("aten::mm", "host_self_us", TbRules().with(TbRule::CallsLeaveSelfTime)),
            790);
}

TEST(PeerRules, aRowThatNamesAStreamIsBusyToHta) {
  test::TraceText text;
  text.addKernel(0, 7, 0, 100 * kUs, "gemm", 1)
      .addKernel(0, 7, 300 * kUs, 100 * kUs, "gemm", 2)
      .addCpuOp(100, 150 * kUs, 50 * kUs, "triton_poi_fused", "\"stream\": 7");
  const Recording recording(text);
  const HtaRules rows = HtaRules().with(HtaRule::StreamMakesDeviceRow);
  EXPECT_EQ(recording.hta("idle_us", {}), 200);
  EXPECT_EQ(recording.hta("idle_us", rows), 150);
  EXPECT_EQ(recording.hta("compute_us", rows), 250);
}

TEST(PeerRules, aCopyOfHipIsCommunicationToHta) {
  test::TraceText text;
  text.addKernel(0, 7, 0, 100 * kUs, "gemm", 1).addCopy(0, 8, 50 * kUs, 100 * kUs, "hipMemcpyAsync", 64, 2);
  const Recording recording(text);
  const HtaRules hip = HtaRules().with(HtaRule::HipIsCommunication);
  EXPECT_FALSE(htaTemporal(htaTraces(recording.files(), {}), {}).contains({"0", "comp_comm_overlap_pct"}));
  EXPECT_EQ(recording.hta("comp_comm_overlap_pct", hip), 50);
}

TEST(PeerRules, theRankIsTakenFromTheFirstLineThatSaysIt) {
  test::TraceText spaced;
  spaced.metadata("distributedInfo", R"({"rank": 5, "world_size": 8})").addKernel(0, 7, 0, kUs, "gemm", 1);
  test::TraceText compact;
  compact.metadata("distributedInfo", R"({"rank":5,"world_size":8})").addKernel(0, 7, 0, kUs, "gemm", 1);
  EXPECT_EQ(htaRankOf(Recording(spaced).files()[0]), 5);
  EXPECT_EQ(htaRankOf(Recording(compact).files()[0]), 0);
}

} // namespace rankscope::peers

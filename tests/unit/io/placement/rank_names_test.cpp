// SPDX-License-Identifier: GPL-3.0-or-later
// What names of files and folders say. Covers core/io/placement/name_facts and core/io/placement/name_words.
#include "core/io/placement/rank_names.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace rankscope {

void PrintTo(Producer producer, std::ostream* out) {
  *out << producerText(producer);
}
void PrintTo(const Coordinate& c, std::ostream* out) {
  *out << c.axis << c.index;
}

namespace {

using Coordinates = std::vector<Coordinate>;

TEST(RankNames, readHostAndProcessFromTheDefaultHandlersName) {
  for (const char* name : {"gpu-node-07_4711.1623143089861.pt.trace.json",
                           "gpu-node-07_4711.1623143089861000000.pt.trace.json.gz"}) {
    const NameFacts facts = factsFromName(name);
    EXPECT_EQ(facts.producer, Producer::TensorBoardHandler);
    EXPECT_EQ(facts.rank, std::nullopt) << name;
    EXPECT_EQ(facts.localRank, std::nullopt) << name;
    EXPECT_EQ(facts.host, "gpu-node-07");
    EXPECT_EQ(facts.pid, 4711);
    EXPECT_EQ(facts.stamp, 1623143089861000000);
    EXPECT_TRUE(stampIsWallTime(*facts.stamp));
    EXPECT_EQ(facts.group, "");
  }
}

TEST(RankNames, splitHostAndProcessAtTheLastUnderscore) {
  const NameFacts facts = factsFromName("my_lab_box_99.1623143089861.pt.trace.json");
  EXPECT_EQ(facts.host, "my_lab_box");
  EXPECT_EQ(facts.pid, 99);
}

TEST(RankNames, doNotTakeAProcessOfAHostForARank) {
  const NameFacts facts = factsFromName("node0_1.pt.trace.json.gz");
  EXPECT_EQ(facts.rank, std::nullopt);
  EXPECT_EQ(facts.host, "node0");
  EXPECT_EQ(facts.pid, 1);
  const NameFacts pod = factsFromName("worker-0_4711.1623143089861.pt.trace.json");
  EXPECT_EQ(pod.rank, std::nullopt);
  EXPECT_EQ(pod.host, "worker-0");
}

struct RankCase {
  const char* path;
  int rank;
  Producer producer;
};

class RankInName : public testing::TestWithParam<RankCase> {};

TEST_P(RankInName, isFound) {
  const NameFacts facts = factsFromName(GetParam().path);
  EXPECT_EQ(facts.rank, GetParam().rank) << GetParam().path;
  EXPECT_EQ(facts.producer, GetParam().producer) << GetParam().path;
  EXPECT_FALSE(facts.notARank);
  EXPECT_FALSE(facts.merged);
}

INSTANTIATE_TEST_SUITE_P(
    OfEveryProducer, RankInName,
    testing::Values(
        RankCase{"worker0.1623143089861.pt.trace.json.gz", 0, Producer::TensorBoardHandler},
        RankCase{"worker0.163.pt.trace.json", 0, Producer::TensorBoardHandler},
        RankCase{"worker12.pt.trace.json", 12, Producer::TensorBoardHandler},
        RankCase{"worker0_step_12.169.pt.trace.json", 0, Producer::TensorBoardHandler},
        RankCase{"rank3.1795207676982899231.pt.trace.json.gz", 3, Producer::TensorBoardHandler},
        RankCase{"primus-megatron-exp[x]-rank[3].1760000000000.pt.trace.json.gz", 3,
                 Producer::TensorBoardHandler},
        RankCase{"RANK_7.1760000000000.PT.TRACE.JSON.GZ", 7, Producer::TensorBoardHandler},
        RankCase{"profiling/traces/iteration_100/rank5_trace.json.gz", 5, Producer::TorchTitan},
        RankCase{"profiling/traces/iteration_100/replica_1/rank5_trace.json", 5, Producer::TorchTitan},
        RankCase{"torch_profile/rank-17.json.gz", 17, Producer::Megatron},
        RankCase{"outputs/profile/actor/prof_rank-2.json.gz", 2, Producer::Verl},
        RankCase{"outputs/profile/ref/exp1_prof_rank-2.json.gz", 2, Producer::Verl},
        RankCase{"outputs/profile/e2e/prof_rank-1_4711_20260301120005123.json.gz", 1, Producer::Verl},
        RankCase{"vllm-instance-ab12-rank-3.1760000000000000000.pt.trace.json.gz", 3, Producer::Vllm},
        RankCase{"dp0_pp0_tp1_dcp0_ep1_rank1.1760000000000000000.pt.trace.json.gz", 1, Producer::Vllm},
        RankCase{"kimi_dp1_pp0_tp3_dcp0_ep7_rank7.1760000000000000000.pt.trace.json.gz", 7, Producer::Vllm},
        RankCase{"1760000000.1234-TP-3.trace.json.gz", 3, Producer::Sglang},
        RankCase{"trace-rank-6.json", 6, Producer::TensorRtLlm},
        RankCase{"profile_2.json", 2, Producer::Accelerate},
        RankCase{"rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz", 34, Producer::Mast},
        RankCase{"rank4.json.gz", 4, Producer::Chakra}, RankCase{"rank0.json", 0, Producer::Chakra},
        RankCase{"trace_kineto.3.json", 3, Producer::Chakra}, RankCase{"kineto_9.json", 9, Producer::Chakra},
        RankCase{"kineto.rank_2_step_30.json", 2, Producer::Chakra},
        RankCase{"inference_rank_1.json.gz", 1, Producer::Chakra},
        RankCase{"profile_trace_rank_0.json.gz", 0, Producer::Unknown},
        RankCase{"mtia_rank_0.json.gz", 0, Producer::Unknown},
        RankCase{"req42-full_stages-global-rank3.trace.json.gz", 3, Producer::Unknown},
        RankCase{"trace_8_rank_1.json", 1, Producer::Unknown},
        RankCase{"myRank12.trace.json", 12, Producer::Unknown}));

class NoRankInName : public testing::TestWithParam<const char*> {};

TEST_P(NoRankInName, isInvented) {
  const NameFacts facts = factsFromName(GetParam());
  EXPECT_EQ(facts.rank, std::nullopt) << GetParam();
  EXPECT_EQ(facts.localRank, std::nullopt) << GetParam();
  EXPECT_FALSE(facts.notARank);
}

INSTANTIATE_TEST_SUITE_P(WhereNumbersMerelyStand, NoRankInName,
                         testing::Values("google_owlv2-large-patch14-ensemble__1016001.json.gz",
                                         "benchmark_result_2869224_1695835535_trace.json.gz", "trace.json.gz",
                                         "123.pt.trace.json", "Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
                                         "mi250_minitoy_train_ROCm6_2_kineto.json.gz",
                                         "rank_not_found.json.gz", "frank12.json", "rank1795207676982.json",
                                         "8ranks.json", "profile_of_4_gpus.json", "libkineto_trace_4711.json",
                                         "rank.json", "rank", "", "/", "///", ".json", ".pt.trace.json",
                                         "resnet50-v100-workers0/trace.json", "kineto_20260301.json"));

TEST(RankNames, readStepsAndMomentsAsCaptures) {
  const NameFacts dlrm = factsFromName("worker0_step_12.169.pt.trace.json");
  EXPECT_EQ(dlrm.step, 12);
  EXPECT_EQ(dlrm.stamp, 169);
  EXPECT_FALSE(stampIsWallTime(*dlrm.stamp));
  EXPECT_EQ(factsFromName("profiling/traces/iteration_100/rank5_trace.json.gz").step, 100);
  EXPECT_EQ(factsFromName("kineto.rank_2_step_30.json").step, 30);
  EXPECT_EQ(factsFromName("traces/rank0_iter16_18.json").step, 16);
  EXPECT_EQ(factsFromName("exp_global_step_7_rank0.json").step, 7);
  const NameFacts verl = factsFromName("e2e/prof_rank-1_4711_20260301120005123.json.gz");
  EXPECT_EQ(verl.pid, 4711);
  EXPECT_EQ(verl.stamp, 1772366405123000000);
  EXPECT_EQ(factsFromName("trace_rank0_20260301_120005.json").stamp, 1772366405000000000);
  EXPECT_EQ(factsFromName("trace_rank0_2026-03-01_12-00-05.json").stamp, 1772366405000000000);
  EXPECT_EQ(factsFromName("trace_rank0_20261301_120005.json").stamp, std::nullopt)
      << "there is no 13th month";
}

TEST(RankNames, readTheMomentAndProcessOfMast) {
  const NameFacts early = factsFromName("rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz");
  const NameFacts late = factsFromName("rank-34.Jul_15_10_53_02.1074.pt.trace.json.gz");
  EXPECT_EQ(early.pid, 1074);
  ASSERT_TRUE(early.stamp && late.stamp);
  EXPECT_EQ(*late.stamp - *early.stamp, 21'000'000'000);
  EXPECT_FALSE(stampIsWallTime(*early.stamp)) << "the name has no year";
  EXPECT_EQ(early.group, "");
}

TEST(RankNames, readAllCoordinatesOfVllm) {
  const NameFacts facts =
      factsFromName("kimi_dp1_pp0_tp3_dcp2_ep7_rank15.1760000000000000000.pt.trace.json.gz");
  EXPECT_EQ(facts.coordinates, (Coordinates{{"dp", 1}, {"pp", 0}, {"tp", 3}, {"dcp", 2}, {"ep", 7}}));
  EXPECT_EQ(facts.group, "kimi");
  EXPECT_EQ(factsFromName("dp0_pp0_tp0_dcp0_ep0_rank0.1.pt.trace.json.gz").group, "");
}

TEST(RankNames, sayThatTheFrontEndOfVllmIsNoRank) {
  const NameFacts facts = factsFromName("box_4711.async_llm.1760000000000000000.pt.trace.json.gz");
  EXPECT_TRUE(facts.notARank);
  EXPECT_EQ(facts.rank, std::nullopt);
  EXPECT_NE(facts.reason.find("async_llm"), std::string::npos);
}

TEST(RankNames, readProfileCoordinatesAndStageOfSglang) {
  const NameFacts facts = factsFromName("1760000000.1234-TP-3-DP-1-PP-0-EP-3-EXTEND.trace.json.gz");
  EXPECT_EQ(facts.producer, Producer::Sglang);
  EXPECT_EQ(facts.group, "1760000000.1234");
  EXPECT_TRUE(facts.ownJob);
  EXPECT_EQ(facts.role, "extend");
  EXPECT_EQ(facts.coordinates, (Coordinates{{"tp", 3}, {"dp", 1}, {"pp", 0}, {"ep", 3}}));
  EXPECT_EQ(facts.rank, std::nullopt) << "several axes: one file alone does not tell the rank";
  EXPECT_EQ(factsFromName("my-run-TP-0-DECODE.trace.json.gz").group, "my-run");
}

TEST(RankNames, recogniseMergedFiles) {
  const NameFacts sglang = factsFromName("merged-1760000000.1234.trace.json.gz");
  EXPECT_TRUE(sglang.merged);
  EXPECT_EQ(sglang.group, "1760000000.1234");
  EXPECT_FALSE(sglang.reason.empty());
  EXPECT_TRUE(factsFromName("all_ranks_merged.json").merged);
  EXPECT_FALSE(factsFromName("rank0_merged.json").merged) << "it names its one rank";
  EXPECT_FALSE(factsFromName("unmerged.json").merged);
}

TEST(RankNames, readTheCoordinatesOfMegaScan) {
  const NameFacts facts = factsFromName("benchmark-data-0-pipeline-1-tensor-2.json");
  EXPECT_EQ(facts.producer, Producer::MegaScan);
  EXPECT_EQ(facts.coordinates, (Coordinates{{"dp", 0}, {"pp", 1}, {"tp", 2}}));
  EXPECT_EQ(facts.rank, std::nullopt);
}

TEST(RankNames, callRanksWithinANodeLocal) {
  for (const char* name : {"3_trace.json", "fit-myprofile-3.1760000000000.pt.trace.json",
                           "[Strategy]DDPStrategy.training_step-3.1760000000000.pt.trace.json",
                           "trace_local_rank_3.json", "localrank3.json", "gpu3.json", "trace_gpu_3.json"}) {
    const NameFacts facts = factsFromName(name);
    EXPECT_EQ(facts.localRank, 3) << name;
    EXPECT_EQ(facts.rank, std::nullopt) << name;
  }
}

TEST(RankNames, tellARankFromTheRankOnOneAxis) {
  const NameFacts facts = factsFromName("trace_dp_rank_1_tensor_parallel_rank_2.json");
  EXPECT_EQ(facts.rank, std::nullopt);
  EXPECT_EQ(facts.coordinates, (Coordinates{{"dp", 1}, {"tp", 2}}));
  const NameFacts node = factsFromName("trace_node_rank_1_global_rank_9_local_rank_1.json");
  EXPECT_EQ(node.rank, 9);
  EXPECT_EQ(node.localRank, 1);
  EXPECT_EQ(node.nodeKey, "node1");
}

TEST(RankNames, readWorldSizesFromTheirUsualWriting) {
  EXPECT_EQ(factsFromName("rank3of8.json").worldSize, 8);
  EXPECT_EQ(factsFromName("trace-rank-3-of-8.json").worldSize, 8);
  EXPECT_EQ(factsFromName("rank3.json").worldSize, std::nullopt);
}

TEST(RankNames, readOnDemandNames) {
  EXPECT_EQ(factsFromName("libkineto_trace_4711.json").pid, 4711);
  EXPECT_EQ(factsFromName("libkineto_activities_4711.json").pid, 4711);
  const NameFacts facts = factsFromName("libkineto_trace_gpu_box_4711.json.gz");
  EXPECT_EQ(facts.producer, Producer::Dynolog);
  EXPECT_EQ(facts.host, "gpu_box");
  EXPECT_EQ(facts.pid, 4711);
}

TEST(RankNames, sayThatFlightRecorderDumpsAreNoTraces) {
  for (const char* name :
       {"nccl_trace_rank_40", "comm_lib_trace_rank_40", "nccl_trace_rank_container-node07_40"}) {
    const NameFacts facts = factsFromName(name);
    EXPECT_EQ(facts.producer, Producer::FlightRecorder);
    EXPECT_EQ(facts.rank, 40) << name;
    EXPECT_TRUE(facts.notARank);
  }
  EXPECT_EQ(factsFromName("nccl_trace_rank_container-node07_40").host, "container-node07");
}

TEST(RankNames, takeTheRoleOfVerlFromTheFolder) {
  const NameFacts actor = factsFromName("outputs/profile/actor/prof_rank-2.json.gz");
  const NameFacts ref = factsFromName("outputs/profile/ref/prof_rank-2.json.gz");
  EXPECT_EQ(actor.role, "actor");
  EXPECT_TRUE(actor.ownJob);
  EXPECT_NE(actor.group, ref.group);
  EXPECT_EQ(factsFromName("run/rollout/node1/prof_rank-2.json.gz").role, "rollout");
}

TEST(RankNames, findNodesAndRanksInFolders) {
  EXPECT_EQ(factsFromName("run/node3/rank5.json").nodeKey, "node3");
  EXPECT_EQ(factsFromName("run/job-worker-3/rank5.json").nodeKey, "worker-3");
  EXPECT_EQ(factsFromName("run/ip-10-0-0-7/rank5.json").nodeKey, "ip-10-0-0-7");
  EXPECT_EQ(factsFromName("run/10.0.0.7/rank5.json").nodeKey, "10.0.0.7");
  EXPECT_EQ(factsFromName("run/node3/a_1.pt.trace.json").nodeKey, "node3");
  EXPECT_EQ(factsFromName("run/v1.2.3/rank5.json").nodeKey, "");
  EXPECT_EQ(factsFromName("run/rank_7/trace.json").folderRank, 7);
  EXPECT_EQ(factsFromName("run/rank_7/deep/trace.json").folderRank, 7);
  EXPECT_EQ(factsFromName("dlrm-8rank-v100/trace.json").folderRank, std::nullopt);
  EXPECT_EQ(factsFromFolder("exp-node3").rest, "exp");
  EXPECT_EQ(factsFromFolder("iteration_20").rest, "");
  EXPECT_EQ(factsFromFolder("exp_rank3").rest, "exp_rank3");
  EXPECT_EQ(factsFromFolder("exp_rank3").restNoRank, "exp");
}

TEST(RankNames, leaveTheSameRestForAllRanksOfAJob) {
  EXPECT_EQ(factsFromName("primus-megatron-exp[x]-rank[3].1760000000000.pt.trace.json.gz").group,
            "primus-megatron-exp[x]");
  EXPECT_EQ(factsFromName("a-rank-0.json").group, factsFromName("a-rank-12.json").group);
  EXPECT_NE(factsFromName("a-rank-0.json").group, factsFromName("b-rank-0.json").group);
  EXPECT_NE(factsFromName("tp8_rank0.json").group, factsFromName("tp4_rank0.json").group)
      << "beside a rank they may be sizes of two jobs";
  EXPECT_EQ(namePattern("exp12_a7"), "exp#_a#");
}

// nsys profile --capture-range-end=repeat
TEST(RankNames, numbersOfCapturesOfNsysAreNoPartOfTheRest) {
  const NameFacts second = factsFromName("trace_rank0.2.sqlite");
  EXPECT_EQ(second.rank, 0);
  EXPECT_EQ(second.stamp, 2);
  EXPECT_EQ(second.group, factsFromName("trace_rank1.1.sqlite").group);
  EXPECT_EQ(factsFromName("report.10.sqlite").group, factsFromName("report.9.sqlite").group);
  EXPECT_FALSE(factsFromName("trace_rank0.sqlite").stamp);
  EXPECT_FALSE(factsFromName("v2.13-rank0.sqlite").stamp);
}

TEST(RankNames, survivesHostileNames) {
  for (const std::string& part :
       {std::string("rank"), std::string("1"), std::string("_"), std::string("rank1_"), std::string("-TP-"),
        std::string("["), std::string("a/"), std::string("\xff"), std::string("dp_rank_"),
        std::string("99999999999999999999")}) {
    std::string name;
    while (name.size() < 100'000) name += part;
    for (const char* end : {"", ".json", ".pt.trace.json.gz", ".1760000000000.pt.trace.json"}) {
      const NameFacts facts = factsFromName(name + end);
      EXPECT_LE(facts.group.size(), 4096u);
      EXPECT_LT(facts.rank.value_or(0), 10'000'000);
    }
  }
  EXPECT_EQ(factsFromName(std::string("rank7\0.json", 11)).rank, 7);
}

} // namespace
} // namespace rankscope

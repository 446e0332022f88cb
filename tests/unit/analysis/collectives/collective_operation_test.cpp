// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/collective_operation.h"

#include <gtest/gtest.h>
#include <utility>

namespace rankscope {

using enum CollectiveOperation;

TEST(CollectiveOperation, isReadFromArgumentsAnnotationsAndKernelsOfEveryAge) {
  for (const auto& [name, operation] : {
           std::pair{"allreduce", AllReduce},
           {"nccl:all_reduce", AllReduce},
           {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)", AllReduce},
           {"ncclAllReduceRingLLKernel_sum_f32(ncclColl)", AllReduce},
           {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", AllReduce},
           {"void vllm::cross_device_reduce_1stage<__half, 8>(vllm::RankData*)", AllReduce},
           {"one_shot_all_reduce_kernel", AllReduce},
           {"void trtllm::oneShotAllReduceKernel<__half, 2>(int)", AllReduce},
           {"_allgather_base", AllGather},
           {"nccl:_all_gather_base", AllGather},
           {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", AllGather},
           {"_reduce_scatter_base", ReduceScatter},
           {"reduce_scatter_tensor_coalesced", ReduceScatter},
           {"ncclKernel_ReduceScatter_RING_LL_Sum_half", ReduceScatter},
           {"all_to_allv", AllToAll},
           {"nccl:all_to_all", AllToAll},
           {"void deep_ep::intranode::dispatch<8, 768>(int4*)", AllToAll},
           {"void deep_ep::intranode::combine<8, 768>(int4*)", AllToAll},
           {"void dpsk::ep::internode::combine<true, 8>(int4*)", AllToAll},
           {"dpsk::ep::internode::cached_notify(int, void*)", AllToAll},
           {"void deep_ep::intranode::barrier<8>(int**, int)", Barrier},
           {"void deep_ep::internode_ll::clean_low_latency_buffer<512>(int*)", Barrier},
           {"void (anonymous namespace)::dispatchKernel<8>(std::byte*)", AllToAll},
           {"void c10d::symmetric_memory::(anonymous namespace)::multimem_all_gather_kernel<8>(int)",
            AllGather},
           {"void quickreduce::allreduce_prototype_twoshot<int>(int)", AllReduce},
           {"void fcollect_on_stream_kernel<nvshmem_team_t>(int)", AllGather},
           {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", SendRecv},
           {"broadcast", Broadcast},
           {"ncclKernel_Broadcast_RING_LL_Sum_int8_t", Broadcast},
           {"nccl:reduce", Reduce},
           {"gloo:gather", Gather},
           {"gloo:scatter", Scatter},
           {"gloo:barrier", Barrier},
           {"send", Send},
           {"nccl:recv 0->1", Recv},
           {"ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", Unknown},
       })
    EXPECT_EQ(operationText(collectiveOperationOf(name)), operationText(operation)) << name;
}

TEST(CollectiveOperation, knowsTheSizeOfEveryType) {
  for (const auto& [dtype, bytes] : {std::pair{"Float", 4},
                                     {"float", 4},
                                     {"BFloat16", 2},
                                     {"c10::BFloat16", 2},
                                     {"c10::Half", 2},
                                     {"Half", 2},
                                     {"Byte", 1},
                                     {"unsigned char", 1},
                                     {"Float8_e4m3fn", 1},
                                     {"Long", 8},
                                     {"long int", 8},
                                     {"int", 4},
                                     {"Double", 8},
                                     {"ComplexFloat", 8},
                                     {"ComplexDouble", 16},
                                     {"Bool", 1}})
    EXPECT_EQ(bytesOfDtype(dtype), bytes) << dtype;
  EXPECT_FALSE(bytesOfDtype("TensorList").has_value());
  EXPECT_FALSE(bytesOfDtype("").has_value());
}

TEST(CollectiveOperation, sizesAreThoseOfNcclTests) {
  EXPECT_EQ(messageBytes(AllReduce, 100, 100, 8, "Float"), 400);
  EXPECT_EQ(messageBytes(AllGather, 100, 800, 8, "Float"), 3200);
  EXPECT_EQ(messageBytes(AllGather, 100, -1, 8, "Float"), 3200) << "from what each rank gives";
  EXPECT_EQ(messageBytes(ReduceScatter, 800, 100, 8, "BFloat16"), 1600);
  EXPECT_EQ(messageBytes(ReduceScatter, -1, 100, 8, "BFloat16"), 1600) << "from what each rank gets";
  EXPECT_FALSE(messageBytes(Barrier, 1, 1, 8, "Byte").has_value());
  EXPECT_FALSE(messageBytes(AllReduce, -1, -1, 8, "Float").has_value());
  EXPECT_FALSE(messageBytes(AllReduce, INT64_MAX, -1, 8, "Double").has_value()) << "an absurd size is none";
  EXPECT_DOUBLE_EQ(*busFactor(AllReduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(*busFactor(AllGather, 8), 0.875);
  EXPECT_DOUBLE_EQ(*busFactor(Broadcast, 8), 1);
  EXPECT_FALSE(busFactor(Barrier, 8).has_value());
}

} // namespace rankscope

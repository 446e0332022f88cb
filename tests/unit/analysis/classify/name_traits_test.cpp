// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/name_traits.h"

#include <gtest/gtest.h>
#include <string>

namespace rankscope {

TEST(NameTraits, tellWhatARuntimeCallDoesToTheHost) {
  for (const char* call :
       {"cudaStreamSynchronize", "cudaDeviceSynchronize", "hipEventSynchronize", "cuCtxSynchronize"})
    EXPECT_EQ(callClassOf(call), CallClass::Synchronize) << call;
  for (const char* call : {"cudaMemcpyAsync", "cudaMemcpy", "hipMemcpyWithStream", "urEnqueueUSMMemcpy"})
    EXPECT_EQ(callClassOf(call), CallClass::Copy) << call;
  for (const char* call :
       {"cudaMalloc", "cudaFree", "hipHostMalloc", "cudaFreeAsync", "cuMemCreate", "cuMemMap", "cuMemUnmap",
        "cuMemAddressReserve", "cudaHostRegister", "zeMemAllocDevice"})
    EXPECT_EQ(callClassOf(call), CallClass::Allocate) << call;
  for (const char* call : {"cudaLaunchKernel", "cudaEventRecord", "cudaMemsetAsync", ""})
    EXPECT_EQ(callClassOf(call), CallClass::Other) << call;
}

TEST(NameTraits, tellThePhaseOfAnOperator) {
  for (const char* name : {"autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0",
                           "CudnnConvolutionBackward", "torch::autograd::AccumulateGrad", "MulBackward12"})
    EXPECT_EQ(operatorPhaseOf(name), Phase::Backward) << name;
  for (const char* name : {"DistributedDataParallel.forward", "FullyShardedDataParallel.forward"})
    EXPECT_EQ(operatorPhaseOf(name), Phase::Forward) << name;
  EXPECT_EQ(operatorPhaseOf("enumerate(DataPipe)#Mapper"), Phase::DataLoader);
  // Words of people in operators' names say nothing.
  for (const char* name :
       {"aten::mm", "my_forward", "aten::_efficient_attention_backward", "Optimizer.step", "42"})
    EXPECT_EQ(operatorPhaseOf(name), Phase::None) << name;
}

TEST(NameTraits, tellSpansOfCollectivesFromTheirCalls) {
  for (const char* name : {"nccl:all_reduce", "gloo:barrier", "mpi:send"})
    EXPECT_TRUE(isCollectiveSpan(name)) << name;
  for (const char* name : {"record_param_comms", "c10d::allreduce_", "_c10d_functional::all_reduce"})
    EXPECT_FALSE(isCollectiveSpan(name)) << name;
}

TEST(NameTraits, knowOperatorsThatOnlyHoldOthers) {
  for (const char* name : {"autograd::engine::evaluate_function: MulBackward0",
                           "DistributedDataParallel.forward", "torch::autograd::AccumulateGrad",
                           "torch.distributed.ddp.reducer::copy_bucket_to_grad", "enumerate(DataLoader)#x"})
    EXPECT_TRUE(isWrapper(name)) << name;
  for (const char* name : {"aten::mm", "MulBackward0", ""}) EXPECT_FALSE(isWrapper(name)) << name;
}

TEST(NameMemory, asksOnceAName) {
  StringInterner names;
  names.intern("a");
  names.intern("bb");
  const StringTable table = names.snapshot();
  int asked = 0;
  NameMemory lengths(table, [&asked](std::string_view name) {
    ++asked;
    return static_cast<std::uint8_t>(name.size());
  });
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(lengths[NameId(0)], 1);
    EXPECT_EQ(lengths[NameId(1)], 2);
  }
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(lengths[NameId()], 0) << "no name is the empty one";
}

} // namespace rankscope

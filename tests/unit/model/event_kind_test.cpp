// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/event_kind.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

EventKind kind(std::string_view category, std::string_view name, bool arguments = false) {
  return kindOf(categoryFromText(category), name, arguments);
}

TEST(EventKind, knowsTheSpellingsOfEveryVersion) {
  for (const char* category : {"kernel", "Kernel"}) EXPECT_EQ(kind(category, "gemm"), EventKind::Kernel);
  for (const char* category : {"gpu_memcpy", "Memcpy"})
    EXPECT_EQ(kind(category, "Memcpy HtoD"), EventKind::Copy);
  for (const char* category : {"gpu_memset", "Memset"}) EXPECT_EQ(kind(category, "Memset"), EventKind::Set);
  for (const char* category : {"cpu_op", "Operator"}) EXPECT_EQ(kind(category, "aten::mm"), EventKind::CpuOp);
  for (const char* category : {"cuda_runtime", "Runtime", "cuda_driver", "mtia_runtime", "xpu_runtime",
                               "xpu_driver", "privateuse1_runtime"}) {
    EXPECT_EQ(kind(category, "launch"), EventKind::Runtime) << category;
  }
  for (const char* category : {"gpu_user_annotation", "gpu_user_Annotation", "User"}) {
    EXPECT_EQ(kind(category, "forward"), EventKind::GpuAnnotation) << category;
  }
  EXPECT_EQ(kind("glow_something", "x"), EventKind::Other);
  EXPECT_EQ(kind("", "x"), EventKind::Other);
  EXPECT_EQ(kind(std::string(5000, 'k'), "x"), EventKind::Other);
}

TEST(EventKind, tellsCommunicationKernelsByArgumentsOrName) {
  for (const char* name :
       {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
        "ncclDevKernel_AllGather_RING_LL(ncclDevComm*)", "ncclAllReduceRingLLKernel_sum_f32(ncclColl)",
        "mscclpp_kernel", "void deep_ep::dispatch<8>(int)",
        "void vllm::cross_device_reduce_1stage<half, 8>(x)", "oneShotAllReduceKernel",
        "void nvshmem_put()"}) {
    EXPECT_EQ(kind("kernel", name), EventKind::Collective) << name;
  }
  EXPECT_EQ(kind("kernel", "generic_kernel", true), EventKind::Collective);
  EXPECT_EQ(kind("kernel", "void at::native::reduce_kernel<512>(x)"), EventKind::Kernel);
  // A copy between devices is a copy.
  EXPECT_EQ(kind("gpu_memcpy", "Memcpy PtoP (Device -> Device)"), EventKind::Copy);
}

TEST(EventKind, tellsCollectivesOfTheHost) {
  EXPECT_EQ(kind("user_annotation", "gloo:all_reduce"), EventKind::HostCollective);
  EXPECT_EQ(kind("cpu_op", "record_param_comms"), EventKind::HostCollective);
  EXPECT_EQ(kind("cpu_op", "c10d::allreduce_"), EventKind::HostCollective);
  EXPECT_EQ(kind("user_annotation", "ProfilerStep#3"), EventKind::Annotation);
  EXPECT_EQ(kind("Operator", "ProfilerStep#3"), EventKind::Annotation)
      << "PyTorch 1.8 wrote steps as operators";
}

TEST(Phase, followsTheNamesThatFrameworksAndPeopleUse) {
  EXPECT_EQ(phaseOf("ProfilerStep#12"), Phase::Step);
  EXPECT_EQ(phaseOf("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"), Phase::DataLoader);
  EXPECT_EQ(phaseOf("DistributedDataParallel.forward"), Phase::Forward);
  EXPECT_EQ(phaseOf("## forward ##"), Phase::Forward);
  EXPECT_EQ(phaseOf("Optimizer.step#AdamW.step"), Phase::Optimizer);
  EXPECT_EQ(phaseOf("autograd::engine::evaluate_function: AddmmBackward0"), Phase::Backward);
  EXPECT_EQ(phaseOf("loss"), Phase::Loss);
  EXPECT_EQ(phaseOf("aten::mm"), Phase::None);
}

} // namespace
} // namespace rankscope

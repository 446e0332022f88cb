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

TEST(EventKind, tellsExpertParallelKernelsInEveryNamespace) {
  for (const char* name :
       {"void deep_ep::intranode::notify_dispatch<8>(int const*, int*)",
        "void deep_ep::internode_ll::clean_low_latency_buffer<512>(int4*)",
        "void dpsk::ep::internode::dispatch_ll<false, 4, 7168>(void*)",
        "void dpsk::ep::internode::combine<true, 8, __nv_bfloat16>(int4*)",
        "dpsk::ep::internode::cached_notify(int, void*)", "void uccl::intranode::combine<8, 768>(int4*)",
        "void ep::dispatch<8>(int)", "void nixl_ep::combine<4>(int)",
        "_ZN4dpsk2ep9internode13cached_notifyILb0EEEvPii",
        "void mori::moe::EpDispatchIntraNodeKernel<float>(mori::moe::EpDispatchCombineArgs<float>)",
        "void hybrid_ep::dispatch_kernel<hybrid_ep::inter_node_group<4> >(int)",
        "void HybridEP::combine(int)", "void pplx::AllToAllIntraNode(int)",
        "void (anonymous namespace)::dispatchKernel<8, true>(std::byte*)",
        "void a2a_dispatch_send_kernel<true>(int*)",
        "void tensorrt_llm::kernels::mnnvl_throughput::moeA2ACombineKernel<8>(int)"})
    EXPECT_EQ(kind("kernel", name), EventKind::Collective) << name;
}

TEST(EventKind, tellsOneShotTwoShotAndMultimemCollectives) {
  for (const char* name :
       {"void vllm::cross_device_reduce_2stage<half, 8>(vllm::RankData*)",
        "void c10d::intra_node_comm::twoShotAllReduceKernel<8, true>(int)",
        "void c10d::symmetric_memory::(anonymous "
        "namespace)::multimem_one_shot_all_reduce_kernel<float>(float*)",
        "two_shot_all_reduce_kernel_inplace(float*)", "multimem_all_gather_kernel",
        "multimem_reduce_scatter_", "void c10d::symmetric_memory::barrier_kernel(unsigned int**, int)",
        "void quickreduce::allreduce_prototype_twoshot<int>(int)",
        "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<8>(int)",
        "void allreduce7<half>(mscclpp::DeviceHandle<mscclpp::SmChannel>*)",
        "void rocshmem::alltoall_kernel(int)", "userbuffers_fp16_sum_inplace_gpu_rw(int)"})
    EXPECT_EQ(kind("kernel", name), EventKind::Collective) << name;
}

TEST(EventKind, leavesComputationNextToCommunicationAsItIs) {
  for (const char* name :
       {"triton_poi_fused_all_reduce_add_wait_tensor_0", "triton_red_fused__to_copy_reduce_scatter_tensor_3",
        "void at::native::vectorized_small_gather_kernel<16, long>(char*)",
        "void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<long*>::Policy>(int)",
        "void (anonymous namespace)::groupnorm_kernel_dispatch_down<__hip_bfloat16, 1024u>(unsigned int)",
        "_combined_routing_compute", "void at::native::flash_fwd_splitkv_combine_kernel<float>(int)",
        "gemm_allreduce_sm90", "__amd_rocclr_fillBufferAligned.kd",
        "void permute_kernel<moe::all_gather_policy>(int)"})
    EXPECT_EQ(kind("kernel", name), EventKind::Kernel) << name;
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
  EXPECT_EQ(phaseOf("aten::data"), Phase::None);
  EXPECT_EQ(phaseOf("model.fwd"), Phase::Forward);
  EXPECT_EQ(phaseOf("BWD"), Phase::Backward);
  EXPECT_EQ(phaseOf("train/get_batch"), Phase::DataLoader);
  EXPECT_EQ(phaseOf("DeepSpeedEngine.step"), Phase::Optimizer);
  EXPECT_EQ(phaseOf("DeepSpeedZeroOptimizer_Stage3.step"), Phase::Optimizer);
  EXPECT_EQ(phaseOf("DeepSpeedEngine.backward"), Phase::Backward);
}

TEST(Phase, isNoneForWhatSurroundsTheWorkOfAPhase) {
  for (const char* const name :
       {"FSDP::pre_forward (layers.3)", "FSDP::post_forward", "FSDP::root_pre_forward",
        "FSDP::pre_backward (layers.3)", "FSDP::post_backward_reduce", "FSDP::backward_prefetch for layers.2",
        "FullyShardedDataParallel._pre_forward", "FullyShardedDataParallel._post_backward_hook",
        "ForwardHook", "DeepSpeedZeroOptimizer_Stage3.reduce_ready_partitions_and_remove_grads"})
    EXPECT_EQ(phaseOf(name), Phase::None) << name;
  EXPECT_EQ(phaseOf("FullyShardedDataParallel.forward"), Phase::Forward);
  EXPECT_EQ(phaseOf("FSDP::forward"), Phase::Forward);
}

} // namespace
} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/host_work.h"

#include <gtest/gtest.h>

namespace rankscope {

TEST(HostWorkNames, sayWhatIsNoOrdinaryWork) {
  EXPECT_EQ(hostWorkOf("cuModuleLoadData"), HostWork::Initialization);
  EXPECT_EQ(hostWorkOf("cudaStreamCreateWithPriority"), HostWork::Initialization);
  EXPECT_EQ(hostWorkOf("Lazy Function Loading"), HostWork::Initialization);
  EXPECT_EQ(hostWorkOf("compile_fx_inner (dynamo_timed)"), HostWork::Compilation);
  EXPECT_EQ(hostWorkOf("CachingAutotuner.benchmark_all_configs"), HostWork::Compilation);
  EXPECT_EQ(hostWorkOf("torch/serialization.py(892): save"), HostWork::Checkpoint);
  EXPECT_EQ(hostWorkOf("train.py(310): save_checkpoint"), HostWork::Checkpoint);
  EXPECT_EQ(hostWorkOf("torch/nn/modules/module.py(2041): state_dict"), HostWork::Checkpoint);
  EXPECT_EQ(hostWorkOf("train.py(210): evaluate"), HostWork::Evaluation);
  EXPECT_EQ(hostWorkOf("Python GC"), HostWork::GarbageCollection);
  EXPECT_EQ(hostWorkOf("c10d::barrier"), HostWork::HostCommunication);
  EXPECT_EQ(hostWorkOf("gloo:all_reduce"), HostWork::HostCommunication);
  EXPECT_EQ(hostWorkOf("rpc_async#forward(worker0 -> worker12)"), HostWork::HostCommunication);
  EXPECT_EQ(hostWorkOf("rpc_sync#forward(worker0 -> worker1)"), HostWork::HostCommunication);
  EXPECT_EQ(hostWorkOf("torch/distributed/distributed_c10d.py(2700): all_gather_object"),
            HostWork::HostCommunication);
}

TEST(HostWorkNames, callRunningWhatWasCompiledOrdinary) {
  for (const char* name :
       {"Torch-Compiled Region: 0/1", "## Call CompiledFxGraph fabc ##", "TorchDynamo Cache Lookup",
        "aten::conv2d", "cudaLaunchKernel", "cudaStreamSynchronize", "c10d::allreduce_", "nccl:all_reduce",
        "train.py(88): train_step", "Optimizer.step#AdamW.step", "memory_barrier_free_step", ""})
    EXPECT_EQ(hostWorkOf(name), HostWork::Ordinary) << name;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_text.h"

#include <gtest/gtest.h>

namespace rankscope {

TEST(NsysText, namesAreThoseOfPyTorch) {
  EXPECT_EQ(callName("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
  EXPECT_EQ(callName("cudaStreamGetCaptureInfo_v2_v11030"), "cudaStreamGetCaptureInfo_v2");
  EXPECT_EQ(callName("cudaMemcpyAsync_ptsz_v7000"), "cudaMemcpyAsync");
  EXPECT_EQ(callName("cuLaunchKernelEx"), "cuLaunchKernelEx");
  EXPECT_EQ(copyName(8, 2, 2), "Memcpy DtoD (Device -> Device)");
  EXPECT_EQ(copyName(11, 4, 2), "Memcpy HtoD (unified memory)");
  EXPECT_EQ(copyName(-1, -1, -1), "Memcpy");
  EXPECT_EQ(setName(2), "Memset (Device)");
  const OperatorText op =
      operatorText("FSDP::pre_forward (a, seq 1), seq = 3, op_id = 9, sizes = [[1, 2], []], "
                   "input_op_ids = [(1,0)]");
  EXPECT_EQ(op.name, "FSDP::pre_forward (a, seq 1)");
  EXPECT_EQ(op.sequence, 3);
  EXPECT_EQ(op.id, 9);
  EXPECT_EQ(op.sizes, "[[1, 2], []]");
  EXPECT_EQ(op.inputs, "[(1,0)]");
  EXPECT_FALSE(operatorText("plain, text").isOperator);
  EXPECT_EQ(dictName("{'mod': 'torch.nn.functional', 'op': 'conv2d', 'args': []}"),
            "torch.nn.functional.conv2d");
  EXPECT_EQ(dictName("{'traceMarker': ['a.py:1'], 'funcStack': '/Net/conv1'}"), "conv1");
  EXPECT_EQ(dictKind("torch.nn.functional.conv2d"), EventKind::Annotation);
  EXPECT_EQ(dictKind("Net::forward"), EventKind::Other); // no phase
  EXPECT_EQ(dictKind("train_step"), EventKind::Other);
  const auto kindOfText = [](std::string_view text) { return rangeKind(operatorText(text)); };
  EXPECT_EQ(kindOfText("aten::add, op_id = 1"), EventKind::CpuOp);
  EXPECT_EQ(kindOfText("aten::add"), EventKind::CpuOp);
  EXPECT_EQ(kindOfText("FlashAttnFunc, seq = 3, op_id = 1"), EventKind::CpuOp);
  EXPECT_EQ(kindOfText("forward, op_id = 1"), EventKind::Annotation); // record_function
  EXPECT_EQ(kindOfText("FSDP::pre_forward (x), op_id = 1"), EventKind::Annotation);
  EXPECT_EQ(kindOfText("nccl:all_reduce, op_id = 1"), EventKind::HostCollective);
  EXPECT_EQ(kindOfText("my block"), EventKind::Annotation);
  EXPECT_EQ(displayText(std::string_view("a\0b", 3)), "a");
}

} // namespace rankscope

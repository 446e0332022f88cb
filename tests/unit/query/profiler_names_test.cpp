// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/profiler_names.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(ProfilerNames, areToldFromTheJobs) {
  EXPECT_TRUE(isOfProfiler(EventKind::Annotation, "ProfilerStep#12"));
  EXPECT_TRUE(isOfProfiler(EventKind::GpuAnnotation, "ProfilerStep#12"));
  EXPECT_TRUE(isOfProfiler(EventKind::Span, "PyTorch Profiler (0)"));
  EXPECT_TRUE(isOfProfiler(EventKind::Python, "torch/profiler/profiler.py(782): __enter__"));
  EXPECT_TRUE(isOfProfiler(EventKind::Python, "site-packages/torch/autograd/profiler.py(605): __exit__"));
  EXPECT_FALSE(isOfProfiler(EventKind::Annotation, "forward"));
  EXPECT_FALSE(isOfProfiler(EventKind::Python, "train.py(10): profile_step"));
  EXPECT_FALSE(isOfProfiler(EventKind::Kernel, "ProfilerStep#1"));
}

} // namespace
} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/classify/own_code.h"

#include <gtest/gtest.h>

namespace rankscope {

TEST(OwnCode, isWhatIsNoFrameworkAndNotPython) {
  EXPECT_TRUE(isOwnCode("/data/me/train.py(12): step"));
  EXPECT_TRUE(isOwnCode("train.py(12): main"));
  EXPECT_TRUE(isOwnCode("/opt/conda/lib/python3.10/site-packages/transformers/trainer.py(1): f"));
  EXPECT_TRUE(isOwnCode("/usr/local/lib/python3.10/dist-packages/scipy/ndimage/zoom.py(1): zoom"));
  EXPECT_TRUE(isOwnCode("/data/torchtitan/train.py(9): f"));
  EXPECT_TRUE(isOwnCode("C:\\code\\train.py(9): f"));
}

TEST(OwnCode, isNotThatOfPyTorchAndPython) {
  EXPECT_FALSE(
      isOwnCode("/opt/conda/lib/python3.10/site-packages/torch/nn/modules/module.py(1501): _call_impl"));
  EXPECT_FALSE(isOwnCode("torch/nn/modules/module.py(1501): _call_impl"));
  EXPECT_FALSE(isOwnCode("/usr/lib/python3.10/threading.py(973): _bootstrap"));
  EXPECT_FALSE(isOwnCode("threading.py(973): _bootstrap"));
  EXPECT_FALSE(isOwnCode("/x/site-packages/numpy/core/multiarray.py(1): f"));
  EXPECT_FALSE(isOwnCode("C:\\Users\\me\\Python310\\Lib\\threading.py(1): run"));
  EXPECT_FALSE(isOwnCode("<built-in method run_backward>"));
  EXPECT_FALSE(isOwnCode("<string>(1): f"));
  EXPECT_FALSE(isOwnCode("nn.Module: Linear_0"));
}

TEST(OwnCode, isAskedOfAPathAsWell) {
  EXPECT_TRUE(isOwnPath("/data/me/torch/model.py"));
  EXPECT_FALSE(isOwnPath("??"));
  EXPECT_FALSE(isOwnPath("/src/kernel.cpp"));
}

} // namespace rankscope

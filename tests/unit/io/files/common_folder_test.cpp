// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/common_folder.h"

#include <gtest/gtest.h>

namespace rankscope {

TEST(CommonFolder, isTheDeepestThatBothLieIn) {
  EXPECT_EQ(commonFolder("/runs/a/rank0", "/runs/a/rank1"), "/runs/a");
  EXPECT_EQ(commonFolder("/runs/a", "/runs/a/rank1"), "/runs/a") << "one lies in the other";
  EXPECT_EQ(commonFolder("/runs/ab", "/runs/ac"), "/runs") << "by whole names";
  EXPECT_EQ(commonFolder("/runs", "/other"), "/");
  EXPECT_EQ(commonFolder("runs/a", "other/a"), "");
}

} // namespace rankscope

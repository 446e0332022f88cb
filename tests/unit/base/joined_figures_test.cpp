// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/joined_figures.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(JoinedFigures, NoLineEndsWithinAFigure) {
  EXPECT_EQ(withJoinedFigures("47 177 events of 1 234 567 at 22.8 GB/s, 247 µs/step (20.7 %)"),
            "47\u00a0177 events of 1\u00a0234\u00a0567 at 22.8\u00a0GB/s, 247\u00a0µs/step (20.7\u00a0%)");
  EXPECT_EQ(withJoinedFigures("4.2 M calls, 12.5 MiB."), "4.2\u00a0M calls, 12.5\u00a0MiB.");
}

TEST(JoinedFigures, OtherSpacesStay) {
  for (const char* text : {"", " ", "5 steps", "rank 3 began", "20 of 20", "3 Memcpy", "x 100", "1 2345",
                           "4 MBs", "Conv2d 64 channels"})
    EXPECT_EQ(withJoinedFigures(text), text);
}

} // namespace
} // namespace rankscope

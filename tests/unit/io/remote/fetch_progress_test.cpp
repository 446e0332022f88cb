// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/remote/fetch_progress.h"

#include <gtest/gtest.h>

namespace rankscope {

TEST(FetchProgress, aRemoteThatSaysNothingIsToldWithinSeconds) {
  FetchProgress progress;
  const auto begin = FetchProgress::Clock::now();
  const auto after = [&](int seconds) { return begin + std::chrono::seconds(seconds); };
  EXPECT_FALSE(progress.silence(after(100))); // none is waited for
  progress.waitFor("s3://bucket/job", begin);
  EXPECT_FALSE(progress.silence(after(2)));
  const auto silence = progress.silence(after(5));
  ASSERT_TRUE(silence);
  EXPECT_EQ(silence->remote, "s3://bucket/job");
  EXPECT_EQ(silence->seconds, 5);
  progress.heard(after(6));
  EXPECT_FALSE(progress.silence(after(7)));
  EXPECT_EQ(progress.silentFor(after(16)), std::chrono::seconds(10));
  progress.silenceEnds();
  EXPECT_FALSE(progress.silence(after(100)));
  EXPECT_EQ(progress.silentFor(after(100)), std::chrono::seconds(0));
}

} // namespace rankscope

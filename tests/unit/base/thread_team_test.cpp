// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/thread_team.h"

#include "core/base/parallel_for.h"
#include "tests/support/child_process.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace rankscope {
namespace {

std::atomic<int> threadsLeft{0};

// Starts as many threads as are left, then none.
std::thread startSome(const std::function<void()>& run) {
  if (threadsLeft.fetch_sub(1) <= 0)
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  return std::thread(run);
}

std::atomic<int> threadsEnded{0};

std::thread startSomeAndCountTheirEnds(const std::function<void()>& run) {
  if (threadsLeft.fetch_sub(1) <= 0)
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  return std::thread([run] {
    run();
    ++threadsEnded;
  });
}

class ThreadTeamTest : public ::testing::Test {
 protected:
  ~ThreadTeamTest() override { setThreadStarter(nullptr); }

  static void letStart(int threads) {
    threadsLeft = threads;
    setThreadStarter(&startSome);
  }
};

TEST_F(ThreadTeamTest, everyHelperWorksOnce) {
  std::atomic<int> ran{0};
  {
    const ThreadTeam team(20, [&] { ++ran; });
    EXPECT_EQ(team.size(), 20u);
  }
  EXPECT_EQ(ran, 20);
}

TEST_F(ThreadTeamTest, goesOnWithThoseThatCouldBeStarted) {
  const std::size_t beside = defaultThreadCount() - 1;
  for (const int some : {0, 1, 3, 200}) {
    letStart(some);
    std::atomic<std::size_t> ran{0};
    std::size_t size = 0;
    {
      const ThreadTeam team(4095, [&] { ++ran; });
      size = team.size();
    }
    // Those beyond the cores have ended: the work may need the memory of their stacks.
    EXPECT_EQ(size, std::min<std::size_t>(static_cast<std::size_t>(some), beside)) << some;
    EXPECT_EQ(ran, size) << some;
  }
}

TEST_F(ThreadTeamTest, workBeginsWhenTheSurplusThreadsHaveEnded) {
  const int beside = static_cast<int>(defaultThreadCount()) - 1;
  for (int round = 0; round < 20; ++round) {
    constexpr int kStarted = 100;
    threadsLeft = kStarted;
    threadsEnded = 0;
    setThreadStarter(&startSomeAndCountTheirEnds);
    std::atomic<int> early{0};
    {
      const ThreadTeam team(4095, [&] { early += threadsEnded < kStarted - beside ? 1 : 0; });
    }
    EXPECT_EQ(early, 0);
  }
}

TEST_F(ThreadTeamTest, aTeamWithoutHelpersIsATeam) {
  letStart(0);
  const ThreadTeam team(0, [] {});
  EXPECT_EQ(team.size(), 0u);
}

// Sanitizers need more addresses than any limit gives.
#ifndef RANKSCOPE_SANITIZED

TEST_F(ThreadTeamTest, aLimitOfTheAddressSpaceLeavesMostOfItToTheWork) {
  const auto sizeWithin = [](rlim_t megabytes) {
    return test::inChild([&] {
      std::size_t pages = 0;
      std::ifstream("/proc/self/statm") >> pages;
      const rlim_t used = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
      const rlimit addresses{used + (megabytes << 20), RLIM_INFINITY};
      setrlimit(RLIMIT_AS, &addresses);
      return static_cast<int>(ThreadTeam(4095, [] {}).size());
    });
  };
  EXPECT_EQ(sizeWithin(10), 0);
  for (const rlim_t megabytes : {200, 400, 800}) {
    const int size = sizeWithin(megabytes);
    EXPECT_GT(size, 0) << megabytes;
    EXPECT_LE(size, static_cast<int>(megabytes / 8 / 2)) << megabytes;
  }
}

#endif

TEST_F(ThreadTeamTest, parallelForDoesAllIndicesWithTheThreadsThereAre) {
  for (const int some : {0, 1, 5}) {
    letStart(some);
    std::vector<std::atomic<int>> done(1000);
    parallelFor(done.size(), 64, [&](std::size_t i) { ++done[i]; });
    for (const auto& times : done) ASSERT_EQ(times, 1) << some;
  }
}

TEST_F(ThreadTeamTest, teamsWithinATeamThatGotFewerThreadsAskForNoMoreThanItHas) {
  const auto beside = static_cast<int>(defaultThreadCount()) - 1;
  for (const int some : {0, 1, 1000}) {
    letStart(some);
    const unsigned has = static_cast<unsigned>(std::min(some, beside)) + 1;
    std::atomic<int> asked{0};
    parallelFor(4096, 4096, [&](std::size_t) { asked += threadsToAskFor(4096) == has ? 1 : 0; });
    EXPECT_EQ(asked, 4096) << some;
    EXPECT_EQ(threadsToAskFor(4096), 4096u) << "outside of it";
  }
}

TEST_F(ThreadTeamTest, teamsWithinATeamThatGotItsThreadsAskForAll) {
  setThreadStarter(nullptr);
  std::atomic<int> asked{0};
  parallelFor(100, 3, [&](std::size_t) {
    asked += threadsToAskFor(64) == 64 ? 1 : 0;
    parallelFor(2, 2, [&](std::size_t) { asked += threadsToAskFor(64) == 64 ? 1 : 0; });
  });
  EXPECT_EQ(asked, 300);
}

TEST_F(ThreadTeamTest, theLimitHoldsForTeamsWithinTeams) {
  letStart(0);
  std::atomic<int> asked{0};
  parallelFor(2, 64, [&](std::size_t) {
    threadsLeft = 1000;
    parallelFor(8, 64, [&](std::size_t) { asked += threadsToAskFor(64) == 1 ? 1 : 0; });
  });
  EXPECT_EQ(asked, 16);
}

TEST_F(ThreadTeamTest, whatAHelperThrowsReachesTheCallerOnceAllHaveEnded) {
  std::atomic<int> working{0};
  for (int round = 0; round < 50; ++round) {
    try {
      parallelFor(64, 4, [&](std::size_t i) {
        ++working;
        const bool fails = i % 7 == 3;
        --working;
        if (fails) throw std::runtime_error("no more");
      });
      FAIL() << "nothing arrived";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "no more");
      EXPECT_EQ(working, 0);
    }
  }
}

} // namespace
} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Files that come in any order: those that are here are shown while others are on their way, and in the end
// the job is the same as from a folder, with the same ids of names. Covers core/io/load/name_order.
#include "core/io/load/job_loader.h"
#include "core/report/report_files.h"
#include "core/report/tables.h"
#include "tests/support/job_generator.h"
#include "tests/support/job_variants.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

namespace rankscope {
namespace {

constexpr std::size_t kRanks = 4;

// Files of a folder, each of which is here when the test says so.
class Announced : public ArrivingFiles {
 public:
  explicit Announced(Discovery found) : m_found(std::move(found)), m_here(m_found.files.size(), 0) {}

  [[nodiscard]] const Discovery& files() const override { return m_found; }
  void start(std::function<void()> changed) override {
    const std::lock_guard lock(m_mutex);
    m_changed = std::move(changed);
  }
  [[nodiscard]] bool decided(std::size_t file) const override {
    const std::lock_guard lock(m_mutex);
    return m_here[file] != 0;
  }
  [[nodiscard]] std::optional<Error> problem(std::size_t) const override { return std::nullopt; }
  [[nodiscard]] std::optional<Error> finish() override { return std::nullopt; }

  void announce(std::size_t file) {
    std::function<void()> changed;
    {
      const std::lock_guard lock(m_mutex);
      m_here[file] = 1;
      changed = m_changed;
    }
    if (changed) changed();
  }

 private:
  Discovery m_found;
  mutable std::mutex m_mutex;
  std::vector<char> m_here;
  std::function<void()> m_changed;
};

std::vector<int> ranksOf(const TraceSet& set) {
  std::vector<int> ranks;
  ranks.reserve(set.ranks().size());
  for (const RankEntry& entry : set.ranks()) ranks.push_back(entry.rank);
  return ranks;
}

void expectSameJob(const TraceSet& a, const TraceSet& b) {
  ASSERT_EQ(a.names().size(), b.names().size());
  for (NameId name(0); name.value < a.names().size(); ++name.value)
    ASSERT_EQ(a.names()[name], b.names()[name]);
  ASSERT_EQ(ranksOf(a), ranksOf(b));
  for (RankIndex rank(0); rank.value < a.ranks().size(); ++rank.value) {
    const RankTrace& left = *a.rank(rank).trace;
    const RankTrace& right = *b.rank(rank).trace;
    EXPECT_TRUE(std::ranges::equal(left.events.name.span(), right.events.name.span()));
    ASSERT_EQ(left.collectives.size(), right.collectives.size());
    for (std::size_t i = 0; i < left.collectives.size(); ++i) {
      EXPECT_EQ(left.collectives[i].operation, right.collectives[i].operation);
      EXPECT_EQ(left.collectives[i].groupRanks, right.collectives[i].groupRanks);
    }
  }
  const JobReport ofA(std::make_shared<const Analysis>(std::make_shared<const TraceSet>(a)));
  const JobReport ofB(std::make_shared<const Analysis>(std::make_shared<const TraceSet>(b)));
  for (const char* const name : {"ranks", "steps", "operators", "kernels", "collective_instances"})
    EXPECT_EQ(formattedTable(tableSpec(name)->make(ofA), TableFormat::Csv),
              formattedTable(tableSpec(name)->make(ofB), TableFormat::Csv));
}

class ArrivingFilesTest : public testing::Test {
 protected:
  ArrivingFilesTest() {
    test::JobOptions options;
    options.ranks = kRanks;
    options.steps = 2;
    options.layers = 2;
    test::generateJob(options, m_folder.path());
    std::filesystem::remove(m_folder.path() / "ground_truth.json");
    Progress progress;
    auto found = foundFiles({m_folder.path().string()}, {}, progress);
    if (found) m_found = std::move(*found);
  }
  [[nodiscard]] std::shared_ptr<const TraceSet> whole() const {
    Progress progress;
    const auto loaded = loadJob({m_folder.path().string()}, {}, progress);
    return loaded ? *loaded : nullptr;
  }

  test::TemporaryFolder m_folder;
  Discovery m_found;
};

} // namespace

TEST_F(ArrivingFilesTest, OneThatIsLateHoldsBackNoOther) {
  ASSERT_EQ(m_found.files.size(), kRanks);
  for (const unsigned threads : {1U, 3U}) {
    Announced files(m_found);
    for (std::size_t i = 1; i < kRanks; ++i) files.announce(i);
    LoadOptions options;
    options.threadCount = threads;
    options.arriving = &files;
    Progress progress;
    std::vector<int> before;
    const auto loaded = loadTraces({m_folder.path().string()}, options, progress,
                                   [&](const std::shared_ptr<const TraceSet>& set) {
                                     if (set->ranks().size() != kRanks - 1 || !before.empty()) return;
                                     before = ranksOf(*set);
                                     files.announce(0); // not before the others were shown
                                   });
    ASSERT_TRUE(loaded) << loaded.error().text();
    EXPECT_EQ(before, (std::vector<int>{1, 2, 3}));
    expectSameJob(**loaded, *whole());
  }
}

TEST_F(ArrivingFilesTest, AnyOrderGivesTheSameJob) {
  const auto expected = whole();
  ASSERT_NE(expected, nullptr);
  for (const std::vector<std::size_t>& order :
       {std::vector<std::size_t>{3, 2, 1, 0}, std::vector<std::size_t>{1, 3, 0, 2},
        std::vector<std::size_t>{2, 0, 3, 1}}) {
    Announced files(m_found);
    files.announce(order[0]);
    LoadOptions options;
    options.threadCount = 2;
    options.arriving = &files;
    Progress progress;
    const auto loaded = loadTraces({m_folder.path().string()}, options, progress,
                                   [&](const std::shared_ptr<const TraceSet>& set) {
                                     if (set->ranks().size() < kRanks)
                                       files.announce(order[set->ranks().size()]);
                                   });
    ASSERT_TRUE(loaded) << loaded.error().text();
    expectSameJob(**loaded, *expected);
  }
}

TEST_F(ArrivingFilesTest, CancelEndsTheWait) {
  Announced files(m_found);
  files.announce(2);
  LoadOptions options;
  options.threadCount = 1;
  options.arriving = &files;
  Progress progress;
  const auto loaded =
      loadTraces({m_folder.path().string()}, options, progress, [&](const std::shared_ptr<const TraceSet>&) {
        progress.cancel = true;
        files.announce(0);
      });
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::Cancelled);
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Also covers core/model/trace_pages.
#include "core/io/load/mapped_job.h"

#include "core/base/mapped_pages.h"
#include "core/model/trace_pages.h"
#include "tests/unit/io/cache/cached_job.h"

namespace rankscope {

namespace {

class MappedJob : public test::CachedJobTest {
 protected:
  [[nodiscard]] std::shared_ptr<const TraceSet> inFile(std::uint64_t minBytes) const {
    Progress progress;
    return inCacheFile(load(), settings(), 2, progress, minBytes);
  }
};

} // namespace

TEST_F(MappedJob, isTheSameJobInItsCacheFile) {
  makeJob();
  test::write(jobFolder() / "notes.json", "{}"); // beside the traces
  const auto plain = load();
  const auto mapped = inFile(0);
  EXPECT_FALSE(plain->origin().cached);
  EXPECT_TRUE(mapped->origin().cached);
  EXPECT_EQ(test::tablesOf(mapped), test::tablesOf(plain));
  EXPECT_TRUE(test::imageOf(*mapped, m_folder) == test::imageOf(*plain, m_folder));
}

TEST_F(MappedJob, smallOnesAndThoseThatCannotBeStoredStayInMemory) {
  makeJob();
  EXPECT_FALSE(inFile(kMappedJobBytes)->origin().cached);
  m_options.cache->maxBytes = 0;
  EXPECT_FALSE(inFile(0)->origin().cached);
  EXPECT_TRUE(cacheFiles().empty());
}

TEST_F(MappedJob, resultsAreThoseOfMemoryThatIsNeverGivenBack) {
  makeJob([](test::JobOptions& o) { o.ranks = 4; });
  const auto tables = test::tablesOf(load());
  const auto mapped = inFile(0);
  // As if the file were large.
  std::vector<std::unique_ptr<const MappedPages>> pages;
  for (const RankEntry& entry : mapped->ranks()) {
    const RankTrace& trace = *entry.trace;
    pages.push_back(std::make_unique<const MappedPages>(std::as_bytes(trace.events.begin.span())));
    pages.push_back(std::make_unique<const MappedPages>(std::as_bytes(trace.events.duration.span())));
    pages.push_back(std::make_unique<const MappedPages>(std::as_bytes(trace.deviceDetails.span())));
  }
  giveBackPages(*mapped);
  EXPECT_EQ(test::tablesOf(mapped), tables);
}

} // namespace rankscope

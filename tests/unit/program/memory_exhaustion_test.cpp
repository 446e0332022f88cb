// SPDX-License-Identifier: GPL-3.0-or-later
//
// Memory that runs out at any moment of a load, of an analysis or of its tables: it ends, with all that was
// asked for or an Error that says so, and the next one is whole. Each moment is tried in a process of its
// own, which an alarm ends when it hangs.
#include "core/base/caught.h"
#include "tests/support/child_process.h"
#include "tests/support/failing_memory.h"
#include "tests/unit/io/cache/cached_job.h"

#include <cstdlib>
#include <limits>

#include <unistd.h>

namespace rankscope::test {
namespace {

constexpr unsigned kHangsAfterSeconds = 60;
// How many moments of each way to fail are tried.
std::int64_t moments() {
  const char* const more = std::getenv("RANKSCOPE_MEMORY_MOMENTS");
  return more != nullptr ? std::atoll(more) : 60;
}

enum Ending : int { kWhole = 0, kReportedAsSuch = 1, kPartOnly = 2, kReportedOtherwise = 3 };

class MemoryEnd : public CachedJobTest {
 protected:
  ~MemoryEnd() override { letMemoryLast(); }

  // How `act` ends when memory does, at moments spread over all its requests.
  void expectAnEndAtAnyMoment(const std::function<Ending()>& act) {
    endMemoryAfter(std::numeric_limits<std::int64_t>::max());
    ASSERT_EQ(act(), kWhole);
    const std::int64_t all = memoryRequests();
    std::int64_t reported = 0;
    const std::int64_t tried = moments();
    for (std::int64_t moment = 0; moment < tried; ++moment) {
      // Dense at the beginning, and never in step with what repeats.
      const std::int64_t at = moment < tried / 3 ? moment : all * moment / tried + moment % 7;
      for (const auto begin : {&endMemoryAfter, &failOneRequestAfter}) {
        const int ending = inChild([&] {
          alarm(kHangsAfterSeconds);
          begin(at);
          return static_cast<int>(act());
        });
        EXPECT_TRUE(ending == kWhole || ending == kReportedAsSuch)
            << "request " << at << " of " << all << ": " << ending;
        reported += ending == kReportedAsSuch ? 1 : 0;
      }
    }
    EXPECT_GT(reported, tried / 2);
  }

  [[nodiscard]] Ending endOfLoad(const LoadOptions& options, std::size_t ranks) const {
    Progress progress;
    const auto loaded = loadTraces(m_paths, options, progress, [](const auto&) {});
    letMemoryLast();
    if (loaded) return (*loaded)->ranks().size() == ranks ? kWhole : kPartOnly;
    return loaded.error().kind == ErrorKind::OutOfMemory ? kReportedAsSuch : kReportedOtherwise;
  }

  const std::vector<std::string> m_paths{jobFolder().string()};
};

TEST_F(MemoryEnd, ofALoadIsAnError) {
  makeJob([](JobOptions& options) { options.steps = 2; });
  const std::size_t ranks = load()->ranks().size();
  for (const unsigned threads : {1U, 3U}) {
    LoadOptions options;
    options.threadCount = threads;
    expectAnEndAtAnyMoment([&] { return endOfLoad(options, ranks); });
  }
}

TEST_F(MemoryEnd, ofALoadOfOneCompressedFileIsAnError) {
  makeJob([](JobOptions& options) {
    options.gzip = true;
    options.steps = 6;
    options.ranks = 1;
  });
  LoadOptions options;
  options.threadCount = 3;
  expectAnEndAtAnyMoment([&] { return endOfLoad(options, 1); });
}

TEST_F(MemoryEnd, whileAJobIsKeptOrOpenedFromTheCacheIsNoHarm) {
  makeJob([](JobOptions& options) { options.steps = 2; });
  const auto traces = loadAndKeep();
  const std::size_t ranks = traces->ranks().size();
  LoadOptions options = m_options;
  options.threadCount = 3;
  expectAnEndAtAnyMoment([&] { return endOfLoad(options, ranks); });
  const fs::path kept = theCacheFile();
  const std::string before = contentOf(kept);
  LoadOptions plain = m_options;
  plain.cache.reset();
  expectAnEndAtAnyMoment([&] {
    const bool written = writeTraceCache(*traces, settings());
    letMemoryLast();
    return written ? kWhole : kReportedAsSuch;
  });
  EXPECT_TRUE(contentOf(kept) == before);
  expectHit();
}

TEST_F(MemoryEnd, ofAnAnalysisIsAnErrorAndTheNextOneIsWhole) {
  makeJob([](JobOptions& options) { options.steps = 2; });
  const auto traces = load();
  const std::map<std::string, std::string> tables = tablesOf(traces);
  for (const unsigned threads : {1U, 3U}) {
    expectAnEndAtAnyMoment([&] {
      std::optional<JobReport> report;
      const auto failed = attempt([&] {
        report.emplace(std::make_shared<const Analysis>(traces));
        report->computeAll(threads);
      });
      letMemoryLast();
      if (failed && failed->kind != ErrorKind::OutOfMemory) return kReportedOtherwise;
      if (!report) return kReportedAsSuch;
      // What was computed until then is kept, the rest is computed now.
      report->computeAll(threads);
      for (const TableSpec& spec : tableSpecs())
        if (toCsv(spec.make(*report)) != tables.at(std::string(spec.name))) return kPartOnly;
      return failed ? kReportedAsSuch : kWhole;
    });
  }
}

TEST_F(MemoryEnd, ofATableIsAnError) {
  makeJob([](JobOptions& options) { options.steps = 2; });
  const JobReport report(std::make_shared<const Analysis>(load()));
  report.computeAll(1);
  expectAnEndAtAnyMoment([&] {
    const auto failed = attempt([&] {
      for (const TableSpec& spec : tableSpecs()) static_cast<void>(toCsv(spec.make(report)));
    });
    letMemoryLast();
    if (!failed) return kWhole;
    return failed->kind == ErrorKind::OutOfMemory ? kReportedAsSuch : kReportedOtherwise;
  });
}

} // namespace
} // namespace rankscope::test

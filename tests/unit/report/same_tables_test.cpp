// SPDX-License-Identifier: GPL-3.0-or-later
// What a job says does not depend on who read it or how it was packed.
#include "tests/unit/io/cache/cached_job.h"

#include "tests/support/trace_text.h"

namespace rankscope {
namespace {

std::shared_ptr<const TraceSet> loadOn(const std::string& path, unsigned threads) {
  LoadOptions options;
  options.threadCount = threads;
  Progress progress;
  auto loaded = loadTraces({path}, options, progress);
  if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
  return *loaded;
}

class SameTables : public testing::TestWithParam<test::JobVariant> {};

TEST_P(SameTables, ofAnyNumberOfThreadsAndPlainOrPacked) {
  const test::TemporaryFolder folder;
  const std::string plain = folder / "plain/job";
  const std::string packed = folder / "packed/job";
  test::JobOptions job = test::smallJob();
  GetParam().set(job);
  (void)test::generateJob(job, plain);
  auto expected = test::tablesOf(loadOn(plain, 1));
  EXPECT_EQ(test::tablesOf(loadOn(plain, 8)), expected);
  for (const auto& entry : std::filesystem::directory_iterator(plain)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".gz")) {
      std::filesystem::create_directories(packed);
      std::filesystem::copy_file(entry.path(), packed + "/" + name);
    } else {
      test::writeTraceFile(packed + "/" + name + ".gz", test::contentOf(entry.path()));
    }
  }
  auto fromPacked = test::tablesOf(loadOn(packed, 2));
  // These two name the files and their sizes.
  for (const char* table : {"files", "summary"}) {
    expected.erase(table);
    fromPacked.erase(table);
  }
  EXPECT_EQ(fromPacked, expected);
}

INSTANTIATE_TEST_SUITE_P(All, SameTables, testing::ValuesIn(test::jobVariants()),
                         [](const auto& variant) { return std::string(variant.param.name); });

} // namespace
} // namespace rankscope

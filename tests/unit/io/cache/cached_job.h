// SPDX-License-Identifier: GPL-3.0-or-later
// A job on disk and a trace cache beside it, and what is compared of a job that was read and of one from
// there.
#pragma once

#include "core/analysis/job/analysis.h"
#include "core/export/csv.h"
#include "core/io/cache/checked_file.h"
#include "core/io/cache/trace_image.h"
#include "core/io/load/trace_loader.h"
#include "core/report/summary_json.h"
#include "core/report/tables.h"
#include "tests/support/job_generator.h"
#include "tests/support/job_variants.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::test {

namespace fs = std::filesystem;

inline std::string contentOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline void write(const fs::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

// Changes some bytes of a file and leaves its time as it was.
inline void overwrite(const fs::path& path, std::uint64_t at, std::string_view bytes) {
  const fs::file_time_type changed = fs::last_write_time(path);
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file << bytes;
  }
  fs::last_write_time(path, changed);
}

// All that the program says of a job.
inline std::map<std::string, std::string> tablesOf(std::shared_ptr<const TraceSet> traces) {
  const JobReport report(std::make_shared<const Analysis>(std::move(traces)));
  std::map<std::string, std::string> tables;
  for (const TableSpec& spec : tableSpecs()) tables[std::string(spec.name)] = toCsv(spec.make(report));
  tables["summary"] = summaryJson(report, {});
  return tables;
}

// Every byte that is kept of a job, behind where it comes from.
inline std::string imageOf(const TraceSet& traces, const test::TemporaryFolder& folder) {
  const std::string path = folder / "image";
  CheckedFileWriter file(path, "");
  const std::string directory = writeTraceImage(traces, file, false);
  EXPECT_TRUE(file.finish(directory, 1));
  return contentOf(path);
}

class CachedJobTest : public testing::Test {
 protected:
  CachedJobTest() {
    fs::create_directories(jobFolder());
    m_options.cache = TraceCacheSettings{m_folder / "cache", std::uint64_t{1} << 30, 0};
  }

  [[nodiscard]] fs::path jobFolder() const { return m_folder.path() / "job"; }
  [[nodiscard]] const TraceCacheSettings& settings() const { return *m_options.cache; }

  [[nodiscard]] std::shared_ptr<const TraceSet> load(const std::vector<std::string>& paths,
                                                     const LoadOptions& options) const {
    Progress progress;
    auto loaded = loadTraces(paths, options, progress);
    EXPECT_TRUE(loaded.ok()) << loaded.error().text();
    EXPECT_EQ(progress.bytesDone, progress.bytesTotal);
    EXPECT_EQ(progress.filesDone, progress.filesTotal);
    return loaded.ok() ? *loaded : nullptr;
  }
  [[nodiscard]] std::shared_ptr<const TraceSet> load() const {
    return load({jobFolder().string()}, m_options);
  }

  // Loads a job that is not in the cache and keeps it.
  [[nodiscard]] std::shared_ptr<const TraceSet> loadAndKeep() const {
    auto traces = load();
    EXPECT_FALSE(traces->origin().cached);
    EXPECT_TRUE(writeTraceCache(*traces, settings()));
    return traces;
  }

  [[nodiscard]] std::vector<fs::path> cacheFiles() const {
    std::vector<fs::path> files;
    if (!fs::exists(settings().folder)) return files;
    for (const auto& entry : fs::directory_iterator(settings().folder)) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
  }
  [[nodiscard]] fs::path theCacheFile() const {
    const std::vector<fs::path> files = cacheFiles();
    EXPECT_EQ(files.size(), 1U);
    return files.empty() ? fs::path() : files.front();
  }

  void makeJob(const std::function<void(test::JobOptions&)>& change = {}) const {
    test::JobOptions options = test::smallJob();
    if (change) change(options);
    test::generateJob(options, jobFolder());
    fs::remove(jobFolder() / "ground_truth.json");
  }

  // From the cache, and the same as read without it.
  void expectHit() const {
    LoadOptions plain = m_options;
    plain.cache.reset();
    const auto fresh = load({jobFolder().string()}, plain);
    for (const unsigned threads : {1U, 3U}) {
      LoadOptions options = m_options;
      options.threadCount = threads;
      const auto cached = load({jobFolder().string()}, options);
      ASSERT_TRUE(cached->origin().cached);
      EXPECT_EQ(tablesOf(cached), tablesOf(fresh));
      EXPECT_TRUE(imageOf(*cached, m_folder) == imageOf(*fresh, m_folder));
    }
  }

  test::TemporaryFolder m_folder;
  LoadOptions m_options;
};

} // namespace rankscope::test

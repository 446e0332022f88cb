// SPDX-License-Identifier: GPL-3.0-or-later
// The jobs that assistants ask about: read when first named, the last two are kept. Only files under the
// folders given at the start are read, whatever links say. For one thread.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/io/cache/trace_cache.h"
#include "core/report/job_report.h"
#include "core/sql/sql_database.h"

#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct McpOptions {
  std::vector<std::string> roots; // folders; empty: the current one
  bool mask = false;              // leave out host names, paths and annotations
  unsigned threads = 0;           // 0: one per core
  std::optional<TraceCacheSettings> cache = std::nullopt;
};

struct McpJob {
  std::string path; // as asked for
  std::shared_ptr<const TraceSet> trace;
  std::unique_ptr<const JobReport> report;
  std::unique_ptr<const SqlDatabase> database;
};

class McpJobs {
 public:
  explicit McpJobs(const McpOptions& options);

  // The job of a file or folder, which stays valid until two others have been asked for.
  [[nodiscard]] Result<std::shared_ptr<const McpJob>> open(const std::string& path, Progress& progress);
  [[nodiscard]] unsigned threadCount() const;

 private:
  [[nodiscard]] bool isAllowed(const std::filesystem::path& canonical) const;
  [[nodiscard]] std::optional<Error> outsideOf(const TraceSet& trace) const;
  [[nodiscard]] std::string rootsText() const;

  const McpOptions& m_options;
  std::vector<std::filesystem::path> m_roots; // canonical
  std::list<std::pair<std::string, std::shared_ptr<const McpJob>>>
      m_jobs; // by canonical path, last used first
};

} // namespace rankscope

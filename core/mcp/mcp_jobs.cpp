// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mcp/mcp_jobs.h"

#include "core/base/thread_team.h"
#include "core/io/load/trace_loader.h"
#include "core/report/network_source.h"

#include <algorithm>
#include <utility>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kJobsKept = 2;

} // namespace

McpJobs::McpJobs(const McpOptions& options) : m_options(options) {
  std::vector<std::string> roots = options.roots;
  if (roots.empty()) roots.emplace_back(".");
  for (const std::string& root : roots) {
    std::error_code error;
    const fs::path canonical = fs::canonical(root, error);
    if (!error) m_roots.push_back(canonical);
  }
}

unsigned McpJobs::threadCount() const {
  return m_options.threads > 0 ? m_options.threads : defaultThreadCount();
}

bool McpJobs::isAllowed(const fs::path& canonical) const {
  return std::ranges::any_of(m_roots, [&](const fs::path& root) {
    const auto end = std::mismatch(root.begin(), root.end(), canonical.begin(), canonical.end()).first;
    return end == root.end();
  });
}

std::string McpJobs::rootsText() const {
  std::string text;
  for (const fs::path& root : m_roots) {
    if (!text.empty()) text += ", ";
    text += root.string();
  }
  return text.empty() ? "no folder" : text;
}

// A folder may hold links to files elsewhere.
std::optional<Error> McpJobs::outsideOf(const TraceSet& trace) const {
  for (const FileRecord& file : trace.files()) {
    std::error_code error;
    const fs::path canonical = fs::canonical(file.path, error);
    if (!error && !isAllowed(canonical))
      return Error{ErrorKind::Unsupported, "leads to a file outside of the allowed folders", file.path, {}};
  }
  return std::nullopt;
}

Result<std::shared_ptr<const McpJob>> McpJobs::open(const std::string& path, Progress& progress) {
  std::error_code error;
  fs::path asked = path;
  // Relative paths are those below the first allowed folder.
  if (asked.is_relative() && !m_roots.empty()) asked = m_roots.front() / asked;
  const fs::path canonical = fs::canonical(asked, error);
  if (error && isAllowed(fs::weakly_canonical(asked, error)))
    return Error{ErrorKind::Io, "there is no such file or folder", path, {}};
  if (error || !isAllowed(canonical))
    return Error{ErrorKind::Unsupported, "is not below an allowed folder: " + rootsText(), path, {}};
  const std::string key = canonical.string();
  const auto known = std::ranges::find(m_jobs, key, [](const auto& job) { return job.first; });
  if (known != m_jobs.end()) {
    m_jobs.splice(m_jobs.begin(), m_jobs, known);
    return m_jobs.front().second;
  }
  LoadOptions options;
  options.threadCount = m_options.threads;
  options.cache = m_options.cache;
  auto loaded = loadTraces({key}, options, progress);
  if (!loaded) return loaded.error();
  if (auto outside = outsideOf(**loaded)) return std::move(*outside);
  auto job = std::make_shared<McpJob>();
  job->path = path;
  job->trace = *loaded;
  // Logs of NCCL in the folder, but none that a link leads to elsewhere.
  NetworkInput network = networkInputOf({key}, {}, [this](const std::string& file) {
    std::error_code failed;
    const fs::path place = fs::canonical(file, failed);
    return !failed && isAllowed(place);
  });
  job->report =
      std::make_unique<const JobReport>(std::make_shared<const Analysis>(*loaded), EfficiencySettings(),
                                        GainMethod::Replay, std::move(network));
  job->database = std::make_unique<const SqlDatabase>(*job->report, threadCount());
  m_jobs.emplace_front(key, std::move(job));
  if (m_jobs.size() > kJobsKept) m_jobs.pop_back();
  return m_jobs.front().second;
}

} // namespace rankscope

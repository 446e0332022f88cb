// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/other_jobs.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::string jobText(const FoundJob& job) {
  return (job.folder.empty() ? std::string(".") : job.folder) + " (" + std::to_string(job.files) +
         (job.files == 1 ? " file)" : " files)");
}

FoundJob openedJob(const TraceSet& trace) {
  std::optional<fs::path> shared;
  FoundJob job;
  for (const FileRecord& file : trace.files()) {
    if (file.status != FileStatus::Shown) continue;
    ++job.files;
    const fs::path folder = fs::path(file.path).parent_path();
    if (!shared) {
      shared = folder;
      continue;
    }
    fs::path common;
    auto left = shared->begin();
    auto right = folder.begin();
    for (; left != shared->end() && right != folder.end() && *left == *right; ++left, ++right)
      common /= *left;
    shared = common;
  }
  if (shared) job.folder = shared->string();
  return job;
}

} // namespace

std::vector<FoundJob> otherJobs(const TraceSet& trace) {
  std::map<std::string, std::size_t> filesOf;
  for (const FileRecord& file : trace.files()) {
    if (file.status == FileStatus::OtherJob) ++filesOf[fs::path(file.path).parent_path().string()];
  }
  std::vector<FoundJob> jobs;
  for (const auto& [folder, files] : filesOf) jobs.push_back({folder, files});
  return jobs;
}

std::string otherJobsText(const TraceSet& trace) {
  constexpr std::size_t kMaxNamed = 8;
  const std::vector<FoundJob> others = otherJobs(trace);
  if (others.empty()) return {};
  std::string text = "several jobs were found; opened: " + jobText(openedJob(trace)) + "; not opened: ";
  for (std::size_t i = 0; i < std::min(kMaxNamed, others.size()); ++i)
    text += (i == 0 ? "" : ", ") + jobText(others[i]);
  if (others.size() > kMaxNamed) text += " and " + std::to_string(others.size() - kMaxNamed) + " more";
  return text + ". Open one of them by its folder or files";
}

} // namespace rankscope

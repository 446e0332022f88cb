// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/other_jobs.h"

#include "core/io/files/common_folder.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::string jobText(const FoundJob& job) {
  return (job.name.empty() ? std::string(".") : job.name) + " (" + std::to_string(job.files.size()) +
         (job.files.size() == 1 ? " file)" : " files)");
}

// The folder that all of them are in.
std::string folderOf(const std::vector<std::string>& files) {
  std::optional<fs::path> shared;
  for (const std::string& file : files) {
    const fs::path folder = fs::path(file).parent_path();
    shared = shared ? commonFolder(*shared, folder) : folder;
  }
  return shared ? shared->string() : std::string();
}

// A file of several recordings counts once.
void addFile(FoundJob& job, const std::string& path) {
  if (job.files.empty() || job.files.back() != path) job.files.push_back(path);
}

// The number of the job that a file's note names; 0 where it names none.
int jobNumber(const FileRecord& file) {
  constexpr std::string_view kBefore = "(job ";
  const std::size_t at = file.note.find(kBefore);
  int number = 0;
  if (at != std::string::npos)
    std::from_chars(file.note.data() + at + kBefore.size(), file.note.data() + file.note.size(), number);
  return number;
}

// The opened one first. Named by folder; of several in one folder by the first file.
std::vector<FoundJob> jobsOf(const TraceSet& trace) {
  std::map<int, FoundJob> byNumber;
  FoundJob opened;
  for (const FileRecord& file : trace.files()) {
    if (file.status == FileStatus::Shown) addFile(opened, file.path);
    if (file.status == FileStatus::OtherJob) addFile(byNumber[jobNumber(file)], file.path);
  }
  std::vector<FoundJob> jobs{std::move(opened)};
  jobs.reserve(1 + byNumber.size());
  for (auto& [number, job] : byNumber) jobs.push_back(std::move(job));
  std::map<std::string, int> jobsIn;
  for (FoundJob& job : jobs) ++jobsIn[job.folder = folderOf(job.files)];
  for (FoundJob& job : jobs)
    job.name = jobsIn[job.folder] > 1 && !job.files.empty() ? job.files.front() : job.folder;
  return jobs;
}

} // namespace

FoundJob openedJob(const TraceSet& trace) {
  return jobsOf(trace).front();
}

std::vector<FoundJob> otherJobs(const TraceSet& trace) {
  std::vector<FoundJob> jobs = jobsOf(trace);
  jobs.erase(jobs.begin());
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

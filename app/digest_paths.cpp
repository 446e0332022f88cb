// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/digest_paths.h"

#include "core/io/digest/digest_file.h"
#include "core/io/load/kept_events.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <unistd.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::string outProblem(const std::string& out) {
  std::error_code failed;
  const fs::path whole = fs::absolute(out, failed).lexically_normal();
  fs::path there = whole;
  while (!fs::exists(there, failed) && there.has_relative_path()) there = there.parent_path();
  if (!fs::is_directory(there, failed)) return "--out: " + there.string() + " is a file, not a folder";
  if (access(there.c_str(), W_OK | X_OK) != 0)
    return "--out: " + there.string() + " cannot be written: " + std::generic_category().message(errno);
  if (!fs::exists(whole, failed)) return {};
  for (fs::directory_iterator file(whole, failed), end; !failed && file != end; file.increment(failed)) {
    const std::string name = file->path().filename().string();
    if (name.starts_with(kDigestFileName) || name == kKeptEventsFolder) continue;
    const fs::path folder = whole.has_filename() ? whole.filename() : whole.parent_path().filename();
    std::string problem = "--out: " + out + " has other files, such as ";
    problem += name;
    problem += ": name a folder of its own, such as ";
    problem += folder.string();
    problem += ".digest";
    return problem;
  }
  return {};
}

} // namespace

std::string pathProblem(const DigestOptions& options) {
  for (const std::string& path : options.paths) {
    if (digestFileOf(path))
      return path + " is a digest already: rankscope and rankscope-cli open it as the job";
  }
  return options.out.empty() ? std::string() : outProblem(options.out);
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/trace_folder.h"

#include "core/base/natural_order.h"
#include "core/io/files/common_folder.h"
#include "core/io/files/file_kind.h"
#include "core/io/files/folder_entries.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace rankscope {

namespace fs = std::filesystem;

namespace {

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

std::string_view kindText(fs::file_type type) {
  switch (type) {
  case fs::file_type::fifo:
    return "a pipe, not a file";
  case fs::file_type::socket:
    return "a socket, not a file";
  case fs::file_type::block:
  case fs::file_type::character:
    return "a device, not a file";
  case fs::file_type::directory:
    return "a folder with the name of a file; searched as a folder";
  default:
    return "not a regular file";
  }
}

// Why a file with this name in a folder is not opened; empty if it may be a trace. ending: whether the name
// ends like a trace.
std::string_view otherKindReason(std::string_view fileName, bool ending) {
  const std::string lower = lowered(fileName);
  if (afterFlightRecorderPrefix(lower)) return kFlightRecorderReason;
  if (lower.ends_with(".pickle"))
    return "a Python pickle (a memory snapshot or a dump), not a profiler trace";
  if (lower.starts_with("profiler_out_") && lower.ends_with(".txt"))
    return "a printed table of the profiler, not a trace";
  if (lower.find("async_llm") != std::string::npos && ending)
    return "vLLM's front end (async_llm), not a rank; give its name to open it";
  if (lower.starts_with("._")) return ending ? "file system metadata, not a trace" : std::string_view();
  return otherKindOfName(fileName).value_or(std::string_view());
}

bool endsLikeOneOf(std::string_view fileName, std::span<const std::string_view> endings) {
  const std::string name = lowered(fileName);
  return std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
}

bool canBeRead(const fs::path& path) {
  return std::ifstream(path, std::ios::binary).is_open();
}

// The common folder of all paths; a folder counts itself, a file its parent.
fs::path sharedFolder(std::span<const std::string> paths) {
  std::optional<fs::path> shared;
  for (const std::string& given : paths) {
    std::error_code failed;
    fs::path folder = fs::absolute(fs::path(given), failed).lexically_normal();
    if (!fs::is_directory(folder, failed)) folder = folder.parent_path();
    if (!folder.has_filename()) folder = folder.parent_path(); // "runs/" and "runs" are the same folder
    shared = shared ? commonFolder(*shared, folder) : folder;
  }
  return shared.value_or(fs::path());
}

void keepFirst(std::vector<std::string>& paths) {
  std::ranges::sort(paths, [](const std::string& a, const std::string& b) { return naturalLess(a, b); });
  if (paths.size() > OtherFiles::kNamed) paths.resize(OtherFiles::kNamed);
}

class Search {
 public:
  Search(fs::path base, std::span<const std::string_view> endings, bool (*beside)(std::string_view))
      : m_base(std::move(base)), m_endings(endings), m_beside(beside) {}

  void addGiven(const std::string& given) {
    std::error_code failed;
    const fs::path path(given);
    const fs::file_status status = fs::status(path, failed);
    if (!fs::exists(status)) {
      problem(path, fs::is_symlink(fs::symlink_status(path, failed)) ? "a link that leads nowhere"
                                                                     : "no such file or folder");
    } else if (const auto other = otherKindOfFolder(path.filename().string());
               other && fs::is_directory(status)) {
      problem(path, *other, true);
    } else if (fs::is_directory(status)) {
      addFolder(path);
    } else if (!fs::is_regular_file(status)) {
      problem(path, kindText(status.type()));
    } else {
      addFile(path);
    }
  }

  // Follow links after all real entries, so that a file found both ways keeps its real path.
  void followLinks() {
    while (!m_links.empty()) {
      const fs::path link = std::move(m_links.front());
      m_links.pop_front();
      std::error_code failed;
      const fs::file_status status = fs::status(link, failed);
      if (fs::is_directory(status))
        addFolder(link);
      else
        addFound(link, status);
    }
  }

  Discovery finish() {
    std::ranges::sort(m_found.files, [](const DiscoveredFile& a, const DiscoveredFile& b) {
      if (a.relativePath != b.relativePath) return naturalLess(a.relativePath, b.relativePath);
      return naturalLess(a.path, b.path);
    });
    std::ranges::sort(m_found.problems, [](const DiscoveryProblem& a, const DiscoveryProblem& b) {
      return a.path != b.path ? naturalLess(a.path, b.path) : a.reason < b.reason;
    });
    m_found.problems.erase(std::unique(m_found.problems.begin(), m_found.problems.end()),
                           m_found.problems.end());
    keepFirst(m_found.others.paths);
    return std::move(m_found);
  }

 private:
  void problem(const fs::path& path, std::string_view reason, bool notATrace = false) {
    m_found.problems.push_back({path.string(), std::string(reason), notATrace});
  }

  bool isNew(const fs::path& path, std::set<std::string>& seen) {
    std::error_code failed;
    const fs::path real = fs::canonical(path, failed);
    return seen.insert(failed ? path.string() : real.string()).second;
  }

  void addFile(const fs::path& path) {
    if (!isNew(path, m_seenFiles)) return;
    if (!canBeRead(path)) {
      problem(path, "permission denied");
      return;
    }
    std::error_code failed;
    const std::uintmax_t bytes = fs::file_size(path, failed);
    const fs::path whole = fs::absolute(path, failed).lexically_normal();
    m_found.files.push_back(
        {path.string(), whole.lexically_relative(m_base).generic_string(), failed ? 0 : bytes});
  }

  // Adds an entry of a searched folder that is not a folder.
  void addFound(const fs::path& path, const fs::file_status& status) {
    const std::string name = path.filename().string();
    const auto [ending, other] = useOfName(name, m_endings);
    const bool noTrace = !ending || !other.empty();
    if (m_beside != nullptr && noTrace && fs::is_regular_file(status) && m_beside(name))
      m_found.beside.push_back(path.string());
    if (other.empty() && !ending) return addOther(path);
    if (!fs::exists(status))
      problem(path, "a link that leads nowhere");
    else if (!fs::is_regular_file(status))
      problem(path, kindText(status.type()));
    else if (!other.empty())
      problem(path, other, true);
    else
      addFile(path);
  }

  // Folders may have millions of them: only so many are kept that sorting gives the first ones.
  void addOther(const fs::path& path) {
    OtherFiles& others = m_found.others;
    ++others.count;
    others.paths.push_back(path.string());
    if (others.paths.size() >= 2 * OtherFiles::kNamed) keepFirst(others.paths);
  }

  // Recursive search with an explicit list, because folders may be nested deeper than the stack allows.
  void addFolder(const fs::path& top) {
    std::vector<fs::path> open{top};
    while (!open.empty()) {
      const fs::path folder = std::move(open.back());
      open.pop_back();
      if (!isNew(folder, m_seenFolders)) continue;
      for (const fs::path& path : entriesOf(folder)) {
        std::error_code failed;
        const fs::file_status status = fs::symlink_status(path, failed);
        if (fs::is_symlink(status)) {
          m_links.push_back(path);
        } else if (fs::is_directory(status)) {
          if (const auto other = otherKindOfFolder(path.filename().string())) {
            problem(path, *other, true);
            continue;
          }
          if (hasEnding(path)) problem(path, kindText(status.type()));
          open.push_back(path);
        } else {
          addFound(path, status);
        }
      }
    }
  }

  std::vector<fs::path> entriesOf(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code failed;
    for (const std::string& name : folderEntries(folder.string(), failed)) entries.push_back(folder / name);
    if (failed) problem(folder, "the folder cannot be searched: " + failed.message());
    return entries;
  }

  [[nodiscard]] bool hasEnding(const fs::path& path) const {
    return endsLikeOneOf(path.filename().string(), m_endings);
  }

  fs::path m_base;
  std::span<const std::string_view> m_endings;
  bool (*m_beside)(std::string_view);
  std::deque<fs::path> m_links;
  std::set<std::string> m_seenFiles, m_seenFolders;
  Discovery m_found;
};

} // namespace

void OtherFiles::add(OtherFiles more) {
  count += more.count;
  std::ranges::move(more.paths, std::back_inserter(paths));
  keepFirst(paths);
}

Discovery searchForFiles(std::span<const std::string> paths, std::span<const std::string_view> endings,
                         bool (*beside)(std::string_view)) {
  Search search(sharedFolder(paths), endings, beside);
  for (const std::string& path : paths) search.addGiven(path);
  search.followLinks();
  return search.finish();
}

NameUse useOfName(std::string_view fileName, std::span<const std::string_view> endings) {
  const bool ending = endsLikeOneOf(fileName, endings);
  return {ending, otherKindReason(fileName, ending)};
}

std::optional<std::string_view> afterFlightRecorderPrefix(std::string_view fileName) {
  for (const std::string_view prefix : {"nccl_trace_rank_", "comm_lib_trace_rank_"})
    if (fileName.starts_with(prefix)) return fileName.substr(prefix.size());
  return std::nullopt;
}

} // namespace rankscope

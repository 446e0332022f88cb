// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/source_tree.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>

namespace rankscope::test {

namespace fs = std::filesystem;

std::vector<SourceFile> sourceFilesUnder(const fs::path& root, const std::vector<std::string>& folders) {
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (!entry.is_regular_file() || (extension != ".h" && extension != ".cpp" && extension != ".txt"))
        continue;
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      files.push_back({fs::relative(entry.path(), root).generic_string(), text.str()});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

bool isCode(const SourceFile& file) {
  return file.path.ends_with(".h") || file.path.ends_with(".cpp");
}

std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> includesOf(const SourceFile& file) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::vector<std::string> includes;
  for (const std::string& line : linesOf(file.text)) {
    std::smatch match;
    if (line.find('#') != std::string::npos && std::regex_search(line, match, kInclude))
      includes.push_back(match[1]);
  }
  return includes;
}

std::string folderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

namespace {

std::string withoutExtension(const std::string& path) {
  return path.substr(0, path.rfind('.'));
}

std::string unitOf(const std::string& path, const std::set<std::string>& headers) {
  const std::string whole = withoutExtension(path);
  const std::size_t nameAt = whole.rfind('/') + 1;
  for (std::string name = whole; name.size() > nameAt;) {
    if (headers.contains(name)) return name;
    const std::size_t cut = name.rfind('_');
    if (cut == std::string::npos || cut < nameAt) break;
    name.resize(cut);
  }
  return whole;
}

} // namespace

UnitGraph unitsOf(const std::vector<SourceFile>& files) {
  std::set<std::string> headers;
  for (const SourceFile& file : files) {
    if (file.path.ends_with(".h")) headers.insert(withoutExtension(file.path));
  }
  UnitGraph units;
  for (const SourceFile& file : files) {
    if (!isCode(file)) continue;
    const std::string unit = unitOf(file.path, headers);
    std::set<std::string>& included = units[unit];
    for (const std::string& include : includesOf(file)) {
      const std::string target = withoutExtension(include);
      if (headers.contains(target) && target != unit) included.insert(target);
    }
  }
  return units;
}

// Tarjan's strongly connected components.
std::vector<std::vector<std::string>> circlesIn(const UnitGraph& units) {
  struct Visit {
    std::size_t order = 0;
    std::size_t lowest = 0;
    bool open = false;
  };
  std::map<std::string, Visit> visits;
  std::vector<std::string> path;
  std::vector<std::vector<std::string>> circles;
  const std::function<void(const std::string&)> visit = [&](const std::string& unit) {
    const std::size_t order = visits.size();
    visits[unit] = {order, order, true};
    path.push_back(unit);
    const auto next = units.find(unit);
    if (next != units.end()) {
      for (const std::string& target : next->second) {
        const auto seen = visits.find(target);
        if (seen == visits.end()) {
          visit(target);
          visits[unit].lowest = std::min(visits[unit].lowest, visits[target].lowest);
        } else if (seen->second.open) {
          visits[unit].lowest = std::min(visits[unit].lowest, seen->second.order);
        }
      }
    }
    if (visits[unit].lowest != order) return;
    std::vector<std::string> circle;
    do {
      circle.push_back(path.back());
      visits[path.back()].open = false;
      path.pop_back();
    } while (circle.back() != unit);
    std::sort(circle.begin(), circle.end());
    if (circle.size() > 1) circles.push_back(circle);
  };
  for (const auto& [unit, included] : units) {
    if (!visits.contains(unit)) visit(unit);
  }
  return circles;
}

} // namespace rankscope::test

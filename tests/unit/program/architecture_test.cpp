// SPDX-License-Identifier: GPL-3.0-or-later
// The house rules that a compiler does not know: who may include whom, where Qt ends, how files begin.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLicenceLine = "// SPDX-License-Identifier: GPL-3.0-or-later";

// The rooms of core, and which others each may include.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"base", {}},
    {"index", {"base"}},
    {"model", {"base", "index"}},
    {"io", {"base", "index", "model"}},
    {"query", {"base", "index", "model"}},
    {"analysis", {"base", "index", "model"}},
    {"export", {"base", "index", "model"}},
    {"report", {"base", "index", "model", "query", "analysis", "export"}},
};

struct SourceFile {
  std::string path; // from the repository's root, with slashes
  std::string text;
};

bool endsWith(const std::string& text, std::string_view ending) {
  return text.size() >= ending.size() && std::string_view(text).substr(text.size() - ending.size()) == ending;
}

bool isCode(const SourceFile& file) {
  return endsWith(file.path, ".h") || endsWith(file.path, ".cpp");
}

std::vector<SourceFile> filesUnder(const std::vector<std::string>& folders) {
  const fs::path root = RANKSCOPE_SOURCE_DIR;
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

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// What stands between the quotes or angle brackets of each include.
std::vector<std::string> includesOf(const SourceFile& file) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"])");
  std::vector<std::string> includes;
  for (const std::string& line : linesOf(file.text)) {
    std::smatch match;
    if (std::regex_search(line, match, kInclude)) includes.push_back(match[1]);
  }
  return includes;
}

// The folder after core/ in a path, "" outside core.
std::string roomOf(const std::string& path) {
  static const std::regex kRoom(R"(^core/([^/]+)/.*)");
  std::smatch match;
  return std::regex_match(path, match, kRoom) ? match[1].str() : std::string();
}

std::vector<std::string> qtNamesIn(const SourceFile& file) {
  static const std::regex kQt(R"(\b(Q[A-Z][a-z]\w*|Qt\d*|QT_\w+|Q_[A-Z]+)\b)");
  std::vector<std::string> found;
  for (const std::string& line : linesOf(file.text)) {
    std::smatch match;
    if (std::regex_search(line, match, kQt)) found.push_back(file.path + ": " + line);
  }
  return found;
}

std::vector<std::string> includesAgainstTheFlow(const SourceFile& file) {
  std::vector<std::string> found;
  const std::string room = roomOf(file.path);
  for (const std::string& include : includesOf(file)) {
    const std::string target = roomOf(include);
    bool allowed = true;
    if (file.path.starts_with("core/")) {
      const auto rule = kMayInclude.find(room);
      allowed = rule != kMayInclude.end() && !include.starts_with("ui/") && !include.starts_with("app/") &&
                !include.starts_with("tests/") &&
                (target.empty() || target == room || rule->second.contains(target));
    } else if (file.path.starts_with("ui/")) {
      allowed = !include.starts_with("app/") && !include.starts_with("tests/");
    } else if (file.path == "app/cli.cpp") {
      allowed = !include.starts_with("ui/");
    }
    if (!allowed) found.push_back(file.path + " includes " + include);
  }
  return found;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

template <class Check> std::string violations(const std::vector<SourceFile>& files, Check&& check) {
  std::string all;
  for (const SourceFile& file : files) all += joined(check(file));
  return all;
}

} // namespace

TEST(Architecture, coreDoesNotNameQt) {
  const std::vector<SourceFile> files = filesUnder({"core"});
  ASSERT_FALSE(files.empty());
  EXPECT_EQ(violations(files, qtNamesIn), "");
}

TEST(Architecture, includesGoOneWay) {
  EXPECT_EQ(violations(filesUnder({"core", "ui", "app"}), includesAgainstTheFlow), "");
}

TEST(Architecture, includesAreWrittenFromTheRoot) {
  const fs::path root = RANKSCOPE_SOURCE_DIR;
  static const std::regex kQuoted(R"(^\s*#\s*include\s*"([^"]+)\")");
  for (const SourceFile& file : filesUnder({"core", "ui", "app", "tests"})) {
    for (const std::string& line : linesOf(file.text)) {
      std::smatch match;
      if (!std::regex_search(line, match, kQuoted)) continue;
      // The meta-object compiler's output is the one thing that is not in the tree.
      EXPECT_TRUE(fs::exists(root / match[1].str()) || endsWith(match[1].str(), ".moc"))
          << file.path << ": " << line;
    }
  }
}

TEST(Architecture, onlyChartsIncludesQtCharts) {
  static const std::regex kCharts(R"(^(QtCharts.*|QChart.*|Q\w*Series|QBarSet|Q\w*Axis|QLegend\w*)$)");
  for (const SourceFile& file : filesUnder({"ui", "app"})) {
    if (file.path.starts_with("ui/charts/")) continue;
    for (const std::string& include : includesOf(file)) {
      EXPECT_FALSE(std::regex_match(include, kCharts)) << file.path << " includes " << include;
    }
  }
}

TEST(Architecture, everySourceNamesItsLicenceFirst) {
  for (const SourceFile& file : filesUnder({"core", "ui", "app", "tests"})) {
    if (!isCode(file)) continue;
    EXPECT_EQ(file.text.substr(0, file.text.find('\n')), kLicenceLine) << file.path;
    if (endsWith(file.path, ".h")) {
      EXPECT_NE(file.text.find("\n#pragma once\n"), std::string::npos) << file.path;
    }
  }
}

TEST(Architecture, theChecksSeeWhatTheyLookFor) {
  EXPECT_EQ(qtNamesIn({"core/base/x.h", "#include <QString>\n"}).size(), 1U);
  EXPECT_EQ(qtNamesIn({"core/CMakeLists.txt", "find_package(Qt6)\n"}).size(), 1U);
  EXPECT_EQ(qtNamesIn({"core/base/x.h", "// the QKV projection; quick\n"}).size(), 0U);

  const auto against = [](const char* path, const char* include) {
    return !includesAgainstTheFlow({path, "#include \"" + std::string(include) + "\"\n"}).empty();
  };
  EXPECT_TRUE(against("core/base/x.h", "core/index/interval_set.h"));
  EXPECT_TRUE(against("core/model/x.cpp", "core/io/load/trace_loader.h"));
  EXPECT_TRUE(against("core/query/x.cpp", "core/analysis/job/analysis.h"));
  EXPECT_TRUE(against("core/export/x.cpp", "core/analysis/job/analysis.h"));
  EXPECT_TRUE(against("core/io/x.cpp", "ui/base/theme.h"));
  EXPECT_TRUE(against("core/newroom/x.cpp", "core/base/result.h"));
  EXPECT_TRUE(against("app/cli.cpp", "ui/base/theme.h"));
  EXPECT_FALSE(against("core/io/x.cpp", "core/model/trace_set.h"));
  EXPECT_FALSE(against("core/io/x.cpp", "core/io/load/trace_loader.h"));
  EXPECT_FALSE(against("app/main.cpp", "ui/base/theme.h"));
}

} // namespace rankscope

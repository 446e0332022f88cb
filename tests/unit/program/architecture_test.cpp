// SPDX-License-Identifier: GPL-3.0-or-later
// The rules that a compiler does not know: which module may include which, that no units form a circle, where
// Qt and JSON end, how files begin. core/README.md and ui/README.md describe the modules in the same order.
#include "tests/support/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;
using test::SourceFile;

const fs::path kRoot = RANKSCOPE_SOURCE_DIR;
constexpr std::string_view kLicenseLine = "// SPDX-License-Identifier: GPL-3.0-or-later";

// The modules of a folder in the order in which includes go: each may include those before it, but none that
// stands in the same group or later.
struct ModuleOrder {
  std::string_view folder;
  std::vector<std::vector<std::string_view>> groups;
};

const std::vector<ModuleOrder>& moduleOrders() {
  static const std::vector<ModuleOrder> kOrders = {
      {"core",
       {{"base"}, {"index"}, {"model"}, {"io", "query", "analysis", "export"}, {"report"}, {"sql"}, {"mcp"}}},
      {"core/io",
       {{"files"},
        {"json", "reader"},
        {"kineto", "nsys", "folded", "placement", "nccl", "pickle", "archive"},
        {"snapshots", "flight_recorder", "remote"},
        {"cache"},
        {"digest"},
        {"load"}}},
      {"core/analysis",
       {{"classify", "hardware"},
        {"steps"},
        {"activity"},
        {"operators", "kernels"},
        {"memory"},
        {"collectives"},
        {"digest"},
        {"job"},
        {"account"},
        {"graph"},
        {"parallel"},
        {"efficiency"},
        {"network"},
        {"stacks"},
        {"findings"},
        {"compare"}}},
      {"ui",
       {{"base"},
        {"job"},
        {"actions"},
        {"widgets"},
        {"charts", "tables"},
        {"timeline"},
        {"details", "flames"},
        {"findings"},
        {"tabs", "opening", "help"},
        {"window"}}},
      {"ui/timeline",
       {{"ranks", "picture"}, {"lanes"}, {"tracks"}, {"strips", "headers"}, {"canvas"}, {"view"}}},
  };
  return kOrders;
}

// What of a path stands between a folder and the next slash: "json" of core/io/json/json_scan.h in core/io;
// nothing where the path is not in a folder below it.
std::optional<std::string> moduleIn(std::string_view folder, std::string_view path) {
  if (!path.starts_with(folder) || path.size() <= folder.size() || path[folder.size()] != '/') return {};
  const std::string_view rest = path.substr(folder.size() + 1);
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return {};
  return std::string(rest.substr(0, slash));
}

std::optional<std::size_t> groupOf(const ModuleOrder& order, std::string_view module) {
  for (std::size_t i = 0; i < order.groups.size(); ++i) {
    if (std::ranges::find(order.groups[i], module) != order.groups[i].end()) return i;
  }
  return {};
}

bool mayInclude(const ModuleOrder& order, const std::string& from, const std::string& to) {
  if (from == to) return true;
  const std::optional<std::size_t> source = groupOf(order, from);
  const std::optional<std::size_t> target = groupOf(order, to);
  return source && target && *target < *source;
}

// The top folders of the sources, of which each may include those before it; tests may include all.
constexpr std::string_view kTopFolders[] = {"core", "ui", "app"};

bool againstTheTopFolders(std::string_view path, std::string_view include) {
  const auto place = [](std::string_view of) {
    return std::ranges::find(kTopFolders, of.substr(0, of.find('/'))) - std::begin(kTopFolders);
  };
  return include.starts_with("tests/") ||
         (place(include) < std::ssize(kTopFolders) && place(include) > place(path));
}

bool inTheCommandLineProgram(std::string_view path) {
  return path.starts_with("app/") && !path.starts_with("app/main.") && !path.starts_with("app/display.");
}

std::vector<std::string> includesAgainstTheFlow(const SourceFile& file) {
  std::vector<std::string> found;
  for (const std::string& include : test::includesOf(file)) {
    bool allowed = !againstTheTopFolders(file.path, include);
    // The command line program links no Qt.
    if (inTheCommandLineProgram(file.path) && include.starts_with("ui/")) allowed = false;
    for (const ModuleOrder& order : moduleOrders()) {
      const std::optional<std::string> from = moduleIn(order.folder, file.path);
      const std::optional<std::string> to = moduleIn(order.folder, include);
      if (from && to && !mayInclude(order, *from, *to)) allowed = false;
    }
    if (!allowed) found.push_back(file.path + " includes " + include);
  }
  return found;
}

// A source that lies in none of the modules of its folder, or in a module that nobody put in order.
std::vector<std::string> strayIn(const SourceFile& file) {
  for (const ModuleOrder& order : moduleOrders()) {
    if (!file.path.starts_with(std::string(order.folder) + "/")) continue;
    const std::optional<std::string> module = moduleIn(order.folder, file.path);
    if (!module || !groupOf(order, *module))
      return {file.path + " is in no module of " + std::string(order.folder)};
  }
  return {};
}

std::vector<std::string> qtNamesIn(const SourceFile& file) {
  static const std::regex kQt(R"(\b(Q[A-Z][a-z]\w*|Qt\d*|QT_\w+|Q_[A-Z]+)\b)");
  std::vector<std::string> found;
  for (const std::string& line : test::linesOf(file.text)) {
    std::smatch match;
    if (line.find('Q') != std::string::npos && std::regex_search(line, match, kQt))
      found.push_back(file.path + ": " + line);
  }
  return found;
}

// Who starts threads has to do without those that cannot be started, and to hand on what is thrown there:
// core and app ask a Crew, the window its Workers, which ask a Crew as well.
std::vector<std::string> threadsStartedIn(const SourceFile& file) {
  static const std::regex kStart(
      R"(\bstd::(jthread|async|thread(?!::))\b|\bQ(tConcurrent|ThreadPool|Future)\b)");
  std::vector<std::string> found;
  if (file.path.starts_with("core/base/thread_team.")) return found;
  for (const std::string& line : test::linesOf(file.text)) {
    if (line.find("hread") == std::string::npos && line.find("sync") == std::string::npos &&
        line.find("QtC") == std::string::npos && line.find("QFut") == std::string::npos)
      continue;
    if (std::regex_search(line, kStart)) found.push_back(file.path + ": " + line);
  }
  return found;
}

// Traces are read as JSON by core/io/kineto with the tools of core/io/json, and by nobody else. Of the
// readers the list of formats alone knows, and of what a SourceRef is made of only readers and who keeps it.
std::vector<std::string> formatKnowledgeIn(const SourceFile& file) {
  const auto within = [&](std::string_view place) { return file.path.starts_with(place); };
  const bool reader = within("core/io/kineto/");
  // JSON that is no trace.
  const bool session = within("core/io/load/session_traces.") || within("core/report/accepted_findings.") ||
                       within("core/report/compare_files.") || within("core/report/compare_baseline.") ||
                       within("core/mcp/");
  // Dumps and timelines that lie beside traces.
  const bool beside = within("core/io/pickle/");
  const bool nsysLines = within("core/io/nsys/nsys_json_"); // exports as JSON lines
  const bool json = reader || session || beside || nsysLines || within("core/io/json/");
  const bool utf8 = within("core/base/utf8."); // has simdjson look whether text is UTF-8
  std::vector<std::string> found;
  for (const std::string& include : test::includesOf(file)) {
    const bool ofJson =
        include.starts_with("core/io/json/") || (include.find("simdjson") != std::string::npos && !utf8);
    const bool list = within("core/io/load/trace_readers.cpp");
    const bool ofReader = include.starts_with("core/io/kineto/") && !list && !reader;
    const bool ofNsys = include.starts_with("core/io/nsys/") && !list && !within("core/io/nsys/");
    if ((ofJson && !json) || ofReader || ofNsys) found.push_back(file.path + " includes " + include);
  }
  const bool maySee = reader || within("core/io/nsys/") || within("core/io/folded/") ||
                      within("core/model/source_ref.h") || within("core/model/slice_events.h") ||
                      within("core/io/cache/");
  for (const std::string_view word : {"\"traceEvents\"", "\"distributedInfo\"", "simdjson::"}) {
    if (!json && !(utf8 && word == "simdjson::") && file.text.find(word) != std::string::npos)
      found.push_back(file.path + " knows " + std::string(word));
  }
  if (!maySee && file.text.find("readerBits") != std::string::npos)
    found.push_back(file.path + " looks into a SourceRef");
  return found;
}

std::string joined(std::span<const std::string> lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

template <class Check> std::string violations(const std::vector<SourceFile>& files, Check&& check) {
  std::string all;
  for (const SourceFile& file : files) all += joined(check(file));
  return all;
}

std::vector<SourceFile> codeUnder(const std::vector<std::string>& folders) {
  std::vector<SourceFile> files = test::sourceFilesUnder(kRoot, folders);
  std::erase_if(files, [](const SourceFile& file) { return !test::isCode(file); });
  return files;
}

SourceFile including(std::string path, const std::string& include) {
  return {std::move(path), "#include \"" + include + "\"\n"};
}

} // namespace

TEST(Architecture, coreDoesNotNameQt) {
  const std::vector<SourceFile> files = test::sourceFilesUnder(kRoot, {"core"});
  ASSERT_FALSE(files.empty());
  EXPECT_EQ(violations(files, qtNamesIn), "");
}

TEST(Architecture, everySourceLiesInAModule) {
  EXPECT_EQ(violations(codeUnder({"core", "ui"}), strayIn), "");
}

TEST(Architecture, includesGoOneWay) {
  EXPECT_EQ(violations(codeUnder({"core", "ui", "app"}), includesAgainstTheFlow), "");
}

TEST(Architecture, noUnitsFormACircle) {
  for (const std::vector<std::string>& circle :
       test::circlesIn(test::unitsOf(codeUnder({"core", "ui", "app"})))) {
    std::string units;
    for (const std::string& unit : circle) units += (units.empty() ? "" : " ") + unit;
    ADD_FAILURE() << units;
  }
}

TEST(Architecture, onlyItsReaderKnowsAFormat) {
  EXPECT_EQ(violations(codeUnder({"core", "ui", "app"}), formatKnowledgeIn), "");
}

// The registry's list: "  TAB(overview, ...".
std::set<std::string> tabsOfTheRegistry() {
  static const std::regex kTab(R"(^  TAB\(([a-z_]+), )");
  std::set<std::string> tabs;
  for (const SourceFile& file : test::sourceFilesUnder(kRoot, {"ui/tabs"})) {
    if (file.path != "ui/tabs/tab_registry.cpp") continue;
    for (const std::string& line : test::linesOf(file.text)) {
      std::smatch match;
      if (std::regex_search(line, match, kTab)) tabs.insert(match[1]);
    }
  }
  return tabs;
}

// Only a tab's own folder knows what is in it.
std::vector<std::string> strangersIn(const SourceFile& file) {
  std::vector<std::string> found;
  const std::optional<std::string> own = moduleIn("ui/tabs", file.path);
  for (const std::string& include : test::includesOf(file)) {
    const std::optional<std::string> tab = moduleIn("ui/tabs", include);
    if (tab && tab != own) found.push_back(file.path + " includes " + include);
  }
  return found;
}

TEST(Architecture, aTabIsItsFolderAndALineOfTheRegistry) {
  std::set<std::string> folders;
  for (const SourceFile& file : codeUnder({"ui/tabs"})) {
    const std::optional<std::string> tab = moduleIn("ui/tabs", file.path);
    EXPECT_TRUE(tab || file.path.starts_with("ui/tabs/tab_registry.")) << file.path;
    if (tab) folders.insert(*tab);
  }
  EXPECT_EQ(folders, tabsOfTheRegistry());
  EXPECT_EQ(violations(codeUnder({"ui", "app"}), strangersIn), "");
}

TEST(Architecture, everyModuleIsDescribed) {
  for (const ModuleOrder& order : moduleOrders()) {
    const std::string readme = std::string(order.folder.substr(0, order.folder.find('/'))) + "/README.md";
    std::ostringstream text;
    text << std::ifstream(kRoot / readme).rdbuf();
    for (const auto& group : order.groups) {
      for (const std::string_view module : group) {
        const std::string inside =
            order.folder == "core" || order.folder == "ui"
                ? std::string(module)
                : std::string(order.folder.substr(order.folder.find('/') + 1)) + "/" + std::string(module);
        EXPECT_NE(text.str().find("| " + inside + " |"), std::string::npos)
            << readme << " does not name " << inside;
      }
    }
  }
}

TEST(Architecture, includesAreWrittenFromTheRoot) {
  static const std::regex kQuoted(R"(^\s*#\s*include\s*"([^"]+)\")");
  for (const SourceFile& file : test::sourceFilesUnder(kRoot, {"core", "ui", "app", "tests"})) {
    for (const std::string& line : test::linesOf(file.text)) {
      std::smatch match;
      if (line.find('#') == std::string::npos || !std::regex_search(line, match, kQuoted)) continue;
      // The meta-object compiler's output is the one thing that is not in the tree.
      EXPECT_TRUE(fs::exists(kRoot / match[1].str()) || match[1].str().ends_with(".moc"))
          << file.path << ": " << line;
    }
  }
}

TEST(Architecture, onlyChartsIncludesQtCharts) {
  static const std::regex kCharts(R"(^(QtCharts.*|QChart.*|Q\w*Series|QBarSet|Q\w*Axis|QLegend\w*)$)");
  for (const SourceFile& file : codeUnder({"ui", "app"})) {
    if (file.path.starts_with("ui/charts/")) continue;
    for (const std::string& include : test::includesOf(file)) {
      EXPECT_FALSE(std::regex_match(include, kCharts)) << file.path << " includes " << include;
    }
  }
}

TEST(Architecture, threadsAreStartedInOnePlace) {
  EXPECT_EQ(violations(codeUnder({"core", "ui", "app"}), threadsStartedIn), "");
}

TEST(Architecture, everySourceNamesItsLicenseFirst) {
  for (const SourceFile& file : codeUnder({"core", "ui", "app", "tests"})) {
    EXPECT_EQ(file.text.substr(0, file.text.find('\n')), kLicenseLine) << file.path;
    if (file.path.ends_with(".h")) {
      EXPECT_NE(file.text.find("\n#pragma once\n"), std::string::npos) << file.path;
    }
  }
}

TEST(Architecture, theChecksSeeWhatTheyLookFor) {
  EXPECT_EQ(qtNamesIn({"core/base/x.h", "#include <QString>\n"}).size(), 1U);
  EXPECT_EQ(qtNamesIn({"core/CMakeLists.txt", "find_package(Qt6)\n"}).size(), 1U);
  EXPECT_EQ(qtNamesIn({"core/base/x.h", "// the QKV projection; quick\n"}).size(), 0U);

  EXPECT_EQ(strayIn({"core/analysis/new.h", ""}).size(), 1U);
  EXPECT_EQ(strayIn({"core/analysis/unheard/new.h", ""}).size(), 1U);
  EXPECT_EQ(strayIn({"core/newmodule/new.h", ""}).size(), 1U);
  EXPECT_EQ(strayIn({"ui/window.h", ""}).size(), 1U);
  EXPECT_EQ(strayIn({"core/analysis/job/new.h", ""}).size(), 0U);

  EXPECT_EQ(threadsStartedIn({"core/io/x.cpp", "std::thread helper(run);\n"}).size(), 1U);
  EXPECT_EQ(threadsStartedIn({"core/io/x.cpp", "auto later = std::async(run);\n"}).size(), 1U);
  EXPECT_EQ(threadsStartedIn({"ui/job/x.cpp", "QtConcurrent::run(work);\n"}).size(), 1U);
  EXPECT_EQ(threadsStartedIn({"core/io/x.cpp", "std::thread::hardware_concurrency();\n"}).size(), 0U);
  EXPECT_EQ(threadsStartedIn({"core/base/thread_team.cpp", "std::thread helper(run);\n"}).size(), 0U);

  const auto knows = [](const char* path, const char* include) {
    return !formatKnowledgeIn(including(path, include)).empty();
  };
  EXPECT_TRUE(knows("core/io/load/x.cpp", "core/io/json/json_scan.h"));
  EXPECT_TRUE(knows("core/io/load/x.cpp", "simdjson.h"));
  EXPECT_TRUE(knows("core/analysis/job/x.cpp", "simdjson/ondemand.h"));
  EXPECT_TRUE(knows("core/io/load/file_loader.cpp", "core/io/kineto/kineto_reader.h"));
  EXPECT_TRUE(knows("ui/details/x.cpp", "core/io/kineto/event_details.h"));
  EXPECT_FALSE(knows("core/io/load/trace_readers.cpp", "core/io/kineto/kineto_reader.h"));
  EXPECT_FALSE(knows("core/io/kineto/x.cpp", "core/io/json/json_scan.h"));
  EXPECT_FALSE(knows("core/io/load/x.cpp", "core/io/reader/trace_reader.h"));
  EXPECT_EQ(formatKnowledgeIn({"core/io/load/x.cpp", "if (key == \"traceEvents\") read();\n"}).size(), 1U);
  EXPECT_EQ(formatKnowledgeIn({"core/query/x.cpp", "seek(source.readerBits());\n"}).size(), 1U);
}

TEST(Architecture, theChecksSeeIncludesAgainstTheFlow) {
  const auto against = [](const char* path, const char* include) {
    return !includesAgainstTheFlow(including(path, include)).empty();
  };
  EXPECT_TRUE(against("core/base/x.h", "core/index/interval_set.h"));
  EXPECT_TRUE(against("core/model/x.cpp", "core/io/load/trace_loader.h"));
  EXPECT_TRUE(against("core/query/x.cpp", "core/analysis/job/analysis.h"));
  EXPECT_TRUE(against("core/export/x.cpp", "core/analysis/job/analysis.h"));
  EXPECT_TRUE(against("core/analysis/steps/x.cpp", "core/analysis/activity/idle_gaps.h"));
  EXPECT_TRUE(against("core/analysis/kernels/x.cpp", "core/analysis/operators/operator_tree.h"));
  EXPECT_TRUE(against("core/io/files/x.cpp", "core/io/kineto/event_reader.h"));
  EXPECT_TRUE(against("core/io/reader/x.cpp", "core/io/kineto/event_reader.h"));
  EXPECT_TRUE(against("core/io/load/x.cpp", "ui/base/theme.h"));
  EXPECT_TRUE(against("core/base/x.cpp", "tests/support/trace_text.h"));
  EXPECT_TRUE(against("ui/base/x.cpp", "ui/job/trace_session.h"));
  const auto stranger = [](const char* path, const char* include) {
    return !strangersIn({path, "#include \"" + std::string(include) + "\"\n"}).empty();
  };
  EXPECT_TRUE(stranger("ui/tabs/memory/x.cpp", "ui/tabs/kernels/kernels_panel.h"));
  EXPECT_TRUE(stranger("ui/window/x.cpp", "ui/tabs/kernels/kernels_panel.h"));
  EXPECT_TRUE(stranger("ui/tabs/tab_registry.cpp", "ui/tabs/kernels/kernels_panel.h"));
  EXPECT_FALSE(stranger("ui/window/x.cpp", "ui/tabs/tab_registry.h"));
  EXPECT_FALSE(stranger("ui/tabs/memory/x.cpp", "ui/tabs/memory/memory_panel.h"));
  EXPECT_TRUE(against("ui/window/x.cpp", "app/filter_options.h"));
  EXPECT_TRUE(against("app/job_run.cpp", "ui/base/theme.h"));
  EXPECT_TRUE(against("app/cli.cpp", "ui/base/theme.h"));
  EXPECT_FALSE(against("core/io/load/x.cpp", "core/model/trace_set.h"));
  EXPECT_FALSE(against("core/io/load/x.cpp", "core/io/load/trace_loader.h"));
  EXPECT_FALSE(against("core/report/x.cpp", "core/analysis/findings/findings.h"));
  EXPECT_FALSE(against("app/main.cpp", "ui/base/theme.h"));
}

TEST(Architecture, theChecksSeeCircles) {
  const auto circles = [](const std::vector<SourceFile>& files) {
    return test::circlesIn(test::unitsOf(files));
  };
  const SourceFile a = {"core/base/a.h", ""};
  const SourceFile b = including("core/base/b.h", "core/base/a.h");
  EXPECT_TRUE(circles({a, b}).empty());
  // Through the source of a unit, also where it has a name of its own.
  const std::vector<std::vector<std::string>> both = {{"core/base/a", "core/base/b"}};
  EXPECT_EQ(circles({a, including("core/base/a.cpp", "core/base/b.h"), b}), both);
  EXPECT_EQ(circles({a, including("core/base/a_more.cpp", "core/base/b.h"), b}), both);
  EXPECT_TRUE(circles({a, including("core/base/another.cpp", "core/base/b.h"), b}).empty());
}

} // namespace rankscope

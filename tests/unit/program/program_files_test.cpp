// SPDX-License-Identifier: GPL-3.0-or-later
// What resources/help/security.md promises of the programs themselves: how they are compiled, what they link,
// what they start and where they write.
#include "tests/support/elf_file.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
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

const fs::path kSource = RANKSCOPE_SOURCE_DIR;

std::string contentOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// Paths of the program's own sources and build rules in which the expression is found.
std::set<std::string> sourcesWith(const std::string& expression) {
  const std::regex pattern(expression);
  std::set<std::string> found;
  for (const char* folder : {"core", "ui", "app"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kSource / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cpp" && extension != ".txt") continue;
      const std::string text = contentOf(entry.path());
      if (std::regex_search(text, pattern))
        found.insert(fs::relative(entry.path(), kSource).generic_string());
    }
  }
  return found;
}

// A run of rankscope-cli in folders of its own: everything that it may write to lies below them.
class ProgramFiles : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"home", "tmp", "here"}) fs::create_directories(m_folder.path() / name);
    test::JobOptions options;
    options.targetEvents = 80'000; // smaller ones are not worth keeping
    test::generateJob(options, m_folder.path() / "job");
  }

  // Arguments hold no quotes. before: what runs the program, if not the shell.
  [[nodiscard]] int run(const std::string& arguments, const std::string& before = {}) const {
    const std::string environment = "env -i PATH=\"$PATH\" ASAN_OPTIONS=detect_leaks=0 HOME='" +
                                    m_folder / "home" + "' TMPDIR='" + m_folder / "tmp" + "' ";
    const std::string command = "cd '" + m_folder / "here" + "' && " + environment + before +
                                " '" RANKSCOPE_CLI "' " + arguments + " '" + m_folder / "job" +
                                "' >/dev/null 2>&1 </dev/null";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  // Regular files, from the folder on.
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> all;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(m_folder.path()))
      if (!entry.is_directory()) all.insert(fs::relative(entry.path(), m_folder.path()).generic_string());
    return all;
  }
  [[nodiscard]] std::set<std::string> filesAfter(const std::string& arguments) const {
    const std::set<std::string> before = files();
    EXPECT_EQ(run(arguments), 0);
    std::set<std::string> made;
    std::ranges::set_difference(files(), before, std::inserter(made, made.begin()));
    return made;
  }

  test::TemporaryFolder m_folder;
};

} // namespace

TEST_F(ProgramFiles, theCommandLineProgramIsHardenedAndLinksNoNetwork) {
  const auto facts = test::elfFacts(RANKSCOPE_CLI);
  RANKSCOPE_SKIP_UNLESS(facts, "programs are no ELF files here");
  for (const std::string& library : facts->libraries) {
    EXPECT_FALSE(holds(library, "Qt")) << library;
    for (const std::string_view network : {"Network", "curl", "ssl", "resolv", "nsl", "grpc"})
      EXPECT_FALSE(holds(library, network)) << library;
  }
  for (const std::string_view call :
       {"socket", "connect", "getaddrinfo", "gethostbyname", "system", "popen", "execve", "execvp", "fork"})
    EXPECT_EQ(std::ranges::count(facts->imports, call), 0) << call;
#ifdef RANKSCOPE_HARDENED
  EXPECT_TRUE(facts->positionIndependent);
  EXPECT_TRUE(facts->relocationsReadOnly);
  EXPECT_TRUE(facts->bindsAtStart);
  EXPECT_TRUE(facts->stackNotExecutable);
  EXPECT_TRUE(std::ranges::count(facts->imports, "__stack_chk_fail") > 0);
#ifdef __OPTIMIZE__
  EXPECT_TRUE(std::ranges::any_of(facts->imports, [](const std::string& name) {
    return name.starts_with("__") && name.ends_with("_chk");
  }));
#endif
#endif
}

TEST_F(ProgramFiles, nothingInTheSourcesOpensAConnection) {
  EXPECT_EQ(
      sourcesWith("#include <(sys/socket|netinet|arpa|netdb|QtNetwork|QNetwork|QTcp|QUdp|QSsl|QLocalS)"),
      std::set<std::string>{});
  EXPECT_EQ(sourcesWith("boost/asio|boost/beast|Qt6?::(Network|WebEngine|WebSockets)|WebEngineWidgets"),
            std::set<std::string>{});
  // Would hand an address on. A folder is opened in the desktop's file manager.
  EXPECT_EQ(sourcesWith("\\bQDesktopServices::(?!openUrl\\(QUrl::fromLocalFile\\()"),
            std::set<std::string>{});
  const std::set<std::string> openers{"ui/window/main_window.cpp", "ui/window/main_window_menus.cpp"};
  EXPECT_EQ(sourcesWith("\\bQDesktopServices::"), openers);
}

TEST_F(ProgramFiles, onlyTheEditorNsysRcloneAndItselfAreEverStarted) {
  EXPECT_EQ(sourcesWith("\\b(std::system|popen|execl|execlp|execv|execvp|posix_spawn\\w*|fork)\\s*\\("),
            std::set<std::string>{"core/io/remote/child_process.cpp"});
  EXPECT_EQ(sourcesWith("\\brunChild\\("),
            (std::set<std::string>{"core/io/remote/child_process.cpp", "core/io/remote/child_process.h",
                                   "core/io/remote/rclone.cpp"}));
  EXPECT_EQ(sourcesWith("QProcess::(start|startDetached|execute)\\b|\\bQProcess \\w"),
            (std::set<std::string>{"ui/details/source_opener.cpp", "ui/opening/nsys_export.h",
                                   "ui/tabs/compare/compare_links.cpp"})); // itself, with the other job
  EXPECT_EQ(sourcesWith("startCommand|/bin/sh|\"sh\""), std::set<std::string>{});
}

TEST_F(ProgramFiles, whatIsReadLeavesNothingOutsideTheCache) {
  EXPECT_EQ(filesAfter("summary --no-cache"), std::set<std::string>{});
  const std::set<std::string> kept = filesAfter("summary");
  EXPECT_FALSE(kept.empty());
  for (const std::string& file : kept) EXPECT_TRUE(file.starts_with("home/.cache/rankscope/")) << file;
  EXPECT_EQ(filesAfter("table ranks"), std::set<std::string>{});
  for (const std::string& file : filesAfter("report --html --out ../chosen"))
    EXPECT_TRUE(file.starts_with("chosen/")) << file;
}

// The same by what the system is asked for, which would also see a file that is removed again.
TEST_F(ProgramFiles, theSystemIsAskedForNoConnectionAndToWriteNowhereElse) {
  const std::string log = m_folder / "log";
  const std::string trace = "strace -f -qq -s 4096 -o '" + log +
                            "' -e trace=%network,open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,"
                            "symlink,symlinkat,link,linkat";
  RANKSCOPE_SKIP_UNLESS(run("--version", trace) == 0 || run("summary --no-cache", trace) == 0,
                        "strace is not here, or may not trace");
  ASSERT_EQ(run("report --html --out ../chosen", trace), 0);
  std::istringstream lines(contentOf(log));
  int written = 0;
  for (std::string line; std::getline(lines, line);) {
    for (const std::string_view call : {" socket(", " connect(", " bind(", " sendto("})
      EXPECT_FALSE(holds(line, call)) << line;
    const bool writes = holds(line, "O_WRONLY") || holds(line, "O_RDWR") || holds(line, "O_CREAT") ||
                        holds(line, " mkdir") || holds(line, " rename") || holds(line, "link");
    const bool failed = holds(line, " = -1 ");
    if (!writes || failed || holds(line, "readlink")) continue;
    ++written;
    const bool allowed = holds(line, "\"" + m_folder / "home/.cache") || holds(line, "\"../chosen") ||
                         holds(line, "\"/dev/") || holds(line, "\"" + m_folder / "chosen") ||
                         holds(line, "/tsan.rodata."); // the thread sanitizer's own
    EXPECT_TRUE(allowed) << line;
  }
  EXPECT_GT(written, 5);
}

} // namespace rankscope

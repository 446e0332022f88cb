// SPDX-License-Identifier: GPL-3.0-or-later
// Which traces lie in folders, and in which order. Covers core/io/files/folder_entries too.
#include "core/io/files/trace_folder.h"
#include "tests/support/without_rights.h"

#include "core/io/load/trace_readers.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace rankscope {
namespace {

namespace fs = std::filesystem;

class TraceFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "rankscope-folder-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    m_root = fs::canonical(name);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(m_root, ignored);
  }

  std::string add(const std::string& relative, const std::string& content = "{}") {
    const fs::path path = m_root / relative;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << content;
    return path.string();
  }
  [[nodiscard]] std::string at(const std::string& relative) const { return (m_root / relative).string(); }
  [[nodiscard]] Discovery all() const { return discoverTraceFiles(std::vector{m_root.string()}); }

  static std::vector<std::string> names(const Discovery& found) {
    std::vector<std::string> names;
    for (const DiscoveredFile& file : found.files) names.push_back(file.relativePath);
    return names;
  }
  static std::string reason(const Discovery& found, const std::string& path) {
    for (const DiscoveryProblem& problem : found.problems)
      if (problem.path == path) return problem.reason;
    return {};
  }

  fs::path m_root;
};

using Names = std::vector<std::string>;

TEST_F(TraceFolder, findsTracesDeepAndInNaturalOrder) {
  for (const char* name : {"node1/rank10.json.gz", "node1/rank2.json", "node0/rank0.123.pt.trace.json",
                           "node0/rank1.123.PT.TRACE.JSON.GZ", "x.json", "a/b/c/d/e/f/rank9.json"})
    add(name);
  for (const char* name : {"README.md", "rank0.txt", "rank0.json.bak", "trace.gz", "rank0.jsonx", "noise"})
    add(name);
  const Discovery found = all();
  EXPECT_EQ(names(found), (Names{"a/b/c/d/e/f/rank9.json", "node0/rank0.123.pt.trace.json",
                                 "node0/rank1.123.PT.TRACE.JSON.GZ", "node1/rank2.json",
                                 "node1/rank10.json.gz", "x.json"}));
  EXPECT_TRUE(found.problems.empty()) << "files of no interest are no problem";
}

TEST_F(TraceFolder, tellsPathRelativePathAndSize) {
  add("node0/rank0.json", "12345");
  const Discovery found = all();
  ASSERT_EQ(found.files.size(), 1u);
  EXPECT_EQ(found.files[0], (DiscoveredFile{at("node0/rank0.json"), "node0/rank0.json", 5}));
}

TEST_F(TraceFolder, takesAFileGivenByNameWhateverItIsCalled) {
  const std::vector<std::string> paths = {add("dump.txt"), add("nccl_trace_rank_0"), add("x.async_llm.json")};
  const Discovery found = discoverTraceFiles(paths);
  EXPECT_EQ(names(found), (Names{"dump.txt", "nccl_trace_rank_0", "x.async_llm.json"}));
  EXPECT_TRUE(found.problems.empty());
}

TEST_F(TraceFolder, namesOtherKindsOfFilesWithTheReason) {
  for (const char* name :
       {"nccl_trace_rank_0", "comm_lib_trace_rank_3.json", "memory.pickle", "profiler_out_0.txt",
        "box_1.async_llm.17.pt.trace.json.gz", "._rank0.json", "rank0.json"})
    add(name);
  const Discovery found = all();
  EXPECT_EQ(names(found), Names{"rank0.json"});
  EXPECT_EQ(found.problems.size(), 6u);
  EXPECT_NE(reason(found, at("nccl_trace_rank_0")).find("Flight Recorder"), std::string::npos);
  EXPECT_NE(reason(found, at("box_1.async_llm.17.pt.trace.json.gz")).find("async_llm"), std::string::npos);
  EXPECT_NE(reason(found, at("memory.pickle")).find("pickle"), std::string::npos);
}

TEST_F(TraceFolder, keepsTheFoldersThatSeveralPathsDoNotShare) {
  const std::vector<std::string> files = {add("runs/node1/rank0.json"), add("runs/node0/rank0.json")};
  EXPECT_EQ(names(discoverTraceFiles(files)), (Names{"node0/rank0.json", "node1/rank0.json"}));
  const std::vector<std::string> folders = {at("runs/node1"), at("runs/node0/")};
  EXPECT_EQ(names(discoverTraceFiles(folders)), (Names{"node0/rank0.json", "node1/rank0.json"}));
  const std::vector<std::string> one = {at("runs/node1/rank0.json")};
  EXPECT_EQ(names(discoverTraceFiles(one)), Names{"rank0.json"});
  const std::vector<std::string> slash = {at("runs/node1/")};
  EXPECT_EQ(names(discoverTraceFiles(slash)), Names{"rank0.json"});
}

TEST_F(TraceFolder, answersTheSameWhateverTheOrderOfPaths) {
  std::vector<std::string> paths;
  for (int i = 0; i < 12; ++i) paths.push_back(add("run/rank" + std::to_string(i) + ".json"));
  const Discovery forward = discoverTraceFiles(paths);
  std::ranges::reverse(paths);
  EXPECT_EQ(discoverTraceFiles(paths).files, forward.files);
  EXPECT_EQ(forward.files[10].relativePath, "rank10.json");
}

TEST_F(TraceFolder, countsAFileOnceWhateverLeadsToIt) {
  const std::string file = add("a/rank0.json");
  fs::create_symlink(file, at("0-link.json"));
  fs::create_directory_symlink(at("a"), at("0-folder"));
  const std::vector<std::string> paths = {m_root.string(), file, m_root.string(), at("a")};
  EXPECT_EQ(names(discoverTraceFiles(paths)), Names{"a/rank0.json"}) << "under the name of its own place";
}

TEST_F(TraceFolder, followsLinksOutOfTheFolder) {
  add("store/rank0.json");
  add("store/deep/rank1.json");
  fs::create_directory(m_root / "view");
  fs::create_symlink(at("store/rank0.json"), at("view/first.json"));
  fs::create_directory_symlink(at("store/deep"), at("view/second"));
  const std::vector<std::string> paths = {at("view")};
  EXPECT_EQ(names(discoverTraceFiles(paths)), (Names{"first.json", "second/rank1.json"}));
}

TEST_F(TraceFolder, comesBackFromCirclesOfLinks) {
  add("a/rank0.json");
  fs::create_directory_symlink(m_root, at("a/up"));
  fs::create_directory_symlink(at("a"), at("a/self"));
  fs::create_symlink(at("loop2.json"), at("loop1.json"));
  fs::create_symlink(at("loop1.json"), at("loop2.json"));
  fs::create_symlink(at("nowhere"), at("dangling.json"));
  const Discovery found = all();
  EXPECT_EQ(names(found), Names{"a/rank0.json"});
  EXPECT_EQ(reason(found, at("dangling.json")), "a link that leads nowhere");
  EXPECT_EQ(reason(found, at("loop1.json")), "a link that leads nowhere");
}

TEST_F(TraceFolder, namesWhatIsNoRegularFile) {
  ASSERT_EQ(mkfifo(at("pipe.json").c_str(), 0600), 0);
  add("folder.json/rank0.json");
  const std::vector<std::string> given = {at("pipe.json"), at("missing.json"), "/dev/null"};
  const Discovery searched = all();
  EXPECT_EQ(names(searched), Names{"folder.json/rank0.json"});
  EXPECT_EQ(reason(searched, at("pipe.json")), "a pipe, not a file");
  EXPECT_NE(reason(searched, at("folder.json")).find("folder"), std::string::npos);
  const Discovery named = discoverTraceFiles(given);
  EXPECT_TRUE(named.files.empty());
  EXPECT_EQ(reason(named, at("pipe.json")), "a pipe, not a file");
  EXPECT_EQ(reason(named, at("missing.json")), "no such file or folder");
  EXPECT_EQ(reason(named, "/dev/null"), "a device, not a file");
}

TEST_F(TraceFolder, namesWhatMayNotBeRead) {
  const test::WithoutRights plainUser(m_root);
  fs::permissions(add("rank0.json"), fs::perms::none);
  add("closed/rank1.json");
  fs::permissions(m_root / "closed", fs::perms::none);
  const Discovery found = all();
  fs::permissions(m_root / "closed", fs::perms::owner_all);
  EXPECT_TRUE(found.files.empty());
  EXPECT_EQ(reason(found, at("rank0.json")), "permission denied");
  EXPECT_FALSE(reason(found, at("closed")).empty());
}

TEST_F(TraceFolder, findsFilesManyFoldersDeep) {
  fs::path deep = m_root;
  for (int i = 0; i < 300; ++i) deep /= "d";
  fs::create_directories(deep);
  std::ofstream(deep / "rank0.json") << "{}";
  EXPECT_EQ(all().files.size(), 1u);
}

TEST_F(TraceFolder, findsNothingInNothing) {
  EXPECT_TRUE(discoverTraceFiles({}).files.empty());
  EXPECT_TRUE(all().files.empty());
  EXPECT_TRUE(all().problems.empty());
}

} // namespace
} // namespace rankscope

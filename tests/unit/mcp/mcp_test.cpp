// SPDX-License-Identifier: GPL-3.0-or-later
// The server for assistants, as clients see it: one of the Python standard library, and those of the
// TypeScript SDK where they are installed. And rankscope.py with the example of the guide. Covers
// core/mcp/asked_job, core/mcp/compare_tool, core/mcp/mcp_answer, core/mcp/mcp_arguments, core/mcp/mcp_jobs,
// core/mcp/mcp_message, core/mcp/mcp_server, core/mcp/mcp_tools.
#include "core/analysis/network/job_network.h"
#include "core/mcp/mcp_answer.h"
#include "core/mcp/mcp_message.h"
#include "core/mcp/mcp_server.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

const std::string kSource = RANKSCOPE_SOURCE_DIR;

std::string job(const std::string& name) {
  return kSource + "/tests/golden/" + name + "/input";
}

struct Outcome {
  int status = -1;
  std::string output;
};

Outcome runShell(const std::string& command) {
  Outcome outcome;
  std::FILE* const pipe = popen(("(" + command + ") 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), static_cast<int>(part.size()), pipe) != nullptr)
    outcome.output += part.data();
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

bool works(const std::string& command) {
  return runShell(command).status == 0;
}

// A Python that has pandas, which Debian's own may have and another one lack; empty if there is none.
std::string pythonWithPandas() {
  for (const char* const python : {"python3", "/usr/bin/python3"}) {
    if (works(std::string(python) + " -c 'import pandas'")) return python;
  }
  return {};
}

// Where the SDKs' packages are: $RANKSCOPE_NODE_MODULES.
std::string nodeModules() {
  const char* const folder = std::getenv("RANKSCOPE_NODE_MODULES");
  return folder == nullptr ? std::string() : folder;
}

void expectSdkSession(const std::string& generation, const std::string& package,
                      const std::string& oldestNode) {
  const bool there =
      !nodeModules().empty() && std::filesystem::exists(nodeModules() + "/" + package) &&
      works("node -e 'process.exit(parseInt(process.versions.node) >= " + oldestNode + " ? 0 : 1)'");
  RANKSCOPE_SKIP_WITHOUT(there, "no " + package + " in RANKSCOPE_NODE_MODULES");
  const Outcome session = runShell("node '" + kSource + "/tests/unit/mcp/sdk_client.mjs' '" + nodeModules() +
                                   "' " + generation + " '" RANKSCOPE_CLI "' '" + job("overlap") + "'");
  EXPECT_EQ(session.status, 0) << session.output;
}

std::string answered(McpServer& server, const std::string& message) {
  Progress progress;
  return server.answer(message, progress).value_or("none");
}

} // namespace

TEST(Mcp, holdsASessionWithThePythonClient) {
  RANKSCOPE_SKIP_WITHOUT(works("python3 --version"), "no python3 is installed");
  for (const char* const name : {"overlap", "operators"}) {
    const Outcome session = runShell("python3 '" + kSource +
                                     "/tests/unit/mcp/client.py' '" RANKSCOPE_CLI "' '" + job(name) + "'");
    EXPECT_EQ(session.status, 0) << session.output;
  }
}

TEST(Mcp, holdsASessionWithTheFirstSdk) {
  expectSdkSession("1", "@modelcontextprotocol/sdk", "18");
}

TEST(Mcp, holdsASessionWithTheSecondSdk) {
  expectSdkSession("2", "@modelcontextprotocol/client", "20");
}

TEST(Mcp, answersTwoGenerationsOfTheProtocol) {
  McpServer server({{job("overlap")}, false, 1, std::nullopt});
  EXPECT_NE(
      answered(server,
               R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05"}})")
          .find(R"("protocolVersion": "2024-11-05")"),
      std::string::npos);
  EXPECT_EQ(answered(server, R"({"jsonrpc":"2.0","id":"a\"b","method":"ping"})"),
            R"({"jsonrpc": "2.0", "id": "a\"b", "result": {}})");
  EXPECT_EQ(answered(server, R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), "none");
  const std::string listed = answered(
      server,
      R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}})");
  EXPECT_NE(listed.find(R"("resultType": "complete")"), std::string::npos);
  EXPECT_EQ(listed.find('\n'), std::string::npos) << "one message is one line";
}

TEST(Mcp, leavesLinksThatLeadOut) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "allowed");
  std::filesystem::create_directory_symlink(job("overlap"), folder.path() / "allowed/link");
  std::filesystem::create_directories(folder.path() / "allowed/job");
  for (const auto& entry : std::filesystem::directory_iterator(job("overlap")))
    std::filesystem::create_symlink(entry.path(), folder.path() / "allowed/job" / entry.path().filename());
  const McpOptions options{{folder / "allowed"}, false, 1, std::nullopt};
  McpJobs jobs(options);
  Progress progress;
  for (const char* const path : {"link", "job", "..", "/etc", "nothing"})
    EXPECT_FALSE(jobs.open(path, progress).ok()) << path;
  const McpOptions whole{{folder.path().string(), job("overlap")}, false, 1, std::nullopt};
  McpJobs more(whole);
  EXPECT_TRUE(more.open("allowed/job", progress).ok()) << "the target is allowed too";
}

TEST(Mcp, readsLogsOfNcclBesideTheTraces) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "allowed");
  std::filesystem::create_directories(folder.path() / "elsewhere");
  std::filesystem::copy(job("overlap"), folder.path() / "allowed/job",
                        std::filesystem::copy_options::recursive);
  const std::string line =
      "node0:7:7 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 busId 7000 commId 0xa - "
      "Init COMPLETE\n";
  std::ofstream(folder / "allowed/job/nccl.node0.7.log") << line;
  std::ofstream(folder / "elsewhere/nccl.node1.8.log") << line;
  std::filesystem::create_symlink(folder.path() / "elsewhere/nccl.node1.8.log",
                                  folder.path() / "allowed/job/nccl.node1.8.log");
  const McpOptions options{{folder / "allowed"}, false, 1, std::nullopt};
  McpJobs jobs(options);
  Progress progress;
  const auto opened = jobs.open("job", progress);
  ASSERT_TRUE(opened.ok());
  const NcclRecords& records = *(*opened)->report->network().records;
  ASSERT_EQ(records.log.files.size(), 1u) << "and not what a link leads to elsewhere";
  EXPECT_TRUE(records.log.files.front().path.ends_with("nccl.node0.7.log"));
}

TEST(Mcp, boundsAnswersOfAnySize) {
  ResultTable table("t", {{"name", Unit::Text}, {"n", Unit::Count}});
  const std::string longName(100'000, '"');
  for (std::int64_t i = 0; i < 1'000; ++i) table.addRow({Cell(std::string_view(longName)), Cell(i)});
  McpAnswer answer("the whole job");
  answer.addTable("Rows", table, 500, 1'000, "Ask for less.");
  answer.addText(std::string(50'000, 'x'));
  EXPECT_LE(answer.text().size() + answer.json().size(), kMaxAnswer);
  EXPECT_NE(answer.text().find("Truncated. Ask for less."), std::string::npos);
  EXPECT_NE(answer.json().find("\"truncated\": true"), std::string::npos);
  answer.mask({"whole job"});
  EXPECT_EQ(answer.text().find("whole job"), std::string::npos);
}

// With the standard library alone, and with pandas where it is installed.
TEST(RankscopePy, answersWithTheStandardLibrary) {
  RANKSCOPE_SKIP_WITHOUT(works("python3 --version"), "no python3 is installed");
  const std::string script =
      "import rankscope; job = rankscope.Job('" + job("overlap") +
      "', as_pandas=False, no_cache=True); "
      "rows = job.query('SELECT rank, count(*) AS n, NULL AS empty FROM ranks GROUP BY rank'); "
      "assert [tuple(row) for row in rows] == [(0, 1, None), (1, 1, None)], rows; "
      "assert job.table('steps').units['duration_us'] == 'us'; "
      "assert 'begin_ns' in job.tables()['events']; "
      "assert len(job.compare('" +
      job("overlap") +
      "')) > 0; assert len(job.stacks('device')) > 0; "
      "assert job.query('SELECT 1 AS a', limit=1)[0].a == 1; "
      "assert job.query('SELECT (SELECT count(*) FROM a.ranks) - (SELECT count(*) FROM b.ranks) AS d', "
      "other=job)[0].d == 0";
  std::string quoted = script;
  for (std::size_t at = quoted.find('"'); at != std::string::npos; at = quoted.find('"', at + 2))
    quoted.insert(at, "\\");
  const Outcome run = runShell("cd '" + kSource +
                               "/resources/python' && RANKSCOPE_CLI='" RANKSCOPE_CLI
                               "' PYTHONDONTWRITEBYTECODE=1 python3 -c \"" +
                               quoted + "\"");
  EXPECT_EQ(run.status, 0) << run.output;
}

TEST(RankscopePy, runsTheExampleOfTheGuide) {
  const std::string python = pythonWithPandas();
  RANKSCOPE_SKIP_WITHOUT(!python.empty(), "no python3-pandas is installed");
  const test::TemporaryFolder folder;
  const Outcome run =
      runShell("cd '" + kSource +
               "/resources/python' && RANKSCOPE_CLI='" RANKSCOPE_CLI "' RANKSCOPE_CACHE_DIR= "
               "PYTHONDONTWRITEBYTECODE=1 " +
               python + " example.py '" + job("overlap") + "' '" + folder.path().string() + "'");
  EXPECT_EQ(run.status, 0) << run.output;
}

} // namespace rankscope

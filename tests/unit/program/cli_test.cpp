// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-cli as a script sees it: exit codes, what is on which stream, which files appear, and what its
// options choose (app/cli, app/command, app/console, app/efficiency_options, app/excerpt_command,
// app/filter_options, app/findings_command, app/graph_commands, app/job_run, app/mcp_command,
// app/network_commands, app/query_command, app/stacks_command, app/table_commands,
// core/report/report_files, core/report/scope_options, core/report/step_text); what a signal leaves
// (core/base/ending_signals).
#include "core/report/tables.h"
#include "tests/support/archive_writer.h"
#include "tests/support/job_generator.h"
#include "tests/support/remote_servers.h"
#include "tests/support/shared_data.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::string contentOf(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

struct Outcome {
  int exitCode = -1;
  std::string out;
  std::string err;

  [[nodiscard]] std::ptrdiff_t errorLines() const { return std::count(err.begin(), err.end(), '\n'); }
  [[nodiscard]] bool says(const std::string& part) const { return err.find(part) != std::string::npos; }
};

class Cli : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    m_folder = fs::path(testing::TempDir()) / ("cli_" + std::to_string(getpid()) + "_" + name);
    fs::create_directories(m_folder);
  }
  void TearDown() override { fs::remove_all(m_folder); }

  // Arguments hold no quotes.
  [[nodiscard]] Outcome run(const std::vector<std::string>& arguments) const {
    std::string command = "'" RANKSCOPE_CLI "'";
    for (const std::string& argument : arguments) command += " '" + argument + "'";
    command += " >'" + at("out") + "' 2>'" + at("err") + "' </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contentOf(at("out")), contentOf(at("err"))};
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (m_folder / name).string(); }
  [[nodiscard]] static std::string golden(const std::string& name) {
    return (fs::path(RANKSCOPE_SOURCE_DIR) / "tests" / "golden" / name / "input").string();
  }
  [[nodiscard]] static std::string expected(const std::string& name, const std::string& table) {
    return contentOf(fs::path(RANKSCOPE_SOURCE_DIR) / "tests" / "golden" / name / "expected" /
                     (table + ".csv"));
  }

  fs::path m_folder;
};

} // namespace

TEST_F(Cli, networkHasAllPartsInJsonAndOneOfThemInCsv) {
  std::ofstream(at("nccl.log")) << "a:1:1 [0] NCCL INFO NCCL version 2.20.5+cuda12.4\n"
                                   "a:1:1 [0] NCCL INFO NCCL_ALGO set by environment to Ring.\n";
  const Outcome text = run({"network", at("nccl.log")});
  EXPECT_EQ(text.exitCode, 0) << text.err;
  EXPECT_NE(text.out.find("NCCL settings are pinned"), std::string::npos);
  const Outcome all = run({"network", at("nccl.log"), "--format", "json"});
  EXPECT_EQ(all.exitCode, 0) << all.err;
  EXPECT_TRUE(all.out.starts_with("{\n  \"communicators\": []")) << all.out;
  for (const char* part : {"\"problems\": [", "\"settings\": [", "\"nccl_warnings\": []", "\"nccl_files\": [",
                           "\"bandwidth\": []", "\"fits\": []", "{\"variable\": \"NCCL_ALGO\""})
    EXPECT_NE(all.out.find(part), std::string::npos) << part;
  EXPECT_TRUE(run({"network", at("nccl.log"), "--format", "csv"}).out.starts_with("communicator,comm_id,"));
  const Outcome one = run({"network", at("nccl.log"), "--format", "csv", "--table", "settings"});
  EXPECT_EQ(one.out, "variable,value,processes,of\r\nNCCL_ALGO,Ring,1,1\r\n");
  EXPECT_TRUE(
      run({"network", at("nccl.log"), "--format", "json", "--table", "settings"}).out.starts_with("["));
  EXPECT_EQ(run({"network", at("nccl.log"), "--table", "settings"}).exitCode, 1);
  EXPECT_EQ(run({"network", at("nccl.log"), "--format", "csv", "--table", "links"}).exitCode, 1);
}

TEST_F(Cli, tablePrintsTheTableAndNothingElse) {
  const Outcome outcome = run({"table", "ranks", golden("overlap")});
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.out, expected("overlap", "ranks"));
  EXPECT_EQ(outcome.err, "") << "no progress where nobody watches";
}

// As in "rankscope-cli table ... | head".
TEST_F(Cli, nothingStaysUnpackedWhenNobodyReadsTheOutput) {
  const std::string archive = at("job.tar");
  rankscope::test::writeArchive(archive, rankscope::test::membersOf(golden("overlap")));
  const std::string temporary = at("tmp");
  fs::create_directory(temporary);
  int ends[2] = {-1, -1};
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    setenv("TMPDIR", temporary.c_str(), 1);
    signal(SIGPIPE, SIG_DFL);
    execl(RANKSCOPE_CLI, "rankscope-cli", "table", "ranks", archive.c_str(), "--no-cache",
          static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_EQ(WTERMSIG(status), SIGPIPE);
  EXPECT_TRUE(fs::is_empty(temporary));
}

TEST_F(Cli, tablePrintsJsonWhenAsked) {
  const Outcome outcome = run({"table", "kernels", golden("overlap"), "--format", "json", "--threads", "2"});
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_TRUE(outcome.out.starts_with(
      "[\n  {\"rank\": 0, \"capture\": 1, \"kernel\": \"void gemm<float, 4>(float*)\""));
}

// A peak and a model are what recordings may lack.
TEST_F(Cli, tablesTakePeakAndModelFromOptions) {
  const Outcome plain = run({"table", "mfu", golden("overlap")});
  EXPECT_EQ(plain.exitCode, 0);
  EXPECT_EQ(plain.out.find("given"), std::string::npos);
  const Outcome told = run({"table", "mfu", golden("overlap"), "--peak-tflops", "100", "--model-params",
                            "7e9", "--tokens-per-step", "1e3", "--gpus", "2"});
  EXPECT_EQ(told.exitCode, 0);
  EXPECT_NE(told.out.find("given"), std::string::npos);
  const Outcome wrong = run({"table", "mfu", golden("overlap"), "--peak-tflops", "-1"});
  EXPECT_EQ(wrong.exitCode, 1);
  EXPECT_TRUE(wrong.says("--peak-tflops"));
}

TEST_F(Cli, wrongUsageIsOneLineAndExitCodeOne) {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"explode"},
      {"summary"},
      {"table", "nonsense", golden("overlap")},
      {"table", "ranks", golden("overlap"), "--format", "xml"},
      {"table", "ranks", golden("overlap"), "--threads", "0"},
      {"table", "ranks", golden("overlap"), "--steps", "2..1"},
      {"table", "ranks", golden("overlap"), "--load-steps", "2..1"},
      {"table", "ranks", golden("overlap"), "--load-steps", "-1"},
      {"table", "ranks", golden("overlap"), "--from", "12"},
      {"table", "ranks", golden("overlap"), "--ranks", "0,x"},
      {"findings", golden("overlap"), "--fail-on", "bad"},
      {"report", golden("overlap")},
      {"report", golden("overlap"), "--out", at("r"), "--tables", "ranks,nonsense"}};
  for (const auto& arguments : wrong) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exitCode, 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
  }
  EXPECT_FALSE(fs::exists(at("r"))) << "wrong usage leaves no folder behind";
}

TEST_F(Cli, findingsDecideTheExitCodeOnRequest) {
  const Outcome plain = run({"findings", golden("cut"), "--quiet"});
  EXPECT_EQ(plain.exitCode, 0);
  EXPECT_NE(plain.out.find("Fix: "), std::string::npos);
  EXPECT_EQ(run({"findings", golden("cut"), "--quiet", "--fail-on", "warning"}).exitCode, 3);
  EXPECT_EQ(run({"findings", golden("cut"), "--quiet", "--fail-on", "critical"}).exitCode, 0);
  EXPECT_EQ(run({"findings", golden("overlap"), "--quiet", "--format", "csv"}).out,
            run({"table", "findings", golden("overlap"), "--quiet"}).out);
}

TEST_F(Cli, whatIfAnswersOrSaysWhyNot) {
  EXPECT_EQ(run({"what-if", golden("cut"), "--quiet", "--scenario", "faster"}).exitCode, 1);
  EXPECT_EQ(run({"what-if", golden("cut"), "--quiet", "--scenario", "kernel=1:dur>"}).exitCode, 1);
  const Outcome refused = run({"what-if", golden("cpu_only"), "--quiet", "--scenario", "no_stragglers"});
  EXPECT_EQ(refused.exitCode, 4);
  EXPECT_NE(refused.out.find("refused"), std::string::npos);
  const Outcome nothing = run({"what-if", golden("overlap"), "--quiet", "--scenario", "kernel=0:no_such"});
  EXPECT_EQ(nothing.exitCode, 1);
  EXPECT_TRUE(nothing.says("no activity of a device matches 'no_such'")) << nothing.err;
  EXPECT_EQ(run({"slowdown", golden("cpu_only"), "--quiet", "--as-smon"}).exitCode, 4);
  EXPECT_EQ(run({"critical-path", golden("overlap"), "--quiet", "--format", "csv"}).out,
            run({"table", "critical_path", golden("overlap"), "--quiet"}).out);
  EXPECT_EQ(run({"critical-path", golden("overlap"), "--quiet", "--by", "rank", "--format", "csv"}).exitCode,
            0);
  EXPECT_EQ(run({"what-if", golden("overlap"), "--quiet", "--format", "csv"}).out,
            run({"table", "what_if", golden("overlap"), "--quiet"}).out);
}

TEST_F(Cli, findingsOfAGainDecideTheExitCode) {
  rankscope::test::JobOptions options;
  options.gaps = {{-1, -1, 5'000'000, rankscope::test::GapCause::Sync}};
  rankscope::test::generateJob(options, at("job"));
  const auto codeOf = [&](const char* limit) {
    return run({"findings", at("job"), "--quiet", "--fail-on", limit}).exitCode;
  };
  EXPECT_EQ(codeOf("gain:10%"), 3);
  EXPECT_EQ(codeOf("gain:99.5%"), 0);
  for (const char* const wrong : {"gain:", "gain:x", "gain:-1", "gain:10", "gain:10%%", "gain:%"})
    EXPECT_EQ(codeOf(wrong), 1) << wrong;
}

TEST_F(Cli, acceptedFindingsAreShownAndNoReasonToFail) {
  rankscope::test::JobOptions options;
  options.gaps = {{-1, -1, 5'000'000, rankscope::test::GapCause::Sync}};
  rankscope::test::generateJob(options, at("job"));
  fs::remove(at("job/ground_truth.json")); // which is reported too
  std::ofstream(at("accepted.json")) << R"([{"rule": "R63", "note": "logged each step on purpose"}])";
  const Outcome all = run({"findings", at("job"), "--quiet", "--fail-on", "critical"});
  EXPECT_EQ(all.exitCode, 3);
  const Outcome some =
      run({"findings", at("job"), "--quiet", "--fail-on", "critical", "--ignore", at("accepted.json")});
  EXPECT_EQ(some.exitCode, 0) << some.out;
  EXPECT_NE(some.out.find("Synchronization"), std::string::npos) << "shown all the same";
  EXPECT_NE(some.out.find("Accepted: logged each step on purpose"), std::string::npos) << some.out;
  EXPECT_EQ(some.errorLines(), 0) << some.err;
  for (const char* const command : {"findings", "table"}) {
    const bool named = std::string_view(command) == "table";
    std::vector<std::string> arguments{command, at("job"),  "--quiet",          "--format",
                                       "csv",   "--ignore", at("accepted.json")};
    if (named) arguments.insert(arguments.begin() + 1, "findings");
    const Outcome table = run(arguments);
    EXPECT_NE(table.out.find(",logged each step on purpose"), std::string::npos) << command << table.out;
  }
  std::ofstream(at("stale.json"))
      << R"([{"rule": "R63"}, {"rule": "R10", "leaf": "wait.rank", "ranks": [1, 3], "note": "gone"}])";
  const Outcome stale = run({"findings", at("job"), "--quiet", "--ignore", at("stale.json")});
  EXPECT_EQ(stale.exitCode, 0);
  EXPECT_EQ(stale.errorLines(), 1) << stale.err;
  EXPECT_TRUE(stale.says("warning: " + at("stale.json") +
                         ": entry 2 (rule R10, leaf wait.rank, ranks 1, 3) matches no finding"))
      << stale.err;
  const Outcome missing = run({"findings", at("job"), "--quiet", "--ignore", at("nothing.json")});
  EXPECT_EQ(missing.exitCode, 1);
  EXPECT_EQ(missing.errorLines(), 1) << missing.err;
  const Outcome report =
      run({"report", at("job"), "--quiet", "--html", "--out", at("report"), "--ignore", at("accepted.json")});
  EXPECT_EQ(report.exitCode, 0) << report.err;
  EXPECT_NE(contentOf(at("report/findings.csv")).find(",logged each step on purpose"), std::string::npos);
  EXPECT_NE(contentOf(at("report/summary.json")).find("\"accepted\": 1"), std::string::npos);
  const std::string html = contentOf(at("report/report.html"));
  EXPECT_NE(html.find("logged each step on purpose"), std::string::npos);
  EXPECT_EQ(
      run({"report", at("job"), "--quiet", "--html", "--out", at("other"), "--ignore", at("nothing.json")})
          .exitCode,
      1);
}

TEST_F(Cli, aPartOfTheJobHasTheFiguresOfThatPart) {
  const Outcome one = run({"table", "steps", golden("overlap"), "--quiet", "--steps", "5", "--ranks", "1"});
  EXPECT_EQ(one.exitCode, 0);
  EXPECT_EQ(std::ranges::count(one.out, '\n'), 2);
  EXPECT_NE(one.out.find("\n1,1,5,"), std::string::npos) << one.out;
  const Outcome range =
      run({"table", "kernels", golden("overlap"), "--quiet", "--from", "0us", "--to", "1s"});
  EXPECT_EQ(range.out, expected("overlap", "kernels")) << "a range around everything changes no sum";
}

TEST_F(Cli, aPartThatDoesNotExistIsAnErrorThatSaysWhatThereIs) {
  for (const auto& [options, part] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--steps", "99"}, "--steps: the job has steps 4..5, not step 99"},
           {{"--ranks", "70,71"}, "--ranks: the job has ranks 0, 1, not ranks 70, 71"},
           {{"--load-steps", "99"}, "--load-steps: the job has steps 4..5, not step 99"},
           {{"--layout", "tp=3"}, "--layout: TP 3 does not divide the 2 ranks of the job"},
           {{"--from", "900s"}, "nothing was recorded in the part that was asked for"},
           {{"--steps", "4", "--from", "900s", "--to", "901s"}, "nothing was recorded"}}) {
    std::vector<std::string> arguments{"table", "steps", golden("overlap"), "--quiet"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exitCode, 1) << part;
    EXPECT_EQ(outcome.out, "") << part;
    EXPECT_EQ(outcome.errorLines(), 1) << outcome.err;
    EXPECT_TRUE(outcome.says(part)) << outcome.err;
  }
}

TEST_F(Cli, aPartThatExistsInPartIsAnsweredWithAWarning) {
  const Outcome ranks = run({"table", "ranks", golden("overlap"), "--quiet", "--ranks", "0,70"});
  EXPECT_EQ(ranks.exitCode, 0);
  EXPECT_EQ(std::ranges::count(ranks.out, '\n'), 2);
  EXPECT_TRUE(ranks.says("warning: --ranks: the job has ranks 0, 1, not rank 70")) << ranks.err;
  const Outcome steps = run({"table", "steps", golden("overlap"), "--quiet", "--steps", "5..99"});
  EXPECT_EQ(steps.exitCode, 0);
  EXPECT_TRUE(steps.says("warning: --steps: the job has steps 4..5, not all of steps 5..99")) << steps.err;
  EXPECT_EQ(run({"table", "steps", golden("overlap"), "--quiet", "--steps", "4..5", "--ranks", "1"}).err, "");
  const Outcome loaded =
      run({"table", "steps", golden("overlap"), "--quiet", "--no-cache", "--load-steps", "5..99"});
  EXPECT_EQ(loaded.exitCode, 0);
  EXPECT_TRUE(loaded.says("warning: --load-steps: of steps 5..99 the job has step 5")) << loaded.err;
}

// Commands in a page break before their options.
std::string withoutBreaks(std::string html) {
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>("</span> <span>", " "), {"</span></code>", "</code>"}})
    for (std::size_t at = html.find(from); at != std::string::npos; at = html.find(from, at))
      html.replace(at, from.size(), to);
  return html;
}

TEST_F(Cli, commandsInAReportOfAPartOpenThatPart) {
  const auto report = [&](const std::vector<std::string>& part) {
    std::vector<std::string> arguments{"report", golden("overlap"), "--quiet",
                                       "--html", "--out",           at("report")};
    arguments.insert(arguments.end(), part.begin(), part.end());
    EXPECT_EQ(run(arguments).exitCode, 0);
    return withoutBreaks(contentOf(m_folder / "report/report.html"));
  };
  const std::string steps = report({"--steps", "4", "--ranks", "1"});
  EXPECT_NE(steps.find("table steps " + golden("overlap") + " --steps 4 --ranks 1<"), std::string::npos);
  EXPECT_NE(steps.find(" --ranks 1 --view gains<"), std::string::npos);
  EXPECT_NE(steps.find(" --range "), std::string::npos);
  for (const std::vector<std::string>& part :
       std::vector<std::vector<std::string>>{{"--steps", "4"}, {"--capture", "1"}, {"--load-steps", "4"}})
    EXPECT_EQ(report(part).find("Whole trace"), std::string::npos) << part[0];
  EXPECT_NE(report({}).find("Whole trace"), std::string::npos);
  EXPECT_NE(report({}).find(" --finding 1<"), std::string::npos);
  // The window finds other gains, and so has its findings in another order.
  const std::string given = report({"--gains", "formula", "--layout", "tp=2", "--peak-tflops", "100"});
  EXPECT_NE(
      given.find("table ranks " + golden("overlap") + " --peak-tflops 100 --gains formula --layout tp=2<"),
      std::string::npos);
  EXPECT_EQ(given.find(" --finding "), std::string::npos);
  EXPECT_NE(given.find("Whole trace · with --peak-tflops 100 --gains formula --layout tp=2, options that the "
                       "window has not"),
            std::string::npos);
}

TEST_F(Cli, aSessionOpensItsTraces) {
  std::ofstream(at("marks.rankscope"))
      << "{\"rankscope_session\": 1, \"traces\": [\"" << golden("overlap") << "\"]}";
  const Outcome outcome = run({"table", "ranks", at("marks.rankscope"), "--quiet"});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(outcome.out, expected("overlap", "ranks"));
  std::ofstream(at("broken.rankscope")) << "{}";
  const Outcome broken = run({"summary", at("broken.rankscope"), "--quiet"});
  EXPECT_EQ(broken.exitCode, 2);
  EXPECT_TRUE(broken.says("broken.rankscope: not a session file: marker missing")) << broken.err;
}

TEST_F(Cli, whatIsNotToBeLoadedIsMissingInTheTables) {
  const std::string operators = expected("operators", "operators");
  const Outcome without =
      run({"table", "operators", golden("operators"), "--quiet", "--no-cache", "--skip-cpu-ops"});
  EXPECT_EQ(without.exitCode, 0);
  EXPECT_NE(operators.find("aten::copy_"), std::string::npos);
  EXPECT_EQ(without.out, operators.substr(0, operators.find('\n') + 1)) << "nothing but the header";
  const auto steps = [&](const char* loaded) {
    const Outcome outcome =
        run({"table", "steps", golden("overlap"), "--quiet", "--no-cache", "--load-steps", loaded});
    EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
    return std::ranges::count(outcome.out, '\n') - 1;
  };
  EXPECT_EQ(steps("4..5"), 4) << "of two ranks";
  EXPECT_EQ(steps("5"), 2);
}

TEST_F(Cli, nothingToReadIsExitCodeTwo) {
  const Outcome missing = run({"summary", at("nowhere")});
  EXPECT_EQ(missing.exitCode, 2);
  EXPECT_TRUE(missing.says(at("nowhere"))) << missing.err;
  std::ofstream(at("broken.json")) << "{\"traceEvents\": 7}";
  EXPECT_EQ(run({"table", "ranks", at("broken.json")}).exitCode, 2);
}

TEST_F(Cli, damagedAndForeignFilesAreNamedWithPlaceAndReasonAndTheOthersOpen) {
  const Outcome outcome = run({"table", "ranks", golden("cut")});
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_EQ(outcome.out, expected("cut", "ranks"));
  EXPECT_TRUE(outcome.says("rank1.json: byte 488: skipped: the file ends inside an event")) << outcome.err;
  EXPECT_TRUE(outcome.says("settings.json: ")) << outcome.err;
  const Outcome quiet = run({"table", "ranks", golden("cut"), "--quiet"});
  EXPECT_FALSE(quiet.says("skipped")) << quiet.err;
  EXPECT_TRUE(quiet.says("settings.json: ")) << "what did not open is an error, not a remark";
}

TEST_F(Cli, reportWritesEveryTableAndASummary) {
  const Outcome outcome = run({"report", golden("overlap"), "--out", at("deep/report")});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  for (const char* table : {"ranks", "kernels"})
    EXPECT_EQ(contentOf(at("deep/report") + "/" + table + ".csv"), expected("overlap", table));
  EXPECT_NE(contentOf(at("deep/report/summary.json")).find("\"world_size\": 2"), std::string::npos);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(at("deep/report")))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  std::vector<std::string> all{"summary.json"};
  for (const rankscope::TableSpec& spec : rankscope::tableSpecs()) {
    if (!spec.nccl) all.push_back(std::string(spec.name) + ".csv"); // there is no log
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(names, all);
}

TEST_F(Cli, reportReplacesOnlyWhatItWrites) {
  fs::create_directories(at("r"));
  std::ofstream(at("r/ranks.json")) << std::string(100'000, 'x');
  std::ofstream(at("r/notes.txt")) << "mine";
  const Outcome outcome =
      run({"report", golden("overlap"), "--out", at("r"), "--format", "json", "--tables", "ranks"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_TRUE(contentOf(at("r/ranks.json")).ends_with("}\n]\n"));
  EXPECT_EQ(contentOf(at("r/notes.txt")), "mine");
  EXPECT_FALSE(fs::exists(at("r/kernels.json")));
}

TEST_F(Cli, reportOnAFileInThePlaceOfTheFolderIsWrongUsage) {
  std::ofstream(at("r")) << "x";
  const Outcome outcome = run({"report", golden("overlap"), "--out", at("r")});
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_EQ(contentOf(at("r")), "x");
}

TEST_F(Cli, questionsInSqlAreAnswered) {
  const std::string job = golden("overlap");
  const Outcome table =
      run({"query", job, "SELECT rank, count(*) AS n FROM events GROUP BY rank", "--quiet"});
  EXPECT_EQ(table.exitCode, 0) << table.err;
  EXPECT_EQ(table.out, "  rank   n\n     0  11\n     1  11\n");
  const Outcome csv = run({"query", "SELECT * FROM ranks", job, "--format", "csv", "--quiet"});
  EXPECT_EQ(csv.out, run({"table", "ranks", job, "--quiet"}).out);
  std::ofstream(at("q.sql")) << "SELECT 1 AS one";
  EXPECT_EQ(run({"query", job, "--file", at("q.sql"), "--format", "csv"}).out, "one\r\n1\r\n");
  EXPECT_TRUE(run({"query", job, "SELECT 1", "--format", "jsonl"})
                  .out.ends_with("{\"rows\": 1, \"truncated\": false}\n"));
  const Outcome wrong = run({"query", job, "SELECT nam FROM events", "--quiet"});
  EXPECT_EQ(wrong.exitCode, 1);
  EXPECT_TRUE(wrong.says("line 1, column 8: no such column: nam; did you mean name?")) << wrong.err;
  const Outcome late = run(
      {"query", job, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n",
       "--timeout", "0.05", "--quiet"});
  EXPECT_EQ(late.exitCode, 4);
  EXPECT_TRUE(late.says("stopped after 0.05 s")) << late.err;
  EXPECT_TRUE(
      run({"query", job, "SELECT id FROM events", "--limit", "2", "--quiet"}).says("only the first 2 rows"));
  EXPECT_EQ(run({"query", job, "--out", at("job.sqlite"), "--quiet"}).exitCode, 0);
  EXPECT_TRUE(contentOf(at("job.sqlite")).starts_with("SQLite format 3"));
  EXPECT_EQ(run({"query", job, "--out", at("few.sqlite"), "--tables", "nothing", "--quiet"}).exitCode, 1);
  EXPECT_EQ(run({"query", job, "--out", "/nowhere/at/all.sqlite", "--quiet"}).exitCode, 1);
  EXPECT_TRUE(run({"query", "--schema"}).out.starts_with("  table"));
  EXPECT_NE(run({"query", "--schema", "events"}).out.find("begin_ns"), std::string::npos);
  EXPECT_EQ(run({"query", "--schema", "nothing"}).exitCode, 1);
  EXPECT_EQ(run({"query", job}).exitCode, 1) << "no SQL";
  EXPECT_EQ(run({"query", "SELECT 1"}).exitCode, 1) << "no path";
  EXPECT_EQ(run({"query", "SELECT 1", at("nothing.json")}).exitCode, 2);
}

TEST_F(Cli, stacksArePrintedInEveryFormat) {
  const Outcome folded = run({"stacks", golden("operators"), "--by", "rank,thread,step", "--quiet"});
  EXPECT_EQ(folded.exitCode, 0) << folded.err;
  EXPECT_NE(folded.out.find("rank "), std::string::npos) << folded.out;
  EXPECT_TRUE(run({"stacks", golden("operators"), "--format", "speedscope"}).out.starts_with("{"));
  EXPECT_TRUE(run({"stacks", golden("operators"), "--format", "svg"}).out.starts_with("<svg"));
  EXPECT_TRUE(run({"stacks", golden("operators"), "--format", "csv", "--weight", "bytes"})
                  .out.starts_with("stack,count,bytes"));
  const Outcome pprof = run({"stacks", golden("operators"), "--format", "pprof", "--out", at("p.gz")});
  EXPECT_EQ(pprof.exitCode, 0);
  EXPECT_EQ(pprof.out, "");
  EXPECT_TRUE(contentOf(at("p.gz")).starts_with("\x1f\x8b"));
  EXPECT_EQ(run({"stacks", golden("operators"), "--like-torch"}).out, "") << "no Python frames";
  EXPECT_EQ(run({"stacks", golden("operators"), "--like-torch", "--format", "csv"}).exitCode, 1);
  EXPECT_EQ(run({"stacks", golden("operators"), "--out", at("no/such")}).exitCode, 1);
}

TEST_F(Cli, captureShowsOneCycleOfEveryRank) {
  const Outcome outcome = run({"table", "ranks", golden("cycles"), "--capture", "2"});
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const std::string row = outcome.out.substr(outcome.out.find('\n') + 1);
  EXPECT_TRUE(row.starts_with("0,2,")) << row;
  EXPECT_EQ(std::count(row.begin(), row.end(), '\n'), 1);
}

TEST_F(Cli, aCaptureThatNoRankHasIsWrongUsageInEveryCommand) {
  const std::string job = golden("cycles");
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"summary", job},
           {"report", job, "--out", at("report")},
           {"findings", job},
           {"table", "ranks", job},
           {"table", "files", job},
           {"compare", job, "--with", job},
           {"stacks", job},
           {"stacks", job, "--with", job},
           {"query", "SELECT * FROM job", job},
           {"query", "SELECT * FROM job", job, "--with", job},
           {"what-if", job},
           {"critical-path", job},
           {"slowdown", job},
           {"excerpt", job, "--from", "0us", "--to", "1s", "--out", at("excerpt.json.gz")},
           {"network", job}}) {
    std::vector<std::string> arguments = command;
    for (const char* const more : {"--capture", "9", "--quiet"}) arguments.emplace_back(more);
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exitCode, 1) << command.front() << ": " << outcome.err;
    EXPECT_EQ(outcome.out, "") << command.front();
    EXPECT_TRUE(outcome.says("no rank has capture 9; the job has captures 1, 2"))
        << command.front() << ": " << outcome.err;
  }
}

TEST_F(Cli, aCaptureThatSomeRanksLackIsAnsweredWithAWarning) {
  rankscope::test::JobOptions options;
  options.ranks = 2;
  options.steps = 2;
  options.captures = 2;
  const auto truth = rankscope::test::generateJob(options, at("job"));
  for (const auto& file : truth.files) {
    if (file.rank == 1 && file.capture > truth.files.front().capture)
      fs::remove(fs::path(at("job")) / file.file);
  }
  const Outcome part = run({"table", "ranks", at("job"), "--capture", "2", "--quiet", "--no-cache"});
  EXPECT_EQ(part.exitCode, 0) << part.err;
  EXPECT_EQ(std::ranges::count(part.out, '\n'), 2) << part.out;
  EXPECT_TRUE(part.says("warning: --capture: rank 1 has no capture 2")) << part.err;
  const Outcome all = run({"table", "ranks", at("job"), "--capture", "1", "--quiet", "--no-cache"});
  EXPECT_EQ(all.exitCode, 0);
  EXPECT_FALSE(all.says("warning")) << all.err;
}

TEST_F(Cli, threadsDoNotChangeAByte) {
  const Outcome one = run({"table", "kernels", golden("overlap"), "--threads", "1"});
  const Outcome many = run({"table", "kernels", golden("overlap"), "--threads", "7"});
  EXPECT_EQ(one.out, many.out);
}

TEST_F(Cli, summaryNamesTheJobAndItsRanks) {
  const Outcome outcome = run({"summary", golden("overlap")});
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_NE(outcome.out.find("2 ranks · 2 hosts"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("ncclDevKernel_AllReduce"), std::string::npos) << outcome.out;
}

TEST_F(Cli, aJobIsKeptUnlessItIsNotWanted) {
  rankscope::test::JobOptions options;
  options.targetEvents = 80'000;
  rankscope::test::generateJob(options, at("job"));
  fs::remove(at("job/ground_truth.json"));
  const auto kept = [&] {
    std::vector<fs::path> files;
    if (!fs::exists(at("cache"))) return files;
    for (const auto& entry : fs::directory_iterator(at("cache"))) files.push_back(entry.path());
    return files;
  };
  const char* const before = std::getenv("RANKSCOPE_CACHE_DIR");
  const std::string valueBefore = before != nullptr ? before : "";
  setenv("RANKSCOPE_CACHE_DIR", at("cache").c_str(), 1);
  const std::vector<std::string> table{"table", "kernels", at("job")};
  const std::vector<std::string> tableWithout{"table", "kernels", at("job"), "--no-cache"};
  const Outcome without = run(tableWithout);
  EXPECT_TRUE(kept().empty());
  const Outcome first = run(table);
  ASSERT_EQ(kept().size(), 1U);
  const fs::path file = kept().front();
  const auto longAgo = fs::last_write_time(file) - std::chrono::hours(5);
  fs::last_write_time(file, longAgo);
  const Outcome withoutAgain = run(tableWithout);
  EXPECT_EQ(fs::last_write_time(file), longAgo) << "not even looked at";
  const Outcome second = run(table);
  EXPECT_GT(fs::last_write_time(file), longAgo) << "used";
  setenv("RANKSCOPE_CACHE_DIR", at("report.txt").c_str(), 1);
  std::ofstream(at("report.txt")) << "a file where the folder should be";
  const Outcome blocked = run(table);
  if (before != nullptr)
    setenv("RANKSCOPE_CACHE_DIR", valueBefore.c_str(), 1);
  else
    unsetenv("RANKSCOPE_CACHE_DIR");
  EXPECT_EQ(first.exitCode, 0) << first.err;
  for (const Outcome& outcome : {without, withoutAgain, second, blocked}) {
    EXPECT_EQ(outcome.exitCode, 0);
    EXPECT_EQ(outcome.out, first.out);
  }
  for (const Outcome& outcome : {without, withoutAgain, second}) EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(blocked.says("report.txt: the job was not written to the cache: Not a directory"))
      << blocked.err;
}

TEST_F(Cli, excerptWritesTracesOfTheSelectedRanks) {
  EXPECT_EQ(run({"excerpt", golden("overlap")}).exitCode, 1) << "where to";
  const Outcome outcome = run({"excerpt", golden("overlap"), "--out", at("part")});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("rank0.json.gz: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Metadata events"), std::string::npos) << "which summary and files count, too";
  EXPECT_EQ(run({"table", "ranks", at("part")}).out, expected("overlap", "ranks"));
  EXPECT_EQ(run({"excerpt", golden("overlap"), "--ranks", "99", "--out", at("none")}).exitCode, 1);
  EXPECT_FALSE(fs::exists(at("none")));
}

TEST_F(Cli, aReportOfARemoteOpensItByItsAddressAndHasNoCredentials) {
  RANKSCOPE_SKIP_WITHOUT(!rankscope::test::programPath("rclone").empty(), rankscope::test::kNoRclone);
  RANKSCOPE_SKIP_WITHOUT(!rankscope::test::s3rverPath().empty(), rankscope::test::kNoS3rver);
  const rankscope::test::RemoteEnvironment environment(m_folder);
  const auto server = rankscope::test::RemoteServer::s3(m_folder / "s3");
  ASSERT_EQ(rankscope::test::runRclone(
                {"copy", golden("overlap"), rankscope::test::s3Remote(server.port(), "job")}),
            0);
  const std::string address = rankscope::test::s3Address(server.port(), "job");
  const Outcome outcome = run({"report", address + "&access_key_id=S3RVER&secret_access_key=S3RVER",
                               "--no-cache", "--html", "--out", at("report")});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  const std::string html = contentOf(m_folder / "report/report.html");
  EXPECT_NE(html.find("s3://traces/job?endpoint="), std::string::npos);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(m_folder)) {
    if (!entry.is_regular_file() || entry.path().string().find("/s3/") != std::string::npos) continue;
    EXPECT_EQ(contentOf(entry.path()).find("S3RVER"), std::string::npos) << entry.path();
  }
}

TEST_F(Cli, versionAndHelpAreFine) {
  const Outcome version = run({"--version"});
  EXPECT_EQ(version.exitCode, 0);
  EXPECT_EQ(version.out, "rankscope-cli " RANKSCOPE_VERSION "\n");
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"--help"}, {"report", "--help"}}) {
    const Outcome help = run(arguments);
    EXPECT_EQ(help.exitCode, 0);
    EXPECT_NE(help.out.find("Usage:"), std::string::npos);
  }
}

TEST_F(Cli, hangAndSnapshotNameTheFilesThatTheyDoNotUse) {
  const fs::path memory = rankscope::test::sharedFolder() / "memory";
  RANKSCOPE_SKIP_UNLESS(fs::exists(memory), rankscope::test::kNoRecordings);
  const Outcome folders = run({"hang", (memory / "flight_recorder").string()});
  EXPECT_EQ(folders.exitCode, 3);
  EXPECT_NE(folders.out.find("32 dumps of other jobs were left out"), std::string::npos) << folders.out;
  EXPECT_TRUE(folders.says("_dump_0: a dump of another job: open its folder separately")) << folders.err;
  EXPECT_TRUE(folders.says("12 more files were not used")) << folders.err;
  EXPECT_EQ(folders.errorLines(), 21);
  const Outcome one = run({"hang", (memory / "flight_recorder" / "gloo_missing").string()});
  EXPECT_EQ(one.out.find("other job"), std::string::npos) << one.out;
  EXPECT_EQ(one.err, "") << "JSON says the same as the pickle beside it";

  std::ofstream(at("refused.pickle"), std::ios::binary)
      << "\x80\x04}(X\x08" << std::string(3, '\0') << "segmentscos\nsystem\nu.";
  std::ofstream(at("notes.txt")) << "no snapshot";
  const std::string whole = (memory / "snapshots" / "small.pickle").string();
  const Outcome some = run({"snapshot", at("refused.pickle"), at("notes.txt"), at("none.pickle"), whole});
  EXPECT_EQ(some.exitCode, 0);
  EXPECT_TRUE(some.says("refused.pickle: a Python pickle, byte ")) << some.err;
  EXPECT_TRUE(some.says("contains code (GLOBAL), not opened")) << some.err;
  EXPECT_TRUE(some.says("notes.txt: not a memory snapshot")) << some.err;
  EXPECT_TRUE(some.says("none.pickle: no such file or folder")) << some.err;
  EXPECT_EQ(some.errorLines(), 3) << some.err;
  const Outcome alone = run({"summary", whole});
  EXPECT_NE(alone.out.find("rankscope-cli snapshot and the Memory tab"), std::string::npos) << alone.out;
  EXPECT_NE(alone.out.find("No trace was opened"), std::string::npos) << alone.out;
  const Outcome other = run({"hang", whole});
  EXPECT_EQ(other.exitCode, 2);
  EXPECT_TRUE(other.says("small.pickle: not a Flight Recorder dump")) << other.err;

  fs::copy_file(whole, at("cut.pickle"));
  fs::resize_file(at("cut.pickle"), 36'085);
  const Outcome cut = run({"snapshot", at("cut.pickle")});
  EXPECT_TRUE(cut.says("cut.pickle: memory snapshot, truncated")) << cut.err;
  EXPECT_NE(cut.out.find("cut.pickle\n  The file is truncated at byte 36085"), std::string::npos) << cut.out;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// What Compare writes and reads: tables, gates, baselines, and the command compare as a build that fails uses
// it. Covers core/analysis/compare/gate, core/report/compare_baseline, core/report/compare_figures,
// core/report/compare_html, core/report/compare_parallel, core/report/compare_tables, core/report/html_page
// and app/compare_command.
#include "core/report/compare_files.h"

#include "core/io/load/trace_loader.h"
#include "core/report/compare_figures.h"
#include "core/report/compare_html.h"
#include "core/report/compare_sides.h"
#include "core/report/compare_tables.h"
#include "core/report/compare_text.h"
#include "core/report/html_report.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <vector>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::string contentOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void writeText(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

// Two jobs, the second with slower communication and 10 ms more of the DataLoader in each step.
class CompareFiles : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    jobFolder = std::make_unique<test::TemporaryFolder>();
    for (const char* name : {"a", "b"}) test::generateJob(optionsOf(name), jobFolder->path() / name);
  }
  static test::JobOptions optionsOf(std::string_view name) {
    test::JobOptions options;
    options.ranks = 2;
    options.steps = 7;
    options.layers = 3;
    if (name == "a") return options;
    options.communicationPermille = 900;
    options.gaps.push_back({-1, -1, 10'000'000, test::GapCause::DataLoader});
    return options;
  }
  static void TearDownTestSuite() { jobFolder.reset(); }

  static SideFacts side(const std::string& name) {
    Progress progress;
    auto loaded = loadTraces({at(name)}, {}, progress);
    if (!loaded.ok()) return {};
    return sideOf(Analysis(*loaded), {});
  }
  static std::string at(const std::string& name) { return (jobFolder->path() / name).string(); }

  // The exit status; what is on standard output goes to the file "out".
  static int run(const std::string& arguments) {
    const std::string command = "'" RANKSCOPE_CLI "' compare " + arguments + " --no-cache --quiet >'" +
                                at("out") + "' 2>'" + at("err") + "'";
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  // Runs like a job's, with other noise.
  static std::vector<std::string> furtherRuns(const std::string& name, std::size_t count) {
    std::vector<std::string> folders;
    for (std::size_t i = 0; i < count; ++i) {
      test::JobOptions options = optionsOf(name);
      options.seed += 100 + i;
      folders.push_back(at(name + std::to_string(i)));
      test::generateJob(options, folders.back());
    }
    return folders;
  }
  static std::string both() { return "'" + at("a") + "' --with '" + at("b") + "'"; }
  static std::string out() { return contentOf(at("out")); }
  static std::string err() { return contentOf(at("err")); }

  static inline std::unique_ptr<test::TemporaryFolder> jobFolder;
};

std::string lastLine(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  const std::size_t begin = text.find_last_of('\n', end);
  return text.substr(begin + 1, end - begin);
}

} // namespace

TEST(WholeParts, addUpToTheTotal) {
  for (const auto& [values, total] :
       {std::pair(std::vector<double>{0.4, 0.4, 0.2}, TimeNs{1}),
        std::pair(std::vector<double>{-1.5, 2.5, 3}, TimeNs{4}),
        std::pair(std::vector<double>{5, 7}, TimeNs{12}), std::pair(std::vector<double>{}, TimeNs{0})}) {
    const std::vector<TimeNs> parts = wholeParts(values, total);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), TimeNs{0}), total);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(static_cast<double>(parts[i]), values[i], 1);
  }
  EXPECT_EQ(wholeParts(std::vector<double>{5, 7}, 12), (std::vector<TimeNs>{5, 7}));
}

TEST(GatePattern, starsStandForAnyText) {
  EXPECT_TRUE(matchesPattern("ncclDevKernel_AllReduce_Sum", "ncclDevKernel_AllReduce*"));
  EXPECT_TRUE(matchesPattern("abc", "*b*"));
  EXPECT_TRUE(matchesPattern("abc", "a?c"));
  EXPECT_TRUE(matchesPattern("", "*"));
  EXPECT_FALSE(matchesPattern("abc", "ab"));
  EXPECT_FALSE(matchesPattern("abc", "*d"));
  EXPECT_FALSE(matchesPattern("", "?"));
}

TEST_F(CompareFiles, tablesHaveTheColumnsThatArePromised) {
  const Comparison comparison = compareSides(side("a"), side("b"));
  for (const CompareTableSpec& spec : compareTableSpecs()) {
    const ResultTable table = spec.make(comparison);
    EXPECT_EQ(table.name(), spec.name);
    EXPECT_GT(table.rowCount(), 0U) << spec.name;
  }
  const ResultTable statistics = compareStatisticsTable(comparison);
  const std::size_t last = statistics.rowCount() - 1;
  EXPECT_EQ(exactText(statistics, last, 0), "verdict");
  EXPECT_EQ(exactText(statistics, last, 1), "regression");
  const std::string json = comparisonJson(comparison);
  EXPECT_NE(json.find("\"schema\": 1"), std::string::npos);
  EXPECT_NE(json.find("\"verdict\": \"regression\""), std::string::npos);
}

TEST_F(CompareFiles, aBaselineStandsForTheSide) {
  const SideFacts a = side("a");
  const std::string text = baselineText(a);
  EXPECT_LT(text.size(), kMaxBaselineBytes);
  const auto read = baselineFrom(text, "baseline.json");
  ASSERT_TRUE(read.ok()) << read.error().text();
  const SideFacts b = side("b");
  const Comparison direct = compareSides(a, b);
  const Comparison stored = compareSides(*read, b);
  EXPECT_EQ(stored.verdict, direct.verdict);
  EXPECT_EQ(stored.tests.welch->p, direct.tests.welch->p);
  EXPECT_NEAR(stored.delta(), direct.delta(), 1e-6);
  ASSERT_EQ(stored.classes.size(), direct.classes.size());
  for (std::size_t i = 0; i < stored.classes.size(); ++i)
    EXPECT_NEAR(stored.classes[i].delta(), direct.classes[i].delta(), 1e-6);
  // What is known of both sides is the same, from the file too.
  ASSERT_EQ(stored.facts.size(), direct.facts.size());
  for (std::size_t i = 0; i < stored.facts.size(); ++i)
    EXPECT_EQ(stored.facts[i].a, direct.facts[i].a) << stored.facts[i].name;
  // As many steps and rows as there may be: small all the same.
  SideFacts large = a;
  for (int i = 0; i < 3000; ++i) {
    large.samples.push_back(a.samples.front());
    large.operators.push_back(a.operators.front());
    large.operators.back().name += std::to_string(i);
  }
  EXPECT_LT(baselineText(large).size(), 2 * kMaxBaselineBytes);
  EXPECT_TRUE(baselineFrom(baselineText(large), "large").ok());
}

TEST_F(CompareFiles, damagedBaselinesAreRefused) {
  const std::string text = baselineText(side("a"));
  EXPECT_FALSE(baselineFrom("", "x").ok());
  EXPECT_FALSE(baselineFrom("[]", "x").ok());
  EXPECT_FALSE(baselineFrom("{\"schema\": 2}", "x").ok());
  EXPECT_FALSE(baselineFrom(text.substr(0, text.size() / 2), "x").ok());
  for (std::size_t at = 0; at < text.size(); at += 97) {
    std::string damaged = text;
    damaged[at] = damaged[at] == '9' ? '"' : '9';
    const auto read = baselineFrom(damaged, "x");
    if (read.ok()) static_cast<void>(compareSides(*read, *read));
  }
}

TEST_F(CompareFiles, wrongGatesNameTheRule) {
  const auto problemOf = [&](const std::string& text) {
    writeText(at("gate.json"), text);
    const auto gate = readGate(at("gate.json"));
    return gate.ok() ? std::string() : gate.error().text();
  };
  EXPECT_EQ(problemOf(R"({"schema": 1, "rules": [{"figure": "idle_us", "max_increase_pct": 3}]})"), "");
  EXPECT_NE(problemOf(R"({"rules": []})").find("missing or empty"), std::string::npos);
  EXPECT_NE(problemOf(R"({"rules": [{"figure": "idle_us"}]})").find("rule 1: a limit"), std::string::npos);
  EXPECT_NE(problemOf(R"({"rules": [{"max_increase_us": 1}]})").find("\"figure\" is missing"),
            std::string::npos);
  EXPECT_NE(problemOf(R"({"rules": [], "alpha": 2})").find("alpha"), std::string::npos);
  EXPECT_NE(problemOf(R"({"typo": 1})").find("\"typo\" is unknown"), std::string::npos);
  EXPECT_NE(problemOf("{").find("not valid JSON"), std::string::npos);
  EXPECT_FALSE(readGate(at("no such file")).ok());
}

TEST_F(CompareFiles, theCommandPrintsTheVerdictLast) {
  EXPECT_EQ(run(both()), 0);
  EXPECT_EQ(lastLine(out()), "verdict: regression");
  EXPECT_EQ(run("'" + at("a") + "' --with '" + at("a") + "'"), 0);
  EXPECT_EQ(lastLine(out()), "verdict: no_change");
  EXPECT_EQ(run("'" + at("b") + "' --with '" + at("a") + "' --by operator"), 0);
  EXPECT_EQ(lastLine(out()), "verdict: improvement");
  EXPECT_EQ(run(both() + " --format csv --by kernel"), 0);
  EXPECT_TRUE(out().starts_with("kernel_a,kernel_b,matched_by,"));
  EXPECT_EQ(run(both() + " --format json"), 0);
  EXPECT_TRUE(out().starts_with("{\n  \"schema\": 1,"));
  EXPECT_EQ(run("'" + at("a") + "' --a-ranks 0 --b-ranks 1"), 0);
  EXPECT_EQ(run(both() + " --out '" + at("tables") + "'"), 0);
  for (const CompareTableSpec& spec : compareTableSpecs())
    EXPECT_TRUE(fs::exists(jobFolder->path() / "tables" / (std::string(spec.name) + ".csv"))) << spec.name;
  EXPECT_TRUE(fs::exists(jobFolder->path() / "tables" / "compare.json"));
  const std::string page = contentOf(at("tables/compare.html"));
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(run(both() + " --format html"), 0);
  EXPECT_EQ(out(), page);
}

// The page says what the terminal says, without scripts, and names of a trace are text in it.
TEST_F(CompareFiles, thePageHoldsEverythingItShows) {
  SideFacts a = side("a");
  a.operators.front().name = "<script>alert(1)</script>";
  const Comparison comparison = compareSides(a, side("b"));
  const std::string page = comparisonHtml(comparison);
  EXPECT_NE(page.find("Step time from A to B"), std::string::npos);
  EXPECT_NE(page.find("regression"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("http://"), std::string::npos);
  std::size_t marks = 0;
  for (std::size_t at = page.find("<title>step "); at != std::string::npos;
       at = page.find("<title>step ", at + 1))
    ++marks;
  EXPECT_EQ(marks, 2 * (comparison.a.samples.size() + comparison.b.samples.size()))
      << "on a wide and on a narrow page";
  EXPECT_NE(page.find(">Change in %</th>"), std::string::npos) << "beside the column of times";
  EXPECT_NE(page.find("<td class=\"n\">+"), std::string::npos) << "a difference has its sign";
  EXPECT_NE(page.find("95 % interval"), std::string::npos);
  const ReportPicture picture{"Aligned steps", "", "image/png", "QUJD", {}};
  EXPECT_NE(comparisonHtml(comparison, std::span(&picture, 1)).find("base64,QUJD"), std::string::npos);
}

TEST_F(CompareFiles, furtherRunsOfASideAreItsCaptures) {
  const std::vector<std::string> a = furtherRuns("a", 4);
  const std::vector<std::string> b = furtherRuns("b", 4);
  EXPECT_EQ(
      run(both() + " --more-a '" + a[0] + "' --more-b '" + b[0] + "' --more-b '" + b[1] + "' --format json"),
      0)
      << err();
  EXPECT_NE(out().find("\"captures\": 2"), std::string::npos);
  EXPECT_NE(out().find("\"captures\": 3"), std::string::npos);
  EXPECT_NE(out().find("\"kept_steps\": 14"), std::string::npos);
  EXPECT_NE(out().find("\"kept_steps\": 21"), std::string::npos);
  // Two captures of A that differ by as much as B does from A: nothing was changed.
  EXPECT_EQ(run(both() + " --more-a '" + at("b") + "'"), 0);
  EXPECT_TRUE(lastLine(out()) == "verdict: within_noise" || lastLine(out()) == "verdict: unclear") << out();
  EXPECT_NE(out().find("7 of B's 7 steps are also part of A"), std::string::npos) << out();
  // Five runs a side: they are what is tested, not their steps.
  std::string more;
  for (std::size_t i = 0; i < a.size(); ++i) more += " --more-a '" + a[i] + "' --more-b '" + b[i] + "'";
  EXPECT_EQ(run(both() + more + " --format json"), 0);
  EXPECT_NE(out().find("\"captures\": 5"), std::string::npos);
}

TEST_F(CompareFiles, aRecordingCountsOnlyOnce) {
  EXPECT_EQ(run(both() + " --more-b '" + at("b") + "'"), 1);
  EXPECT_NE(err().find("already part of side B"), std::string::npos) << err();
  EXPECT_EQ(out(), "");
}

// Rows that are matched by name alone show the shapes of both sides.
TEST_F(CompareFiles, shapesOfBothSidesAreShownWhereTheyDiffer) {
  SideFacts a = side("a");
  SideFacts b = a;
  b.identity.fingerprint = 0;
  a.identity.shapes = b.identity.shapes = Recorded::Yes;
  a.operators.resize(1);
  a.operators.front().shapes = "[[8, 16]]";
  b.operators = a.operators;
  b.operators.front().shapes = "[[4, 16]]";
  b.operators.front().calls += 1; // so that it is not the same call of another shape
  const auto shapesOf = [&] {
    const ResultTable table = compareOperatorsTable(compareSides(a, b));
    return exactText(table, 0, *table.columnNamed("shapes"));
  };
  EXPECT_EQ(shapesOf(), "[[8, 16]] -> [[4, 16]]");
  b.operators.front().shapes.clear();
  EXPECT_EQ(shapesOf(), "[[8, 16]] -> none");
}

TEST_F(CompareFiles, stepsArePairedByNumberOrOrder) {
  // Steps 2 to 4 of one run and 3 to 6 of the other have two numbers in common.
  EXPECT_EQ(run(both() + " --a-steps 2..4 --b-steps 3..6 --align number --format csv"), 0) << err();
  EXPECT_EQ(run(both() + " --a-steps 2..4 --b-steps 3..6 --align number --format json"), 0);
  EXPECT_NE(out().find("\"steps\": 2"), std::string::npos);
  EXPECT_EQ(out().find("\"steps\": 3"), std::string::npos);
  EXPECT_EQ(run(both() + " --a-steps 1..2 --b-steps 4..6 --align number"), 1);
  EXPECT_NE(err().find("no step number in common"), std::string::npos);
  EXPECT_EQ(run("'" + at("a") + "' --a-ranks 0 --b-ranks 1 --align order"), 0);
  EXPECT_EQ(run("'" + at("a") + "' --a-ranks 0 --b-ranks 1 --align sideways"), 1);
}

TEST_F(CompareFiles, exitCodesTellABuildWhatToDo) {
  EXPECT_EQ(run("'" + at("a") + "'"), 1); // nothing to compare with
  EXPECT_EQ(run(both() + " --a-ranks 7"), 1);
  EXPECT_EQ(run(both() + " --fail-on nonsense"), 1);
  EXPECT_EQ(run("'" + at("none") + "' --with '" + at("b") + "'"), 2);
  EXPECT_EQ(run(both() + " --fail-on regression"), 3);
  EXPECT_EQ(run(both() + " --fail-on regression:5000%"), 0);
  EXPECT_EQ(run("'" + at("b") + "' --with '" + at("a") + "' --fail-on regression"), 0);
  EXPECT_EQ(run(both() + " --b-steps 1..3 --fail-on regression"), 4);
  EXPECT_EQ(run(both() + " --b-steps 1..3 --fail-on regression --undecided pass"), 0);
}

// The recipe of the guide: fail the build when exposed communication grows by 5 %.
TEST_F(CompareFiles, aBuildFailsWhenExposedCommunicationGrows) {
  const std::string help = contentOf(std::string(RANKSCOPE_SOURCE_DIR) + "/resources/help/compare.md");
  const std::size_t begin = help.find("```json\n");
  const std::size_t end = help.find("```", begin + 8);
  ASSERT_NE(end, std::string::npos);
  writeText(at("gate.json"), help.substr(begin + 8, end - begin - 8));
  ASSERT_NE(help.find("exposed_communication_us"), std::string::npos);
  EXPECT_EQ(run("'" + at("a") + "' --save-baseline '" + at("baseline.json") + "'"), 0) << err();
  EXPECT_LT(fs::file_size(at("baseline.json")), kMaxBaselineBytes);
  const std::string gate = " --gate '" + at("gate.json") + "'";
  EXPECT_EQ(run("--baseline '" + at("baseline.json") + "' --with '" + at("b") + "'" + gate), 3) << out();
  EXPECT_NE(out().find("exposed_communication_us"), std::string::npos);
  EXPECT_EQ(run("'" + at("b") + "' --with '" + at("a") + "'" + gate), 0) << out();
  EXPECT_EQ(run("--baseline '" + at("baseline.json") + "' --with '" + at("b") + "' --b-steps 1..2" + gate),
            4);
  writeText(at("gate.json"), R"({"rules": [{"figure": "kernel:none*.mean_us", "max_increase_pct": 3}]})");
  EXPECT_EQ(run(both() + gate), 1);
  writeText(at("gate.json"),
            R"({"rules": [{"figure": "kernel:none*.mean_us", "max_increase_pct": 3, "optional": true}]})");
  EXPECT_EQ(run(both() + gate), 0);
}

} // namespace rankscope

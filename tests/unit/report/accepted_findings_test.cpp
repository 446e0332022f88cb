// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/accepted_findings.h"

#include "core/export/whole_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/hand_made_job.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

class AcceptedFindings : public testing::Test {
 protected:
  AcceptedFindings() {
    HandMadeJob job;
    for (const int rank : {4, 7}) {
      HandMadeRank events;
      events.op(0, 1'000, "aten::add");
      job.add(rank, std::move(events));
    }
    report = std::make_unique<JobReport>(std::make_shared<const Analysis>(job.build()));
    onSecond.kind = FindingKind::LaunchBound;
    onSecond.leaf = "host.dispatch";
    onSecond.rank = RankIndex(1);
  }
  [[nodiscard]] Result<std::vector<AcceptedFinding>> read(const std::string& text) const {
    EXPECT_FALSE(writeWholeFile(folder / "accepted.json", text));
    return readAcceptedFindings(folder / "accepted.json");
  }

  test::TemporaryFolder folder;
  std::unique_ptr<JobReport> report;
  Finding onSecond;
};

} // namespace

TEST_F(AcceptedFindings, areMatchedByRuleLeafAndRanks) {
  const std::vector<AcceptedFinding> accepted{acceptanceOf(*report, onSecond, "known")};
  EXPECT_EQ(accepted.front(), (AcceptedFinding{"R60", "host.dispatch", std::vector<int>{7}, "known"}));
  ASSERT_NE(acceptedAs(*report, onSecond, accepted), nullptr);
  EXPECT_EQ(acceptedAs(*report, onSecond, accepted)->note, "known");
  Finding other = onSecond;
  other.rank = RankIndex(0);
  EXPECT_EQ(acceptedAs(*report, other, accepted), nullptr);
  other = onSecond;
  other.rank = {};
  EXPECT_EQ(acceptedAs(*report, other, accepted), nullptr) << "that of all ranks is another one";
  other = onSecond;
  other.leaf = "host.dispatch.forward";
  EXPECT_EQ(acceptedAs(*report, other, accepted), nullptr);
  other = onSecond;
  other.kind = FindingKind::UnfusedOptimizer;
  EXPECT_EQ(acceptedAs(*report, other, accepted), nullptr);
}

TEST_F(AcceptedFindings, readAsTheyWereWritten) {
  const std::vector<AcceptedFinding> accepted{{"R60", "host.dispatch", std::vector<int>{4, 7}, "a \"note\""},
                                              {"R10", "wait.rank", std::vector<int>{}, ""}};
  const auto again = read(acceptedFindingsText(accepted));
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(*again, accepted);
}

TEST_F(AcceptedFindings, membersThatAreMissingMatchEverything) {
  const auto accepted = read(R"([{"rule": "R60"}])");
  ASSERT_TRUE(accepted.ok()) << accepted.error().text();
  EXPECT_NE(acceptedAs(*report, onSecond, *accepted), nullptr);
}

TEST_F(AcceptedFindings, badFilesAreErrorsWithTheirReason) {
  for (const auto& [text, reason] : std::vector<std::pair<std::string, std::string>>{
           {"{", "not valid JSON"},
           {"{}", "not an array"},
           {"[1]", "entry 1: not an object"},
           {R"([{"rule": "R60"}, {"note": "all"}])", "entry 2: \"rule\" or \"leaf\" is missing"},
           {R"([{"rule": 60}])", "\"rule\" is no text"},
           {R"([{"rule": "R60", "ranks": ["a"]}])", "holds no rank number"},
           {R"([{"rul": "R60"}])", "\"rul\" is unknown"}}) {
    const auto found = read(text);
    ASSERT_FALSE(found.ok()) << text;
    EXPECT_NE(found.error().text().find("accepted.json"), std::string::npos);
    EXPECT_NE(found.error().text().find(reason), std::string::npos) << found.error().text();
  }
  EXPECT_FALSE(readAcceptedFindings(folder / "missing.json").ok());
}

} // namespace rankscope

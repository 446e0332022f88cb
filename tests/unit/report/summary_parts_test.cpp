// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the summary about all ranks, against the results that they are taken from. Covers
// core/report/process_groups too, as far as the summary lists groups.
#include "core/report/summary_parts.h"

#include "core/base/unit_text.h"
#include "core/io/load/trace_loader.h"
#include "core/report/process_groups.h"
#include "core/report/tables.h"
#include "tests/support/shared_data.h"
#include "tests/unit/two_host_job.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

const TwoHostJob& job() {
  static const TwoHostJob made;
  return made;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::ptrdiff_t linesOf(std::string_view text) {
  return std::ranges::count(text, '\n');
}

std::vector<JobGroup> groups(int count) {
  std::vector<JobGroup> made;
  for (int i = 0; i < count; ++i) {
    JobGroup group;
    group.name = "group_" + std::to_string(i);
    group.size = 4;
    group.members = {2 * i, 2 * i + 1, 2 * i + 3};
    made.push_back(group);
  }
  return made;
}

} // namespace

TEST(SummaryParts, jsonHasTheCountsOfTheResults) {
  const JobReport report(job().analysis);
  JsonWriter json;
  json.beginObject();
  writeJobParts(json, report);
  json.endObject();
  const std::string text = json.take();
  const CollectiveMatch& match = report.analysis().collectives().match;
  ASSERT_GT(match.counts.complete, 0U);
  const auto member = [](std::string_view name, std::uint64_t value) {
    return '"' + std::string(name) + "\": " + std::to_string(value);
  };
  EXPECT_TRUE(contains(text, member("instances", match.instances.size()))) << text;
  EXPECT_TRUE(contains(text, member("complete", match.counts.complete))) << text;
  EXPECT_TRUE(contains(text, member("by_sequence", match.counts.bySequence))) << text;
  for (const Severity severity : {Severity::Info, Severity::Warning, Severity::Critical}) {
    const auto count = std::ranges::count(report.findings(), severity, &Finding::severity);
    EXPECT_TRUE(contains(text, member(severityText(severity), static_cast<std::uint64_t>(count)))) << text;
  }
}

TEST(SummaryParts, clocksAreThoseThatWereCorrectedWithTheirOffset) {
  const RankIndex second(TwoHostJob::kRanksOfHost);
  const RankEntry& entry = job().analysis->trace().rank(second);
  const RankTime begin(entry.trace->extent.begin);
  const TimeNs offset = job().analysis->clocks().of(second).aheadOfJob(begin);
  ASSERT_NEAR(static_cast<double>(offset), static_cast<double>(TwoHostJob::kAhead), 2e6);
  const std::string text = clocksText(*job().analysis);
  EXPECT_TRUE(contains(text, entry.host)) << text;
  EXPECT_TRUE(contains(text, signedDurationText(offset))) << text;
  EXPECT_FALSE(contains(text, job().analysis->trace().ranks().front().host)) << "whose clock is the job's";
  const JobReport report(job().analysis);
  JsonWriter json;
  json.beginObject();
  writeJobParts(json, report);
  json.endObject();
  EXPECT_TRUE(contains(json.take(), "\"offset_us\": " + microsecondsText(offset)));
}

TEST(SummaryParts, theCostliestFindingsAreNamedAndTheOthersCounted) {
  std::vector<Finding> findings(7);
  for (std::size_t i = 0; i < findings.size(); ++i) findings[i].title = "title_" + std::to_string(i);
  const std::string text = topFindingsText(findings, 10);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(contains(text, "title_" + std::to_string(i))) << text;
  EXPECT_FALSE(contains(text, "title_5")) << text;
  EXPECT_TRUE(contains(text, " 2 more")) << text;
  EXPECT_EQ(linesOf(topFindingsText(std::span(findings).first(5), 10)), linesOf(text) - 1);
  EXPECT_EQ(topFindingsText({}, 10),
            fmt::format("\nNo findings; 10 of {} checks could be made.\n", kFindingKindCount));
}

// The metadata of this recording says that its group has two ranks, and four take part: all tables and the
// summary say so alike.
TEST(SummaryParts, ranksBeyondTheRecordedMembersOfAGroupAreNamed) {
  const std::filesystem::path folder = test::sharedFolder() / "traces" / "nccl-4ranks-derived";
  RANKSCOPE_SKIP_UNLESS(std::filesystem::exists(folder), test::kNoRecordings);
  Progress progress;
  const auto loaded = loadTraces({folder.string()}, {}, progress);
  ASSERT_TRUE(loaded);
  const JobReport report(std::make_shared<const Analysis>(*loaded));
  const std::string text = collectivesText(report.analysis());
  EXPECT_TRUE(contains(text, "21 on all ranks")) << text;
  EXPECT_TRUE(contains(text, "ranks 2, 3 took part in default_pg as well, of which they are no members"))
      << text;
  const ResultTable bandwidth = tableSpec("bandwidth")->make(report);
  const std::size_t samples = *bandwidth.columnNamed("samples");
  std::int64_t measured = 0;
  for (std::size_t row = 0; row < bandwidth.rowCount(); ++row)
    measured += std::get<std::int64_t>(bandwidth.at(row, samples));
  EXPECT_GT(measured, 0);
}

TEST(SummaryParts, processGroupsAreListedWithTheirRanksAndAllOfThemInJson) {
  const std::string text = processGroupsText(groups(10));
  EXPECT_TRUE(contains(text, "group_0: ranks 0, 1, 3\n")) << text;
  EXPECT_TRUE(contains(text, "group_7")) << text;
  EXPECT_FALSE(contains(text, "group_8")) << text;
  EXPECT_TRUE(contains(text, " 2 more")) << text;
  EXPECT_EQ(linesOf(processGroupsText(groups(8))), 8);
  std::vector<JobGroup> twice = groups(2);
  twice.push_back(twice.front());
  twice.back().capture = 2;
  EXPECT_EQ(processGroupsText(twice), "  group_0: ranks 0, 1, 3 (in 2 captures)\n  group_1: ranks 2, 3, 5\n");
  JsonWriter json;
  json.beginObject();
  writeProcessGroups(json, groups(10));
  json.endObject();
  const std::string object = json.take();
  EXPECT_TRUE(contains(object, "\"name\": \"group_9\"")) << object;
  EXPECT_TRUE(contains(object, "\"ranks\": \"18, 19, 21\"")) << object;
}

} // namespace rankscope

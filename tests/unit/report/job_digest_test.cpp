// SPDX-License-Identifier: GPL-3.0-or-later
// A digest answers as the traces do: every table that it has is equal to the byte. Covers
// core/report/job_digest, core/report/digest_tables, core/report/digest_rows,
// core/report/phase_times, core/report/efficiency_points,
// core/io/digest/digest_file, core/io/digest/rank_image,
// core/io/cache/trace_members, core/analysis/digest/digest_archive, core/analysis/digest/digested_results,
// core/analysis/digest/digest_bounds, core/analysis/account/account_digest,
// core/analysis/account/pace_digest, core/analysis/account/kernel_pace, core/analysis/account/call_facts,
// core/model/rank_facts, core/analysis/job/rank_digesting, core/model/rank_digest and
// core/model/reduced_trace.
#include "core/report/findings_table.h"
#include "core/report/job_digest.h"

#include "core/analysis/account/account_digest.h"
#include "core/base/byte_pack.h"
#include "core/base/deflated.h"
#include "core/export/csv.h"
#include "core/io/cache/trace_image.h"
#include "core/io/digest/digest_file.h"
#include "core/io/load/job_loader.h"
#include "core/model/reduced_trace.h"
#include "core/report/digest_rows.h"
#include "core/report/digest_tables.h"
#include "core/report/efficiency_view.h"
#include "core/report/summary_text.h"
#include "tests/support/digest_job.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

std::shared_ptr<const TraceSet> opened(const std::string& path) {
  Progress progress;
  LoadOptions options;
  options.threadCount = 2;
  auto job = loadJob({path}, options, progress);
  EXPECT_TRUE(job.ok()) << (job.ok() ? "" : job.error().text());
  return job.ok() ? *job : nullptr;
}

std::string errorOf(const std::string& path) {
  Progress progress;
  const auto job = loadJob({path}, {}, progress);
  return job.ok() ? std::string() : job.error().text();
}

std::shared_ptr<const std::string> shared(std::string bytes) {
  return std::make_shared<const std::string>(std::move(bytes));
}

JobReport reportOf(std::shared_ptr<const TraceSet> trace) {
  return JobReport(std::make_shared<const Analysis>(std::move(trace)));
}

// Without the tables that a digest shortens or has not.
std::string tablesOf(const JobReport& report, const std::set<std::string>& without = {}) {
  std::string text;
  for (const TableSpec& spec : tableSpecs()) {
    if (!neededForTable(spec.name).empty() || without.contains(std::string(spec.name))) continue;
    text += std::string(spec.name) + "\n" + toCsv(tableOf(report, spec));
  }
  return text;
}

// What the Efficiency tab shows.
std::string efficiencyOf(const JobReport& report) {
  const EfficiencyView view = efficiencyView(report, {});
  std::string text = efficiencyText(view) + "\n" + mfuDifferenceText(view) + "\n";
  for (const EfficiencyPart part :
       {EfficiencyPart::ModelFlops, EfficiencyPart::NonGemm, EfficiencyPart::Idle})
    text += std::to_string(view.part(part)) + "\n";
  for (const PointGroups by : {PointGroups::Shapes, PointGroups::Operators, PointGroups::Modules})
    text += toCsv(pointsTable(view, by));
  return text;
}

// By name, whether the digest says that it has no such table.
bool isAbsent(const JobReport& digest, std::string_view table) {
  return !whyAbsent(digest, *tableSpec(table)).empty();
}

// What is compressed is altered, not its compressed form.
std::string alteredPart(const std::string& packed, std::uint64_t seed) {
  std::string bytes = inflated(packed).value();
  if (bytes.empty()) return packed;
  bytes[seed * 0x9e3779b97f4a7c15U % bytes.size()] ^= static_cast<char>(1U << (seed % 8));
  return deflated(bytes);
}

// The same of one of several.
std::string alteredParts(const std::string& bytes, std::uint64_t seed) {
  std::vector<std::string> parts;
  for (Unpacker unpacker(bytes); !unpacker.atEnd() && unpacker.ok();) unpacker(parts.emplace_back());
  std::string& part = parts[seed / 5 % parts.size()];
  part = alteredPart(part, seed);
  Packer packer;
  for (const std::string& of : parts) packer(of);
  return packer.takeBytes();
}

class JobDigest : public testing::Test {
 protected:
  // A job with what makes ranks differ: hosts with other clocks, a missing and a truncated rank, a straggler.
  static test::JobOptions unevenJob() {
    test::JobOptions options;
    options.ranks = 6;
    options.ranksPerNode = 3;
    options.steps = 4;
    options.layers = 2;
    options.captures = 2;
    options.clockOffsetNs = {0, 3'000'000};
    options.clockDriftPpb = {0, 20'000};
    options.missingRanks = {1};
    options.straggler = {4, 2'000'000, 0, test::StragglerKind::Compute};
    options.damage = {test::DamageKind::Truncate, 2, 600};
    return options;
  }

  std::string job(const test::JobOptions& options) {
    test::generateJob(options, m_folder / "job");
    return m_folder / "job";
  }

  test::TemporaryFolder m_folder;
};

} // namespace

// Answers and accounts are those of the options that digests are made with.
TEST_F(JobDigest, whatOtherOptionsWouldChangeIsAbsent) {
  const JobReport traces = reportOf(opened(job(unevenJob())));
  const auto digest = openedDigest(test::digestJob(traces.analysis()));
  ASSERT_TRUE(digest.ok());
  const auto with = [&](AnalysisOptions options, LayoutSettings layout = {}) {
    return JobReport(std::make_shared<const Analysis>(*digest, nullptr, options), {}, GainMethod::Formula, {},
                     layout);
  };
  const JobReport asMade = with({});
  for (const char* const table : {"findings", "parallel_summary", "attribution", "mfu"})
    EXPECT_FALSE(isAbsent(asMade, table)) << table;
  const JobReport unaligned = with({.alignClocks = false});
  for (const char* const table : {"findings", "parallel_summary", "attribution", "mfu"})
    EXPECT_TRUE(isAbsent(unaligned, table)) << table;
  EXPECT_FALSE(isAbsent(unaligned, "collectives"));
  EXPECT_FALSE(unaligned.hasFindings());
  EXPECT_FALSE(knowsEfficiency(unaligned, {}));
  const JobReport everyStep = with({.allSteps = true});
  EXPECT_TRUE(isAbsent(everyStep, "findings"));
  EXPECT_FALSE(isAbsent(everyStep, "attribution"));
  LayoutSettings layout;
  layout.given.emplace()[LayoutAxis::Tensor] = 2;
  EXPECT_TRUE(isAbsent(with({}, layout), "fsdp_units"));
  EXPECT_FALSE(isAbsent(with({}, layout), "mfu"));
}

TEST_F(JobDigest, tablesAreThoseOfTheTraces) {
  for (const test::Parallelism parallelism :
       {test::Parallelism::Data, test::Parallelism::FullySharded, test::Parallelism::Tensor}) {
    test::JobOptions options = unevenJob();
    options.parallelism = parallelism;
    options.withStack = parallelism == test::Parallelism::Data;
    fs::remove_all(m_folder / "job");
    const JobReport traces = reportOf(opened(job(options)));
    ASSERT_FALSE(writeDigest(test::digestJob(traces.analysis()), m_folder / "job.digest"));
    const JobReport digest = reportOf(opened(m_folder / "job.digest"));
    EXPECT_TRUE(hasDigests(digest.analysis().trace()));
    EXPECT_EQ(tablesOf(digest), tablesOf(traces));
    EXPECT_EQ(efficiencyOf(digest), efficiencyOf(traces));
    EXPECT_NE(efficiencyOf(digest).find("aten::mm"), std::string::npos);
    EXPECT_NE(summaryText(digest).find("Efficiency: MFU"), std::string::npos);
    EXPECT_EQ(summaryText(digest).find("Findings need the events"), std::string::npos);
    EXPECT_EQ(tablesOf(reportOf(opened(m_folder / "job.digest/job.digest"))), tablesOf(traces));
  }
}

TEST_F(JobDigest, everyTableIsThereOrSaysWhyNot) {
  const JobReport traces = reportOf(opened(job(unevenJob())));
  const auto inMemory = openedDigest(test::digestJob(traces.analysis()));
  ASSERT_TRUE(inMemory.ok());
  const JobReport digest = reportOf(*inMemory);
  std::size_t there = 0;
  for (const TableSpec& spec : tableSpecs()) {
    EXPECT_EQ(whyAbsent(traces, spec), "");
    EXPECT_EQ(whyAbsent(digest, spec).empty(), neededForTable(spec.name).empty());
    there += neededForTable(spec.name).empty() ? 1 : 0;
  }
  EXPECT_GE(there, 27U);
}

TEST_F(JobDigest, findingsAreThoseOfTheTraces) {
  using enum test::Waste;
  for (const test::StragglerKind kind :
       {test::StragglerKind::Compute, test::StragglerKind::DataLoader, test::StragglerKind::Host}) {
    test::JobOptions options;
    options.ranks = 4;
    options.steps = 4;
    options.layers = 2;
    options.withStack = kind == test::StragglerKind::Host;
    options.straggler = {1, 2'000'000, 0, kind};
    options.waste = {Simt,     Layout,  Unfused,    Attention, Optimizer, ZeroGrad,
                     ClipNorm, Barrier, EmptyCache, Pinning,   Random};
    fs::remove_all(m_folder / "job");
    const JobReport traces = reportOf(opened(job(options)));
    // Whatever the digest keeps of single events, it was asked with all of them.
    const auto inMemory = openedDigest(test::digestJob(traces.analysis(), DigestBounds{2, 3, 10, 1}));
    ASSERT_TRUE(inMemory.ok());
    const JobReport digest = reportOf(*inMemory);
    EXPECT_GE(traces.findings().size(), 8U);
    EXPECT_EQ(toCsv(tableOf(digest, *tableSpec("findings"))), toCsv(tableOf(traces, *tableSpec("findings"))));
    EXPECT_EQ(checkedKinds(digest), checkedKinds(traces));
  }
}

TEST_F(JobDigest, withoutAnswersHasNoFindingsAndSaysSo) {
  const JobReport traces = reportOf(opened(job(unevenJob())));
  DigestJob unasked = test::digestJob(traces.analysis());
  for (DigestEntry& entry : unasked.ranks) entry.answers = nullptr;
  const auto inMemory = openedDigest(unasked);
  ASSERT_TRUE(inMemory.ok());
  const JobReport digest = reportOf(*inMemory);
  EXPECT_FALSE(digest.hasFindings());
  EXPECT_TRUE(digest.findings().empty());
  EXPECT_NE(summaryText(digest).find("Findings need the events"), std::string::npos);
  for (const TableSpec& spec : tableSpecs())
    EXPECT_EQ(whyAbsent(digest, spec).empty(), !isAnswered(spec.name) && neededForTable(spec.name).empty())
        << spec.name;
}

// Findings compare ranks: which of some ranks is the slowest was not asked.
TEST_F(JobDigest, findingsOfSomeRanksNeedTheirTraces) {
  const JobReport traces = reportOf(opened(job(unevenJob())));
  const auto inMemory = openedDigest(test::digestJob(traces.analysis()));
  ASSERT_TRUE(inMemory.ok());
  AnalysisScope two;
  two.ranks = {RankIndex(2), RankIndex(3)};
  two.windows.resize(two.ranks.size(), kWholeRecording);
  const Analysis whole(*inMemory);
  const JobReport digest(std::make_shared<const Analysis>(whole, two));
  EXPECT_FALSE(digest.hasFindings());
  EXPECT_TRUE(digest.findings().empty());
  EXPECT_NE(summaryText(digest).find("are of all its ranks together, not of some"), std::string::npos);
  for (const TableSpec& spec : tableSpecs()) {
    const bool ofWholeJob = spec.name == "findings" || spec.name == "bucket_advice";
    EXPECT_EQ(whyAbsent(digest, spec).empty(), !ofWholeJob && neededForTable(spec.name).empty()) << spec.name;
  }
  const JobReport traced(std::make_shared<const Analysis>(traces.analysis(), two));
  EXPECT_TRUE(traced.hasFindings());
  EXPECT_EQ(tablesOf(digest, {"findings", "bucket_advice"}), tablesOf(traced, {"findings", "bucket_advice"}));
}

TEST_F(JobDigest, boundsKeepTheCostliestAndSaySo) {
  const JobReport traces = reportOf(opened(job(unevenJob())));
  const DigestBounds bounds{2, 3, 10, 1};
  const auto inMemory = openedDigest(test::digestJob(traces.analysis(), bounds));
  ASSERT_TRUE(inMemory.ok());
  const JobReport digest = reportOf(*inMemory);
  const RankIndex rank(0);
  EXPECT_EQ(digest.analysis().kernels(rank).size(), 2U);
  EXPECT_EQ(digest.analysis().kernels(rank)[0].calls, traces.analysis().kernels(rank)[0].calls);
  EXPECT_LE(digest.analysis().gaps(rank).ofDevices.size() + digest.analysis().gaps(rank).ofStreams.size(),
            3U);
  EXPECT_LE(digest.analysis().activity(rank).busy.size(), 8U);
  EXPECT_LT(digest.analysis().activity(rank).exposed.size(), traces.analysis().activity(rank).exposed.size());
  EXPECT_EQ(digest.analysis().activity(rank).exposed.totalLength(),
            traces.analysis().activity(rank).exposed.totalLength());
  EXPECT_LE(digest.analysis().memory(rank).devices[0].levels.size(), 10U);
  std::vector<const TableSpec*> specs;
  for (const TableSpec& spec : tableSpecs()) specs.push_back(&spec);
  const std::vector<std::string> lines = shortenedTables(digest, specs);
  EXPECT_GE(lines.size(), 6U);
  EXPECT_TRUE(shortenedTables(traces, specs).empty());
  const std::set<std::string> shortened{"operators",    "kernels", "gaps",   "memory",         "memory_curve",
                                        "memory_roles", "modules", "frames", "memory_expected"};
  EXPECT_EQ(tablesOf(digest, shortened), tablesOf(traces, shortened)) << "no other table is affected";
}

// With what was asked: 256 kB, and 64 B for each collective call, however many there are.
TEST_F(JobDigest, aRankIsWithinItsBound) {
  std::array<std::size_t, 2> bytes{};
  std::array<std::size_t, 2> calls{};
  for (const std::size_t i : {0U, 1U}) {
    test::JobOptions options;
    options.ranks = 2;
    options.steps = i == 0 ? 3 : 9;
    options.layers = 150;
    options.parallelism = test::Parallelism::FullySharded;
    fs::remove_all(m_folder / "job");
    const Analysis analysis(opened(job(options)));
    const DigestEntry rank = test::digestJob(analysis).ranks.front();
    bytes[i] = rank.image->size() + rank.account->size() + rank.answers->size();
    calls[i] = analysis.collectiveCalls(RankIndex(0)).size();
  }
  ASSERT_GT(calls[1], calls[0] + 1000);
  EXPECT_LE(bytes[1], 256'000 + 64 * calls[1]);
  EXPECT_LE(bytes[1] - bytes[0], 64 * (calls[1] - calls[0]));
}

TEST_F(JobDigest, doesNotDependOnOtherRanksOfTheProcess) {
  test::JobOptions options = unevenJob();
  options.damage = {};  // a truncated file takes its base time from the others
  options.captures = 1; // numbered by all files of the rank
  const JobReport traces = reportOf(opened(job(options)));
  const DigestJob all = test::digestJob(traces.analysis());
  for (const RankEntry& entry : traces.analysis().trace().ranks()) {
    const Analysis alone(opened(traces.analysis().trace().file(entry.file).path));
    const std::string image = packedRank(digestedRank(alone, RankIndex(0)));
    const auto place = static_cast<std::size_t>(&entry - traces.analysis().trace().ranks().data());
    EXPECT_TRUE(image == *all.ranks[place].image) << entry.rank;
  }
}

TEST_F(JobDigest, reducedTracesAreSound) {
  const Analysis analysis(opened(job(unevenJob())));
  const RankTrace& trace = *analysis.trace().ranks()[0].trace;
  for (std::uint32_t step : {1U, 2U, 7U, 100U}) {
    std::vector<EventIndex> some;
    for (std::uint32_t e = 0; e < trace.events.size(); e += step) some.emplace_back(e);
    const std::vector<EventIndex> kept = withLaunches(trace, some);
    const RankTrace reduced = reducedTrace(trace, kept);
    EXPECT_TRUE(isSound(reduced, analysis.trace().names().size()));
    EXPECT_EQ(reduced.tracks.size(), trace.tracks.size());
    EXPECT_LT(reduced.deviceBegin, reduced.deviceEnd);
    for (const EventIndex event : some)
      EXPECT_EQ(reduced.events.name[reducedIndex(kept, event)], trace.events.name[event]);
  }
  EXPECT_FALSE(reducedIndex({}, EventIndex(3)).valid());
}

TEST_F(JobDigest, damageIsAnError) {
  const JobReport traces = reportOf(opened(job(unevenJob())));
  const std::string folder = m_folder / "job.digest";
  ASSERT_FALSE(writeDigest(test::digestJob(traces.analysis()), folder));
  const std::string path = folder + "/job.digest";
  std::ostringstream whole;
  whole << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string bytes = whole.str();
  const auto write = [&](const std::string& text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  };
  for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 40) {
    std::string altered = bytes;
    altered[at] = static_cast<char>(altered[at] ^ 0x55);
    write(altered);
    EXPECT_NE(errorOf(folder), "") << at;
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
    write(bytes.substr(0, size));
    EXPECT_NE(errorOf(folder), "") << size;
  }
  write(bytes);
  EXPECT_EQ(errorOf(folder), "");
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_TRUE(writeDigest(test::digestJob(traces.analysis()), folder)) << "cannot be written";
}

TEST_F(JobDigest, ranksShareTheListsOfTheirGroups) {
  test::JobOptions options;
  options.ranks = 4;
  const auto traces = opened(job(options));
  const std::string folder = m_folder / "groups.digest";
  const JobReport report = reportOf(traces);
  ASSERT_FALSE(writeDigest(test::digestJob(report.analysis()), folder));
  const auto digest = opened(folder);
  for (const auto* const of : {&*traces, &*digest}) {
    const auto& groups = of->ranks().front().trace->metadata.processGroups;
    ASSERT_FALSE(groups.empty());
    for (const RankEntry& entry : of->ranks()) {
      const auto& own = entry.trace->metadata.processGroups;
      ASSERT_EQ(own.size(), groups.size());
      EXPECT_EQ(own.front().ranks.size(), 4U);
      EXPECT_EQ(own.front().ranks.span().data(), groups.front().ranks.span().data());
    }
  }
}

TEST_F(JobDigest, compressedBytesComeBack) {
  for (const std::size_t size : {0U, 1U, 1'000U, 300'000U}) {
    std::string bytes(size, 'x');
    for (std::size_t i = 0; i < size; i += 7) bytes[i] = static_cast<char>(i * 31 % 251);
    const std::string packed = deflated(bytes);
    EXPECT_TRUE(inflated(packed) == bytes) << size;
    EXPECT_FALSE(inflated(packed.substr(0, packed.size() - 1)));
    EXPECT_FALSE(inflated(packed + "x"));
  }
  EXPECT_FALSE(inflated(""));
  EXPECT_FALSE(inflated(std::string(16, '\x7f'))) << "more than memory has";
}

// A file with right checksums over wrong contents leads nowhere out of bounds.
TEST_F(JobDigest, alteredImagesAreRefusedOrSafe) {
  test::JobOptions options = unevenJob();
  options.ranks = 2;
  options.captures = 1;
  options.missingRanks = {};
  const JobReport traces = reportOf(opened(job(options)));
  const DigestJob right = test::digestJob(traces.analysis());
  std::size_t safe = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    DigestJob altered = right;
    DigestEntry& entry = altered.ranks[i % 2];
    auto& part = i % 5 == 0 ? entry.account : i % 5 < 3 ? entry.answers : entry.image;
    part = shared(&part == &entry.answers ? alteredPart(*part, i) : alteredParts(*part, i));
    const auto job = openedDigest(altered);
    if (!job.ok()) continue;
    ++safe;
    const Analysis analysis(*job);
    for (std::size_t r = 0; r < altered.ranks.size(); ++r) {
      EXPECT_LE(analysis.stepWindows(RankIndex(r)).steps.size(), 4U);
      static_cast<void>(unpackedAccount(*digestOf(**job, RankIndex(r))));
    }
#ifndef RANKSCOPE_SANITIZED // figures that no recording has may wrap around
    const JobReport report = reportOf(*job);
    EXPECT_FALSE(tablesOf(report).empty());
    EXPECT_FALSE(summaryText(report).empty());
#endif
  }
  EXPECT_GT(safe, 0U);
}

} // namespace rankscope

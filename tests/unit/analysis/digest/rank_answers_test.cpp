// SPDX-License-Identifier: GPL-3.0-or-later
// Covers core/analysis/digest/rank_answers, core/model/answer_log and core/report/rank_questions.
#include "core/analysis/digest/rank_answers.h"

#include "core/base/deflated.h"
#include "core/io/digest/rank_image.h"
#include "core/io/load/job_loader.h"
#include "core/model/answer_log.h"
#include "core/report/rank_questions.h"
#include "tests/support/digest_job.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/io/opened_trace.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace rankscope {

struct AnsweredTime {
  NameId name;
  NameId none;
  EventIndex event;
  std::vector<TimeNs> times;
};

template <class Archive, Described<AnsweredTime> T> void describe(Archive& archive, T& of) {
  auto& [name, none, event, times] = of;
  archive(name, none, event, times);
}

namespace {

constexpr std::string_view kQuestion = "times of something";

std::shared_ptr<const TraceSet> withSide(const TraceSet& of, SideFiles side) {
  return std::make_shared<const TraceSet>(of.jobName(), of.names(), of.ranks(), of.files(), TraceOrigin(),
                                          std::make_shared<const SideFiles>(std::move(side)));
}

// The same rank without its events, whose names have other numbers.
class Answers : public testing::Test {
 protected:
  Answers() {
    test::TraceText text;
    text.addKernel(0, 7, 0, 10, "gemm").addKernel(0, 7, 20, 10, "softmax");
    m_file.emplace(text.text());
    SideFiles side;
    side.answerLog = m_log;
    m_events = withSide(*m_file->set, std::move(side));
  }

  AnsweredTime asked(const TraceSet& of) {
    return rankAnswer<AnsweredTime>(of, RankIndex(0), kQuestion, [&] {
      ++m_computed;
      const RankTrace& trace = *of.rank(RankIndex(0)).trace;
      return AnsweredTime{trace.events.name[trace.deviceBegin], {}, trace.deviceBegin, {3, 1, 2}};
    });
  }

  // changed: what becomes of the bytes of the answer.
  template <class Change> std::shared_ptr<const TraceSet> digest(Change&& changed) {
    std::vector<LoggedAnswer> answers = m_log->of(RankIndex(0));
    for (LoggedAnswer& answer : answers) changed(answer);
    m_answer = answers.front();
    auto of = std::make_shared<RankDigest>();
    StringInterner names;
    static_cast<void>(names.intern("something else"));
    for (const LoggedAnswer& answer : answers) {
      RankAnswer& kept = of->answers.emplace_back();
      kept.question = kQuestion;
      m_packed = deflated(m_answer.bytes);
      kept.packed = m_packed;
      for (const std::string& name : answer.names) kept.names.push_back(names.intern(name));
    }
    SideFiles side;
    side.answerLog = m_log;
    side.digests.push_back(std::move(of));
    return std::make_shared<const TraceSet>(std::string(), names.snapshot(), m_file->set->ranks(),
                                            std::vector<FileRecord>(m_file->set->files()), TraceOrigin(),
                                            std::make_shared<const SideFiles>(std::move(side)));
  }

  std::optional<test::Opened> m_file;
  std::shared_ptr<AnswerLog> m_log = std::make_shared<AnswerLog>();
  std::shared_ptr<const TraceSet> m_events;
  LoggedAnswer m_answer;
  std::string m_packed; // its bytes in the digest
  int m_computed = 0;
};

} // namespace

TEST_F(Answers, areThoseOfTheEventsWithTheNamesOfTheJob) {
  const AnsweredTime own = asked(*m_events);
  EXPECT_EQ(m_events->names()[own.name], "gemm");
  EXPECT_TRUE(own.event.valid());
  const auto job = digest([](LoggedAnswer&) {});
  const AnsweredTime kept = asked(*job);
  EXPECT_EQ(m_computed, 1) << "not computed from events that are not there";
  EXPECT_EQ(job->names()[kept.name], "gemm");
  EXPECT_NE(kept.name, own.name) << "the test needs other numbers";
  EXPECT_FALSE(kept.none.valid());
  EXPECT_FALSE(kept.event.valid());
  EXPECT_EQ(kept.times, own.times);
  EXPECT_EQ(m_log->missing(), 0U);
}

TEST_F(Answers, thatAreDamagedAreNone) {
  static_cast<void>(asked(*m_events));
  for (std::size_t bytes = 0; bytes < m_log->of(RankIndex(0)).front().bytes.size(); ++bytes) {
    const auto cut = digest([&](LoggedAnswer& answer) { answer.bytes.resize(bytes); });
    EXPECT_TRUE(asked(*cut).times.empty()) << bytes;
  }
  const auto longer = digest([](LoggedAnswer& answer) { answer.bytes += 'x'; });
  EXPECT_TRUE(asked(*longer).times.empty());
  const auto nameless = digest([](LoggedAnswer& answer) { answer.names.clear(); });
  EXPECT_TRUE(asked(*nameless).times.empty()) << "its name is none of the answer";
}

TEST_F(Answers, thatAreMissingAreCounted) {
  static_cast<void>(asked(*m_events));
  const auto job = digest([](LoggedAnswer&) {});
  const auto other = rankAnswer<AnsweredTime>(*job, RankIndex(0), "something else", [&] {
    ADD_FAILURE() << "there are no events";
    return AnsweredTime();
  });
  EXPECT_TRUE(other.times.empty());
  EXPECT_EQ(m_log->missing(), 1U);
  EXPECT_EQ(m_log->of(RankIndex(0)).size(), 1U);
  EXPECT_TRUE(m_log->of(RankIndex(1)).empty());
}

TEST_F(Answers, thatContradictEachOtherAreNamed) {
  static_cast<void>(asked(*m_events));
  static_cast<void>(asked(*m_events));
  EXPECT_TRUE(m_log->ambiguous().empty());
  static_cast<void>(rankAnswer<bool>(*m_events, RankIndex(0), kQuestion, [] { return true; }));
  EXPECT_EQ(m_log->ambiguous(), std::set<std::string>{std::string(kQuestion)});
}

// Of a job with what the rules look for: no two of them ask the same question about something else.
TEST(RankQuestions, haveOneAnswer) {
  using enum test::Waste;
  test::JobOptions options;
  options.ranks = 4;
  options.steps = 4;
  options.layers = 2;
  options.withStack = true;
  options.waste = {Simt,     Layout,  Unfused,    Attention, Optimizer, ZeroGrad,
                   ClipNorm, Barrier, EmptyCache, Pinning,   Random};
  for (const test::Parallelism parallelism :
       {test::Parallelism::Data, test::Parallelism::FullySharded, test::Parallelism::Tensor}) {
    options.parallelism = parallelism;
    options.straggler = {1, 2'000'000, 0, test::StragglerKind::Compute};
    const test::TemporaryFolder folder;
    test::generateJob(options, folder / "job");
    Progress progress;
    const auto loaded = loadJob({folder / "job"}, {}, progress);
    ASSERT_TRUE(loaded.ok());
    const AnswerRound asked = askedAboutRanks(**loaded, nullptr, 1);
    EXPECT_EQ(asked.missing, 0U);
    EXPECT_EQ(asked.ambiguous, std::set<std::string>());
  }
}

TEST(RankQuestions, areAskedInRoundsUntilNoneIsMissing) {
  test::JobOptions options;
  options.ranks = 4;
  options.steps = 3;
  options.layers = 2;
  options.parallelism = test::Parallelism::FullySharded;
  const test::TemporaryFolder folder;
  test::generateJob(options, folder / "job");
  Progress progress;
  const auto loaded = loadJob({folder / "job"}, {}, progress);
  ASSERT_TRUE(loaded.ok());
  const std::shared_ptr<const TraceSet>& traces = *loaded;
  const Analysis whole(traces);
  const AnswerRound expected = askedAboutRanks(*traces, &whole, 1);
  EXPECT_EQ(expected.missing, 0U);
  DigestJob digest = test::digestJob(whole);
  for (DigestEntry& entry : digest.ranks) entry.answers = nullptr;
  // Two processes, with the events of two ranks each.
  std::size_t missing = 1;
  int rounds = 0;
  for (; missing > 0 && rounds < 8; ++rounds) {
    missing = 0;
    std::vector<std::string> answers(4);
    for (const std::size_t first : {0U, 2U}) {
      const auto digests = openedDigest(digest, traces->names());
      ASSERT_TRUE(digests.ok());
      SideFiles side = (*digests)->side();
      std::vector<RankEntry> ranks = (*digests)->ranks();
      for (std::size_t r = first; r < first + 2; ++r) {
        side.digests[r] = nullptr;
        ranks[r] = traces->ranks()[r];
      }
      const TraceSet job("", (*digests)->names(), ranks, traces->files(), TraceOrigin(),
                         std::make_shared<const SideFiles>(std::move(side)));
      const AnswerRound asked = askedAboutRanks(job, nullptr, 1);
      missing += asked.missing;
      for (std::size_t r = 0; r < 4; ++r)
        if (!asked.answers[r].empty()) answers[r] = asked.answers[r];
    }
    for (std::size_t r = 0; r < 4; ++r)
      digest.ranks[r].answers = std::make_shared<const std::string>(answers[r]);
  }
  EXPECT_GT(rounds, 1) << "the test needs answers that depend on others";
  EXPECT_EQ(missing, 0U);
  for (std::size_t r = 0; r < 4; ++r) EXPECT_TRUE(*digest.ranks[r].answers == expected.answers[r]) << r;
}

} // namespace rankscope

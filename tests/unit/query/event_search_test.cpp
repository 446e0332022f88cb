// SPDX-License-Identifier: GPL-3.0-or-later
// What a search finds (core/query/event_search, core/query/search_query), and how its hits are walked, summed
// and listed (core/query/search_hits).
#include "core/query/event_search.h"
#include "core/query/search_hits.h"
#include "tests/unit/hand_made_job.h"
#include "tests/unit/times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

namespace rankscope {
namespace {

const std::atomic<bool> kGoOn{false};

// Two ranks that do the same, the second one later and slower.
std::shared_ptr<const TraceSet> smallJob() {
  HandMadeJob job;
  for (int rank = 0; rank < 2; ++rank) {
    const TimeNs t = rank * kMs;
    HandMadeRank events;
    events.annotation(t, 30 * kMs, "forward pass", "1")
        .op(t, 4 * kMs, "aten::linear")
        .op(t + 1, 2 * kMs, "aten::addmm")
        .op(t + 10 * kMs, 5 * kMs, "nccl:all_reduce", "2")
        .runtime(t + 2, 1000, "cudaLaunchKernel", 7)
        .kernel(7, t + 5 * kMs, (6 + rank) * kMs, "void Ampere_SGEMM<float, 4>(int)")
        .kernel(17, t + 5 * kMs, 1 * kMs, "elementwise kernel")
        .collective(20, t + 12 * kMs, (5 + rank) * kMs, "ncclDevKernel_AllReduce_Sum_f32")
        .device(EventKind::Copy, 7, t + 20 * kMs, kMs, "Memcpy HtoD");
    job.add(rank * 3, std::move(events));
  }
  return job.build();
}

std::vector<std::string> named(const TraceSet& traces, const SearchHits& hits) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < hits.ranks.size(); ++i) {
    for (const EventIndex event : hits.ranks[i]->events)
      names.push_back(std::to_string(traces.rank(RankIndex(i)).rank) + " " +
                      std::string(traces.names()[traces.rank(RankIndex(i)).trace->events.name[event]]));
  }
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> search(const TraceSet& traces, std::string_view text) {
  const auto query = searchQueryFromText(text);
  EXPECT_TRUE(query.ok()) << text << ": " << (query.ok() ? "" : query.error().text());
  if (!query) return {};
  return named(traces, findEvents(traces, query.value(), 2, kGoOn));
}

using Names = std::vector<std::string>;

TEST(EventSearch, wordsMustAllStandInTheName) {
  const auto job = smallJob();
  EXPECT_EQ(search(*job, "aten rank:0"), (Names{"0 aten::addmm", "0 aten::linear"}));
  EXPECT_EQ(search(*job, "ATEN:: addMM"), (Names{"0 aten::addmm", "3 aten::addmm"}));
  EXPECT_EQ(search(*job, "sgemm<float,"),
            (Names{"0 void Ampere_SGEMM<float, 4>(int)", "3 void Ampere_SGEMM<float, 4>(int)"}));
  EXPECT_EQ(search(*job, "\"forward pass\" rank:3"), (Names{"3 forward pass"}));
  EXPECT_EQ(search(*job, "\"pass forward\""), Names());
  EXPECT_EQ(search(*job, "nccl:all_reduce rank:0"), (Names{"0 nccl:all_reduce"}));
  EXPECT_EQ(search(*job, "name:=\"elementwise kernel\" rank:0"), (Names{"0 elementwise kernel"}));
  EXPECT_EQ(search(*job, "=elementwise"), Names());
}

TEST(EventSearch, regularExpressionsAndNegation) {
  const auto job = smallJob();
  EXPECT_EQ(search(*job, "name:~^aten::.*mm$ -rank:3"), (Names{"0 aten::addmm"}));
  EXPECT_EQ(search(*job, "~all_?reduce -kind:nccl rank:0"), (Names{"0 nccl:all_reduce"}));
  EXPECT_EQ(search(*job, "~\"forward pass|linear\" rank:0"), (Names{"0 aten::linear", "0 forward pass"}));
  EXPECT_EQ(search(*job, "aten -mm rank:0"), (Names{"0 aten::linear"}));
}

TEST(EventSearch, fieldsNarrowByWhatAnEventIsAndWhereItLies) {
  const auto job = smallJob();
  EXPECT_EQ(search(*job, "kind:nccl"),
            (Names{"0 ncclDevKernel_AllReduce_Sum_f32", "3 ncclDevKernel_AllReduce_Sum_f32"}));
  EXPECT_EQ(search(*job, "kind:kernels,copy rank:0 stream:7"),
            (Names{"0 Memcpy HtoD", "0 void Ampere_SGEMM<float, 4>(int)"}));
  EXPECT_EQ(search(*job, "dur>5ms kind:device"),
            (Names{"0 void Ampere_SGEMM<float, 4>(int)", "3 ncclDevKernel_AllReduce_Sum_f32",
                   "3 void Ampere_SGEMM<float, 4>(int)"}));
  EXPECT_EQ(search(*job, "dur>=5ms dur<=5ms kind:device"), (Names{"0 ncclDevKernel_AllReduce_Sum_f32"}));
  EXPECT_EQ(search(*job, "dur:5ms..6ms kind:device"), (Names{"0 ncclDevKernel_AllReduce_Sum_f32"}));
  EXPECT_EQ(search(*job, "-dur<5ms kind:device rank:0"),
            (Names{"0 ncclDevKernel_AllReduce_Sum_f32", "0 void Ampere_SGEMM<float, 4>(int)"}));
  EXPECT_EQ(search(*job, "start<500us kind:host rank:0"),
            (Names{"0 aten::addmm", "0 aten::linear", "0 cudaLaunchKernel", "0 forward pass"}));
  EXPECT_EQ(search(*job, "track:stream kind:copy rank:3"), (Names{"3 Memcpy HtoD"}));
  EXPECT_EQ(search(*job, "thread:2 rank:0"), (Names{"0 nccl:all_reduce"}));
  EXPECT_EQ(search(*job, "cat:kernel rank:0 stream:20,"), Names());
  EXPECT_EQ(search(*job, "cat:cuda_runtime rank:0-2"), (Names{"0 cudaLaunchKernel"}));
  EXPECT_EQ(search(*job, "rank:1,2"), Names());
  EXPECT_EQ(search(*job, "device:0 rank:3 kind:copy"), (Names{"3 Memcpy HtoD"}));
}

TEST(EventSearch, aBadQuerySaysWhatIsWrongAndWhere) {
  const auto error = [](std::string_view text) {
    const auto query = searchQueryFromText(text);
    EXPECT_FALSE(query.ok()) << text;
    return query.ok() ? std::string() : query.error().text();
  };
  EXPECT_EQ(error("gemm dur>5"), "byte 9: \"5\" is not a time; examples: 5ms, 20us, 300ns, 1.5s");
  EXPECT_EQ(error("durr>5ms"),
            "byte 0: unknown field \"durr\"; did you mean dur? Quote the word to search for it");
  EXPECT_EQ(error("rank:x"), "byte 5: \"x\" is not a number; examples: 3, 0-3, 0,4,7");
  EXPECT_EQ(error("rank:0,y").substr(0, 7), "byte 7:");
  EXPECT_EQ(error("a name:~b(c"), "byte 9: regular expression: an opening bracket without a closing one");
  EXPECT_EQ(error("kind:krenel").substr(0, 7), "byte 5:");
  EXPECT_EQ(error("\"open"), "byte 0: a closing quote is missing");
  EXPECT_EQ(error("gemm -").substr(0, 7), "byte 5:");
  EXPECT_EQ(error("dur:").substr(0, 7), "byte 3:");
  EXPECT_EQ(error("dur:9ms..3ms").substr(0, 7), "byte 4:");
  EXPECT_EQ(error("kind>copy").substr(0, 7), "byte 4:");
}

TEST(EventSearch, textsThatOnlyLookLikeFieldsAreTexts) {
  for (const char* const text : {"aten::mm", "nccl:all_reduce", "Foo<bar>", "c10d::x", "\"rank:x\"",
                                 "model.py(12): forward", "a=b", "x>5"}) {
    const auto query = searchQueryFromText(text);
    ASSERT_TRUE(query.ok()) << text;
    for (const SearchTerm& term : query.value().terms) EXPECT_EQ(term.field, QueryField::Name) << text;
  }
  EXPECT_TRUE(searchQueryFromText("  \t").value().empty());
}

TEST(EventSearch, helpNamesFieldsThatExist) {
  for (const SearchFieldHelp& help : searchFields()) {
    const auto query = searchQueryFromText(help.example);
    ASSERT_TRUE(query.ok()) << help.example;
    EXPECT_EQ(query.value().terms.size(), 1u);
    EXPECT_TRUE(help.example.starts_with(help.name));
  }
}

std::shared_ptr<const TraceSet> randomJob(std::mt19937& random, int ranks, int events) {
  HandMadeJob job;
  for (int rank = 0; rank < ranks; ++rank) {
    HandMadeRank made;
    for (int i = 0; i < events; ++i) {
      const auto begin = static_cast<TimeNs>(random() % 2000);
      const auto length = static_cast<TimeNs>(random() % 40);
      const std::string name =
          std::string(1, static_cast<char>('a' + random() % 5)) + std::to_string(random() % 4);
      if (random() % 2 == 0)
        made.op(begin, length, name, std::to_string(random() % 3));
      else
        made.kernel(static_cast<int>(random() % 3), begin, length, name);
    }
    job.add(rank, std::move(made));
  }
  return job.build();
}

TEST(EventSearch, findsWhatAPlainLoopFindsAndWalksItInOrderOfTime) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    const auto job = randomJob(random, 1 + round % 4, 200);
    const auto query = searchQueryFromText(round % 2 == 0 ? "a -2 dur>5ns" : "~[bc][01] kind:op").value();
    const EventSearch search(*job, query, 2);
    const SearchHits hits = findEvents(*job, query, 3, kGoOn);
    std::vector<std::tuple<TimeNs, std::uint32_t, std::uint32_t>> wanted;
    TimeNs total = 0;
    for (std::uint32_t rank = 0; rank < job->ranks().size(); ++rank) {
      const EventColumns& events = job->ranks()[rank].trace->events;
      for (std::uint32_t i = 0; i < events.size(); ++i) {
        const EventIndex event(i);
        const std::string name(job->names()[events.name[event]]);
        const bool holds = round % 2 == 0 ? name[0] == 'a' && name[1] != '2' && events.duration[event] > 5
                                          : (name[0] == 'b' || name[0] == 'c') && name[1] <= '1' &&
                                                events.kind[event] == EventKind::CpuOp;
        ASSERT_EQ(search.matches({RankIndex(rank), event}), holds);
        ASSERT_EQ(hits.ranks[rank]->contains(event), holds);
        if (!holds) continue;
        wanted.emplace_back(events.begin[event], rank, i);
        total += events.duration[event];
      }
    }
    std::ranges::sort(wanted);
    const HitSums sums = sumsOf(*job, hits);
    ASSERT_EQ(sums.count, wanted.size());
    ASSERT_EQ(sums.total, total);
    EventRef at;
    for (std::size_t i = 0; i <= wanted.size() && !wanted.empty(); ++i) {
      const EventRef before = at;
      at = hitAfter(*job, hits, at);
      const auto& [begin, rank, event] = wanted[i % wanted.size()];
      ASSERT_EQ(at, (EventRef{RankIndex(rank), EventIndex(event)}));
      ASSERT_EQ(hitsBefore(*job, hits, at), i % wanted.size());
      if (before.valid()) {
        ASSERT_EQ(hitBefore(*job, hits, at), before);
      }
      const EventRef first = hitFrom(*job, hits, begin);
      ASSERT_EQ(job->rank(first.rank).trace->events.begin[first.event], begin);
    }
  }
}

TEST(EventSearch, listsTheFirstOnesInTheOrderAskedFor) {
  std::mt19937 random(9);
  const auto job = randomJob(random, 3, 500);
  const SearchHits hits = findEvents(*job, searchQueryFromText("~[abc]").value(), 1, kGoOn);
  const std::size_t all = sumsOf(*job, hits).count;
  const auto durationOf = [&](EventRef hit) { return job->rank(hit.rank).trace->events.duration[hit.event]; };
  for (const HitOrder order : {HitOrder::Time, HitOrder::Duration, HitOrder::Name, HitOrder::Rank}) {
    const auto whole = listHits(*job, hits, order, false, all, kGoOn);
    ASSERT_EQ(whole.size(), all);
    auto reversed = listHits(*job, hits, order, true, all, kGoOn);
    std::ranges::reverse(reversed);
    EXPECT_EQ(reversed, whole);
    const auto some = listHits(*job, hits, order, false, 10, kGoOn);
    EXPECT_TRUE(std::ranges::equal(some, std::span(whole).first(10)));
    if (order == HitOrder::Duration) {
      EXPECT_TRUE(std::ranges::is_sorted(whole, std::greater<>(), durationOf));
    }
  }
}

TEST(EventSearch, stopsWhenTold) {
  const std::atomic<bool> stop{true};
  const auto job = smallJob();
  const SearchHits hits = findEvents(*job, searchQueryFromText("a").value(), 2, stop);
  for (const auto& rank : hits.ranks) EXPECT_EQ(rank, nullptr);
  EXPECT_EQ(sumsOf(*job, hits).count, 0u);
  EXPECT_FALSE(hitAfter(*job, hits, {}).valid());
}

} // namespace
} // namespace rankscope

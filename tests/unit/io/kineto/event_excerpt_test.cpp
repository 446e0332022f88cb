// SPDX-License-Identifier: GPL-3.0-or-later
// A part of a job written as traces of their own: the same events in it, everything that names them, and what
// other programs need. Covers core/io/reader/trace_reader and core/report/excerpt_files.
#include "core/io/kineto/event_excerpt.h"

#include "core/analysis/job/scope.h"
#include "core/io/files/file_bytes.h"
#include "core/io/load/trace_readers.h"
#include "core/report/excerpt_files.h"
#include "tests/support/job_generator.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_facts.h"
#include "tests/unit/io/opened_trace.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

using EventFacts = std::tuple<TimeNs, TimeNs, std::string>;

// Events with a time of their own that overlap a window of the recording, sorted. Those without one, and
// those that begin and end by events of their own, may reach farther.
std::vector<EventFacts> eventsIn(const TraceSet& set, RankIndex rank, TimeRange window) {
  const RankTrace& trace = *set.rank(rank).trace;
  std::vector<EventFacts> facts;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const EventIndex event(i);
    const TimeRange range = trace.events.range(event);
    const bool inside = range.length() <= 0 ? window.contains(range.begin)
                                            : range.begin < window.end && range.end > window.begin;
    if (inside) facts.emplace_back(range.begin, range.length(), set.names()[trace.events.name[event]]);
  }
  std::ranges::sort(facts);
  return facts;
}

Result<Excerpt> excerptOf(const std::string& path, const ExcerptRequest& request) {
  const auto file = FileBytes::open(path);
  if (!file) return file.error();
  return readerOf(*file)->excerpt(*file, request);
}

// The text of the events of a file that an excerpt of the window has, as a plain parser finds them, sorted.
std::vector<std::string> plainEventsIn(const std::string& path, TimeRange window) {
  std::vector<std::string> events;
  for (test::PlainEvent& event : test::readPlainly(path)) {
    const bool lasts = event.phase == "X" && event.end > event.begin;
    const bool inside =
        lasts ? event.begin < window.end && event.end > window.begin : window.contains(event.begin);
    if (inside || event.phase.find_first_of("MBEbenSTFp") == 0) events.push_back(std::move(event.text));
  }
  std::ranges::sort(events);
  return events;
}

// The middle third of every recording: written, opened again and compared.
void expectSameEvents(const std::string& path) {
  const auto set = test::loadJob(path);
  ASSERT_NE(set, nullptr);
  const Analysis whole(set);
  for (const RankIndex rank : whole.ranks()) {
    const RankTrace& trace = *set->rank(rank).trace;
    if (trace.events.size() == 0) continue;
    TimeRange all{trace.events.begin[EventIndex(0)], trace.events.begin[EventIndex(0)]};
    for (std::size_t i = 0; i < trace.events.size(); ++i)
      all = all.unitedWith(trace.events.range(EventIndex(i)));
    const TimeRange window{all.begin + all.length() / 3, all.end - all.length() / 3};
    const test::TemporaryFolder folder;
    ExcerptRequest request;
    request.window = {window.begin - trace.metadata.baseTime, window.end - trace.metadata.baseTime};
    request.rank = set->rank(rank).rank;
    const std::string& file = set->file(set->rank(rank).file).path;
    const auto excerpt = excerptOf(file, request);
    ASSERT_TRUE(excerpt) << excerpt.error().text();
    if (excerpt->events == 0) continue;
    EXPECT_TRUE(test::isStrictJson(excerpt->text) || !test::isStrictJson(test::readText(file)));
    test::writeTraceFile(folder / "part.json", excerpt->text);
    const auto part = test::loadJob(folder / "part.json");
    ASSERT_NE(part, nullptr);
    const TimeNs moved = part->rank(RankIndex(0)).trace->metadata.baseTime - trace.metadata.baseTime;
    EXPECT_EQ(moved, 0);
    EXPECT_EQ(eventsIn(*part, RankIndex(0), window), eventsIn(*set, rank, window));
    EXPECT_EQ(part->rank(RankIndex(0)).rank, set->rank(rank).rank);
    if (!test::isStrictJson(test::readText(file))) continue;
    EXPECT_EQ(plainEventsIn(folder / "part.json", kAllTime), plainEventsIn(file, window));
  }
}

} // namespace

TEST(EventExcerpt, hasTheSameEventsInItsRange) {
  test::JobOptions options;
  options.ranks = 3;
  const test::TemporaryFolder folder;
  generateJob(options, folder.path());
  expectSameEvents(folder.path().string());
}

TEST(EventExcerpt, isWholeJsonWithMetadataAndRank) {
  const test::TemporaryFolder folder;
  test::writeTraceFile(folder / "a_rank7.json",
                       R"({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A"}], "traceEvents": [
{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "python {[\"]"}},
{"ph": "X", "cat": "cpu_op", "name": "before", "pid": 1, "tid": 1, "ts": 1, "dur": 2},
{"ph": "X", "cat": "cpu_op", "name": "into", "pid": 1, "tid": 1, "ts": 5, "dur": 6.5, "args": {"ts": 900}},
{"ph": "X", "cat": "cpu_op", "name": "in", "pid": 1, "tid": 1, "ts": "12.5", "dur": "1"},
{"ph": "i", "name": "mark", "pid": 1, "tid": 1, "ts": 13.25, "s": "t"},
{"ph": "X", "cat": "cpu_op", "name": "after", "pid": 1, "tid": 1, "ts": 20, "dur": 1}
], "traceName": "x.json"})");
  const auto excerpt =
      excerptOf(folder / "a_rank7.json",
                {.window = {10'000, 20'000}, .rank = 7, .worldSize = 16, .hostJson = R"("no\"de")"});
  ASSERT_TRUE(excerpt) << excerpt.error().text();
  EXPECT_EQ(excerpt->events, 3U);
  EXPECT_EQ(excerpt->damaged, 0U);
  EXPECT_TRUE(test::isStrictJson(excerpt->text));
  test::writeTraceFile(folder / "part.json", excerpt->text);
  std::vector<std::string> names;
  for (const test::ReadEvent& event : test::readStrictly(folder / "part.json")) names.push_back(event.name);
  EXPECT_EQ(names, (std::vector<std::string>{"process_name", "into", "in", "mark"}));
  for (const char* const kept :
       {R"("distributedInfo": {"backend": "", "rank": 7, "world_size": 16})", R"("host_name": "no\"de")",
        R"("schemaVersion": 1)", R"("deviceProperties": [{"id": 0, "name": "A"}])",
        R"("traceName": "x.json")"})
    EXPECT_NE(excerpt->text.find(kept), std::string::npos) << kept;
}

// Fields that other readers ask for. Perfetto (src/trace_processor/importers/json) drops slices without ph,
// ts or dur and flows without id, places them by pid and tid, and takes names and counters from args. HTA
// stops without a rank in distributedInfo (hta/common/trace_file.py), converts times by baseTimeNanoseconds
// (trace.py), needs ts, dur, name, cat, pid and tid of slices (hta/configs/parser_config.py) and knows args
// by name (hta/configs/event_args_formats).
TEST(EventExcerpt, hasTheFieldsThatPerfettoAndHtaRequire) {
  const test::TemporaryFolder folder;
  test::writeTraceFile(folder / "rank1.json", R"json({
"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000, "displayTimeUnit": "ms",
"deviceProperties": [{"id": 0, "name": "A", "numSms": 80}],
"distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 2},
"traceEvents": [
{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "python"}},
{"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "ts": 0, "args": {"name": "main"}},
{"ph": "M", "name": "process_sort_index", "pid": 1, "tid": 0, "ts": 0, "args": {"sort_index": 5}},
{"ph": "X", "cat": "cpu_op", "name": "before", "pid": 1, "tid": 2, "ts": 1, "dur": 2, "args": {"External id": 1}},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2, "ts": 10, "dur": 5,
 "args": {"External id": 2, "Sequence number": 6, "Input Dims": [[2, 3], [3, 4]], "Input type": ["float", "float"]}},
{"ph": "X", "cat": "python_function", "name": "a.py(1): f", "pid": 1, "tid": 2, "ts": 10, "dur": 6,
 "args": {"Python id": 4, "Python parent id": 3}},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 2, "ts": 11, "dur": 1,
 "args": {"correlation": 9, "External id": 2}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 13, "dur": 3,
 "args": {"device": 0, "stream": 7, "correlation": 9, "External id": 2}},
{"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 9, "pid": 1, "tid": 2, "ts": 11},
{"ph": "f", "cat": "ac2g", "name": "ac2g", "id": 9, "pid": 0, "tid": 7, "ts": 13, "bp": "e"},
{"ph": "i", "cat": "x", "name": "mark", "pid": 1, "tid": 2, "ts": 14, "s": "t"},
{"ph": "C", "name": "GPU memory", "pid": 0, "tid": 0, "ts": 14, "args": {"allocated": 512}},
{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "pid": 0, "tid": 7, "ts": 16, "dur": 1,
 "args": {"device": 0, "stream": 7, "correlation": 10, "bytes": 4096, "memory bandwidth (GB/s)": 4.1}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "pid": 0, "tid": 8, "ts": 16, "dur": 2,
 "args": {"stream": 8, "correlation": 11, "Collective name": "allreduce", "In msg nelems": 4, "Out msg nelems": 4,
 "Group size": 2, "dtype": "Float", "Process Group Name": "0", "Process Group Ranks": "[0, 1]"}},
{"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 0, "tid": 7, "ts": 17, "dur": 0.5,
 "args": {"stream": 7, "wait_on_stream": 8, "wait_on_cuda_event_record_corr_id": 12}},
{"ph": "X", "cat": "cpu_op", "name": "after", "pid": 1, "tid": 2, "ts": 40, "dur": 1, "args": {"External id": 3}}
]})json");
  const auto excerpt = excerptOf(
      folder / "rank1.json", {.window = {10'000, 20'000}, .rank = 1, .worldSize = 2, .hostJson = "\"a\""});
  ASSERT_TRUE(excerpt) << excerpt.error().text();
  EXPECT_TRUE(test::isStrictJson(excerpt->text));
  for (const char* const field :
       {R"("schemaVersion": 1)", R"("baseTimeNanoseconds": 1700000000000000000)",
        R"("displayTimeUnit": "ms")", R"("deviceProperties": [{"id": 0, "name": "A", "numSms": 80}])",
        R"("distributedInfo": {"backend": "nccl", "rank": 1, "world_size": 2})", R"("traceEvents": [)"})
    EXPECT_NE(excerpt->text.find(field), std::string::npos) << field;

  // By the member that names an event: the others that it must have.
  const std::vector<std::pair<std::string, std::vector<std::string>>> required = {
      {R"("name":"process_name")", {R"("args":{"name":"python"})"}},
      {R"("name":"thread_name")", {R"("args":{"name":"main"})"}},
      {R"("name":"process_sort_index")", {R"("args":{"sort_index":5})"}},
      {R"("name":"aten::mm")",
       {R"("cat":"cpu_op")", R"("dur":5)", R"("External id":2)", R"("Sequence number":6)",
        R"("Input Dims":[[2,3],[3,4]])", R"("Input type":["float","float"])"}},
      {R"("name":"a.py(1): f")",
       {R"("cat":"python_function")", R"("dur":6)", R"("Python id":4)", R"("Python parent id":3)"}},
      {R"("name":"cudaLaunchKernel")",
       {R"("cat":"cuda_runtime")", R"("dur":1)", R"("correlation":9)", R"("External id":2)"}},
      {R"("name":"gemm")",
       {R"("cat":"kernel")", R"("dur":3)", R"("device":0)", R"("stream":7)", R"("correlation":9)",
        R"("External id":2)"}},
      {R"("ph":"s")", {R"("cat":"ac2g")", R"("id":9)"}},
      {R"("ph":"f")", {R"("cat":"ac2g")", R"("id":9)", R"("bp":"e")"}},
      {R"("name":"mark")", {R"("ph":"i")", R"("s":"t")"}},
      {R"("name":"GPU memory")", {R"("ph":"C")", R"("args":{"allocated":512})"}},
      {R"("name":"Memcpy HtoD")",
       {R"("cat":"gpu_memcpy")", R"("dur":1)", R"("stream":7)", R"("correlation":10)", R"("bytes":4096)",
        R"json("memory bandwidth (GB/s)":4.1)json"}},
      {R"("name":"ncclDevKernel_AllReduce")",
       {R"("cat":"kernel")", R"("dur":2)", R"("stream":8)", R"("correlation":11)",
        R"("Collective name":"allreduce")", R"("In msg nelems":4)", R"("Out msg nelems":4)",
        R"("Group size":2)", R"("dtype":"Float")", R"("Process Group Name":"0")",
        R"("Process Group Ranks":"[0, 1]")"}},
      {R"("name":"Stream Wait Event")",
       {R"("cat":"cuda_sync")", R"("dur":0.5)", R"("stream":7)", R"("wait_on_stream":8)",
        R"("wait_on_cuda_event_record_corr_id":12)"}}};
  test::writeTraceFile(folder / "part.json", excerpt->text);
  const std::vector<test::PlainEvent> events = test::readPlainly(folder / "part.json");
  EXPECT_EQ(events.size(), required.size());
  for (const auto& [member, fields] : required) {
    const auto event = std::ranges::find_if(events, [&text = member](const test::PlainEvent& one) {
      return one.text.find(text) != std::string::npos;
    });
    ASSERT_NE(event, events.end()) << member;
    for (const char* const field : {R"("ph":)", R"("pid":)", R"("tid":)", R"("name":)", R"("ts":)"})
      EXPECT_NE(event->text.find(field), std::string::npos) << member << " " << field;
    for (const std::string& field : fields)
      EXPECT_NE(event->text.find(field), std::string::npos) << member << " " << field;
  }
}

TEST(EventExcerpt, keepsWhatTheFileSaysOfItsRank) {
  const test::TemporaryFolder folder;
  test::writeTraceFile(folder / "a.json",
                       R"({"host_name": "a", "distributedInfo": {"rank": 3, "world_size": 4}, "traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "in", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]})");
  const auto excerpt =
      excerptOf(folder / "a.json", {.window = kAllTime, .rank = 5, .worldSize = {}, .hostJson = "\"b\""});
  ASSERT_TRUE(excerpt);
  EXPECT_TRUE(test::isStrictJson(excerpt->text));
  EXPECT_EQ(excerpt->text.find("\"rank\": 5"), std::string::npos);
  EXPECT_EQ(excerpt->text.find("\"b\""), std::string::npos);
}

TEST(EventExcerpt, countsDamagedEventsAndGoesOn) {
  const test::TemporaryFolder folder;
  test::writeTraceFile(folder / "a.json", R"({"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "one", "pid": 1, "tid": 1, "ts": 1, "dur": 2},
{"ph": "X", "cat": "cpu_op", "name" "two", "pid": 1, "tid": 1, "ts": 4, "dur": 2},
{"ph": "X", "cat": "cpu_op", "name": "three", "pid": 1, "tid": 1, "ts": 8, "dur": 2}]})");
  const auto excerpt =
      excerptOf(folder / "a.json", {.window = kAllTime, .rank = {}, .worldSize = {}, .hostJson = {}});
  ASSERT_TRUE(excerpt);
  EXPECT_EQ(excerpt->events, 2U);
  EXPECT_EQ(excerpt->damaged, 1U);
  EXPECT_TRUE(test::isStrictJson(excerpt->text));
}

TEST(EventExcerpt, hasDamagedEventsAsTheyAreShown) {
  const test::TemporaryFolder folder;
  test::writeTraceFile(
      folder / "a.json",
      "{\"traceEvents\": [\n"
      R"({"ph": "X", "cat": "cpu_op", "name": "one", "pid": 1, "tid": 1, "ts": 1, "dur": 2},)"
      "\n{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"t\xff\x01wo\", \"pid\": 1, \"tid\": 1, "
      "\"ts\": 4, \"dur\": 2},\n"
      R"({"ph": "X", "cat": "cpu_op", "name": "say "hi"", "pid": 1, "tid": 1, "ts": 8, "dur": 2}]})");
  const auto excerpt =
      excerptOf(folder / "a.json", {.window = kAllTime, .rank = {}, .worldSize = {}, .hostJson = {}});
  ASSERT_TRUE(excerpt);
  EXPECT_EQ(excerpt->events, 3U);
  EXPECT_EQ(excerpt->damaged, 0U);
  EXPECT_TRUE(test::isStrictJson(excerpt->text));
  test::writeTraceFile(folder / "part.json", excerpt->text);
  EXPECT_EQ(eventsIn(*test::loadJob(folder / "part.json"), RankIndex(0), kAllTime),
            eventsIn(*test::loadJob(folder / "a.json"), RankIndex(0), kAllTime));
}

TEST(EventExcerpt, filesAreNamedByRankAndCapture) {
  test::JobOptions options;
  options.ranks = 2;
  options.captures = 2;
  const test::TemporaryFolder folder;
  generateJob(options, folder.path());
  const Analysis analysis(test::loadJob(folder.path().string()));
  const auto paths = [&](const std::string& out) {
    std::vector<std::string> all;
    for (const ExcerptFile& file : excerptFiles(analysis, out)) all.push_back(file.path);
    std::ranges::sort(all);
    return all;
  };
  EXPECT_EQ(paths("part.json.gz"),
            (std::vector<std::string>{"part_rank0_capture1.json.gz", "part_rank0_capture2.json.gz",
                                      "part_rank1_capture1.json.gz", "part_rank1_capture2.json.gz"}));
  EXPECT_EQ(paths("folder").front(), "folder/rank0_capture1.json.gz");
}

TEST(EventExcerpt, isWrittenCompressedAndOpensAsTheJob) {
  test::JobOptions options;
  options.ranks = 2;
  options.steps = 3;
  const test::TemporaryFolder folder;
  generateJob(options, folder.path());
  const Analysis whole(test::loadJob(folder.path().string()));
  const std::int64_t step = whole.stepWindows(whole.ranks().front()).steps.at(1).number;
  const auto part = std::make_unique<const Analysis>(whole, scopeOfSteps(whole, step, step));
  const test::TemporaryFolder out;
  ASSERT_EQ(part->ranks().size(), 2U);
  for (ExcerptFile file : excerptFiles(*part, out.path().string())) {
    const auto error = writeExcerpt(*part, file);
    ASSERT_FALSE(error) << error->text();
    EXPECT_GT(file.events, 0U);
  }
  const Analysis again(test::loadJob(out.path().string()));
  ASSERT_EQ(again.ranks().size(), 2U);
  EXPECT_TRUE(again.trace().file(again.trace().rank(RankIndex(0)).file).path.ends_with("rank0.json.gz"));
}

TEST(EventExcerpt, isOnlyOfRecordingsThatHaveAPartOfIt) {
  test::JobOptions options;
  options.ranks = 2;
  options.captures = 3;
  const test::TemporaryFolder folder;
  generateJob(options, folder.path());
  const Analysis whole(test::loadJob(folder.path().string()));
  std::optional<JobRange> second;
  for (const RankIndex rank : whole.ranks()) {
    const RankEntry& entry = whole.trace().rank(rank);
    if (entry.capture != 2) continue;
    const JobRange own = whole.clocks().of(rank).toJob(RankRange::of(entry.trace->extent));
    second = second ? JobRange{std::min(second->begin, own.begin), std::max(second->end, own.end)} : own;
  }
  ASSERT_TRUE(second);
  const Analysis part(whole, scopeOfRange(whole, *second));
  const test::TemporaryFolder out;
  std::vector<std::string> names;
  for (ExcerptFile file : excerptFiles(part, out.path().string())) {
    names.push_back(std::filesystem::path(file.path).filename().string());
    const auto error = writeExcerpt(part, file);
    ASSERT_FALSE(error) << error->text();
    EXPECT_GT(file.events, 0U);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"rank0.json.gz", "rank1.json.gz"}));
  ExcerptFile between{.rank = RankIndex(0), .path = (out.path() / "none.json").string()};
  const JobRange gap{second->begin.movedBy(-2'000), second->begin.movedBy(-1'000)};
  const Analysis nothing(whole, scopeOfRange(whole, gap));
  ASSERT_FALSE(writeExcerpt(nothing, between));
  EXPECT_EQ(between.events, 0U);
  EXPECT_FALSE(std::filesystem::exists(between.path));
}

// Hosts that only names of files or folders say are said by the excerpts.
TEST(EventExcerpt, ranksKeepTheirHosts) {
  test::JobOptions options;
  options.ranks = 4;
  const test::TemporaryFolder folder, jobs;
  generateJob(options, folder.path());
  for (int rank = 0; rank < 4; ++rank) {
    const std::filesystem::path node = jobs.path() / (rank < 2 ? "node0" : "node1");
    std::filesystem::create_directories(node);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path()))
      if (entry.path().filename().string().find("rank" + std::to_string(rank)) != std::string::npos)
        std::filesystem::copy(entry.path(), node / entry.path().filename());
  }
  const Analysis whole(test::loadJob(jobs.path().string()));
  ASSERT_EQ(whole.ranks().size(), 4U);
  const test::TemporaryFolder out;
  for (ExcerptFile file : excerptFiles(whole, out.path().string())) {
    const auto error = writeExcerpt(whole, file);
    ASSERT_FALSE(error) << error->text();
  }
  const Analysis again(test::loadJob(out.path().string()));
  ASSERT_EQ(again.ranks().size(), 4U);
  for (RankIndex rank(0); rank.value < 4; ++rank.value) {
    EXPECT_FALSE(whole.trace().rank(rank).host.empty());
    EXPECT_EQ(again.trace().rank(rank).host, whole.trace().rank(rank).host);
  }
}

class ExcerptOfSharedSet : public testing::TestWithParam<std::string> {};

TEST_P(ExcerptOfSharedSet, hasTheSameEvents) {
  RANKSCOPE_SKIP_UNLESS(!GetParam().empty(), test::kNoRecordings);
  expectSameEvents((test::sharedFolder() / "traces" / GetParam()).string());
}

INSTANTIATE_TEST_SUITE_P(Shared, ExcerptOfSharedSet, testing::ValuesIn(test::sharedTraceSets()),
                         [](const auto& set) { return test::testNameOf(set.param); });
} // namespace rankscope

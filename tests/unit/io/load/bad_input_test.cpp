// SPDX-License-Identifier: GPL-3.0-or-later
//
// Damaged and odd files: of each kind of damage, exactly which events are left, and what is said of the
// others with its place in the file. Beside each damaged file lies a whole one, which must not notice.
#include "core/analysis/job/analysis.h"
#include "core/export/csv.h"
#include "core/io/load/trace_loader.h"
#include "core/report/tables.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/core.h>

namespace rankscope {
namespace {

using test::TemporaryFolder;
using test::writeTraceFile;
using Names = std::vector<std::string>;

constexpr auto kRepaired = DiagnosticKind::Repaired;
constexpr auto kSkipped = DiagnosticKind::Skipped;
constexpr auto kSuspicious = DiagnosticKind::Suspicious;

std::string op(const std::string& name, const std::string& time, const std::string& duration = "5") {
  return fmt::format(R"({{"ph":"X","cat":"cpu_op","name":"{}","pid":1,"tid":1,"ts":{},"dur":{}}})", name,
                     time, duration);
}
std::string op(const std::string& name, int time) {
  return op(name, std::to_string(time));
}

std::string kernel(const std::string& name, int time, const std::string& arguments) {
  return fmt::format(
      R"({{"ph":"X","cat":"kernel","name":"{}","pid":0,"tid":7,"ts":{},"dur":5,"args":{{"device":0,"stream":7{}}}}})",
      name, time, arguments);
}

std::string trace(const std::string& events, const std::string& more = {}) {
  return "{\"traceEvents\":[" + events + "]" + more + "}";
}

// What is told, and the text of the file whose first byte is its place.
struct Reported {
  DiagnosticKind kind;
  std::string at;
  std::string what;
};

struct BadInput {
  std::string name;
  std::string text;
  Names left;                     // the events, in order of time
  std::vector<Reported> reported; // in the order of the file; an empty place is the file's end
};

void PrintTo(const BadInput& input, std::ostream* out) {
  *out << input.name;
}

std::shared_ptr<const TraceSet> load(const std::string& path, unsigned threads = 2) {
  Progress progress;
  LoadOptions options;
  options.threadCount = threads;
  auto loaded = loadTraces({path}, options, progress);
  if (loaded) return *loaded;
  ADD_FAILURE() << loaded.error().text();
  return nullptr;
}

const RankEntry* rankOf(const TraceSet& set, int rank) {
  const auto found = std::ranges::find(set.ranks(), rank, &RankEntry::rank);
  return found == set.ranks().end() ? nullptr : &*found;
}

Names namesOf(const TraceSet& set, const RankTrace& trace) {
  std::vector<std::pair<TimeNs, std::string>> events;
  for (EventIndex e(0); e.value < trace.events.size(); ++e.value)
    events.emplace_back(trace.events.begin[e], set.names()[trace.events.name[e]]);
  std::ranges::sort(events);
  Names names;
  for (const auto& event : events) names.push_back(event.second);
  return names;
}

std::string reported(const std::vector<Diagnostic>& items) {
  std::string text;
  for (const Diagnostic& item : items)
    text += fmt::format("{} at {}: {}\n", static_cast<int>(item.kind), item.at.readerBits(), item.text);
  return text;
}

std::string expected(const BadInput& input) {
  std::vector<Diagnostic> items;
  for (const Reported& said : input.reported) {
    const std::size_t at = said.at.empty() ? input.text.size() : input.text.find(said.at);
    EXPECT_NE(at, std::string::npos) << said.at;
    items.push_back({said.kind, SourceRef(at), said.what});
  }
  return reported(items);
}

constexpr const char* kRepairedText = "damaged text was repaired";
constexpr const char* kNoTime = "an event without a readable time";
constexpr const char* kNoNumber = "an invalid number: treated as not recorded";
constexpr const char* kUnreadable = "an unreadable event";
constexpr const char* kFront = "the start of the file is damaged: reading continued at its events";
constexpr const char* kEndsInEvent = "the file ends inside an event";
constexpr const char* kNoArrayEnd = "the end of the event array is missing";
constexpr const char* kNoBrace = "the closing brace of the file is missing";
constexpr const char* kNegative = "a negative duration: treated as 0";
constexpr const char* kBeyond = "an event that ends beyond the time range";

std::vector<BadInput> textInputs() {
  const std::string a = op("a", 10), b = op("b", 20), c = op("c", 30);
  const std::string quoted =
      R"({"ph":"X","cat":"cpu_op","name":"say "b", twice","pid":1,"tid":1,"ts":20,"dur":5})";
  const std::string noBracket =
      R"({"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":20,"dur":5,"args":{"Input Dims":[[1,2})";
  return {
      {"truncatedInsideAnEvent",
       ("{\"traceEvents\":[" + a + "," + b).substr(0, 70 + a.size()),
       {"a"},
       {{kSkipped, "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\"", kEndsInEvent}}},
      {"truncatedBetweenEvents",
       "{\"traceEvents\":[" + a + "," + b,
       {"a", "b"},
       {{kRepaired, "", kNoArrayEnd}}},
      {"truncatedBehindAComma",
       "{\"traceEvents\":[" + a + ",\n",
       {"a"},
       {{kRepaired, ",\n", "an extra comma between events"}, {kRepaired, "", kNoArrayEnd}}},
      {"truncatedBehindTheArray",
       "{\"traceEvents\":[" + a + "," + b + "]",
       {"a", "b"},
       {{kRepaired, "", kNoBrace}}},
      {"truncatedInsideARootMember",
       "{\"traceEvents\":[" + a + "],\"traceName\":\"/tmp/ra",
       {"a"},
       {{kSkipped, "\"/tmp/ra", "the file ends inside \"traceName\""}}},
      {"trailingGarbage",
       trace(a + "," + b) + "garbage",
       {"a", "b"},
       {{kSuspicious, "garbage", "what follows the end of the trace was ignored"}}},
      {"trailingGarbageBehindABareArray",
       "[" + a + "," + b + "]{\"more\":1}",
       {"a", "b"},
       {{kSuspicious, "{\"more\"", "what follows the end of the trace was ignored"}}},
      {"aBadDeviceInTwoPlacesIsOneRemark",
       trace(a + R"(,{"ph":"X","cat":"kernel","name":"k","pid":99999999999,"tid":7,"ts":20,"dur":5,)" +
             R"("args":{"device":99999999999,"stream":7}})"),
       {"a", "k"},
       {{kRepaired, "{\"ph\":\"X\",\"cat\":\"kernel\"", kNoNumber}}},
      {"invalidUtf8",
       trace(a + "," + op("b\xff\xfe", 20) + "," + op("c\xed\xa0\x80", 30)),
       {"a", "b\xef\xbf\xbd\xef\xbf\xbd", "c\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
       {{kRepaired, op("b\xff\xfe", 20), kRepairedText},
        {kRepaired, op("c\xed\xa0\x80", 30), kRepairedText}}},
      {"rawControlCharacters",
       trace(a + "," + op("b\n\x01", 20) + "," + c),
       {"a", "b  ", "c"},
       {{kRepaired, op("b\n\x01", 20), kRepairedText}}},
      {"loneBackslash",
       trace(a + "," + op("C:\\data\\x", 20) + "," + c),
       {"a", "C:\\data\\x", "c"},
       {{kRepaired, op("C:\\data\\x", 20), "an invalid escape sequence: backslash left in the name"}}},
      {"loneBackslashBeforeTheQuote",
       trace(a + "," + op("b\\", 20) + "," + c),
       {"a", "b\\", "c"},
       {{kRepaired, op("b\\", 20), kRepairedText}}},
      {"unescapedQuotesInAName",
       trace(a + "," + quoted + "," + c),
       {"a", "say \"b\", twice", "c"},
       {{kRepaired, quoted, kRepairedText}}},
      {"notANumber",
       trace(op("a", "NaN") + "," + op("b", "20", "NaN") + "," + kernel("k", 30, ",\"bytes\":NaN")),
       {"b", "k"},
       {{kSkipped, op("a", "NaN"), kNoTime},
        {kRepaired, op("b", "20", "NaN"),
         "a duration event without a readable duration: shown as an instant"},
        {kRepaired, kernel("k", 30, ",\"bytes\":NaN"), kNoNumber}}},
      {"infinities",
       trace(op("a", "-Infinity") + "," + kernel("k", 30, ",\"blocks per SM\":inf") + "," + b),
       {"b", "k"},
       {{kSkipped, op("a", "-Infinity"), kNoTime},
        {kRepaired, kernel("k", 30, ",\"blocks per SM\":inf"), kNoNumber}}},
      {"integersBeyondSixtyThreeBits",
       trace(op("a", "9223372036854775808") + "," + kernel("k", 30, ",\"correlation\":18446744073709551615") +
             "," + kernel("l", 40, ",\"correlation\":18446744073709551616") + "," + op("b", "50", "1e300")),
       {"k", "l", "b"},
       {{kSkipped, op("a", "9223372036854775808"), kNoTime},
        {kRepaired, kernel("l", 40, ",\"correlation\":18446744073709551616"), kNoNumber},
        {kRepaired, op("b", "50", "1e300"),
         "a duration event without a readable duration: shown as an instant"}}},
      {"duplicateKeysOfAnEvent",
       trace(R"({"ph":"X","cat":"cpu_op","name":"a","name":"b","pid":1,"tid":1,"ts":1,"ts":20,"dur":5})"),
       {"b"},
       {}},
      {"duplicateKeysOfTheRoot",
       trace(a, ",\"distributedInfo\":{\"rank\":5},\"distributedInfo\":{\"rank\":0},\"traceEvents\":[" + b +
                    "]"),
       {"a"},
       {{kSuspicious, "{\"rank\":0}", "\"distributedInfo\" occurs again: the last one is used"},
        {kSuspicious, "[" + b, "a second array of events was ignored"}}},
      {"missingBracketInsideAnEvent",
       trace(a + "," + noBracket + "," + c),
       {"a", "b", "c"},
       {{kRepaired, noBracket, kRepairedText}}},
      {"missingBraceOfAnEvent",
       trace(a + "," + b.substr(0, b.size() - 1) + "," + c),
       {"a", "c"},
       {{kSkipped, b.substr(0, b.size() - 1), kUnreadable}}},
      {"aBracketTooMany",
       trace(a + "]," + b + "}," + c),
       {"a", "b", "c"},
       {{kRepaired, "],{", "an unmatched closing bracket"},
        {kRepaired, "},{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"c\"", "an unmatched closing bracket"}}},
      {"trailingCommas",
       trace(a + ",," + R"({"ph":"X","cat":"cpu_op","name":"b","pid":1,"tid":1,"ts":20,"dur":5,})" + ","),
       {"a", "b"},
       {{kRepaired, ",,", "an extra comma between events"},
        {kRepaired, R"({"ph":"X","cat":"cpu_op","name":"b")", kRepairedText},
        {kRepaired, ",]", "an extra comma between events"}}},
      {"missingCommas",
       trace(a + "\n" + b + c),
       {"a", "b", "c"},
       {{kRepaired, b, "a comma is missing between events"},
        {kRepaired, c, "a comma is missing between events"}}},
      {"negativeDurations",
       trace(op("a", "10", "-5") + "," + op("b", "20", "-9223372036854775.807")),
       {"a", "b"},
       {{kRepaired, op("a", "10", "-5"), kNegative},
        {kRepaired, op("b", "20", "-9223372036854775.807"), kNegative}}},
      {"absurdDurations",
       trace(op("a", "10", "9223372036854775.807") + "," + b),
       {"b"},
       {{kSkipped, op("a", "10", "9223372036854775.807"), kBeyond}}},
      {"eventsAtTimeZero",
       trace(op("junk", "0") + "," + op("a", "1700000000000010") + "," + op("b", "1700000000000020")),
       {"junk", "a", "b"},
       {{kSuspicious, op("junk", "0"),
         "events at time 0 are far before all others; excluded from the span"}}},
      {"twoFilesConcatenated",
       trace(a + "," + b) + trace(c),
       {"a", "b"},
       {{kSuspicious, "{\"traceEvents\":[" + c, "what follows the end of the trace was ignored"}}},
      {"twoFilesInterleaved",
       "{\"traceEvents\":[" + a + ",{\"traceEvents\":[" + b + "," + c.substr(0, 20) + op("d", 40) + "]}" +
           "," + op("e", 50) + "]}",
       {"a", "b", "d", "e"},
       {{kSkipped, "{\"traceEvents\":[" + b, kUnreadable},
        {kSkipped, c.substr(0, 20) + "{", kUnreadable},
        {kRepaired, "]},", "an unmatched closing bracket"},
        {kRepaired, "},{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"e\"", "an unmatched closing bracket"}}},
      {"nothingButAName",
       trace(a + ",\"text\",7,null," + b),
       {"a", "b"},
       {{kSkipped, "\"text\",7", kUnreadable}}},
      {"damageInFrontOfTheEvents",
       "{\"host_name\":\"node0,\n\"deviceProperties\":[{\"id\":0}],\"traceEvents\":[" + a + "," + b + "]}",
       {"a", "b"},
       {{kSkipped, "deviceProperties", kFront}}},
      {"anOpenListInFrontOfTheEvents",
       "{\"deviceProperties\":[{\"id\":0,\"traceEvents\":[" + a + "," + b + "]}",
       {"a", "b"},
       {{kSkipped, "[{\"id\"", "the file ends inside \"deviceProperties\""}, {kSkipped, "[{\"id\"", kFront}}},
      {"theFrontIsMissing",
       a.substr(30) + "," + b + "," + c + "],\"distributedInfo\":{\"rank\":0}}",
       {"b", "c"},
       {{kSkipped, a.substr(30), kFront}}},
      {"impossibleRank",
       trace(a, ",\"distributedInfo\":{\"rank\":4294967296,\"world_size\":-3}"),
       {"a"},
       {{kSkipped, "{\"rank\"", "\"rank\" of \"distributedInfo\" is 4294967296"},
        {kSkipped, "{\"rank\"", "\"world_size\" of \"distributedInfo\" is -3"}}},
  };
}

class BadInputs : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputs, leaveExactlyTheseEventsAndAreReportedWithTheirPlaces) {
  const BadInput& input = GetParam();
  const TemporaryFolder folder;
  const std::string whole = trace(op("x", 10) + "," + op("y", 20));
  writeTraceFile(folder / "rank0.json", input.text);
  writeTraceFile(folder / "rank1.json", whole);
  for (const unsigned threads : {1U, 4U}) {
    const auto set = load(folder.path().string(), threads);
    ASSERT_TRUE(set);
    const RankEntry* const bad = rankOf(*set, 0);
    ASSERT_NE(bad, nullptr);
    EXPECT_EQ(namesOf(*set, *bad->trace), input.left);
    EXPECT_EQ(reported(bad->trace->diagnostics.items()), expected(input));
    const FileRecord& file = set->file(bad->file);
    const auto count = [&](DiagnosticKind kind) {
      return static_cast<std::uint64_t>(std::ranges::count(input.reported, kind, &Reported::kind));
    };
    EXPECT_EQ(file.repaired, count(kRepaired));
    EXPECT_EQ(file.skipped, count(kSkipped));
    for (std::size_t i = 0; i < std::min<std::size_t>(3, input.reported.size()); ++i)
      EXPECT_NE(file.note.find(input.reported[i].what), std::string::npos) << file.note;
    const RankEntry* const good = rankOf(*set, 1);
    ASSERT_NE(good, nullptr);
    EXPECT_EQ(namesOf(*set, *good->trace), (Names{"x", "y"}));
    EXPECT_TRUE(good->trace->diagnostics.items().empty());
  }
}

INSTANTIATE_TEST_SUITE_P(All, BadInputs, testing::ValuesIn(textInputs()),
                         [](const auto& input) { return input.param.name; });

} // namespace
} // namespace rankscope

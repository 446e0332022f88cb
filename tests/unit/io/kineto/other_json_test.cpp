// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/other_json.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace rankscope {
namespace {

std::string kind(std::vector<std::string> keys) {
  return kindOfObject(keys);
}

TEST(OtherJson, namesKnownObjectsByTheirKeys) {
  EXPECT_NE(kind({"schema", "pid", "time", "start_ts", "nodes"}).find("execution trace"), std::string::npos);
  EXPECT_NE(kind({"segments", "device_traces"}).find("memory snapshot"), std::string::npos);
  EXPECT_NE(kind({"version", "pg_config", "entries"}).find("Flight Recorder"), std::string::npos);
  EXPECT_NE(kind({"schemaVersion", "traceEvents"}).find("\"traceEvents\" is no list"), std::string::npos);
  EXPECT_EQ(kind({"a", "b", "c", "d"}),
            "JSON of another kind, without \"traceEvents\"; it has \"a\", \"b\", \"c\", ...");
  EXPECT_EQ(kind({}), "an empty JSON object");
}

TEST(OtherJson, tellsListsOfOthersFromEvents) {
  EXPECT_NE(kindOfArray("[[1795, 1796],[3, 4]]")->find("memory timeline"), std::string::npos);
  EXPECT_NE(kindOfArray("[1, 2]")->find("list of values"), std::string::npos);
  EXPECT_NE(kindOfArray("[ {\"name\": \"a\"}, {}]")->find("no trace events"), std::string::npos);
  for (const char* events : {"[]", "[ ]", "[", "[{\"name\":\"a\",\"ph\":\"X\"}]", "[{\"name\":\"cut", "[{}"})
    EXPECT_EQ(kindOfArray(events).has_value(), std::string_view(events) == "[{}") << events;
}

} // namespace
} // namespace rankscope

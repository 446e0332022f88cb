// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/session_traces.h"
#include "tests/support/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace rankscope {
namespace {

using Paths = std::vector<std::string>;

TEST(SessionTraces, areGivenFromTheFolderOfTheSession) {
  const auto traces = tracesOfSession(
      R"({"regions": [{"traces": 1}], "rankscope_session": 1, "traces": ["../job", "a\u00e4.json", "/abs/x"]})",
      "/runs/marks");
  ASSERT_TRUE(traces) << traces.error().text();
  EXPECT_EQ(traces->paths, (Paths{"/runs/job", "/runs/marks/aä.json", "/abs/x"}));
  EXPECT_EQ(traces->part, "");
}

TEST(SessionTraces, ofAPartOfAJobNameItsOptions) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "marks.rankscope")
      << R"({"rankscope_session": 1, "traces": ["job"], "part": {"skip_python": true, "skip_cpu_operators": false,)"
      << R"( "steps": [3, 5], "ranks": [0, 1, 2, 7], "capture": 2, "newer": {"steps": [1]}}})";
  const auto paths = withSessionTraces(Paths{folder / "marks.rankscope"});
  ASSERT_TRUE(paths) << paths.error().text();
  EXPECT_EQ(paths->paths, (Paths{folder / "job"}));
  ASSERT_EQ(paths->notes.size(), 1U);
  EXPECT_TRUE(paths->notes[0].ends_with(" add --skip-python --load-steps 3..5 --ranks 0-2,7 --capture 2"))
      << paths->notes[0];
}

TEST(SessionTraces, aDamagedPartIsNone) {
  for (const char* part : {"3", R"({"steps": 4, "capture": "x"})", R"({"steps": ["a", 1], "ranks": []})"}) {
    const auto traces = tracesOfSession(
        std::string(R"({"rankscope_session": 1, "traces": ["job"], "part": )") + part + "}", "/");
    ASSERT_TRUE(traces) << part;
    EXPECT_EQ(traces->part, "") << part;
  }
}

TEST(SessionTraces, whatIsNoSessionSaysSo) {
  for (const auto& [text, part] : {std::pair{"", "no JSON"},
                                   {"{\"a\": ", "damaged"},
                                   {"[1]", "damaged"},
                                   {R"({"traces": ["x"]})", "marker missing"},
                                   {R"({"rankscope_session": 1})", "no traces"},
                                   {R"({"rankscope_session": 1, "traces": []})", "no traces"}}) {
    const auto traces = tracesOfSession(text, "/");
    ASSERT_FALSE(traces) << text;
    EXPECT_NE(traces.error().message.find(part), std::string::npos) << traces.error().message;
  }
}

TEST(SessionTraces, replaceTheSessionAmongThePaths) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "marks.rankscope") << R"({"rankscope_session": 1, "traces": ["job"]})";
  std::filesystem::create_directories(folder / "folder.rankscope");
  EXPECT_TRUE(isSessionPath(folder / "marks.rankscope"));
  EXPECT_FALSE(isSessionPath(folder / "folder.rankscope")) << "a folder is searched";
  EXPECT_FALSE(isSessionPath(folder / "nowhere.rankscope"));
  const auto paths = withSessionTraces(Paths{"before", folder / "marks.rankscope"});
  ASSERT_TRUE(paths);
  EXPECT_EQ(paths->paths, (Paths{"before", folder / "job"}));
  EXPECT_TRUE(paths->notes.empty());
  std::ofstream(folder / "marks.rankscope") << "text";
  const auto broken = withSessionTraces(Paths{folder / "marks.rankscope"});
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().file, folder / "marks.rankscope");
}

} // namespace
} // namespace rankscope

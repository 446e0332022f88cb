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
  EXPECT_EQ(*traces, (Paths{"/runs/job", "/runs/marks/aä.json", "/abs/x"}));
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
  EXPECT_EQ(*paths, (Paths{"before", folder / "job"}));
  std::ofstream(folder / "marks.rankscope") << "text";
  const auto broken = withSessionTraces(Paths{folder / "marks.rankscope"});
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().file, folder / "marks.rankscope");
}

} // namespace
} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Titles of scenarios are words for people, without ids of leaves.
#include "core/report/scenario_names.h"

#include "core/analysis/account/leaves.h"
#include "core/report/leaf_texts.h"

#include <gtest/gtest.h>

#include <string>

namespace rankscope {
namespace {

std::string nameOfText(const std::string& text) {
  const auto scenario = scenarioFromText(text);
  EXPECT_TRUE(scenario) << text;
  return scenario ? scenarioName(*scenario) : std::string();
}

TEST(ScenarioNames, GapsAreNamedByTheTitleOfTheirCause) {
  EXPECT_EQ(nameOfText("no_gap=host.input"), "No gaps: DataLoader");
  EXPECT_EQ(nameOfText("no_gap=host.dispatch:3"), "No gaps: Dispatch on rank 3");
  for (std::size_t i = 0; i < kLeafCount; ++i) {
    std::string id(leafText(static_cast<Leaf>(i)));
    while (true) {
      const std::string title = nameOfText("no_gap=" + id).substr(std::string("No gaps: ").size());
      EXPECT_NE(title, id);
      EXPECT_EQ(title.find('.'), std::string::npos) << title;
      const std::size_t point = id.rfind('.');
      if (point == std::string::npos) break;
      id.resize(point);
    }
  }
}

TEST(ScenarioNames, PartsAreJoined) {
  EXPECT_EQ(nameOfText("rank_as_peers=3+link=2"), "Rank 3 as its peers + Links 2 × as fast");
  EXPECT_EQ(nameOfText("kernel=0.5:gemm"), "Kernels × 0.5 (gemm)");
}

} // namespace
} // namespace rankscope

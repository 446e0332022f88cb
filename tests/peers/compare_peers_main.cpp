// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-compare-peers [FOLDER] [--set NAME] [--table NAME] [--differing]: prints every figure of two
// other tools beside ours, tab-separated. Exits with 1 when a difference is not explained.
#include "tests/peers/compare_peers.h"

#include <cstdio>
#include <exception>
#include <fmt/format.h>
#include <string_view>

namespace {

struct Wanted {
  std::filesystem::path folder = std::filesystem::path(RANKSCOPE_SOURCE_DIR).parent_path() / "shared";
  std::string set;
  std::string table;
  bool onlyDiffering = false;
};

Wanted wantedFrom(int argc, char** argv) {
  Wanted wanted;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const bool hasValue = i + 1 < argc;
    if (argument == "--set" && hasValue)
      wanted.set = argv[++i];
    else if (argument == "--table" && hasValue)
      wanted.table = argv[++i];
    else if (argument == "--differing")
      wanted.onlyDiffering = true;
    else
      wanted.folder = argument;
  }
  return wanted;
}

int run(const Wanted& wanted) {
  std::size_t figures = 0, equal = 0, unexplained = 0;
  fmt::print("set\tfigure\tours\ttheirs\tdifference\trule\n");
  for (const std::string& set : rankscope::peers::comparableSets(wanted.folder)) {
    if (!wanted.set.empty() && set != wanted.set) continue;
    const auto result = rankscope::peers::comparePeers(wanted.folder, set, wanted.table);
    for (const std::string& fault : result.faults) fmt::print(stderr, "{}\n", fault);
    unexplained += result.faults.size();
    for (const auto& c : result.figures) {
      ++figures;
      equal += c.rule.empty() ? 1 : 0;
      unexplained += c.explained ? 0 : 1;
      if (wanted.onlyDiffering && c.rule.empty()) continue;
      fmt::print("{}\t{}\t{}\t{}\t{}\t{}\n", c.set, c.figure, c.ours, c.theirs,
                 c.difference ? fmt::format("{:.6g}", *c.difference) : std::string(), c.rule);
    }
  }
  fmt::print(stderr, "{} figures, {} equal, {} explained by a rule, {} not explained\n", figures, equal,
             figures - equal - unexplained, unexplained);
  return unexplained == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) try {
  return run(wantedFrom(argc, argv));
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}

// SPDX-License-Identifier: GPL-3.0-or-later
// Which of several exports of one report is kept, and what is known of its rank.
#include "core/io/placement/file_copies.h"

#include "tests/unit/io/placement/placed_files.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace rankscope {
namespace {

// Of one report, unless another host is given.
File exportNamed(const std::string& name, std::uint64_t events, const std::string& host = "node-a") {
  return File(name).with([&](FileFacts& facts) {
    facts.otherProgram = true;
    facts.session = "1700000000000000001 100";
    facts.hostName = host;
    facts.events = events;
    facts.beginNs = kStart;
    facts.endNs = kStart + kSecond;
    facts.textBytes = events * 100 + name.size();
  });
}

} // namespace

TEST(FileCopies, theRankIsThatOfTheExportThatKnowsIt) {
  const Placed named = place({exportNamed("a.sqlite", 100), exportNamed("trace_rank3.sqlite", 100)});
  EXPECT_EQ(named.jobs(), 1);
  EXPECT_EQ(named["trace_rank3.sqlite"].rank, 3);
  EXPECT_EQ(named["trace_rank3.sqlite"].from, RankSource::Name);
  EXPECT_TRUE(says(named["a.sqlite"], "another export of the same report"));
  // The whole export is kept with the rank that a part of it has in its name.
  const Placed whole = place({exportNamed("a.sqlite", 500), exportNamed("trace_rank3.sqlite", 100)});
  EXPECT_EQ(whole["a.sqlite"].rank, 3);
  EXPECT_EQ(whole["a.sqlite"].from, RankSource::Name);
  EXPECT_TRUE(says(whole["a.sqlite"], "another export of its report"));
  EXPECT_FALSE(whole["trace_rank3.sqlite"].rank);
  // The environment is stronger than a name.
  FileFacts environment = exportNamed("a.sqlite", 100).metadata(5, 8);
  environment.metadataFrom = RankSource::Environment;
  const Placed both = place({environment, exportNamed("trace_rank3.sqlite", 500)});
  EXPECT_EQ(both["trace_rank3.sqlite"].rank, 5);
  EXPECT_EQ(both["trace_rank3.sqlite"].from, RankSource::Environment);
}

TEST(FileCopies, hostsAndRanksThatAreKnownToDifferHaveReportsOfTheirOwn) {
  const Placed ranks =
      place({exportNamed("a.sqlite", 100).metadata(0, 2), exportNamed("b.sqlite", 100).metadata(1, 2)});
  EXPECT_EQ(ranks["a.sqlite"].rank, 0);
  EXPECT_EQ(ranks["b.sqlite"].rank, 1);
  const Placed two = place(
      {exportNamed("trace_rank0.sqlite", 100, "node-a"), exportNamed("trace_rank1.sqlite", 100, "node-b")});
  EXPECT_EQ(two["trace_rank0.sqlite"].rank, 0);
  EXPECT_EQ(two["trace_rank1.sqlite"].rank, 1);
  const Placed one =
      place({exportNamed("trace_rank0.sqlite", 100, "node-a"), exportNamed("trace_rank1.sqlite", 90, "")});
  EXPECT_EQ(one["trace_rank0.sqlite"].rank, 0);
  EXPECT_FALSE(one["trace_rank1.sqlite"].rank);
}

} // namespace rankscope

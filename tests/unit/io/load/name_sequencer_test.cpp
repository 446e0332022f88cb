// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/name_sequencer.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kFiles = 16;

void takeTurn(NameSequencer& turns, std::size_t turn) {
  turns.take(turn, [turn](StringInterner& names) {
    names.intern("common");
    names.intern("of " + std::to_string(turn));
  });
}

} // namespace

TEST(NameSequencer, numberNamesAlikeWhoeverComesFirst) {
  WorkQueue queue;
  NameSequencer turns(queue);
  std::vector<std::thread> files;
  // The last one first.
  for (std::size_t turn = kFiles; turn-- > 0;) files.emplace_back([&turns, turn] { takeTurn(turns, turn); });
  for (std::thread& file : files) file.join();
  const StringTable names = turns.snapshot();
  ASSERT_EQ(names.size(), kFiles + 1);
  EXPECT_EQ(names[NameId(0)], "common");
  for (std::size_t turn = 0; turn < kFiles; ++turn)
    EXPECT_EQ(names[NameId(turn + 1)], "of " + std::to_string(turn));
}

TEST(NameSequencer, passAlsoWhenAFileFails) {
  WorkQueue queue;
  NameSequencer turns(queue);
  std::thread after([&] { takeTurn(turns, 1); });
  EXPECT_THROW(turns.take(0, [](StringInterner&) { throw std::runtime_error("no memory"); }),
               std::runtime_error);
  after.join();
  EXPECT_EQ(turns.snapshot().size(), 2U);
}

TEST(NameSequencer, whoWaitsWorksForTheOthers) {
  WorkQueue queue;
  NameSequencer turns(queue);
  // The first turn is itself a piece of work, and there is nobody else to do it.
  queue.push([&] { takeTurn(turns, 0); });
  takeTurn(turns, 1);
  EXPECT_EQ(turns.snapshot().size(), 3U);
}

} // namespace rankscope

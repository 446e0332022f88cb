// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/strong_index.h"

#include <gtest/gtest.h>
#include <type_traits>
#include <unordered_set>

namespace rankscope {

// What the types are for: none of these compiles by accident.
static_assert(!std::is_convertible_v<std::size_t, EventIndex>);
static_assert(!std::is_convertible_v<EventIndex, std::size_t>);
static_assert(!std::is_convertible_v<RowIndex, EventIndex>);
static_assert(!std::is_constructible_v<EventIndex, RowIndex>);
static_assert(sizeof(EventIndex) == 4);

TEST(StrongIndex, isNoneUntilItIsReported) {
  EXPECT_FALSE(EventIndex().valid());
  EXPECT_TRUE(EventIndex(0).valid());
  EXPECT_TRUE(EventIndex(EventIndex::kNone - 1).valid());
  EXPECT_EQ(EventIndex(EventIndex::kNone), EventIndex());
}

TEST(StrongIndex, isInOrderAndNoneComesLast) {
  EXPECT_LT(RowIndex(3), RowIndex(4));
  EXPECT_GT(RowIndex(4), RowIndex(3));
  EXPECT_EQ(RowIndex(4), RowIndex(4));
  EXPECT_LT(RowIndex(1'000'000), RowIndex());
}

TEST(StrongIndex, isAKey) {
  const std::unordered_set<NameId> names{NameId(1), NameId(2), NameId(1), NameId()};
  EXPECT_EQ(names.size(), 3U);
  EXPECT_TRUE(names.contains(NameId(2)));
  EXPECT_TRUE(names.contains(NameId()));
  EXPECT_FALSE(names.contains(NameId(0)));
}

} // namespace rankscope

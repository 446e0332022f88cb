// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/stack_pool.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

namespace rankscope {

TEST(StackPools, aCopyOutlivesWhatItWasCopiedFrom) {
  const std::string name = "a text that is longer than a string holds in itself";
  auto first = std::make_unique<StackPool>();
  const std::uint32_t id = first->addText(name);
  StackPool copy(*first);
  StackPool assigned;
  assigned = *first;
  first.reset();
  EXPECT_EQ(copy.addText(name), id);
  EXPECT_EQ(assigned.addText(name), id);
  EXPECT_EQ(copy.text(id), name);
  const StackPool moved = std::move(copy);
  EXPECT_EQ(moved.text(id), name);
}

} // namespace rankscope

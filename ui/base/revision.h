// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers that tell one state of something from every other state of anything. What is kept because it was
// made of something compares such numbers and never addresses: what is freed may come back at the same one.
// UI thread.
#pragma once

#include <cstdint>

namespace rankscope::ui {

// Greater than all before it; never 0, which stands for nothing at all.
[[nodiscard]] inline std::uint64_t nextRevision() {
  static std::uint64_t last = 0;
  return ++last;
}

} // namespace rankscope::ui

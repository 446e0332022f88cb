// SPDX-License-Identifier: GPL-3.0-or-later
// Unique revision numbers of states. Caches compare revisions, never addresses, because an address may be
// reused. UI thread.
#pragma once

#include <cstdint>

namespace rankscope::ui {

// Greater than all before; never 0, which means none.
[[nodiscard]] inline std::uint64_t nextRevision() {
  static std::uint64_t last = 0;
  return ++last;
}

} // namespace rankscope::ui

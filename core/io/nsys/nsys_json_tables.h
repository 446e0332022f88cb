// SPDX-License-Identifier: GPL-3.0-or-later
// Converts the events of JSON lines into the tables that the reader of SQLite exports knows. The rowid of an
// event is the offset of its line. Only strings that events refer to are taken over. For one thread at a
// time; O(bytes), one line and the names in memory.
#pragma once

#include "core/base/result.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace rankscope {

struct NsysJsonCounts {
  std::uint64_t events = 0;
  std::uint64_t unused = 0;       // lines of other kinds
  std::uint64_t damaged = 0;      // lines that are no JSON
  std::uint64_t firstDamaged = 0; // offset
};

// Writes the events of the lines into a new SQLite file. done(bytes) gets the bytes read so far.
[[nodiscard]] Result<NsysJsonCounts> writeLinesAsTables(std::string_view text, const std::string& path,
                                                        const std::atomic<bool>& cancel,
                                                        const std::function<void(std::uint64_t)>& done);

} // namespace rankscope

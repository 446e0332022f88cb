// SPDX-License-Identifier: GPL-3.0-or-later
// Between which memories a copy moved, by its name: "Memcpy HtoD (Pageable -> Device)", "CopyHostToDevice".
// What is set, or copied we do not know where, is within the device. Each name is judged once; one thread.
#pragma once

#include "core/analysis/account/leaves.h"
#include "core/analysis/classify/name_traits.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <string_view>

namespace rankscope {

// REQUIRES: of a Copy or a Set.
[[nodiscard]] Leaf leafOfCopy(std::string_view name);

class CopyLeaves {
 public:
  explicit CopyLeaves(const StringTable& names)
      : m_leafOf(names, [](std::string_view name) { return static_cast<std::uint8_t>(leafOfCopy(name)); }) {}

  [[nodiscard]] Leaf leafOf(const RankTrace& trace, EventIndex event) {
    return static_cast<Leaf>(m_leafOf[trace.events.name[event]]);
  }

 private:
  NameMemory<std::uint8_t (*)(std::string_view)> m_leafOf;
};

} // namespace rankscope

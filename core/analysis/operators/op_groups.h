// SPDX-License-Identifier: GPL-3.0-or-later
// Groups calls of operators by name, or by name and a detail: input shapes (a text that is only in the file),
// module, Python stack, or calling source line. Python frames are those that enclose the call on its thread;
// operators of the backward pass use the frames of their forward operator. O(n) over the operators of the
// recording and the nodes of its call tree; 4 bytes per host event.
#pragma once

#include "core/analysis/operators/call_tree.h"
#include "core/analysis/operators/operator_tree.h"
#include "core/analysis/operators/stack_text.h"
#include "core/model/rank_trace.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct OperatorGroups {
  static constexpr std::uint32_t kNone = EventIndex::kNone;
  struct Group {
    NameId name;
    // Empty if unknown. Stacks that are too long or too many are shortened to the innermost frames after "…
    // 99000 outer frames"; several groups may have the same shortened text.
    std::string detail;
  };

  std::vector<std::uint32_t> groupOf; // by event, like OperatorTree::enclosing; kNone if not an operator
  std::vector<Group> groups;
};

// Reads texts from the file, which analysis cannot do itself. Calls take(i, text) for each calls[i] in any
// order; the text is copied. Calls without a text get an empty one. Calls are in file order.
using ReadCallTexts = std::function<void(std::span<const EventIndex> calls,
                                         const std::function<void(std::size_t, std::string_view)>& take)>;

[[nodiscard]] OperatorGroups groupByNameAndText(const RankTrace& trace, const OperatorTree& tree,
                                                const StringTable& names, const ReadCallTexts& readTexts);

// Whether the recording has Python frames (with_stack=True).
[[nodiscard]] bool hasPythonFrames(const RankTrace& trace);

[[nodiscard]] OperatorGroups groupByNameAndPython(const RankTrace& trace, const OperatorTree& tree,
                                                  const CallTree& calls, const StringTable& names,
                                                  PythonDetail detail);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Which calls of operators count together: those of one name, or of one name and one detail, which is the
// input shapes (a text that only the file knows), the module, the Python stack or the line of source that
// called. Python frames are those that enclose the call on its thread; an operator of the backward pass has
// those of the forward operator that the profiler's arrow comes from. O(n) over the operators of the
// recording and the nodes of its call tree; 4 bytes a host event.
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
    // Empty when nothing is known of its calls. Of stacks too long or too many only the innermost frames,
    // after "… 99000 outer frames"; groups may share that text.
    std::string detail;
  };

  std::vector<std::uint32_t> groupOf; // by event, as OperatorTree::enclosing; kNone: no operator
  std::vector<Group> groups;
};

// Calls take(i, text) for every calls[i], in any order; the text is copied. A call without it has an
// empty text. Calls come in the order of the file. This is how what only the file knows gets here: analysis
// reads no files.
using ReadCallTexts = std::function<void(std::span<const EventIndex> calls,
                                         const std::function<void(std::size_t, std::string_view)>& take)>;

[[nodiscard]] OperatorGroups groupByNameAndText(const RankTrace& trace, const OperatorTree& tree,
                                                const StringTable& names, const ReadCallTexts& readTexts);

// Whether there are Python frames at all (with_stack=True).
[[nodiscard]] bool hasPythonFrames(const RankTrace& trace);

[[nodiscard]] OperatorGroups groupByNameAndPython(const RankTrace& trace, const OperatorTree& tree,
                                                  const CallTree& calls, const StringTable& names,
                                                  PythonDetail detail);

} // namespace rankscope

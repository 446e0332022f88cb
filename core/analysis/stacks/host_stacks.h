// SPDX-License-Identifier: GPL-3.0-or-later
// The stack of each host call as a node of a tree: the calls around it, without the frames that are not
// shown. A call of the backward pass may stand below what called its forward operator. Made for one thread,
// nodes come into being as they are asked for; O(1) amortized a call.
#pragma once

#include "core/analysis/stacks/call_nesting.h"
#include "core/analysis/stacks/stack_tree.h"
#include "core/analysis/stacks/stack_weight.h"
#include "core/model/string_table.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace rankscope {

class HostStacks {
 public:
  // All but `joins` must outlive this. joins: backwardJoins; not used unless the options join the backward
  // pass.
  HostStacks(const RankTrace& trace, const StringTable& names, const CallNesting& calls,
             const std::vector<EventFlow>& joins, const StackOptions& options, StackTree& tree,
             std::uint32_t base);

  // The node of a call; of an invalid one the base.
  [[nodiscard]] std::uint32_t nodeOf(EventIndex call);
  // The node of a frame below a node; the node itself when the frame is not shown or folds into it.
  [[nodiscard]] std::uint32_t below(std::uint32_t node, EventKind kind, NameId name);
  // Whether calls like this one have a frame of their own.
  [[nodiscard]] bool isShownCall(EventIndex call);
  // A node that is a frame: where nothing of a stack is shown, "[other frames]".
  [[nodiscard]] std::uint32_t leafOf(std::uint32_t node);

  [[nodiscard]] std::int64_t joinedBackward() const { return m_joined; }
  [[nodiscard]] std::int64_t looseBackward() const { return m_loose; }

 private:
  static constexpr std::uint32_t kUnknown = 0xffffffffu;
  struct NameFrame {
    std::uint32_t frame = kUnknown;
    EventKind kind = EventKind::Other;
    bool shown = false;
  };

  void findJoins(const std::vector<EventFlow>& joins);
  void joinFlow(const EventFlow& flow);
  [[nodiscard]] EventIndex frameAround(EventIndex forwardOperator) const;
  [[nodiscard]] std::uint32_t nodeWithParent(EventIndex call);
  [[nodiscard]] const NameFrame& frameOf(EventKind kind, NameId name);

  const RankTrace& m_trace;
  const StringTable& m_names;
  const CallNesting& m_calls;
  const StackOptions& m_options;
  StackTree& m_tree;
  std::uint32_t m_base;
  std::vector<std::uint32_t> m_nodes;      // by call
  std::vector<NameFrame> m_frames;         // by name
  std::vector<std::uint32_t> m_threadNode; // by call: the root of its thread; empty when threads are merged
  // By call: what called the forward operator of the backward function, and whether it is one.
  enum class Backward : std::uint8_t { No, Joined, Loose };
  std::vector<Backward> m_backward;
  std::vector<EventIndex> m_forward;
  std::vector<EventIndex> m_pending; // callers whose nodes are not known yet
  std::int64_t m_joined = 0;
  std::int64_t m_loose = 0;
};

} // namespace rankscope

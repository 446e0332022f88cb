// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stacks/host_stacks.h"

#include <string>

namespace rankscope {

HostStacks::HostStacks(const RankTrace& trace, const StringTable& names, const CallNesting& calls,
                       const std::vector<EventFlow>& joins, const StackOptions& options, StackTree& tree,
                       std::uint32_t base)
    : m_trace(trace), m_names(names), m_calls(calls), m_options(options), m_tree(tree), m_base(base),
      m_nodes(calls.parent.size(), kUnknown), m_frames(names.size()) {
  if (options.byThread) {
    m_threadNode.assign(calls.parent.size(), base);
    for (const NestedThread& thread : calls.threads) {
      const Track& track = trace.tracks[thread.track.value];
      std::string text = "thread " + track.thread;
      // Kineto names a thread by its number: "thread 20000 (python3.12)".
      if (track.threadName.starts_with(text))
        text = track.threadName;
      else if (!track.threadName.empty())
        text += " (" + track.threadName + ")";
      const std::uint32_t node = tree.below(base, text, FrameKind::Place);
      for (std::size_t i = thread.first; i < thread.end; ++i) m_threadNode[calls.calls[i].value] = node;
    }
  }
  if (options.joinBackward) findJoins(joins);
}

void HostStacks::findJoins(const std::vector<EventFlow>& joins) {
  bool any = false;
  for (const EventIndex call : m_calls.calls) any = any || isBackwardCall(m_names[m_trace.events.name[call]]);
  if (!any && joins.empty()) return;
  m_backward.assign(m_calls.parent.size(), Backward::No);
  m_forward.resize(m_calls.parent.size());
  for (const EventFlow& flow : joins) joinFlow(flow);
  // Without any join no call of the backward pass is marked.
  if (m_joined == 0) {
    m_backward.clear();
    return;
  }
  // A function of autograd that no flow leads to: AccumulateGrad, hooks of DDP.
  for (const EventIndex call : m_calls.calls) {
    if (m_backward[call.value] == Backward::No && isBackwardCall(m_names[m_trace.events.name[call]])) {
      m_backward[call.value] = Backward::Loose;
      ++m_loose;
    }
  }
}

// The flow ends at the function itself ("MmBackward0"); the engine's call of it is what moves.
void HostStacks::joinFlow(const EventFlow& flow) {
  if (flow.from.value >= m_calls.parent.size() || flow.to.value >= m_calls.parent.size()) return;
  EventIndex function = flow.to;
  const EventIndex caller = m_calls.parentOf(function);
  if (caller.valid() && isBackwardCall(m_names[m_trace.events.name[caller]])) function = caller;
  // A forward operator is before; what a file claims otherwise would make a circle.
  if (m_trace.events.begin[flow.from] >= m_trace.events.begin[function]) return;
  if (m_backward[function.value] == Backward::Joined) return;
  m_backward[function.value] = Backward::Joined;
  m_forward[function.value] = frameAround(flow.from);
  ++m_joined;
}

// The innermost module, frame or annotation around an operator; invalid when there is none.
EventIndex HostStacks::frameAround(EventIndex forwardOperator) const {
  for (EventIndex call = m_calls.parentOf(forwardOperator); call.valid(); call = m_calls.parentOf(call)) {
    const EventKind kind = m_trace.events.kind[call];
    if (kind == EventKind::Python || kind == EventKind::Annotation) return call;
  }
  return {};
}

std::uint32_t HostStacks::nodeOf(EventIndex call) {
  // Callers begin no later than what they call and forward operators before their backward function, so this
  // ends.
  m_pending.clear();
  for (EventIndex at = call; at.valid() && at.value < m_nodes.size() && m_nodes[at.value] == kUnknown;) {
    m_pending.push_back(at);
    const bool joined = !m_backward.empty() && m_backward[at.value] == Backward::Joined;
    at = joined ? m_forward[at.value] : m_calls.parentOf(at);
  }
  for (; !m_pending.empty(); m_pending.pop_back())
    m_nodes[m_pending.back().value] = nodeWithParent(m_pending.back());
  return call.valid() && call.value < m_nodes.size() ? m_nodes[call.value] : m_base;
}

std::uint32_t HostStacks::nodeWithParent(EventIndex call) {
  const Backward backward = m_backward.empty() ? Backward::No : m_backward[call.value];
  const EventIndex parent = backward == Backward::Joined ? m_forward[call.value] : m_calls.parentOf(call);
  std::uint32_t node = m_base;
  if (parent.valid())
    node = m_nodes[parent.value];
  else if (!m_threadNode.empty())
    node = m_threadNode[call.value];
  if (backward != Backward::No)
    node = m_tree.below(node, backward == Backward::Joined ? "[backward]" : "[backward, no forward]",
                        FrameKind::Backward);
  return below(node, m_trace.events.kind[call], m_trace.events.name[call]);
}

const HostStacks::NameFrame& HostStacks::frameOf(EventKind kind, NameId name) {
  NameFrame& known = m_frames[name.value];
  if (known.frame == kUnknown || known.kind != kind) {
    const std::string_view text = m_names[name];
    const FrameKind frameKind = frameKindOf(kind, text);
    known.kind = kind;
    known.shown = isShown(frameKind, text, m_options.frames);
    known.frame = m_tree.frameOf(frameText(frameKind, text, m_options.frames), frameKind);
  }
  return known;
}

bool HostStacks::isShownCall(EventIndex call) {
  return frameOf(m_trace.events.kind[call], m_trace.events.name[call]).shown;
}

std::uint32_t HostStacks::below(std::uint32_t node, EventKind kind, NameId name) {
  const NameFrame& known = frameOf(kind, name);
  if (!known.shown) return node;
  const bool recurs =
      m_options.frames.foldRecursion && node != StackTree::kRoot && m_tree.nodes()[node].frame == known.frame;
  return recurs ? node : m_tree.below(node, known.frame);
}

std::uint32_t HostStacks::leafOf(std::uint32_t node) {
  const bool isFrame = node != StackTree::kRoot && m_tree.frameAt(node).kind != FrameKind::Place;
  return isFrame ? node : m_tree.below(node, "[other frames]", FrameKind::Group);
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stacks/torch_stacks.h"

#include "core/analysis/operators/operator_tree.h"
#include "core/analysis/stacks/call_nesting.h"
#include "core/analysis/stacks/frame_names.h"
#include "core/base/exact_sum.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

// Frames that torch leaves out: both words must occur.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kFiltered{
    {{"autograd/__init__", "_make_grads"},
     {"autograd/__init__", "backward"},
     {"torch/tensor", "backward"},
     {"_internal/common_utils", "prof_callable"},
     {"_internal/common_utils", "prof_func_call"},
     {"_internal/common_utils", "prof_meth_call"}}};

bool isFiltered(std::string_view frame) {
  return std::ranges::any_of(kFiltered, [&](const auto& words) {
    return frame.find(words.first) != std::string_view::npos &&
           frame.find(words.second) != std::string_view::npos;
  });
}

void addFrame(std::string& stack, std::string_view frame) {
  if (isFiltered(frame)) return;
  if (!stack.empty()) stack += ';';
  for (const char c : frame) stack += c == ' ' || c == ';' || c == '\t' || c == '\n' ? '_' : c;
}

// "inner;outer" the other way round.
std::string stackOfText(std::string_view text) {
  std::string stack;
  while (!text.empty()) {
    const std::size_t at = text.rfind(';');
    std::string_view frame = at == std::string_view::npos ? text : text.substr(at + 1);
    while (!frame.empty() && (frame.front() == ' ' || frame.front() == '\n')) frame.remove_prefix(1);
    while (!frame.empty() && (frame.back() == ' ' || frame.back() == '\n')) frame.remove_suffix(1);
    if (!frame.empty()) addFrame(stack, frame);
    text = at == std::string_view::npos ? std::string_view() : text.substr(0, at);
  }
  return stack;
}

class TorchStacks {
 public:
  TorchStacks(const RankTrace& trace, const StringTable& names, std::span<const SequencedCall> sequenced)
      : m_trace(trace), m_names(names), m_calls(callNesting(trace)), m_parent(m_calls.parent.size()),
        m_children(m_calls.parent.size()), m_childTime(m_calls.parent.size()),
        m_lifted(m_calls.parent.size()), m_forward(m_calls.parent.size()) {
    for (const NestedThread& thread : m_calls.threads)
      nest(std::span(m_calls.calls).subspan(thread.first, thread.end - thread.first));
    lift();
    if (!sequenced.empty()) {
      joinByNumber(sequenced);
      return;
    }
    for (const EventFlow& flow : trace.forwardBackward) {
      const bool known = flow.from.value < m_forward.size() && flow.to.value < m_forward.size();
      if (!known || trace.events.begin[flow.from] >= trace.events.begin[flow.to]) continue;
      m_forward[flow.to.value] = flow.from;
      // The engine's call of the function has its number too.
      const EventIndex caller = m_calls.parentOf(flow.to);
      if (caller.valid() && isBackwardCall(names[trace.events.name[caller]]) &&
          trace.events.begin[flow.from] < trace.events.begin[caller])
        m_forward[caller.value] = flow.from;
    }
  }

  [[nodiscard]] std::vector<TorchStackLine> lines(const ReadStackTexts& readTexts) const {
    const bool hasFrames =
        std::ranges::any_of(m_calls.calls, [this](EventIndex call) { return isPython(call); });
    const std::vector<std::string> texts = hasFrames ? std::vector<std::string>() : recordedStacks(readTexts);
    std::vector<TorchStackLine> lines;
    for (const EventIndex call : m_calls.calls) {
      if (isPython(call) || m_lifted[call.value] != 0) continue;
      TorchStackLine line{call, {}, microseconds(call)};
      if (line.microseconds <= 0) continue;
      if (!hasFrames)
        line.stack = recordedStack(call, texts);
      else if (!isAnnotation(call))
        line.stack = pythonStack(call);
      if (!line.stack.empty()) lines.push_back(std::move(line));
    }
    return lines;
  }

 private:
  // Of the operators with a number the first that does not run for the backward pass. A function whose number
  // none has, has no stack.
  void joinByNumber(std::span<const SequencedCall> sequenced) {
    m_numbered = true;
    const auto comesBefore = [&](EventIndex a, EventIndex b) {
      const TimeRange of = m_trace.events.range(a);
      const TimeRange other = m_trace.events.range(b);
      return of.begin != other.begin ? of.begin < other.begin : of.end > other.end;
    };
    std::unordered_map<std::int64_t, EventIndex> first;
    m_isFunction.resize(m_calls.parent.size());
    for (const SequencedCall& call : sequenced) m_isFunction[call.call.value] = call.backward ? 1 : 0;
    for (const SequencedCall& call : sequenced) {
      if (functionAround(call.call).valid()) continue;
      const auto [place, isNew] = first.try_emplace(call.sequence, call.call);
      if (!isNew && comesBefore(call.call, place->second)) place->second = call.call;
    }
    for (const SequencedCall& call : sequenced) {
      const auto of = first.find(call.sequence);
      if (call.backward && of != first.end()) m_forward[call.call.value] = of->second;
    }
  }
  // The innermost backward function that a call is or lies in; invalid when there is none.
  [[nodiscard]] EventIndex functionAround(EventIndex call) const {
    while (call.valid() && m_isFunction[call.value] == 0) call = m_parent[call.value];
    return call;
  }

  [[nodiscard]] bool isPython(EventIndex call) const {
    return m_trace.events.kind[call] == EventKind::Python;
  }
  // Those of record_function have a line only where the file has a stack of theirs.
  [[nodiscard]] bool isAnnotation(EventIndex call) const {
    const EventKind kind = m_trace.events.kind[call];
    return kind == EventKind::Annotation ||
           (kind == EventKind::HostCollective && !isOperator(m_trace, m_names, call));
  }

  // The tree without Python, which torch builds anew from the spans.
  void nest(std::span<const EventIndex> calls) {
    std::vector<EventIndex> open;
    for (const EventIndex call : calls) {
      if (isPython(call)) continue;
      const TimeRange range = m_trace.events.range(call);
      while (!open.empty()) {
        const TimeNs end = m_trace.events.range(open.back()).end;
        if (range.begin < end && range.end <= end) break;
        open.pop_back();
      }
      if (!open.empty()) {
        m_parent[call.value] = open.back();
        ++m_children[open.back().value];
        m_childTime[open.back().value] += range.length();
      }
      open.push_back(call);
    }
  }

  // An only child of the same name is the same call.
  void lift() {
    for (const EventIndex call : m_calls.calls) {
      if (isPython(call)) continue;
      EventIndex parent = m_parent[call.value];
      while (parent.valid() && m_lifted[parent.value] != 0) parent = m_parent[parent.value];
      m_parent[call.value] = parent;
      if (!parent.valid() || m_children[parent.value] != 1) continue;
      if (m_trace.events.name[parent] != m_trace.events.name[call]) continue;
      m_lifted[call.value] = 1;
      m_children[parent.value] = m_children[call.value];
      m_childTime[parent.value] = m_childTime[call.value];
    }
  }

  // Truncated, as Python's int() does.
  [[nodiscard]] std::int64_t microseconds(EventIndex call) const {
    return (m_trace.events.duration[call] - std::int64_t{m_childTime[call.value]}) / 1'000;
  }

  [[nodiscard]] std::string pythonStack(EventIndex call) const {
    // What runs in a backward function has the stack of the operator that it is the derivative of.
    EventIndex at = call;
    if (m_numbered) {
      if (const EventIndex function = functionAround(call); function.valid()) at = m_forward[function.value];
      return at.valid() ? pythonFramesOf(at) : std::string();
    }
    for (EventIndex outer = call; outer.valid(); outer = m_calls.parentOf(outer)) {
      if (!m_forward[outer.value].valid()) continue;
      at = m_forward[outer.value];
      break;
    }
    return pythonFramesOf(at);
  }
  [[nodiscard]] std::string pythonFramesOf(EventIndex at) const {
    std::vector<EventIndex> frames; // inner first
    for (EventIndex frame = m_calls.parentOf(at); frame.valid(); frame = m_calls.parentOf(frame)) {
      if (isPython(frame)) frames.push_back(frame);
    }
    std::string stack;
    for (std::size_t i = frames.size(); i-- > 0;) addFrame(stack, m_names[m_trace.events.name[frames[i]]]);
    return stack;
  }

  // Of recordings without frames what the arguments of operators say, by call.
  [[nodiscard]] std::vector<std::string> recordedStacks(const ReadStackTexts& readTexts) const {
    std::vector<std::string> stacks(m_calls.parent.size());
    std::vector<EventIndex> calls;
    for (const EventIndex call : m_calls.calls) {
      if (m_trace.events.kind[call] != EventKind::Runtime) calls.push_back(call);
    }
    readTexts(calls,
              [&](std::size_t i, std::string_view text) { stacks[calls[i].value] = stackOfText(text); });
    return stacks;
  }
  // Runtime calls have a stack only where they run for a backward function, which has that of its operator.
  [[nodiscard]] std::string recordedStack(EventIndex call, const std::vector<std::string>& stacks) const {
    if (m_numbered) {
      if (const EventIndex function = functionAround(call); function.valid())
        call = m_forward[function.value];
    }
    return call.valid() ? stacks[call.value] : std::string();
  }

  const RankTrace& m_trace;
  const StringTable& m_names;
  CallNesting m_calls;
  std::vector<EventIndex> m_parent;      // by call, of the tree without Python
  std::vector<std::uint32_t> m_children; // how many
  std::vector<ExactSum> m_childTime;     // how long
  std::vector<std::uint8_t> m_lifted;
  std::vector<EventIndex> m_forward;      // of a backward function its forward operator
  bool m_numbered = false;                // joined by sequence number
  std::vector<std::uint8_t> m_isFunction; // by call, when numbered
};

} // namespace

ReadStackTexts stackTextsOf(const RankEntry& rank) {
  return [&rank](std::span<const EventIndex> calls,
                 const std::function<void(std::size_t, std::string_view)>& take) {
    std::vector<std::size_t> order(calls.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto& source = rank.trace->events.source;
    std::ranges::sort(order, {}, [&](std::size_t i) { return source[calls[i]]; });
    std::vector<SourceRef> sources;
    sources.reserve(order.size());
    for (const std::size_t i : order) sources.push_back(source[calls[i]]);
    // What cannot be read has no stack.
    (void)rank.details->arguments(sources, EventArgument::CallStack,
                                  [&](std::size_t i, std::string_view text) { take(order[i], text); });
  };
}

std::vector<TorchStackLine> torchStackLines(const RankTrace& trace, const StringTable& names,
                                            const ReadStackTexts& readTexts,
                                            std::span<const SequencedCall> sequenced) {
  return TorchStacks(trace, names, sequenced).lines(readTexts);
}

std::vector<TorchStackLine> torchStackLines(const RankEntry& rank, const StringTable& names) {
  return torchStackLines(*rank.trace, names, stackTextsOf(rank),
                         sequencedCalls(rank, callNesting(*rank.trace)));
}

} // namespace rankscope

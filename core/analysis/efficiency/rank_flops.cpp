// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/rank_flops.h"

#include "core/analysis/classify/name_traits.h"
#include "core/analysis/efficiency/iteration_search.h"
#include "core/analysis/operators/recomputation.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

enum NameClass : std::uint8_t { kNone, kCounted, kComposite, kConvolutionNode, kDetach };

std::uint8_t classOf(std::string_view name) {
  switch (flopRoleOf(name)) {
  case FlopRole::Counted:
    return kCounted;
  case FlopRole::Composite:
    return kComposite;
  case FlopRole::None:
    break;
  }
  if (isConvolutionNode(name)) return kConvolutionNode;
  return name == "aten::detach" || name == "detach" ? kDetach : kNone;
}

class Counting {
 public:
  Counting(const Analysis& analysis, RankIndex rank)
      : m_entry(analysis.trace().rank(rank)), m_trace(*m_entry.trace), m_names(analysis.trace().names()),
        m_tree(analysis.operatorTree(rank)), m_class(m_names, &classOf) {}

  RankFlops count(const Progress* progress) {
    chooseCalls();
    readWork(progress);
    attributeDevice();
    findRecomputation();
    return std::move(m_flops);
  }

 private:
  [[nodiscard]] std::uint8_t classOfEvent(EventIndex op) { return m_class[m_trace.events.name[op]]; }
  [[nodiscard]] std::string_view nameOf(EventIndex op) const { return m_names[m_trace.events.name[op]]; }

  // The outermost counted operator of each path; composite ones where nothing below counts.
  void chooseCalls() {
    m_callAround.resize(m_tree.enclosing.size());
    std::vector<std::uint8_t> holdsCall(m_tree.enclosing.size());
    std::vector<EventIndex> composites;
    forEachOperator(m_trace, m_names, [&](EventIndex op) {
      const EventIndex around = m_tree.enclosingOf(op);
      const std::uint8_t is = classOfEvent(op);
      if (is == kConvolutionNode) m_nodes.push_back(op);
      if (is == kCounted || is == kComposite) ++m_flops.operators;
      if (around.valid() && m_callAround[around.value].valid()) {
        m_callAround[op.value] = m_callAround[around.value];
      } else if (is == kCounted) {
        m_callAround[op.value] = op;
        m_ops.push_back(op);
        for (EventIndex at = around; at.valid() && holdsCall[at.value] == 0; at = m_tree.enclosingOf(at))
          holdsCall[at.value] = 1;
      } else if (is == kComposite) {
        composites.push_back(op);
      }
    });
    // Callers come before what they call, so the outermost composite operator is first.
    for (const EventIndex op : composites) {
      if (holdsCall[op.value] != 0) continue;
      EventIndex around = m_tree.enclosingOf(op);
      while (around.valid() && !m_callAround[around.value].valid()) around = m_tree.enclosingOf(around);
      m_callAround[op.value] = around.valid() ? m_callAround[around.value] : op;
      if (!around.valid()) m_ops.push_back(op);
    }
    if (!composites.empty()) passOnToChildren();
    std::ranges::sort(m_ops);
  }
  // What lies below composite operators was seen before these were chosen.
  void passOnToChildren() {
    forEachOperator(m_trace, m_names, [&](EventIndex op) {
      const EventIndex around = m_tree.enclosingOf(op);
      if (!m_callAround[op.value].valid() && around.valid())
        m_callAround[op.value] = m_callAround[around.value];
    });
  }

  void readWork(const Progress* progress) {
    std::vector<EventIndex> wanted = m_ops;
    wanted.insert(wanted.end(), m_nodes.begin(), m_nodes.end());
    for (const EventIndex op : m_ops) {
      if (nameOf(op).find("convolution_backward_") != std::string_view::npos &&
          m_tree.enclosingOf(op).valid())
        wanted.push_back(m_tree.enclosingOf(op));
    }
    const OperatorInputsOf inputs(m_entry, std::move(wanted), progress);
    std::unordered_map<std::int64_t, const TensorShape*> results; // by sequence number
    for (const EventIndex node : m_nodes) {
      const OperatorInputs* const of = inputs.of(node);
      if (of != nullptr && of->sequence >= 0 && !of->shapes.empty())
        results.try_emplace(of->sequence, &of->shapes.front());
    }
    const std::vector<HostIteration> labels = labeledIterations(m_trace, m_names);
    m_flops.calls.reserve(m_ops.size());
    std::map<std::string, std::uint32_t, std::less<>> shapeIds;
    static const OperatorInputs kNothing;
    for (const EventIndex op : m_ops) {
      const OperatorInputs* const known = inputs.of(op);
      const OperatorInputs& of = known == nullptr ? kNothing : *known;
      FlopLinks links;
      if (const auto result = results.find(of.sequence); of.sequence >= 0 && result != results.end())
        links.result = result->second;
      const EventIndex around = m_tree.enclosingOf(op);
      links.parent = around.valid() ? inputs.of(around) : nullptr;
      if (const HostIteration* const in = iterationAt(labels, m_trace.events.begin[op]))
        links.label = &in->label;
      add(op, of, flopsOf(nameOf(op), of, links), shapeIds);
    }
  }

  void add(EventIndex op, const OperatorInputs& inputs, const FlopWork& work,
           std::map<std::string, std::uint32_t, std::less<>>& shapeIds) {
    // A compiled kernel without a figure is no product.
    if (!work.known() && work.why.empty()) return;
    m_flops.hasShapes = m_flops.hasShapes || inputs.shapesKnown;
    FlopCall& call = m_flops.calls.emplace_back();
    call.op = op;
    call.name = m_trace.events.name[op];
    call.work = work;
    std::string text = inputs.shapesKnown ? shapesText(inputs.shapes) : std::string();
    const auto [place, isNew] =
        shapeIds.try_emplace(std::move(text), static_cast<std::uint32_t>(m_flops.shapes.size()));
    if (isNew) m_flops.shapes.push_back(place->first);
    call.shapes = place->second;
  }

  void attributeDevice() {
    m_flops.callOf.assign(m_trace.deviceDetails.size(), -1);
    std::vector<std::int32_t> placeOf(m_callAround.size(), -1);
    for (std::size_t i = 0; i < m_flops.calls.size(); ++i)
      placeOf[m_flops.calls[i].op.value] = static_cast<std::int32_t>(i);
    for (std::size_t i = 0; i < m_trace.deviceDetails.size(); ++i) {
      const EventIndex event(m_trace.deviceBegin.value + i);
      if (m_trace.events.kind[event] != EventKind::Kernel) continue;
      m_flops.hasKernels = true;
      const EventIndex owner = m_tree.owners[i];
      const EventIndex op = owner.valid() ? m_callAround[owner.value] : EventIndex();
      if (!op.valid() || placeOf[op.value] < 0) continue;
      m_flops.callOf[i] = placeOf[op.value];
      FlopCall& call = m_flops.calls[static_cast<std::size_t>(placeOf[op.value])];
      ++call.kernels;
      call.deviceTime += m_trace.events.duration[event];
      if (!call.longestKernel.valid() ||
          m_trace.events.duration[event] > m_trace.events.duration[call.longestKernel])
        call.longestKernel = event;
    }
    if (!m_flops.hasKernels) return;
    std::unordered_map<std::uint32_t, KernelDtype> dtypes;
    for (FlopCall& call : m_flops.calls) {
      call.ran = call.kernels > 0;
      if (call.longestKernel.valid()) refine(call, dtypes);
    }
  }

  // The kernel says whether 32-bit floats were cut for the matrix units, and what an operator without types
  // worked on.
  void refine(FlopCall& call, std::unordered_map<std::uint32_t, KernelDtype>& dtypes) const {
    const NameId name = m_trace.events.name[call.longestKernel];
    const auto [place, isNew] = dtypes.try_emplace(name.value);
    if (isNew) place->second = kernelDtype(m_names[name]);
    const NumberFormat format = place->second.format;
    NumberFormat& known = call.work.format;
    if (known == NumberFormat::Unknown || (known == NumberFormat::Float32 && format == NumberFormat::Tf32))
      known = format;
  }

  void findRecomputation() {
    std::vector<EventIndex> ops;
    ops.reserve(m_flops.calls.size());
    for (const FlopCall& call : m_flops.calls) ops.push_back(call.op);
    const std::vector<std::uint8_t> recomputed = recomputedOperators(m_trace, m_names, m_tree, ops);
    if (recomputed.empty()) return;
    std::vector<std::uint8_t> aborted;
    if (!m_flops.hasKernels) aborted = callsThatOnlyDetach();
    for (std::size_t i = 0; i < ops.size(); ++i) {
      FlopCall& call = m_flops.calls[i];
      call.recomputed = recomputed[i] != 0;
      if (call.recomputed && !aborted.empty() && aborted[i] != 0) call.ran = false;
    }
  }

  // By call: checkpointing stops at the operator behind which all is there again, and nothing but detach was
  // called in it.
  [[nodiscard]] std::vector<std::uint8_t> callsThatOnlyDetach() {
    std::vector<std::int32_t> placeOf(m_callAround.size(), -1);
    for (std::size_t i = 0; i < m_flops.calls.size(); ++i)
      placeOf[m_flops.calls[i].op.value] = static_cast<std::int32_t>(i);
    std::vector<std::uint8_t> detaches(m_flops.calls.size());
    std::vector<std::uint8_t> works(m_flops.calls.size());
    forEachOperator(m_trace, m_names, [&](EventIndex op) {
      const EventIndex call = m_callAround[op.value];
      if (!call.valid() || call == op || placeOf[call.value] < 0) return;
      (classOfEvent(op) == kDetach ? detaches : works)[static_cast<std::size_t>(placeOf[call.value])] = 1;
    });
    for (std::size_t i = 0; i < detaches.size(); ++i) {
      if (works[i] != 0) detaches[i] = 0;
    }
    return detaches;
  }

  static std::string shapesText(const std::vector<TensorShape>& shapes) {
    std::string text = "[";
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      text += i == 0 ? "[" : ", [";
      for (std::size_t k = 0; k < shapes[i].size(); ++k) {
        if (k > 0) text += ", ";
        text += std::to_string(shapes[i][k]);
      }
      text += ']';
    }
    text += ']';
    return text;
  }

  const RankEntry& m_entry;
  const RankTrace& m_trace;
  const StringTable& m_names;
  const OperatorTree& m_tree;
  NameMemory<std::uint8_t (*)(std::string_view)> m_class;
  std::vector<EventIndex> m_callAround; // by host event: the operator that its work is counted with
  std::vector<EventIndex> m_ops;
  std::vector<EventIndex> m_nodes; // of autograd, of convolutions
  RankFlops m_flops;
};

} // namespace

const FlopCall* RankFlops::callOfDevice(const RankTrace& trace, EventIndex event) const {
  const std::int32_t place = callOf.empty() ? -1 : callOf[event.value - trace.deviceBegin.value];
  return place < 0 ? nullptr : &calls[static_cast<std::size_t>(place)];
}

RankFlops rankFlops(const Analysis& analysis, RankIndex rank, const Progress* progress) {
  return Counting(analysis, rank).count(progress);
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/stacks/call_groups.h"

#include "core/analysis/classify/phase_text.h"
#include "core/analysis/operators/compiled_regions.h"
#include "core/analysis/stacks/backward_joins.h"
#include "core/analysis/stacks/frame_names.h"
#include "core/analysis/stacks/module_tree.h"
#include "core/analysis/steps/phase_spans.h"
#include "core/base/parallel_for.h"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

constexpr std::array<std::string_view, kCallGroupings.size()> kWords{"module", "class", "layer", "phase",
                                                                     "graph"};
constexpr std::array<std::string_view, kCallGroupings.size()> kNone{
    "[no module]", "[no module]", "[no layer]", "[no phase]", "[not compiled]"};

// Numbers texts in the order in which they come.
class Texts {
 public:
  explicit Texts(std::string_view none) : m_texts{std::string(none)} {}

  [[nodiscard]] std::uint32_t numberOf(const std::string& text) {
    if (text.empty()) return 0;
    const auto [place, isNew] = m_numbers.try_emplace(text, static_cast<std::uint32_t>(m_texts.size()));
    if (isNew) m_texts.push_back(text);
    return place->second;
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(m_texts); }

 private:
  std::vector<std::string> m_texts;
  std::map<std::string, std::uint32_t, std::less<>> m_numbers;
};

// Of several stacks of layers (an encoder's and a decoder's) each is named by what calls it.
bool hasSeveralStacks(const ModuleTree& tree) {
  std::optional<std::uint32_t> parent;
  for (const ModuleNode& node : tree.nodes) {
    if (!node.isLayer) continue;
    if (parent && *parent != node.parent) return true;
    parent = node.parent;
  }
  return false;
}

// The outermost module around a node that is a layer; none when it lies in none.
std::uint32_t layerAround(const ModuleTree& tree, std::uint32_t node) {
  std::uint32_t layer = ModuleNode::kNone;
  for (; node != ModuleNode::kNone; node = tree.nodes[node].parent) {
    if (tree.nodes[node].isLayer) layer = node;
  }
  return layer;
}

std::string textOfNode(const ModuleTree& tree, std::uint32_t node, const StringTable& names,
                       CallGrouping grouping, bool several) {
  if (grouping == CallGrouping::Module) return tree.pathOf(node, names);
  if (grouping == CallGrouping::Class)
    return std::string(moduleClass(moduleName(names[tree.nodes[node].name])));
  const std::uint32_t layer = layerAround(tree, node);
  if (layer == ModuleNode::kNone || !tree.nodes[layer].layer) return {};
  std::string text;
  if (const std::uint32_t parent = tree.nodes[layer].parent; several && parent != ModuleNode::kNone)
    text.append(moduleName(names[tree.nodes[parent].name])).append("/");
  text.append(moduleClass(moduleName(names[tree.nodes[layer].name])));
  return text.append(" ").append(std::to_string(*tree.nodes[layer].layer));
}

void groupByModule(CallGroups& groups, Texts& texts, const Analysis& analysis, RankIndex rank,
                   CallGrouping grouping) {
  const ModuleCalls modules = moduleCalls(analysis, rank);
  const bool several = hasSeveralStacks(modules.tree);
  std::vector<std::uint32_t> ofNodes;
  ofNodes.reserve(modules.tree.nodes.size());
  for (std::uint32_t node = 0; node < modules.tree.nodes.size(); ++node)
    ofNodes.push_back(
        texts.numberOf(textOfNode(modules.tree, node, analysis.trace().names(), grouping, several)));
  groups.ofCalls.reserve(modules.ofCalls.size());
  for (const ModuleOwner& owner : modules.ofCalls)
    groups.ofCalls.push_back(owner.node == ModuleNode::kNone ? 0 : ofNodes[owner.node]);
}

// A module that runs forward, or again in the backward pass, says so; then the innermost annotation or
// function of autograd that names a phase.
void groupByPhase(CallGroups& groups, Texts& texts, const Analysis& analysis, RankIndex rank) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const ModuleCalls modules = moduleCalls(analysis, rank);
  groups.ofCalls.assign(modules.ofCalls.size(), 0);
  forEachThreadsPhases(trace, analysis.trace().names(), [&](const ThreadPhases& thread) {
    for (std::size_t t = thread.firstTrack; t < thread.endTrack; ++t) {
      std::size_t part = 0;
      TimeNs last = kAllTime.begin;
      for (EventIndex call = trace.tracks[t].firstEvent; call < trace.tracks[t].endEvent; ++call.value) {
        if (call.value >= groups.ofCalls.size()) break;
        const TimeNs begin = trace.events.begin[call];
        if (begin < last) part = 0; // another row of the track
        last = begin;
        while (part < thread.parts.size() && thread.parts[part].range.end <= begin) ++part;
        if (part < thread.parts.size() && thread.parts[part].range.begin <= begin)
          groups.ofCalls[call.value] = texts.numberOf(std::string(phaseText(thread.parts[part].phase)));
      }
    }
  });
  for (std::size_t call = 0; call < modules.ofCalls.size(); ++call) {
    std::uint32_t& group = groups.ofCalls[call];
    const ModulePhase phase = modules.ofCalls[call].phase;
    if (phase == ModulePhase::Recompute) group = texts.numberOf("recompute");
    if (phase == ModulePhase::Backward) group = texts.numberOf("backward");
    if (phase == ModulePhase::Forward && group == 0) group = texts.numberOf("forward");
  }
  // What has a backward function is forward, and what it calls.
  std::vector<std::uint8_t> forward(groups.ofCalls.size());
  for (const EventFlow& flow :
       backwardJoins(analysis.trace().rank(rank), analysis.trace().names(), modules.calls)) {
    if (flow.from.value < forward.size()) forward[flow.from.value] = 1;
  }
  for (const EventIndex call : modules.calls.calls) { // callers first
    const EventIndex parent = modules.calls.parentOf(call);
    if (parent.valid() && forward[parent.value] != 0) forward[call.value] = 1;
    if (forward[call.value] != 0 && groups.ofCalls[call.value] == 0)
      groups.ofCalls[call.value] = texts.numberOf("forward");
  }
}

} // namespace

std::string_view callGroupingText(CallGrouping grouping) {
  return kWords[static_cast<std::size_t>(grouping)];
}

std::optional<CallGrouping> callGroupingNamed(std::string_view text) {
  const auto found = std::ranges::find(kWords, text);
  if (found == kWords.end()) return std::nullopt;
  return kCallGroupings[static_cast<std::size_t>(found - kWords.begin())];
}

std::string_view noGroupText(CallGrouping grouping) {
  return kNone[static_cast<std::size_t>(grouping)];
}

std::uint32_t CallGroups::of(const RankTrace& trace, EventIndex event) const {
  if (!event.valid()) return 0;
  if (trace.isDeviceEvent(event)) {
    const std::size_t place = event.value - trace.deviceBegin.value;
    return place < ofDevice.size() ? ofDevice[place] : 0;
  }
  return event.value < ofCalls.size() ? ofCalls[event.value] : 0;
}

CallGroups callGroups(const Analysis& analysis, RankIndex rank, CallGrouping grouping) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  CallGroups groups;
  Texts texts(noGroupText(grouping));
  if (grouping == CallGrouping::Phase) {
    groupByPhase(groups, texts, analysis, rank);
  } else if (grouping == CallGrouping::Graph) {
    const CompiledCalls compiled = compiledCalls(analysis.trace().names(), analysis.callTree(rank));
    std::vector<std::uint32_t> numbers{0};
    for (const CompiledGraph& graph : compiled.graphs) numbers.push_back(texts.numberOf(graph.text()));
    groups.ofCalls.reserve(compiled.graphOf.size());
    for (const std::uint32_t graph : compiled.graphOf) groups.ofCalls.push_back(numbers[graph]);
  } else {
    groupByModule(groups, texts, analysis, rank, grouping);
  }
  groups.texts = texts.take();
  groups.ofDevice.reserve(trace.deviceEnd.value - trace.deviceBegin.value);
  for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value)
    groups.ofDevice.push_back(groups.of(trace, trace.deviceDetail(event).launch));
  return groups;
}

JobCallGroups jobCallGroups(const Analysis& analysis, CallGrouping grouping, unsigned threadCount) {
  JobCallGroups job;
  job.ofRank.resize(analysis.trace().ranks().size());
  parallelFor(analysis.ranks().size(), threadCount, [&](std::size_t i) {
    const RankIndex rank = analysis.ranks()[i];
    job.ofRank[rank.value] = callGroups(analysis, rank, grouping);
  });
  Texts texts(noGroupText(grouping));
  for (const RankIndex rank : analysis.ranks()) {
    CallGroups& groups = job.ofRank[rank.value];
    std::vector<std::uint32_t> numbers{0};
    numbers.reserve(groups.texts.size());
    for (std::size_t i = 1; i < groups.texts.size(); ++i) numbers.push_back(texts.numberOf(groups.texts[i]));
    for (std::vector<std::uint32_t>* const of : {&groups.ofCalls, &groups.ofDevice})
      for (std::uint32_t& group : *of) group = numbers[group];
    groups.texts.clear();
  }
  job.texts = texts.take();
  return job;
}

OperatorGroups operatorGroups(const RankTrace& trace, const StringTable& names, const CallGroups& groups) {
  OperatorGroups result;
  result.groupOf.assign(groups.ofCalls.size(), OperatorGroups::kNone);
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  forEachOperator(trace, names, [&](EventIndex call) {
    if (call.value >= result.groupOf.size()) result.groupOf.resize(call.value + 1, OperatorGroups::kNone);
    const NameId name = trace.events.name[call];
    const std::uint32_t group = groups.of(trace, call);
    const auto next = static_cast<std::uint32_t>(result.groups.size());
    const auto [place, isNew] = numbers.try_emplace((std::uint64_t{name.value} << 32U) | group, next);
    if (isNew) result.groups.push_back({name, groups.texts[group]});
    result.groupOf[call.value] = place->second;
  });
  return result;
}

} // namespace rankscope

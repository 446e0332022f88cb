// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/compiled_regions.h"

#include "core/analysis/classify/host_work.h"
#include "core/analysis/classify/name_traits.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

namespace rankscope {

namespace {

constexpr std::string_view kRegion = "Torch-Compiled Region: ";
constexpr std::string_view kGraph = "## Call CompiledFxGraph ";
constexpr std::string_view kLookup = "TorchDynamo Cache Lookup";
constexpr std::string_view kReplay = "CUDA graph replay";
constexpr std::size_t kHashLength = 8; // tells graphs of one job apart

// "0/0"; since 2.8 a compile id of three numbers may stand there.
std::string_view regionOf(std::string_view name) {
  return name.starts_with(kRegion) ? name.substr(kRegion.size()) : std::string_view();
}

std::string_view graphOf(std::string_view name) {
  if (!name.starts_with(kGraph)) return {};
  return name.substr(kGraph.size()).substr(0, kHashLength);
}

std::optional<std::int64_t> numberIn(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What a node of the call tree is of, by itself or by what is around it.
struct NodeFacts {
  std::uint32_t graph = 0;     // as CompiledCalls::graphOf
  std::uint32_t outermost = 0; // the node of the outermost region or graph around it, or it; 0: none
  bool withinOperator = false;
  bool compiles = false;      // the compiler runs
  bool outerCompiles = false; // around it
};

class TreeFacts {
 public:
  TreeFacts(const StringTable& names, const CallTree& tree) : m_facts(tree.nodes.size()) {
    std::map<std::string, std::uint32_t> known;
    for (std::uint32_t i = 1; i < tree.nodes.size(); ++i) {
      const CallTree::Node& node = tree.nodes[i];
      const std::string_view name = names[node.name];
      const NodeFacts& outer = m_facts[node.parent];
      NodeFacts& facts = m_facts[i];
      facts = outer;
      facts.outerCompiles = outer.compiles;
      facts.withinOperator = outer.withinOperator || tree.nodes[node.parent].kind == EventKind::CpuOp;
      facts.compiles = outer.compiles || hostWorkOf(name) == HostWork::Compilation;
      CompiledGraph graph = outer.graph > 0 ? m_graphs[outer.graph - 1] : CompiledGraph();
      if (!take(node, name, graph)) continue;
      if (outer.outermost == 0) facts.outermost = i;
      const auto next = static_cast<std::uint32_t>(m_graphs.size() + 1);
      const auto [place, isNew] = known.try_emplace(graph.text(), next);
      if (isNew) m_graphs.push_back(std::move(graph));
      facts.graph = place->second;
    }
  }

  [[nodiscard]] const NodeFacts& of(std::uint32_t node) const { return m_facts[node]; }
  [[nodiscard]] const std::vector<CompiledGraph>& graphs() const { return m_graphs; }

 private:
  // Whether the node is of another graph than what is around it.
  static bool take(const CallTree::Node& node, std::string_view name, CompiledGraph& graph) {
    if (const std::string_view region = regionOf(name); !region.empty()) {
      graph = {std::string(region), {}};
      return true;
    }
    if (const std::string_view hash = graphOf(name); !hash.empty()) {
      graph.graph = hash;
      return true;
    }
    const bool replays =
        node.kind == EventKind::Runtime && graph.region.empty() && graph.graph.empty() && isGraphLaunch(name);
    if (replays) graph.graph = kReplay;
    return replays;
  }

  std::vector<NodeFacts> m_facts;
  std::vector<CompiledGraph> m_graphs;
};

// A call of a compiled region, or an eager operator that no other encloses.
struct Mark {
  TimeRange range;
  EventIndex event;
  std::uint32_t region = 0; // a place in the regions plus 1
};

class RegionBuilder {
 public:
  RegionBuilder(const RankTrace& trace, const StringTable& names, const CallTree& tree, TimeRange window)
      : m_trace(trace), m_names(names), m_tree(tree), m_window(window), m_facts(names, tree) {}

  [[nodiscard]] CompiledRegions build(const StepWindows& steps) {
    addCalls(steps);
    addDeviceEvents();
    for (CompiledRegion& region : m_regions.regions)
      std::ranges::stable_sort(region.eagerAfter,
                               [](const auto& a, const auto& b) { return a.second > b.second; });
    return std::move(m_regions);
  }

 private:
  // A place in the regions plus 1; 0 of what is not compiled. A replayed CUDA graph is no region.
  [[nodiscard]] std::uint32_t regionAround(std::uint32_t node) {
    const NodeFacts& facts = m_facts.of(node);
    if (facts.outermost == 0 || m_facts.graphs()[facts.graph - 1].graph == kReplay) return 0;
    const std::string_view name = m_names[m_tree.nodes[facts.outermost].name];
    const std::string_view region = regionOf(name);
    const std::string text(region.empty() ? graphOf(name) : region);
    const auto next = static_cast<std::uint32_t>(m_regions.regions.size() + 1);
    const auto [place, isNew] = m_places.try_emplace(text, next);
    if (isNew) {
      CompiledRegion& made = m_regions.regions.emplace_back();
      made.name = text;
      if (const std::size_t slash = region.rfind('/'); slash != std::string_view::npos) {
        made.frame = numberIn(region.substr(0, slash));
        made.recompilation = numberIn(region.substr(slash + 1));
      }
    }
    return place->second;
  }
  void addGraph(CompiledRegion& region, std::uint32_t graph) {
    const std::string& hash = m_facts.graphs()[graph - 1].graph;
    if (hash.empty() || std::ranges::find(region.graphs, hash) != region.graphs.end()) return;
    region.graphs.push_back(hash);
  }

  void addCalls(const StepWindows& steps) {
    std::vector<Mark> marks; // of one thread
    for (std::size_t t = 0; t < m_trace.tracks.size(); ++t) {
      const Track& track = m_trace.tracks[t];
      for (EventIndex call = track.firstEvent; call < track.endEvent; ++call.value)
        if (m_tree.of(call) != CallTree::kRoot && m_window.contains(m_trace.events.begin[call]))
          addCall(call, marks);
      const bool last = t + 1 == m_trace.tracks.size() || track.process != m_trace.tracks[t + 1].process ||
                        track.thread != m_trace.tracks[t + 1].thread;
      if (!last) continue;
      findBreaks(marks, steps);
      marks.clear();
    }
  }
  void addCall(EventIndex call, std::vector<Mark>& marks) {
    const std::uint32_t node = m_tree.of(call);
    const NodeFacts& facts = m_facts.of(node);
    const TimeRange range = m_trace.events.range(call);
    if (facts.compiles && !facts.outerCompiles) {
      ++m_regions.compilations;
      m_regions.compileTime += range.length();
    }
    const bool isOperator = m_trace.events.kind[call] == EventKind::CpuOp && !facts.withinOperator;
    if (const std::uint32_t place = regionAround(node); place > 0) {
      CompiledRegion& region = m_regions.regions[place - 1];
      addGraph(region, facts.graph);
      if (facts.outermost != node) return;
      if (!region.first.valid() || range.begin < m_trace.events.begin[region.first]) region.first = call;
      ++region.calls;
      region.host += range.length();
      marks.push_back({range, call, place});
    } else if (isOperator && m_names[m_trace.events.name[call]] == kLookup) {
      ++m_regions.lookups;
      m_regions.lookupTime += range.length();
    } else if (isOperator) {
      marks.push_back({range, call, 0});
    }
  }

  // The step that a time lies in, from 1; 0 outside of steps.
  static std::size_t stepAt(const StepWindows& steps, TimeNs time) {
    const auto after = std::ranges::upper_bound(steps.steps, time, {},
                                                [](const StepWindow& step) { return step.range.begin; });
    if (after == steps.steps.begin() || !std::prev(after)->range.contains(time)) return 0;
    return static_cast<std::size_t>(after - steps.steps.begin());
  }
  void findBreaks(std::vector<Mark>& marks, const StepWindows& steps) {
    std::ranges::stable_sort(marks, {}, [](const Mark& mark) { return mark.range.begin; });
    const Mark* before = nullptr; // the last region
    std::vector<EventIndex> eager;
    for (const Mark& mark : marks) {
      if (mark.region == 0) {
        if (before != nullptr && mark.range.begin >= before->range.end) eager.push_back(mark.event);
        continue;
      }
      if (before != nullptr && !eager.empty() && isOtherFrame(*before, mark) &&
          stepAt(steps, before->range.begin) == stepAt(steps, mark.range.begin))
        addBreak(m_regions.regions[before->region - 1], eager);
      before = &mark;
      eager.clear();
    }
  }
  // The same frame again is a loop, or layers that were compiled one by one, and no break.
  [[nodiscard]] bool isOtherFrame(const Mark& before, const Mark& mark) const {
    const CompiledRegion& one = m_regions.regions[before.region - 1];
    const CompiledRegion& other = m_regions.regions[mark.region - 1];
    return one.frame && other.frame ? one.frame != other.frame : before.region != mark.region;
  }
  void addBreak(CompiledRegion& region, const std::vector<EventIndex>& eager) {
    ++region.breaks;
    for (const EventIndex event : eager) {
      const NameId name = m_trace.events.name[event];
      const auto known =
          std::ranges::find(region.eagerAfter, name, [](const auto& entry) { return entry.first; });
      if (known != region.eagerAfter.end())
        ++known->second;
      else
        region.eagerAfter.emplace_back(name, 1);
    }
  }

  void addDeviceEvents() {
    for (EventIndex event = m_trace.deviceBegin; event < m_trace.deviceEnd; ++event.value) {
      if (!m_window.contains(m_trace.events.begin[event])) continue;
      const EventIndex launch = m_trace.deviceDetail(event).launch;
      const std::uint32_t place = launch.valid() ? regionAround(m_tree.of(launch)) : 0;
      if (place == 0) {
        ++m_regions.eagerKernels;
        m_regions.eagerDevice += m_trace.events.duration[event];
      } else {
        ++m_regions.regions[place - 1].kernels;
        m_regions.regions[place - 1].device += m_trace.events.duration[event];
      }
    }
  }

  const RankTrace& m_trace;
  const StringTable& m_names;
  const CallTree& m_tree;
  TimeRange m_window;
  TreeFacts m_facts;
  CompiledRegions m_regions;
  std::unordered_map<std::string, std::uint32_t> m_places;
};

} // namespace

std::string CompiledGraph::text() const {
  if (region.empty() || graph.empty()) return region + graph;
  return region + " " + graph;
}

CompiledCalls compiledCalls(const StringTable& names, const CallTree& tree) {
  const TreeFacts facts(names, tree);
  CompiledCalls calls;
  calls.graphs = facts.graphs();
  calls.graphOf.reserve(tree.nodeOf.size());
  for (const std::uint32_t node : tree.nodeOf) calls.graphOf.push_back(facts.of(node).graph);
  return calls;
}

CompiledRegions compiledRegions(const RankTrace& trace, const StringTable& names, const CallTree& tree,
                                const StepWindows& steps, TimeRange window) {
  return RegionBuilder(trace, names, tree, window).build(steps);
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/op_groups.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

constexpr std::uint32_t kNothing = 0; // the detail of which nothing is known

// Groups of calls by name and the number of their detail.
OperatorGroups groupsOf(const RankTrace& trace, const OperatorTree& tree, const StringTable& names,
                        const std::vector<std::uint32_t>& detailOf,
                        const std::function<std::string(std::uint32_t)>& textOf) {
  OperatorGroups result;
  result.groupOf.assign(tree.enclosing.size(), OperatorGroups::kNone);
  std::unordered_map<std::uint64_t, std::uint32_t> groupIds;
  forEachOperator(trace, names, [&](EventIndex call) {
    const NameId name = trace.events.name[call];
    const std::uint32_t detail = detailOf[call.value];
    const auto next = static_cast<std::uint32_t>(result.groups.size());
    const auto [place, isNew] = groupIds.try_emplace((std::uint64_t{name.value} << 32) | detail, next);
    if (isNew) result.groups.push_back({name, textOf(detail)});
    result.groupOf[call.value] = place->second;
  });
  return result;
}

// Chains of names, each a shorter chain and one name more; 0 is the empty one.
class NameChains {
 public:
  [[nodiscard]] std::uint32_t extended(std::uint32_t chain, NameId name) {
    const auto next = static_cast<std::uint32_t>(m_links.size());
    const auto [place, isNew] = m_ids.try_emplace((std::uint64_t{chain} << 32) | name.value, next);
    if (isNew) m_links.push_back({chain, name});
    return place->second;
  }
  [[nodiscard]] std::vector<NameId> namesOf(std::uint32_t chain) const {
    std::vector<NameId> names;
    for (; chain != kNothing; chain = m_links[chain].first) names.push_back(m_links[chain].second);
    std::ranges::reverse(names);
    return names;
  }

 private:
  std::vector<std::pair<std::uint32_t, NameId>> m_links{{kNothing, NameId()}};
  std::unordered_map<std::uint64_t, std::uint32_t> m_ids;
};

constexpr std::string_view kModulePrefix = "nn.Module: ";

// The frames around a call, as the id of a chain of their names.
class PythonDetails {
 public:
  PythonDetails(const RankTrace& trace, const OperatorTree& tree, const CallTree& calls,
                const StringTable& names, PythonDetail detail)
      : m_trace(trace), m_tree(tree), m_names(names), m_detail(detail),
        m_detailOf(tree.enclosing.size(), kNothing) {
    std::vector<std::uint32_t> ofNodes;
    ofNodes.reserve(calls.nodes.size());
    for (const CallTree::Node& node : calls.nodes) // callers come before what they call
      ofNodes.push_back(detailWithin(ofNodes.empty() ? kNothing : ofNodes[node.parent], node));
    forEachOperator(trace, names, [&](EventIndex call) { m_detailOf[call.value] = ofNodes[calls.of(call)]; });
    fillBackward();
  }

  // By event, of operators.
  [[nodiscard]] const std::vector<std::uint32_t>& ofCalls() const { return m_detailOf; }

  [[nodiscard]] std::string textOf(std::uint32_t chain) const {
    std::string text;
    for (const NameId name : m_chains.namesOf(chain)) {
      std::string_view frame = m_names[name];
      if (!text.empty()) text += m_detail == PythonDetail::Module ? " / " : "\n";
      if (m_detail == PythonDetail::Module) frame.remove_prefix(kModulePrefix.size());
      text += frame;
    }
    return text;
  }

 private:
  [[nodiscard]] std::uint32_t detailWithin(std::uint32_t outer, const CallTree::Node& node) {
    if (node.kind != EventKind::Python) return outer;
    switch (m_detail) {
    case PythonDetail::Stack:
      return m_chains.extended(outer, node.name);
    case PythonDetail::Module:
      return m_names[node.name].starts_with(kModulePrefix) ? m_chains.extended(outer, node.name) : outer;
    case PythonDetail::SourceLine:
      return isOwnSource(m_names[node.name]) ? m_chains.extended(kNothing, node.name) : outer;
    }
    return outer;
  }

  // What runs in the backward pass belongs where its forward operator was called from.
  void fillBackward() {
    std::vector<std::uint32_t> fromForward(m_detailOf.size(), kNothing);
    for (const EventFlow& flow : m_trace.forwardBackward) {
      if (flow.to.value < fromForward.size() && flow.from.value < m_detailOf.size())
        fromForward[flow.to.value] = m_detailOf[flow.from.value];
    }
    // Callers come before what they call.
    forEachOperator(m_trace, m_names, [&](EventIndex call) {
      const EventIndex outer = m_tree.enclosingOf(call);
      if (fromForward[call.value] == kNothing && outer.valid())
        fromForward[call.value] = fromForward[outer.value];
      if (m_detailOf[call.value] == kNothing) m_detailOf[call.value] = fromForward[call.value];
    });
  }

  const RankTrace& m_trace;
  const OperatorTree& m_tree;
  const StringTable& m_names;
  PythonDetail m_detail;
  NameChains m_chains;
  std::vector<std::uint32_t> m_detailOf;
};

} // namespace

OperatorGroups groupByNameAndText(const RankTrace& trace, const OperatorTree& tree, const StringTable& names,
                                  const ReadCallTexts& readTexts) {
  std::vector<EventIndex> calls;
  forEachOperator(trace, names, [&](EventIndex call) { calls.push_back(call); });
  std::ranges::sort(calls, {}, [&](EventIndex call) { return trace.events.source[call]; });
  std::map<std::string, std::uint32_t, std::less<>> ids{{std::string(), kNothing}};
  std::vector<std::string_view> texts{std::string_view()};
  std::vector<std::uint32_t> detailOf(tree.enclosing.size(), kNothing);
  readTexts(calls, [&](std::size_t i, std::string_view text) {
    auto found = ids.find(text);
    if (found == ids.end()) {
      found = ids.emplace(std::string(text), static_cast<std::uint32_t>(ids.size())).first;
      texts.push_back(found->first);
    }
    detailOf[calls[i].value] = found->second;
  });
  return groupsOf(trace, tree, names, detailOf,
                  [&](std::uint32_t detail) { return std::string(texts[detail]); });
}

bool hasPythonFrames(const RankTrace& trace) {
  return std::ranges::any_of(trace.tracks, [](const Track& track) {
    return track.kind == TrackKind::Python && track.firstEvent < track.endEvent;
  });
}

OperatorGroups groupByNameAndPython(const RankTrace& trace, const OperatorTree& tree, const CallTree& calls,
                                    const StringTable& names, PythonDetail detail) {
  const PythonDetails details(trace, tree, calls, names, detail);
  return groupsOf(trace, tree, names, details.ofCalls(),
                  [&](std::uint32_t chain) { return details.textOf(chain); });
}

} // namespace rankscope

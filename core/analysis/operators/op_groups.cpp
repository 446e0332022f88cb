// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/operators/op_groups.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <ranges>
#include <unordered_map>
#include <utility>

namespace rankscope {

namespace {

constexpr std::uint32_t kNothing = 0; // the unknown detail

// Groups calls by name and detail number; textOf(detail, number of groups).
OperatorGroups groupsOf(const RankTrace& trace, const OperatorTree& tree, const StringTable& names,
                        const std::vector<std::uint32_t>& detailOf,
                        const std::function<std::string(std::uint32_t, std::size_t)>& textOf) {
  OperatorGroups result;
  result.groupOf.assign(tree.enclosing.size(), OperatorGroups::kNone);
  std::vector<std::uint32_t> details; // by group
  std::unordered_map<std::uint64_t, std::uint32_t> groupIds;
  forEachOperator(trace, names, [&](EventIndex call) {
    const NameId name = trace.events.name[call];
    const std::uint32_t detail = detailOf[call.value];
    const auto next = static_cast<std::uint32_t>(result.groups.size());
    const auto [place, isNew] = groupIds.try_emplace((std::uint64_t{name.value} << 32) | detail, next);
    if (isNew) {
      result.groups.push_back({name, {}});
      details.push_back(detail);
    }
    result.groupOf[call.value] = place->second;
  });
  for (std::size_t i = 0; i < details.size(); ++i)
    result.groups[i].detail = textOf(details[i], details.size());
  return result;
}

// Sequences of names as a trie: each is a shorter sequence plus one name; 0 is the empty sequence.
class NameChains {
 public:
  [[nodiscard]] std::uint32_t extended(std::uint32_t chain, NameId name) {
    const auto next = static_cast<std::uint32_t>(m_links.size());
    const auto [place, isNew] = m_ids.try_emplace((std::uint64_t{chain} << 32) | name.value, next);
    if (isNew) m_links.push_back({chain, name, m_links[chain].length + 1});
    return place->second;
  }
  // The sequence without its last name; the empty sequence stays empty.
  [[nodiscard]] std::uint32_t shorter(std::uint32_t chain) const { return m_links[chain].shorter; }
  [[nodiscard]] NameId last(std::uint32_t chain) const { return m_links[chain].name; }
  [[nodiscard]] std::uint32_t length(std::uint32_t chain) const { return m_links[chain].length; }

 private:
  struct Link {
    std::uint32_t shorter = kNothing;
    NameId name;
    std::uint32_t length = 0;
  };
  std::vector<Link> m_links{Link()};
  std::unordered_map<std::uint64_t, std::uint32_t> m_ids;
};

constexpr std::string_view kModulePrefix = "nn.Module: ";

// A file may have as many stacks as events, each very deep. Limits the total size of their texts, without
// cutting texts of reasonable length.
constexpr std::size_t kTextsTogether = std::size_t{256} << 20;
constexpr std::size_t kMaxTextLength = std::size_t{64} << 10;
constexpr std::size_t kMinTextLength = std::size_t{1} << 10;

// The first bytes of a name, without cutting a UTF-8 character.
std::string_view beginOf(std::string_view name, std::size_t maximum) {
  if (name.size() <= maximum) return name;
  constexpr auto kContinues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; };
  while (maximum > 0 && kContinues(name[maximum])) --maximum;
  return name.substr(0, maximum);
}

// The frames that enclose a call, as the id of a sequence of names.
class PythonDetails {
 public:
  PythonDetails(const RankTrace& trace, const OperatorTree& tree, const CallTree& calls,
                const StringTable& names, PythonDetail detail)
      : m_trace(trace), m_tree(tree), m_names(names), m_detail(detail),
        m_detailOf(tree.enclosing.size(), kNothing) {
    std::vector<std::uint32_t> ofNodes;
    ofNodes.reserve(calls.nodes.size());
    for (const CallTree::Node& node : calls.nodes) // callers precede callees
      ofNodes.push_back(detailWithin(ofNodes.empty() ? kNothing : ofNodes[node.parent], node));
    forEachOperator(trace, names, [&](EventIndex call) { m_detailOf[call.value] = ofNodes[calls.of(call)]; });
    fillBackward();
  }

  // By event; for operators.
  [[nodiscard]] const std::vector<std::uint32_t>& ofCalls() const { return m_detailOf; }

  // Text of one of `texts` sequences. Texts that are too long keep their innermost frames, at least one.
  [[nodiscard]] std::string textOf(std::uint32_t chain, std::size_t texts) const {
    const std::size_t maximum =
        std::clamp(kTextsTogether / std::max<std::size_t>(texts, 1), kMinTextLength, kMaxTextLength);
    const std::string_view between = m_detail == PythonDetail::Module ? " / " : "\n";
    std::vector<std::string_view> frames; // innermost first
    std::size_t bytes = 0;
    for (; chain != kNothing; chain = m_chains.shorter(chain)) {
      std::string_view frame = m_names[m_chains.last(chain)];
      if (m_detail == PythonDetail::Module) frame.remove_prefix(kModulePrefix.size());
      bytes += between.size() + frame.size();
      if (!frames.empty() && bytes > maximum) break;
      frames.push_back(frame);
    }
    std::string text;
    if (const std::uint32_t left = m_chains.length(chain); left > 0)
      text = fmt::format("… {} outer {}", left, m_detail == PythonDetail::Module ? "modules" : "frames");
    std::ranges::reverse(frames);
    for (const std::string_view frame : frames) {
      if (!text.empty()) text += between;
      const std::string_view begin = beginOf(frame, maximum);
      text += begin;
      if (begin.size() < frame.size()) text += "…";
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

  // Operators of the backward pass get the frames of their forward operator.
  void fillBackward() {
    std::vector<std::uint32_t> fromForward(m_detailOf.size(), kNothing);
    for (const EventFlow& flow : m_trace.forwardBackward) {
      if (flow.to.value < fromForward.size() && flow.from.value < m_detailOf.size())
        fromForward[flow.to.value] = m_detailOf[flow.from.value];
    }
    // Callers precede callees.
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
                  [&](std::uint32_t detail, std::size_t) { return std::string(texts[detail]); });
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
                  [&](std::uint32_t chain, std::size_t groups) { return details.textOf(chain, groups); });
}

} // namespace rankscope

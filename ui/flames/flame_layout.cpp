// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flames/flame_layout.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace rankscope::ui {

namespace {

using Children = std::vector<std::vector<std::uint32_t>>;

// By node, the children that weigh anything, the heaviest first; equals by their text.
Children heaviestFirst(const StackTree& tree, const StackSums& totals) {
  Children children(tree.size());
  for (std::uint32_t node = 1; node < tree.size(); ++node) {
    if (std::int64_t{totals[node].weight} > 0) children[tree.nodes()[node].parent].push_back(node);
  }
  for (std::vector<std::uint32_t>& siblings : children) {
    std::ranges::sort(siblings, [&](std::uint32_t a, std::uint32_t b) {
      const std::int64_t totalA = totals[a].weight;
      const std::int64_t totalB = totals[b].weight;
      return totalA != totalB ? totalA > totalB : tree.frameAt(a).text < tree.frameAt(b).text;
    });
  }
  return children;
}

void layMerged(FlameLayout& layout) {
  const Children children = heaviestFirst(layout.tree, layout.totals);
  std::vector<FlameBox> row{{0, 0, StackTree::kRoot}};
  std::vector<FlameBox> next;
  for (bool isRoot = true; !row.empty(); isRoot = false) {
    next.clear();
    for (const FlameBox& box : row) {
      std::int64_t at = box.begin;
      for (const std::uint32_t child : children[box.node]) {
        std::int64_t end = at + layout.totals[child].weight;
        // Negative weights below make children wider than their parent: they end with it.
        if (!isRoot) end = std::min(end, box.end);
        if (end <= at) break;
        next.push_back({at, end, child});
        at = end;
      }
      if (isRoot) layout.whole = at;
    }
    if (!next.empty()) layout.rows.push_back(next);
    std::swap(row, next);
  }
}

// Leaves on top: a stack is laid the other way round.
void turnOver(FlameLayout& layout, const JobStacks& stacks, const StackSums& sums) {
  const std::vector<StackTree::Frame>& frames = stacks.tree.frames();
  std::vector<std::uint32_t> ids;
  ids.reserve(frames.size());
  for (const StackTree::Frame& frame : frames) ids.push_back(layout.tree.frameOf(frame.text, frame.kind));
  for (std::uint32_t node = 1; node < stacks.tree.size(); ++node) {
    if (std::int64_t{sums[node].weight} <= 0) continue;
    std::uint32_t turned = StackTree::kRoot;
    for (std::uint32_t at = node; at != StackTree::kRoot; at = stacks.tree.nodes()[at].parent)
      turned = layout.tree.below(turned, ids[stacks.tree.nodes()[at].frame]);
    layout.sums.resize(layout.tree.size());
    layout.sums[turned].weight += sums[node].weight;
    layout.sums[turned].count += sums[node].count;
  }
  layout.sums.resize(layout.tree.size());
}

// By node of the stacks: the nearest node around it, or itself, that is the outermost one of a frame; the
// root where there is none.
std::vector<std::uint32_t> outermostOf(const StackTree& tree, std::string_view focus) {
  std::vector<std::uint32_t> outermost(tree.size(), StackTree::kRoot);
  for (std::uint32_t node = 1; node < tree.size(); ++node) {
    outermost[node] = outermost[tree.nodes()[node].parent];
    if (outermost[node] == StackTree::kRoot && tree.frameAt(node).text == focus) outermost[node] = node;
  }
  return outermost;
}

// One frame on top, below it its callers, or what it called.
void layAround(FlameLayout& layout, const JobStacks& stacks, const StackSums& sums, std::string_view focus,
               bool callers) {
  const StackTree& tree = stacks.tree;
  const std::vector<std::uint32_t> outermost = outermostOf(tree, focus);
  const StackSums totals = callers ? totalsOf(tree, sums) : StackSums();
  std::vector<std::uint32_t> turned(tree.size(), StackTree::kRoot);
  for (std::uint32_t node = 1; node < tree.size(); ++node) {
    if (outermost[node] == StackTree::kRoot || (callers && outermost[node] != node)) continue;
    const StackTree::Frame& frame = tree.frameAt(node);
    std::uint32_t at = StackTree::kRoot;
    if (callers) {
      for (std::uint32_t above = node; above != StackTree::kRoot; above = tree.nodes()[above].parent)
        at = layout.tree.below(at, tree.frameAt(above).text, tree.frameAt(above).kind);
    } else {
      at = layout.tree.below(outermost[node] == node ? StackTree::kRoot : turned[tree.nodes()[node].parent],
                             frame.text, frame.kind);
    }
    turned[node] = at;
    const StackSum& sum = callers ? totals[node] : sums[node];
    layout.sums.resize(layout.tree.size());
    layout.sums[at].weight += sum.weight;
    layout.sums[at].count += sum.count;
  }
  layout.sums.resize(layout.tree.size());
}

class TimeRows {
 public:
  explicit TimeRows(FlameLayout& layout) : m_layout(layout) {}

  void add(std::uint32_t node, std::int64_t amount) {
    if (amount <= 0) return;
    m_path.clear();
    for (std::uint32_t at = node; at != StackTree::kRoot; at = m_layout.tree.nodes()[at].parent)
      m_path.push_back(at);
    std::ranges::reverse(m_path);
    if (m_layout.rows.size() < m_path.size()) m_layout.rows.resize(m_path.size());
    const std::int64_t at = m_layout.whole;
    m_layout.whole += amount;
    bool goesOn = true;
    for (std::size_t depth = 0; depth < m_path.size(); ++depth) {
      std::vector<FlameBox>& row = m_layout.rows[depth];
      goesOn = goesOn && !row.empty() && row.back().node == m_path[depth] && row.back().end == at;
      if (goesOn)
        row.back().end = m_layout.whole;
      else
        row.push_back({at, m_layout.whole, m_path[depth]});
    }
  }

 private:
  FlameLayout& m_layout;
  std::vector<std::uint32_t> m_path; // outermost first
};

void layByTime(FlameLayout& layout, const JobStacks& stacks, const Analysis& part) {
  TimeRows rows(layout);
  for (std::size_t i = 0; i < stacks.ranks.size(); ++i) {
    const RankIndex rank = stacks.ranks[i];
    if (!std::ranges::binary_search(part.ranks(), rank)) continue;
    const TimeRange window = stackWindow(part, rank, stacks.weight);
    const RankStacks& ofRank = stacks.ofRank[i];
    ofRank.forEachWithin(window, [&](const StackEntry& entry) {
      const TimeRange range{entry.begin, entry.begin + entry.amount};
      rows.add(stacks.nodeOf[i][entry.node], ofRank.cut ? range.clippedTo(window).length() : entry.amount);
    });
  }
}

} // namespace

std::size_t FlameLayout::firstEndingAfter(std::size_t row, std::int64_t place) const {
  const std::vector<FlameBox>& boxes = rows[row];
  return static_cast<std::size_t>(std::ranges::upper_bound(boxes, place, {}, &FlameBox::end) - boxes.begin());
}

const FlameBox* FlameLayout::boxAt(std::size_t row, std::int64_t place) const {
  if (row >= rows.size()) return nullptr;
  const std::size_t i = firstEndingAfter(row, place);
  return i < rows[row].size() && rows[row][i].begin <= place ? &rows[row][i] : nullptr;
}

FlameLayout flameLayout(const JobStacks& stacks, const StackSums& sums, const Analysis& part, FlameMode mode,
                        std::string_view focus) {
  FlameLayout layout;
  if (mode == FlameMode::BottomUp) {
    turnOver(layout, stacks, sums);
  } else if (mode == FlameMode::Callers || mode == FlameMode::Callees) {
    layAround(layout, stacks, sums, focus, mode == FlameMode::Callers);
  } else {
    layout.tree = stacks.tree;
    layout.sums = sums;
  }
  layout.totals = totalsOf(layout.tree, layout.sums);
  if (mode == FlameMode::TimeOrder)
    layByTime(layout, stacks, part);
  else
    layMerged(layout);
  return layout;
}

FlameLayout mergedLayout(StackTree tree, StackSums sums) {
  FlameLayout layout;
  layout.tree = std::move(tree);
  layout.sums = std::move(sums);
  layout.sums.resize(layout.tree.size());
  layout.totals = totalsOf(layout.tree, layout.sums);
  layMerged(layout);
  return layout;
}

FlameLayout differenceLayout(const StackDifference& difference) {
  FlameLayout layout;
  layout.tree = difference.tree;
  layout.sums.resize(difference.tree.size());
  for (std::size_t node = 0; node < layout.sums.size(); ++node) {
    layout.sums[node].weight = std::max<std::int64_t>(difference.a[node].weight, difference.b[node].weight);
    layout.sums[node].count = difference.a[node].count + difference.b[node].count;
  }
  layout.totals = totalsOf(layout.tree, layout.sums);
  layout.totalsA = totalsOf(layout.tree, difference.a);
  layout.totalsB = totalsOf(layout.tree, difference.b);
  layMerged(layout);
  return layout;
}

std::vector<FlamePiece> visiblePieces(const FlameLayout& layout, std::size_t row, double from,
                                      double unitsPerPixel, double pixels) {
  std::vector<FlamePiece> pieces;
  if (row >= layout.rows.size()) return pieces;
  const std::vector<FlameBox>& boxes = layout.rows[row];
  pieces.reserve(static_cast<std::size_t>(std::max(0.0, pixels)) / 4 + 1);
  const auto pixelOf = [&](std::int64_t place) {
    return (static_cast<double>(place) - from) / unitsPerPixel;
  };
  std::size_t i = layout.firstEndingAfter(row, static_cast<std::int64_t>(std::floor(from)));
  while (i < boxes.size()) {
    const double begin = pixelOf(boxes[i].begin);
    if (begin >= pixels) break;
    const double end = pixelOf(boxes[i].end);
    if (end - begin >= 1) {
      pieces.push_back({begin, end, boxes[i].node, 1});
      ++i;
      continue;
    }
    // All that ends within this pixel is one piece.
    const double edge = from + (std::floor(begin) + 1) * unitsPerPixel;
    const std::size_t next =
        std::max(i + 1, layout.firstEndingAfter(row, static_cast<std::int64_t>(std::floor(edge))));
    pieces.push_back({begin, std::min(pixelOf(boxes[next - 1].end), std::floor(begin) + 1), boxes[i].node,
                      static_cast<std::uint32_t>(next - i)});
    i = next;
  }
  return pieces;
}

} // namespace rankscope::ui

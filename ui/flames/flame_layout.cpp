// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flames/flame_layout.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace rankscope::ui {

namespace {

// By node, the children that weigh anything, the heaviest first; equals by their text.
class Children {
 public:
  Children(const StackTree& tree, const StackSums& totals) : m_first(tree.size() + 1) {
    const auto weighs = [&](std::uint32_t node) { return std::int64_t{totals[node].weight} > 0; };
    for (std::uint32_t node = 1; node < tree.size(); ++node)
      if (weighs(node)) ++m_first[tree.nodes()[node].parent + 1];
    for (std::size_t i = 1; i < m_first.size(); ++i) m_first[i] += m_first[i - 1];
    m_nodes.resize(m_first.back());
    std::vector<std::uint32_t> next(m_first.begin(), m_first.end() - 1);
    for (std::uint32_t node = 1; node < tree.size(); ++node)
      if (weighs(node)) m_nodes[next[tree.nodes()[node].parent]++] = node;
    for (std::size_t parent = 0; parent + 1 < m_first.size(); ++parent) {
      std::ranges::sort(of(parent), [&](std::uint32_t a, std::uint32_t b) {
        const std::int64_t totalA = totals[a].weight;
        const std::int64_t totalB = totals[b].weight;
        return totalA != totalB ? totalA > totalB : tree.frameAt(a).text < tree.frameAt(b).text;
      });
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> operator[](std::size_t parent) const {
    return std::span(m_nodes).subspan(m_first[parent], m_first[parent + 1] - m_first[parent]);
  }

 private:
  [[nodiscard]] std::span<std::uint32_t> of(std::size_t parent) {
    return std::span(m_nodes).subspan(m_first[parent], m_first[parent + 1] - m_first[parent]);
  }

  std::vector<std::uint32_t> m_first; // by node, and the end
  std::vector<std::uint32_t> m_nodes;
};

// The rows below a box. Negative weights below make children wider than their parent: they end with it.
std::vector<std::vector<FlameBox>> rowsBelow(const FlameLayout& layout, const Children& children,
                                             const FlameBox& top) {
  std::vector<std::vector<FlameBox>> rows;
  std::vector<FlameBox> row{top};
  std::vector<FlameBox> next;
  while (!row.empty()) {
    next.clear();
    for (const FlameBox& box : row) {
      std::int64_t at = box.begin;
      for (const std::uint32_t child : children[box.node]) {
        const std::int64_t end = std::min(at + std::int64_t{layout.totals[child].weight}, box.end);
        if (end <= at) break;
        next.push_back({at, end, child, layout.tree.nodes()[child].frame});
        at = end;
      }
    }
    if (!next.empty()) rows.push_back(next);
    std::swap(row, next);
  }
  return rows;
}

void layMerged(FlameLayout& layout) {
  const Children children(layout.tree, layout.totals);
  ExactSum whole;
  for (const std::uint32_t child : children[StackTree::kRoot]) whole += layout.totals[child].weight;
  layout.whole = whole;
  layout.rows = rowsBelow(layout, children, {0, layout.whole, StackTree::kRoot, 0});
}

// Leaves on top: a stack is laid the other way round.
void turnOver(FlameLayout& layout, const StackTree& tree, const StackSums& sums) {
  const std::vector<StackTree::Frame>& frames = tree.frames();
  std::vector<std::uint32_t> ids;
  ids.reserve(frames.size());
  for (const StackTree::Frame& frame : frames) ids.push_back(layout.tree.frameOf(frame.text, frame.kind));
  for (std::uint32_t node = 1; node < tree.size(); ++node) {
    if (std::int64_t{sums[node].weight} <= 0) continue;
    std::uint32_t turned = StackTree::kRoot;
    for (std::uint32_t at = node; at != StackTree::kRoot; at = tree.nodes()[at].parent)
      turned = layout.tree.below(turned, ids[tree.nodes()[at].frame]);
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

// One frame in the middle. What it called lies below its node; its callers below another node of the same
// frame, which has no box.
void layAround(FlameLayout& layout, const StackTree& tree, const StackSums& sums, std::string_view focus) {
  const std::vector<std::uint32_t> outermost = outermostOf(tree, focus);
  const auto first =
      std::ranges::find_if(outermost, [](std::uint32_t node) { return node != StackTree::kRoot; });
  if (first == outermost.end()) return;
  const StackSums totals = totalsOf(tree, sums);
  const std::uint32_t frame = layout.tree.frameOf(focus, tree.frameAt(*first).kind);
  const std::uint32_t middle = layout.tree.below(StackTree::kRoot, frame);
  const std::uint32_t turnedMiddle = layout.tree.apart(StackTree::kRoot, frame);
  const auto add = [&](std::uint32_t node, const StackSum& sum) {
    layout.sums.resize(layout.tree.size());
    layout.sums[node].weight += sum.weight;
    layout.sums[node].count += sum.count;
  };
  const auto copied = [&](std::uint32_t parent, std::uint32_t node) {
    return layout.tree.below(parent, tree.frameAt(node).text, tree.frameAt(node).kind);
  };
  std::vector<std::uint32_t> callees(tree.size(), StackTree::kRoot);
  for (std::uint32_t node = 1; node < tree.size(); ++node) {
    if (outermost[node] == StackTree::kRoot) continue;
    const std::uint32_t parent = tree.nodes()[node].parent;
    callees[node] = outermost[node] == node ? middle : copied(callees[parent], node);
    add(callees[node], sums[node]);
    if (outermost[node] != node) continue;
    std::uint32_t caller = turnedMiddle;
    for (std::uint32_t at = parent; at != StackTree::kRoot; at = tree.nodes()[at].parent)
      caller = copied(caller, at);
    add(caller, totals[node]);
  }
  layout.sums.resize(layout.tree.size());
  layout.totals = totalsOf(layout.tree, layout.sums);
  layout.above.assign(layout.tree.size(), 0);
  for (std::uint32_t node = turnedMiddle; node < layout.tree.size(); ++node)
    layout.above[node] = node == turnedMiddle || layout.above[layout.tree.nodes()[node].parent] != 0 ? 1 : 0;
  layout.whole = std::max<std::int64_t>(0, layout.totals[middle].weight);
  if (layout.whole == 0) return;
  const Children children(layout.tree, layout.totals);
  layout.rows = rowsBelow(layout, children, {0, layout.whole, turnedMiddle, 0});
  std::ranges::reverse(layout.rows);
  layout.middle = layout.rows.size();
  layout.rows.push_back({{0, layout.whole, middle, layout.tree.nodes()[middle].frame}});
  for (std::vector<FlameBox>& row : rowsBelow(layout, children, {0, layout.whole, middle, 0}))
    layout.rows.push_back(std::move(row));
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
        row.push_back({at, m_layout.whole, m_path[depth], m_layout.tree.nodes()[m_path[depth]].frame});
    }
  }

 private:
  FlameLayout& m_layout;
  std::vector<std::uint32_t> m_path; // outermost first
};

void layByTime(FlameLayout& layout, const ShownStacks& shown, const Analysis& part) {
  const JobStacks& stacks = *shown.stacks;
  TimeRows rows(layout);
  for (std::size_t i = 0; i < stacks.ranks.size(); ++i) {
    const RankIndex rank = stacks.ranks[i];
    if (!std::ranges::binary_search(part.ranks(), rank)) continue;
    const TimeRange window = stackWindow(part, rank, stacks.weight);
    const RankStacks& ofRank = stacks.ofRank[i];
    ofRank.forEachWithin(window, [&](const StackEntry& entry) {
      const TimeRange range{entry.begin, entry.begin + entry.amount};
      const std::uint32_t node = stacks.nodeOf[i][entry.node];
      const std::uint32_t to = shown.nodeOf.empty() ? node : shown.nodeOf[node];
      if (to != StackTree::kRoot) rows.add(to, ofRank.cut ? range.clippedTo(window).length() : entry.amount);
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

std::size_t FlameLayout::rowOf(std::uint32_t node) const {
  std::size_t depth = 0;
  for (std::uint32_t at = tree.nodes()[node].parent; at != StackTree::kRoot; at = tree.nodes()[at].parent)
    ++depth;
  return isAbove(node) ? middle - std::min(middle, depth) : middle + depth;
}

ShownStacks shownStacks(std::shared_ptr<const JobStacks> stacks, StackSums sums,
                        std::span<const StackFilter> filters) {
  if (filters.empty()) {
    StackTree tree = stacks->tree;
    return {std::move(stacks), std::move(tree), std::move(sums), {}};
  }
  FilteredStacks left = filtered(stacks->tree, filters);
  StackSums leftSums = filteredSums(left, sums);
  return {std::move(stacks), std::move(left.tree), std::move(leftSums), std::move(left.nodeOf)};
}

FlameLayout flameLayout(const ShownStacks& shown, const Analysis& part, FlameMode mode,
                        std::string_view focus) {
  FlameLayout layout;
  if (mode == FlameMode::Sandwich) {
    layAround(layout, shown.tree, shown.sums, focus);
    return layout;
  }
  if (mode == FlameMode::BottomUp) {
    turnOver(layout, shown.tree, shown.sums);
  } else {
    layout.tree = shown.tree;
    layout.sums = shown.sums;
  }
  layout.totals = totalsOf(layout.tree, layout.sums);
  if (mode == FlameMode::TimeOrder)
    layByTime(layout, shown, part);
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

namespace {

// The first box at or after `from` that ends after a place: near `from`, so that its neighbors are asked
// first.
std::size_t nextEndingAfter(const std::vector<FlameBox>& boxes, std::size_t from, std::int64_t place) {
  std::size_t step = 1;
  std::size_t low = from;
  while (low + step < boxes.size() && boxes[low + step].end <= place) {
    low += step;
    step *= 2;
  }
  const auto begin = boxes.begin() + static_cast<std::ptrdiff_t>(low);
  const auto end = boxes.begin() + static_cast<std::ptrdiff_t>(std::min(boxes.size(), low + step + 1));
  const auto found =
      std::upper_bound(begin, end, place, [](std::int64_t at, const FlameBox& box) { return at < box.end; });
  return static_cast<std::size_t>(found - boxes.begin());
}

} // namespace

std::vector<FlamePiece> visiblePieces(const FlameLayout& layout, std::size_t row, double from,
                                      double unitsPerPixel, double pixels) {
  std::vector<FlamePiece> pieces;
  visiblePieces(layout, row, from, unitsPerPixel, pixels, pieces);
  return pieces;
}

void visiblePieces(const FlameLayout& layout, std::size_t row, double from, double unitsPerPixel,
                   double pixels, std::vector<FlamePiece>& pieces) {
  pieces.clear();
  if (row >= layout.rows.size()) return;
  const std::vector<FlameBox>& boxes = layout.rows[row];
  const auto pixelOf = [&](std::int64_t place) {
    return (static_cast<double>(place) - from) / unitsPerPixel;
  };
  std::size_t i = layout.firstEndingAfter(row, static_cast<std::int64_t>(std::floor(from)));
  while (i < boxes.size()) {
    const double begin = pixelOf(boxes[i].begin);
    if (begin >= pixels) break;
    const double end = pixelOf(boxes[i].end);
    if (end - begin >= 1) {
      pieces.push_back({begin, end, boxes[i].node, boxes[i].frame, 1});
      ++i;
      continue;
    }
    // All that ends within this pixel is one piece.
    const double edge = from + (std::floor(begin) + 1) * unitsPerPixel;
    const std::size_t next =
        std::max(i + 1, nextEndingAfter(boxes, i, static_cast<std::int64_t>(std::floor(edge))));
    pieces.push_back({begin, std::min(pixelOf(boxes[next - 1].end), std::floor(begin) + 1), boxes[i].node,
                      boxes[i].frame, static_cast<std::uint32_t>(next - i)});
    i = next;
  }
}

} // namespace rankscope::ui

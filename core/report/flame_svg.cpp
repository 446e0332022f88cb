// SPDX-License-Identifier: GPL-3.0-or-later
// Covers the SVG of core/report/stack_files.h: a flame graph with the root on top, the heaviest first, its
// names as titles, without scripts.
#include "core/base/unit_text.h"
#include "core/base/utf8.h"
#include "core/report/stack_files.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr double kFlameWidth = 1600;
constexpr double kFlameRow = 20;
constexpr double kHead = 34;
constexpr double kMinWidth = 0.5;    // narrower frames are left out
constexpr double kFullChange = 0.05; // of the whole, in full color
constexpr double kCharacter = 6.6;   // of a 11 px text, at most

constexpr std::array<std::string_view, kFrameKindCount> kColors{
    "#566173", "#4a5365", "#4c9aff", "#4f6285", "#4a5365", "#5b6f92", "#61728f",
    "#6c7a90", "#2fb8a0", "#3f9e63", "#9a6bdc", "#b08a3c", "#cf4a55", "#c79a2e"};

std::string xmlText(std::string_view text) {
  const std::string valid = validUtf8(text);
  std::string escaped;
  escaped.reserve(valid.size());
  for (const char c : valid) {
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    default:
      escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return escaped;
}

std::string weightText(StackWeight weight, std::int64_t value) {
  switch (unitOf(weight)) {
  case StackUnit::Nanoseconds:
    return durationText(value);
  case StackUnit::Bytes:
    return bytesText(value);
  case StackUnit::Count:
    break;
  }
  return countText(value);
}

std::string kindColor(const StackTree& tree, std::uint32_t node) {
  return std::string(kColors[static_cast<std::size_t>(tree.frameAt(node).kind)]);
}

// From gray, without a change, to full color.
std::string changeColor(bool more, double part) {
  constexpr std::array<int, 3> kSame{0x3a, 0x42, 0x50};
  constexpr std::array<int, 3> kMore{0xd9, 0x62, 0x2f};
  constexpr std::array<int, 3> kLess{0x3b, 0x82, 0xe0};
  const std::array<int, 3>& full = more ? kMore : kLess;
  std::array<int, 3> mixed{};
  for (std::size_t i = 0; i < mixed.size(); ++i)
    mixed[i] = kSame[i] + static_cast<int>(std::lround(part * (full[i] - kSame[i])));
  return fmt::format("#{:02x}{:02x}{:02x}", mixed[0], mixed[1], mixed[2]);
}

// What is said and shown of a frame beside its width.
struct SvgLook {
  std::string head;
  std::function<std::string(std::uint32_t node)> color;
  std::function<std::string(std::uint32_t node)> weight; // in its title
};

class SvgWriter {
 public:
  SvgWriter(const WeighedStacks& stacks, SvgLook look)
      : m_stacks(stacks), m_look(std::move(look)), m_totals(totalsOf(stacks.tree, stacks.sums)) {
    m_children.resize(stacks.tree.size());
    for (std::uint32_t node = 1; node < stacks.tree.size(); ++node) {
      if (totalOf(node) > 0) m_children[stacks.tree.nodes()[node].parent].push_back(node);
    }
    for (std::vector<std::uint32_t>& children : m_children) {
      std::ranges::stable_sort(children, [this](std::uint32_t a, std::uint32_t b) {
        return totalOf(a) != totalOf(b) ? totalOf(a) > totalOf(b)
                                        : m_stacks.tree.frameAt(a).text < m_stacks.tree.frameAt(b).text;
      });
    }
  }

  [[nodiscard]] std::string write() {
    drawAll();
    const double height = kHead + kFlameRow * static_cast<double>(m_rows) + 8;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"Inter, system-ui, sans-serif\" font-size=\"11\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#14171c\"/>\n"
        "<text x=\"8\" y=\"21\" fill=\"#e6e9ef\" font-size=\"14\">{2}</text>\n",
        kFlameWidth, height, xmlText(m_look.head));
    svg += m_body;
    svg += "</svg>\n";
    return svg;
  }

 private:
  [[nodiscard]] std::int64_t totalOf(std::uint32_t node) const { return m_totals[node].weight; }

  void drawAll() {
    struct Place {
      std::uint32_t node;
      double x;
      std::size_t depth;
    };
    double whole = 0; // of negative weights only their positive parts are drawn
    for (const std::uint32_t child : m_children[StackTree::kRoot])
      whole += static_cast<double>(totalOf(child));
    if (whole <= 0) return;
    const double scale = kFlameWidth / whole;
    std::vector<Place> places{{StackTree::kRoot, 0, 0}};
    while (!places.empty()) {
      const Place place = places.back();
      places.pop_back();
      double x = place.x;
      for (const std::uint32_t child : m_children[place.node]) {
        const double width = std::min(static_cast<double>(totalOf(child)) * scale, kFlameWidth - x);
        if (width < kMinWidth) break;
        drawFrame(child, x, width, place.depth);
        places.push_back({child, x, place.depth + 1});
        x += width;
      }
    }
  }

  void drawFrame(std::uint32_t node, double x, double width, std::size_t depth) {
    m_rows = std::max(m_rows, depth + 1);
    const StackTree::Frame& frame = m_stacks.tree.frameAt(node);
    const double y = kHead + kFlameRow * static_cast<double>(depth);
    m_body += fmt::format(
        "<g><title>{}\n{}</title><rect x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\" "
        "fill=\"{}\"/>",
        xmlText(frame.text), xmlText(m_look.weight(node)), x, y, std::max(width - 0.5, 0.3), kFlameRow - 1,
        m_look.color(node));
    const auto characters = static_cast<std::size_t>((width - 8) / kCharacter);
    if (width > 30) {
      std::string_view shown = frame.text;
      const bool cut = shown.size() > characters;
      if (cut) shown = shown.substr(0, characters - 1);
      while (cut && !shown.empty() && (static_cast<unsigned char>(frame.text[shown.size()]) & 0xc0U) == 0x80U)
        shown.remove_suffix(1);
      m_body += fmt::format("<text x=\"{:.2f}\" y=\"{:.0f}\" fill=\"#ffffff\">{}{}</text>", x + 4, y + 13.5,
                            xmlText(shown), cut ? "…" : "");
    }
    m_body += "</g>\n";
  }

  const WeighedStacks& m_stacks;
  SvgLook m_look;
  StackSums m_totals;
  std::vector<std::vector<std::uint32_t>> m_children;
  std::string m_body;
  std::size_t m_rows = 0;
};

} // namespace

std::string flameSvg(const WeighedStacks& stacks, std::string_view title) {
  const StackSums totals = totalsOf(stacks.tree, stacks.sums);
  double whole = 0; // of negative weights only their positive parts are drawn
  for (std::uint32_t node = 1; node < stacks.tree.size(); ++node) {
    if (stacks.tree.nodes()[node].parent == StackTree::kRoot)
      whole += std::max(0.0, static_cast<double>(std::int64_t{totals[node].weight}));
  }
  const auto text = [&](std::uint32_t node) { return weightText(stacks.weight, totals[node].weight); };
  SvgLook look;
  look.head = fmt::format("{}: {}, {}", title, stackWeightText(stacks.weight), text(StackTree::kRoot));
  look.color = [&](std::uint32_t node) { return kindColor(stacks.tree, node); };
  look.weight = [&](std::uint32_t node) {
    const double share = 100 * static_cast<double>(std::int64_t{totals[node].weight}) / std::max(1.0, whole);
    return fmt::format("{} · {:.2f} %", text(node), share);
  };
  return SvgWriter(stacks, std::move(look)).write();
}

std::string flameSvg(const StackDifference& difference, std::string_view title) {
  // As wide as the larger of both, so that what only one job has is seen too.
  WeighedStacks both;
  both.weight = difference.weight;
  both.tree = difference.tree;
  both.sums.resize(difference.tree.size());
  for (std::size_t node = 0; node < both.sums.size(); ++node)
    both.sums[node].weight = std::max<std::int64_t>(difference.a[node].weight, difference.b[node].weight);
  const StackSums totalsA = totalsOf(difference.tree, difference.a);
  const StackSums totalsB = totalsOf(difference.tree, difference.b);
  const auto change = [&](std::uint32_t node) {
    return std::int64_t{totalsB[node].weight} - std::int64_t{totalsA[node].weight};
  };
  const auto changeText = [&](std::uint32_t node) {
    const std::string amount = weightText(difference.weight, std::abs(change(node)));
    return change(node) == 0 ? std::string("no change") : (change(node) < 0 ? "-" : "+") + amount;
  };
  const double full =
      kFullChange * static_cast<double>(std::max<std::int64_t>(
                        {1, totalsA[StackTree::kRoot].weight, totalsB[StackTree::kRoot].weight}));
  SvgLook look;
  look.head = fmt::format(
      "{}: {}, A {}, B {}, {}; orange: more in B, blue: less", title, stackWeightText(difference.weight),
      weightText(difference.weight, totalsA[StackTree::kRoot].weight),
      weightText(difference.weight, totalsB[StackTree::kRoot].weight), changeText(StackTree::kRoot));
  look.color = [&](std::uint32_t node) {
    const double part = std::min(1.0, std::abs(static_cast<double>(change(node))) / full);
    return changeColor(change(node) > 0, part);
  };
  look.weight = [&](std::uint32_t node) {
    const bool onlyA = std::int64_t{totalsB[node].weight} == 0;
    const bool onlyB = std::int64_t{totalsA[node].weight} == 0;
    return fmt::format("A {} · B {} · {}{}", weightText(difference.weight, totalsA[node].weight),
                       weightText(difference.weight, totalsB[node].weight), changeText(node),
                       onlyA   ? " · only in A"
                       : onlyB ? " · only in B"
                               : "");
  };
  return SvgWriter(both, std::move(look)).write();
}

} // namespace rankscope

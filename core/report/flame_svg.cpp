// SPDX-License-Identifier: GPL-3.0-or-later
// Covers the SVG of core/report/stack_files.h: a flame graph with the root on top, the heaviest first, its
// names as titles, without scripts.
#include "core/base/unit_text.h"
#include "core/base/utf8.h"
#include "core/report/stack_files.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

namespace rankscope {

namespace {

constexpr double kWidth = 1600;
constexpr double kRow = 20;
constexpr double kHead = 34;
constexpr double kMinWidth = 0.5;  // narrower frames are left out
constexpr double kCharacter = 6.6; // of a 11 px text, at most

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

class SvgWriter {
 public:
  SvgWriter(const WeighedStacks& stacks) : m_stacks(stacks), m_totals(totalsOf(stacks.tree, stacks.sums)) {
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

  [[nodiscard]] std::string write(std::string_view title) {
    drawAll();
    const double height = kHead + kRow * static_cast<double>(m_rows) + 8;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
        "font-family=\"Inter, system-ui, sans-serif\" font-size=\"11\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"#14171c\"/>\n"
        "<text x=\"8\" y=\"21\" fill=\"#e6e9ef\" font-size=\"14\">{2}</text>\n",
        kWidth, height, xmlText(headText(title)));
    svg += m_body;
    svg += "</svg>\n";
    return svg;
  }

 private:
  [[nodiscard]] std::int64_t totalOf(std::uint32_t node) const { return m_totals[node].weight; }

  [[nodiscard]] std::string headText(std::string_view title) const {
    return fmt::format("{}: {}, {}", title, stackWeightText(m_stacks.weight),
                       weightText(m_stacks.weight, totalOf(StackTree::kRoot)));
  }

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
    const double scale = kWidth / whole;
    std::vector<Place> places{{StackTree::kRoot, 0, 0}};
    while (!places.empty()) {
      const Place place = places.back();
      places.pop_back();
      double x = place.x;
      for (const std::uint32_t child : m_children[place.node]) {
        const double width = std::min(static_cast<double>(totalOf(child)) * scale, kWidth - x);
        if (width < kMinWidth) break;
        drawFrame(child, x, width, place.depth, whole);
        places.push_back({child, x, place.depth + 1});
        x += width;
      }
    }
  }

  void drawFrame(std::uint32_t node, double x, double width, std::size_t depth, double whole) {
    m_rows = std::max(m_rows, depth + 1);
    const StackTree::Frame& frame = m_stacks.tree.frameAt(node);
    const double y = kHead + kRow * static_cast<double>(depth);
    const std::int64_t total = totalOf(node);
    m_body += fmt::format(
        "<g><title>{}\n{} · {:.2f} %</title><rect x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" "
        "height=\"{:.0f}\" fill=\"{}\"/>",
        xmlText(frame.text), weightText(m_stacks.weight, total), 100 * static_cast<double>(total) / whole, x,
        y, std::max(width - 0.5, 0.3), kRow - 1, kColors[static_cast<std::size_t>(frame.kind)]);
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
  StackSums m_totals;
  std::vector<std::vector<std::uint32_t>> m_children;
  std::string m_body;
  std::size_t m_rows = 0;
};

} // namespace

std::string flameSvg(const WeighedStacks& stacks, std::string_view title) {
  return SvgWriter(stacks).write(title);
}

} // namespace rankscope

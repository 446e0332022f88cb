// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/folded/folded_stacks.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <unordered_map>

namespace rankscope {

namespace {

constexpr std::int64_t kMostTotal = std::int64_t{1} << 60;

// A number at the end of a text after a space, without both; empty where there is none.
std::optional<double> takeNumber(std::string_view& text) {
  const std::size_t space = text.rfind(' ');
  if (space == std::string_view::npos || space + 1 == text.size()) return std::nullopt;
  const std::string_view number = text.substr(space + 1);
  if (number.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  if (error != std::errc() || end != number.data() + number.size()) return std::nullopt;
  text = text.substr(0, space);
  return value;
}

struct Place {
  std::uint32_t parent;
  std::string_view frame;
  bool operator==(const Place&) const = default;
};
struct PlaceHash {
  std::size_t operator()(const Place& place) const {
    return std::hash<std::string_view>()(place.frame) ^ (std::size_t{place.parent} * 0x9e3779b97f4a7c15ULL);
  }
};

} // namespace

std::optional<FoldedLine> foldedLine(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  FoldedLine folded;
  const auto last = takeNumber(line);
  if (!last) return std::nullopt;
  folded.weight = *last;
  // "a;b 12 34": of a difference. A frame may end in a number too, as "step 12" does, but not a stack's last.
  std::string_view before = line;
  if (takeNumber(before) && !before.empty() && line.find(';') != std::string_view::npos &&
      before.find(';') != std::string_view::npos && before.back() != ' ')
    line = before;
  folded.frames = line;
  return folded.frames.empty() ? std::nullopt : std::optional(folded);
}

FoldedTree foldedTree(std::string_view text) {
  FoldedTree tree;
  tree.nodes.emplace_back();
  std::unordered_map<Place, std::uint32_t, PlaceHash> places;
  std::vector<std::uint32_t> path;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    ++tree.lines;
    const auto folded = foldedLine(line);
    if (!folded) {
      ++tree.skipped;
      continue;
    }
    const auto weight =
        static_cast<std::int64_t>(std::llround(std::min(folded->weight, static_cast<double>(kMostTotal))));
    std::uint32_t node = 0;
    path.assign(1, 0);
    for (std::string_view frames = folded->frames; !frames.empty();) {
      const std::size_t to = std::min(frames.find(';'), frames.size());
      const std::string_view frame = frames.substr(0, to);
      frames.remove_prefix(std::min(to + 1, frames.size()));
      if (frame.empty()) continue;
      const auto next = static_cast<std::uint32_t>(tree.nodes.size());
      const auto [place, isNew] = places.try_emplace({node, frame}, next);
      if (isNew) tree.nodes.push_back({node, frame, 0});
      node = place->second;
      path.push_back(node);
    }
    const std::int64_t room = kMostTotal - tree.nodes.front().total;
    for (const std::uint32_t of : path) tree.nodes[of].total += std::min(weight, room);
  }
  return tree;
}

} // namespace rankscope

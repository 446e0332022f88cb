// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/joined_figures.h"

#include <algorithm>
#include <array>

namespace rankscope {

namespace {

// What may follow the space behind a number, up to the end of the word or a slash: "GB" of "GB/s".
constexpr std::array<std::string_view, 33> kUnits{
    "ns",   "µs",    "ms",    "s",     "B",     "kB",   "MB",   "GB", "TB",    "KiB",    "MiB",
    "GiB",  "TiB",   "%",     "k",     "M",     "G",    "T",    "P",  "W",     "MHz",    "GHz",
    "FLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "GBit", "Gbit", "Gb", "FLOPs", "TFLOPs", "PFLOPs"};

bool isDigitOfFigure(char c) {
  return c >= '0' && c <= '9';
}

bool isLetterOfUnit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (static_cast<unsigned char>(c) & 0x80U) != 0;
}

bool beginsWithUnit(std::string_view text) {
  return std::ranges::any_of(kUnits, [&](std::string_view unit) {
    if (!text.starts_with(unit)) return false;
    return text.size() == unit.size() ||
           (!isLetterOfUnit(text[unit.size()]) && !isDigitOfFigure(text[unit.size()]));
  });
}

// "234" of "1 234".
bool beginsWithGroup(std::string_view text) {
  constexpr std::size_t kDigits = 3;
  return text.size() >= kDigits && std::ranges::all_of(text.substr(0, kDigits), isDigitOfFigure) &&
         (text.size() == kDigits || !isDigitOfFigure(text[kDigits]));
}

} // namespace

std::vector<std::size_t> spacesInFigures(std::string_view text) {
  std::vector<std::size_t> spaces;
  for (std::size_t at = text.find(' ', 1); at < text.size(); at = text.find(' ', at + 1)) {
    const std::string_view after = text.substr(at + 1);
    if (isDigitOfFigure(text[at - 1]) && (beginsWithGroup(after) || beginsWithUnit(after)))
      spaces.push_back(at);
  }
  return spaces;
}

std::string withJoinedFigures(std::string_view text) {
  constexpr std::string_view kNoBreakSpace = "\u00a0";
  std::string joined;
  std::size_t done = 0;
  for (const std::size_t space : spacesInFigures(text)) {
    joined += text.substr(done, space - done);
    joined += kNoBreakSpace;
    done = space + 1;
  }
  joined += text.substr(done);
  return joined;
}

} // namespace rankscope

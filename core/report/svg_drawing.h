// SPDX-License-Identifier: GPL-3.0-or-later
// A drawing of boxes, lines and texts as SVG, to stand in an HTML page whose style sheet has its colors: a
// color is the name of a class, "kernel" or "text". It has a view box and no size: the page's
// style says how narrow it may become. Texts are measured by guess, which is on the wide side, and cut to
// their room.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace rankscope {

struct SvgBox {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

enum class SvgAlign : unsigned char { Left, Middle, Right };

class SvgDrawing {
 public:
  SvgDrawing(double width, std::string_view title) : m_width(width), m_title(title) {}

  // hover: what a pointer over the box is told; empty: nothing.
  void box(const SvgBox& at, std::string_view color, std::string_view hover = {});
  // Many small boxes of one color cost little; they are drawn with the next flush().
  void sliver(const SvgBox& at, std::string_view color);
  void flush();
  void line(double x1, double y1, double x2, double y2, std::string_view color);
  // y is the base line. Cut to `room`; nothing where not even a few characters fit.
  void text(double x, double y, std::string_view text, double room, std::string_view color = "text",
            SvgAlign align = SvgAlign::Left);

  [[nodiscard]] double width() const { return m_width; }
  [[nodiscard]] std::string markup(double height) const;

 private:
  double m_width;
  std::string m_title;
  std::string m_body;
  std::map<std::string, std::string, std::less<>> m_slivers; // paths by color
};

inline constexpr double kSvgTextSize = 12;
// Of the charts of a page, which stand below each other.
inline constexpr double kChartWidth = 1160;
inline constexpr double kNarrowChartWidth = 640; // where the page is narrow, as on paper
inline constexpr double kChartRow = 21;
inline constexpr double kChartBaseLine = 14; // of a text in a row
inline constexpr double kChartPadding = 6;

// Width of a text of that size, guessed.
[[nodiscard]] double svgTextWidth(std::string_view text, double size = kSvgTextSize);
// The text, or its beginning with an ellipsis; empty where fewer than three characters would be left.
[[nodiscard]] std::string svgTextCut(std::string_view text, double room, double size = kSvgTextSize);

} // namespace rankscope

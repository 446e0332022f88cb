// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/svg_drawing.h"

#include "core/base/utf8.h"
#include "core/report/html_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace rankscope {

namespace {

constexpr double kWidthPerSize = 0.6; // of a character, as a share of the text's size
constexpr std::size_t kLeastCharacters = 3;

bool beginsCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

// Two decimals at most, and none that say nothing.
std::string numberText(double number) {
  std::string text = fmt::format("{:.2f}", number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string_view anchorOf(SvgAlign align) {
  return align == SvgAlign::Left ? "start" : align == SvgAlign::Middle ? "middle" : "end";
}

} // namespace

double svgTextWidth(std::string_view text, double size) {
  return static_cast<double>(std::ranges::count_if(text, beginsCharacter)) * size * kWidthPerSize;
}

std::string svgTextCut(std::string_view text, double room, double size) {
  if (svgTextWidth(text, size) <= room) return std::string(text);
  const auto fitting = static_cast<std::size_t>(std::max(0.0, room / (size * kWidthPerSize)));
  if (fitting <= kLeastCharacters) return {};
  std::size_t characters = 0;
  std::size_t end = 0;
  while (end < text.size() && (characters + 1 < fitting || !beginsCharacter(text[end])))
    if (beginsCharacter(text[end++])) ++characters;
  while (end > 0 && text[end - 1] == ' ') --end;
  std::string cut(text.substr(0, end));
  cut += "…";
  return cut;
}

void SvgDrawing::box(const SvgBox& at, std::string_view color, std::string_view hover) {
  const std::string shape =
      fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"", numberText(at.x),
                  numberText(at.y), numberText(at.width), numberText(at.height), color);
  m_body += shape;
  m_body += hover.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", htmlText(hover));
}

void SvgDrawing::sliver(const SvgBox& at, std::string_view color) {
  m_slivers.try_emplace(std::string(color)).first->second +=
      fmt::format("M{} {}h{}v{}h-{}z", numberText(at.x), numberText(at.y), numberText(at.width),
                  numberText(at.height), numberText(at.width));
}

void SvgDrawing::flush() {
  for (const auto& [color, path] : m_slivers)
    m_body += fmt::format("<path d=\"{}\" class=\"{}\"/>\n", path, color);
  m_slivers.clear();
}

void SvgDrawing::line(double x1, double y1, double x2, double y2, std::string_view color) {
  m_body += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", numberText(x1),
                        numberText(y1), numberText(x2), numberText(y2), color);
}

void SvgDrawing::text(double x, double y, std::string_view text, double room, std::string_view color,
                      SvgAlign align) {
  const std::string cut = svgTextCut(text, room);
  if (cut.empty()) return;
  m_body += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n", numberText(x),
                        numberText(y), anchorOf(align), color, htmlText(cut));
}

std::string SvgDrawing::markup(double height) const {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>",
                     numberText(m_width), numberText(height), htmlText(m_title), m_body);
}

} // namespace rankscope

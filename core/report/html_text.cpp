// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/html_text.h"

#include "core/base/joined_figures.h"
#include "core/base/utf8.h"

#include <algorithm>

namespace rankscope {

std::string htmlText(std::string_view text) {
  std::string html;
  for (const char c : validUtf8(text)) {
    switch (c) {
    case '&':
      html += "&amp;";
      break;
    case '<':
      html += "&lt;";
      break;
    case '>':
      html += "&gt;";
      break;
    case '"':
      html += "&quot;";
      break;
    case '\'':
      html += "&#39;";
      break;
    default:
      html += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
    }
  }
  return html;
}

namespace {

constexpr std::size_t kLongWord = 14; // bytes
constexpr std::string_view kSeparators = "_./,:=-";

bool isSeparator(char c) {
  return kSeparators.find(c) != std::string_view::npos;
}

std::string htmlLongWord(std::string_view word) {
  std::string html = "<span class=\"word\">";
  std::size_t begin = 0;
  for (std::size_t i = 0; i + 1 < word.size(); ++i) {
    if (!isSeparator(word[i]) || isSeparator(word[i + 1])) continue;
    html += htmlText(word.substr(begin, i + 1 - begin)) + "<wbr>";
    begin = i + 1;
  }
  return html + htmlText(word.substr(begin)) + "</span>";
}

} // namespace

std::string htmlProse(std::string_view text) {
  return htmlText(withJoinedFigures(text));
}

std::string htmlNarrowText(std::string_view ofText) {
  const std::string joined = withJoinedFigures(ofText);
  std::string_view text = joined;
  std::string html;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    html += word.size() < kLongWord ? htmlText(word) : htmlLongWord(word);
    if (end < text.size()) html += ' ';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return html;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/html_text.h"

#include "core/base/utf8.h"

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

} // namespace rankscope

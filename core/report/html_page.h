// SPDX-License-Identifier: GPL-3.0-or-later
// What the HTML pages that Rankscope writes have in common: a page that holds everything it shows, with the
// colors of its drawings, and tables. What a trace contains is escaped text in it, never markup. Pure.
#pragma once

#include "core/export/result_table.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace rankscope {

// Up to the begin of the body. No scripts, nothing from elsewhere.
[[nodiscard]] std::string htmlPageBegin(std::string_view title, bool dark);
[[nodiscard]] constexpr std::string_view htmlPageEnd() {
  return "</body>\n</html>\n";
}

// A chart under its title; without one where the picture has its own. picture: markup. narrow: the same for a
// narrow page; without it, the picture is scaled down.
[[nodiscard]] std::string htmlFigure(std::string_view title, std::string_view caption,
                                     std::string_view picture, std::string_view narrow = {});
[[nodiscard]] std::string htmlImage(std::string_view title, std::string_view mimeType,
                                    std::string_view base64);

// Heads have the definition and unit of their column for a pointer, ids stand as words. The first rows,
// without columns that are empty in them.
[[nodiscard]] std::string htmlTable(const ResultTable& table, std::size_t maxRows);

} // namespace rankscope

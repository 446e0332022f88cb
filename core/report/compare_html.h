// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison in one HTML file for a ticket or a review: the verdict with its reasons, every step, the way
// from A's step to B's, and the beginnings of the tables. It holds everything it shows: no scripts, nothing
// from elsewhere. What a trace contains is escaped text in it, never markup. Pure.
#pragma once

#include "core/analysis/compare/comparison.h"

#include <span>
#include <string>

namespace rankscope {

struct ReportPicture;

struct CompareHtmlOptions {
  bool dark = false;
  std::size_t maxRows = 40; // of a table; the number of omitted rows is shown
};

// UTF-8. pictures: further ones, that a window drew.
[[nodiscard]] std::string comparisonHtml(const Comparison& comparison,
                                         std::span<const ReportPicture> pictures = {},
                                         const CompareHtmlOptions& options = {});

} // namespace rankscope

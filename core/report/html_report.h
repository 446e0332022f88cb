// SPDX-License-Identifier: GPL-3.0-or-later
// The job in one HTML file for a ticket or a chat: its head, the findings, pictures and the beginnings of the
// tables. It holds everything it shows: no scripts, nothing from elsewhere. What a trace contains is escaped
// text in it, never markup. Cost: making the tables that it shows.
#pragma once

#include "core/report/job_report.h"

#include <span>
#include <string>
#include <string_view>

namespace rankscope {

struct ReportPicture {
  std::string title;
  std::string caption = {};
  std::string mimeType; // "image/png", "image/svg+xml"
  std::string base64;   // the file
};

struct HtmlReportOptions {
  bool dark = false;        // colors of the pictures
  std::string scope = {};   // what part of the job it is of; empty: all
  std::size_t maxRows = 40; // of a table; the number of omitted rows is shown
};

// UTF-8.
[[nodiscard]] std::string htmlReport(const JobReport& report, std::span<const ReportPicture> pictures,
                                     const HtmlReportOptions& options);

// Text in an element or a quoted attribute: markup made harmless, invalid UTF-8 and control characters
// replaced.
[[nodiscard]] std::string htmlText(std::string_view text);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// The job in one HTML file for a ticket or a chat: its head, key figures, the findings with what each would
// gain per step, the timeline at the first of them, charts and the beginnings of the tables, with the
// commands that open each. It holds everything it shows: no scripts, nothing from elsewhere. What a trace
// contains is escaped text in it, never markup. Charts are drawn for wide and for narrow pages,
// so that their texts can be read on both. Cost: making the tables that it shows.
#pragma once

#include "core/report/accepted_findings.h"
#include "core/report/html_text.h"
#include "core/report/job_report.h"
#include "core/report/open_commands.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// A chart that a window drew.
struct ReportPicture {
  std::string title;
  std::string caption = {};
  std::string mimeType;    // "image/png", "image/svg+xml"
  std::string base64;      // the file
  std::string narrow = {}; // the same for a narrow page
  std::string tab = {};    // id of the tab that shows it
};

struct HtmlReportOptions {
  bool dark = false;      // colors of the pictures
  std::string scope = {}; // what part of the job it is of; empty: all
  OpenCommands commands = {};
  std::vector<AcceptedFinding> accepted = {}; // shown as such
  std::size_t maxRows = 40;                   // of a table; the number of omitted rows is shown
};

// UTF-8. Without pictures it draws the charts of reportCharts.
[[nodiscard]] std::string htmlReport(const JobReport& report, std::span<const ReportPicture> pictures,
                                     const HtmlReportOptions& options);

} // namespace rankscope

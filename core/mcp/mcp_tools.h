// SPDX-License-Identifier: GPL-3.0-or-later
// The tools of the server: what each is for, which arguments it takes, and its answer. Every call stands
// alone: the job is named by its path.
#pragma once

#include "core/mcp/mcp_answer.h"
#include "core/mcp/mcp_arguments.h"
#include "core/mcp/mcp_jobs.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

struct McpTool {
  std::string_view name;
  std::string_view title;
  std::string_view description;
  std::string_view inputSchema;                                // JSON on one line
  McpAnswer (*call)(McpJobs&, const McpArguments&, Progress&); // may throw McpUsage
};

[[nodiscard]] std::span<const McpTool> mcpTools();

// Host names and folders of a job, longest first.
[[nodiscard]] std::vector<std::string> maskedTexts(const TraceSet& trace);

} // namespace rankscope

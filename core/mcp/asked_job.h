// SPDX-License-Identifier: GPL-3.0-or-later
// The job that a call of a tool names, and which part of it an answer is about.
#pragma once

#include "core/mcp/mcp_arguments.h"
#include "core/mcp/mcp_jobs.h"

#include <memory>
#include <string>
#include <string_view>

namespace rankscope {

// The job at the path in this argument. Throws McpUsage if it cannot be opened.
[[nodiscard]] std::shared_ptr<const McpJob> askedJob(McpJobs& jobs, const McpArguments& arguments,
                                                     Progress& progress, std::string_view name = "path");

// "8 of 8 ranks, steps 5 to 9, 2 recordings" of an analysis of this job.
[[nodiscard]] std::string partText(const Analysis& analysis);
// The same of a whole job, with the units of tables.
[[nodiscard]] std::string scopeText(const McpJob& job);

} // namespace rankscope

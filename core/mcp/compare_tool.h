// SPDX-License-Identifier: GPL-3.0-or-later
// The tool that compares two jobs, or two parts of one: verdict, waterfall and largest contributions.
#pragma once

#include "core/mcp/mcp_answer.h"
#include "core/mcp/mcp_arguments.h"
#include "core/mcp/mcp_jobs.h"

namespace rankscope {

// Arguments: a, b, a_ranks, a_steps, b_ranks, b_steps, by, limit. Throws McpUsage.
[[nodiscard]] McpAnswer compareJobs(McpJobs& jobs, const McpArguments& arguments, Progress& progress);

} // namespace rankscope

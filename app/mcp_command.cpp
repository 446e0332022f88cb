// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/mcp_command.h"

#include "app/console.h"
#include "core/mcp/mcp_server.h"

#include <cerrno>
#include <filesystem>
#include <unistd.h>

namespace rankscope {

namespace {

// Answers until the input ends.
ExitCode runMcp(McpOptions options, const JobOptions& job) {
  options.threads = job.threads;
  options.cache = job.cache();
  for (const std::string& root : options.roots) {
    std::error_code error;
    if (std::filesystem::is_directory(root, error)) continue;
    printError("--root: " + root + " is no folder");
    return kWrongUsage;
  }
  const auto readInput = [](char* bytes, std::size_t count) {
    ssize_t got = 0;
    do {
      got = ::read(STDIN_FILENO, bytes, count);
    } while (got < 0 && errno == EINTR);
    return got > 0 ? static_cast<std::size_t>(got) : std::size_t{0};
  };
  bool written = true;
  McpServer(std::move(options)).serve(readInput, [&](std::string_view line) {
    written = written && print(line) == kSuccess;
  });
  return written ? kSuccess : kWrongUsage;
}

} // namespace

Command addMcpCommand(CLI::App& app) {
  CLI::App* const command = app.add_subcommand(
      "mcp", "run an MCP server for AI assistants on standard input and output (Model Context Protocol)");
  const auto job = std::make_shared<JobOptions>();
  const auto options = std::make_shared<McpOptions>();
  command
      ->add_option("--root", options->roots,
                   "read traces only below this folder; may be repeated (default: the current folder)")
      ->allow_extra_args(false);
  command->add_flag("--mask", options->mask, "leave host names, folders and annotations out of answers");
  addThreads(*command, job->threads);
  command->add_flag("--no-cache", job->noCache, "read the trace files; do not use the cache");
  return {command, job, [=]() -> int { return runMcp(*options, *job); }};
}

} // namespace rankscope

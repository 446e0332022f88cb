// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-cli: answers about a job without a display. Lists the commands; each is a unit of its own.
#include "app/compare_command.h"
#include "app/console.h"
#include "app/excerpt_command.h"
#include "app/findings_command.h"
#include "app/graph_commands.h"
#include "app/mcp_command.h"
#include "app/network_commands.h"
#include "app/query_command.h"
#include "app/side_commands.h"
#include "app/stacks_command.h"
#include "app/table_commands.h"
#include "app/typed_arguments.h"
#include "core/base/caught.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using namespace rankscope;

// In the order of the help.
constexpr Command (*kCommands[])(CLI::App&) = {
    addSummaryCommand,  addReportCommand,       addTableCommand,   addFindingsCommand,
    addCompareCommand,  addStacksCommand,       addExcerptCommand, addQueryCommand,
    addMcpCommand,      addCriticalPathCommand, addWhatIfCommand,  addSlowdownCommand,
    addSnapshotCommand, addHangCommand,         addNetworkCommand, addPredictCommand};

// Of a first argument that is neither a command nor an option; empty otherwise.
std::string unknownCommand(const std::vector<Command>& commands, std::string_view first) {
  std::string names;
  for (const Command& command : commands) {
    if (command.app->get_name() == first) return {};
    names += names.empty() ? "" : ", ";
    names += command.app->get_name();
  }
  return "'" + std::string(first) + "' is not a command; there are: " + names;
}

int run(int argc, char** argv) {
  TypedArguments typed(argc, argv);
  argv = typed.words();
  CLI::App app("Performance analysis of distributed training jobs from PyTorch profiler traces.\n"
               "Exit status: 0 success, 1 usage error, a part of the job that does not exist or output that "
               "cannot be\n"
               "written, 2 nothing could be read, 3 a condition of --fail-on or --gate is met, 4 no result: "
               "undecided, refused or timed out.",
               "rankscope-cli");
  app.set_version_flag("--version", "rankscope-cli " RANKSCOPE_VERSION);
  app.require_subcommand(1);
  std::vector<Command> commands;
  commands.reserve(std::size(kCommands));
  for (const auto add : kCommands) commands.push_back(add(app));

  if (argc > 1 && argv[1][0] != '-') {
    if (const std::string problem = unknownCommand(commands, argv[1]); !problem.empty()) {
      printError(problem);
      return kWrongUsage;
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
    printError(std::string(error.what()) + " (see --help)");
    return kWrongUsage;
  }
  const auto asked =
      std::ranges::find_if(commands, [](const Command& command) { return command.app->parsed(); });
  if (const std::string problem = jobOptionsError(*asked->job); !problem.empty()) {
    printError(problem);
    return kWrongUsage;
  }
  return asked->run();
}

// REQUIRES: called within a catch block.
void reportException() noexcept {
  const Error error = caughtError("to answer this");
  try {
    printError(error.text());
  } catch (...) { // no memory even for the message
    std::fputs("rankscope-cli: not enough memory\n", stderr);
  }
}

} // namespace

int main(int argc, char** argv) {
  // Ignore the signal, so that a file size limit is a failed write, reported like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (...) {
    reportException();
    return kNothingRead;
  }
}

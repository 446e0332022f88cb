// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-digest: reduces the traces of a job where they lie to one small folder that rankscope and
// rankscope-cli open as the job. Started alone, or many times by mpirun or srun.
#include "app/digest_run.h"
#include "app/mpi_team.h"
#include "app/typed_arguments.h"
#include "core/base/caught.h"
#include "core/report/text_table.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace rankscope {

void tell(std::string_view line) {
  std::string text = "rankscope-digest: ";
  text += printableText(line);
  text += '\n';
  std::fputs(text.c_str(), stderr);
}

namespace {

// "90s", "25m", "2h".
std::optional<std::chrono::seconds> timeFrom(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::string_view unit("smh");
  const std::size_t power = unit.find(text.back());
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto [read, error] = std::from_chars(text.data(), end, number);
  if (power == unit.npos || read != end || error != std::errc() || number == 0) return std::nullopt;
  std::chrono::seconds time(number);
  for (std::size_t i = 0; i < power; ++i) time *= 60;
  return time;
}

// Of processes that do not know of each other, so that each would digest the whole job; empty otherwise.
std::string launchError(const DigestTeam& team) {
  const char* const tasks = std::getenv("SLURM_NTASKS");
  if (team.size() > 1 || tasks == nullptr || std::atoi(tasks) <= 1) return {};
  std::string text = "Slurm started ";
  text += tasks;
  text += hasMpi() ? " tasks that are no MPI processes together: start them by srun --mpi=pmix"
                   : " tasks, but this program was built without MPI: start one task";
  return text;
}

// Empty arguments: what they say was printed, with the code.
struct Arguments {
  std::optional<DigestOptions> options;
  int code = kDigestUsage;
};

Arguments parsed(int argc, char** argv, bool speaks) {
  CLI::App app("Reduce the traces of a job to a digest, which rankscope and rankscope-cli open as the job.\n"
               "Started by mpirun or srun, the processes share the files.\n"
               "Exit status: 0 success, 1 usage error or output that cannot be written, 2 nothing could be\n"
               "read, 4 a part of the job is missing or does not fit: the limit of time or memory.",
               "rankscope-digest");
  app.set_version_flag("--version", "rankscope-digest " RANKSCOPE_VERSION);
  DigestOptions options;
  std::string time;
  std::string localFolder;
  app.add_option("PATH", options.paths, "trace files, or folders to search for them");
  app.add_option("--out", options.out, "folder of the digest, such as JOB.digest; created if missing");
  app.add_option("--local", localFolder, "folder of which each host has its own, instead of PATH");
  app.add_flag("--keep-events", options.keepEvents,
               "keep the events of each file beside the digest: to look at single ranks without the traces,\n"
               "and to continue a run that was interrupted");
  app.add_option("--time", time, "end by then with what was read: 90s, 25m, 2h");
  app.add_option("--threads", options.threads, "threads of each process (default: one per core)");
  app.add_flag("--plan", options.plan, "print files, memory and time of each process; read nothing");
  Arguments arguments;
  std::string problem;
  try {
    TypedArguments typed(argc, argv);
    app.parse(typed.count(), typed.words());
    options.local = !localFolder.empty();
    options.time = timeFrom(time);
    if (options.paths.empty() != options.local)
      problem = options.local ? "--local is given instead of PATH" : "PATH is required (see --help)";
    if (options.out.empty() && !options.plan) problem = "--out is required (see --help)";
    if (!time.empty() && !options.time) problem = "--time: '" + time + "' is not a time such as 25m";
    if (options.local) options.paths = {localFolder};
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      arguments.code = speaks ? app.exit(error) : kDigested;
      return arguments;
    }
    problem = std::string(error.what()) + " (see --help)";
  }
  if (problem.empty())
    arguments.options = std::move(options);
  else if (speaks)
    tell(problem);
  return arguments;
}

// The processes of MPI if it started this one, else this one alone.
std::unique_ptr<DigestTeam> startedTeam(int& argc, char**& argv) {
  constexpr std::array kOfMpi{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"};
  const bool started =
      std::ranges::any_of(kOfMpi, [](const char* name) { return std::getenv(name) != nullptr; });
  if (!started || !hasMpi()) return singleProcess();
  return mpiTeam(argc, argv);
}

int runTeam(int argc, char** argv) {
  const std::unique_ptr<DigestTeam> team = startedTeam(argc, argv);
  const bool speaks = team->index() == 0;
  const Arguments arguments = parsed(argc, argv, speaks);
  if (!arguments.options) return arguments.code;
  if (const std::string problem = launchError(*team); !problem.empty()) {
    tell(problem);
    return kDigestUsage;
  }
  try {
    return runDigest(*arguments.options, *team);
  } catch (...) {
    // The others would wait for this process.
    tell(caughtError("to digest this").text());
    team->abort(kNothingToDigest);
    return kNothingToDigest;
  }
}

} // namespace

} // namespace rankscope

int main(int argc, char** argv) {
  // A file size limit is then a failed write, reported like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return rankscope::runTeam(argc, argv);
  } catch (...) {
    std::fputs("rankscope-digest: not enough memory\n", stderr);
    return rankscope::kNothingToDigest;
  }
}

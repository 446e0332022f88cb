// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/network_commands.h"

#include "app/job_run.h"
#include "core/export/json.h"
#include "core/report/bandwidth_tables.h"
#include "core/report/digest_tables.h"
#include "core/report/network_tables.h"
#include "core/report/network_text.h"
#include "core/report/network_view.h"
#include "core/report/report_files.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

struct NetworkOptions {
  std::string format = "text";
  std::string table; // of csv and json; empty: communicators, all
};

// The parts of the text, as tables.
struct NetworkTable {
  std::string_view name;
  ResultTable (*make)(const JobReport& report);
};
constexpr std::array kNetworkTables{
    NetworkTable{"communicators",
                 [](const JobReport& report) { return communicatorsTable(report.network()); }},
    NetworkTable{"problems", [](const JobReport& report) { return problemsView(report.networkProblems()); }},
    NetworkTable{"settings", [](const JobReport& report) { return settingsView(report.network()); }},
    NetworkTable{"nics", [](const JobReport& report) { return nicsView(report.network()); }},
    NetworkTable{"nccl_choices", [](const JobReport& report) { return ncclChoicesTable(report.network()); }},
    NetworkTable{"nccl_warnings",
                 [](const JobReport& report) { return ncclWarningsTable(report.network()); }},
    NetworkTable{"nccl_files", [](const JobReport& report) { return ncclFilesTable(report.network()); }},
    NetworkTable{"bandwidth", [](const JobReport& report) { return bandwidthTable(report.bandwidth()); }},
    NetworkTable{"fits", [](const JobReport& report) { return fitsTable(report.bandwidth()); }},
};

std::vector<std::string> networkTableNames() {
  std::vector<std::string> names;
  names.reserve(kNetworkTables.size());
  for (const NetworkTable& table : kNetworkTables) names.emplace_back(table.name);
  return names;
}

// An object with an array for each part.
std::string networkJson(const JobReport& report) {
  JsonWriter json;
  json.beginObject();
  for (const NetworkTable& table : kNetworkTables) {
    std::string rows;
    for (const char c : toJson(table.make(report))) {
      rows += c;
      if (c == '\n') rows += "  "; // texts have no line breaks: JSON escapes them
    }
    rows.erase(rows.find_last_not_of(" \n") + 1);
    json.literal(table.name, rows);
  }
  json.endObject();
  return json.take();
}

ExitCode printNetwork(const JobReport& report, const NetworkOptions& options) {
  const JobNetwork& network = report.network();
  if (network.records->empty() && report.analysis().trace().ranks().empty()) {
    printError("no log of NCCL and no trace was found");
    return kNothingRead;
  }
  if (options.format == "text")
    return print(networkText(network, report.networkProblems()) + bandwidthText(report.bandwidth()));
  if (options.format == "json" && options.table.empty()) return print(networkJson(report));
  const std::string_view name = options.table.empty() ? kNetworkTables.front().name : options.table;
  const auto table = std::ranges::find(kNetworkTables, name, &NetworkTable::name);
  return print(formattedTable(table->make(report), tableFormatNamed(options.format)));
}

ExitCode printPredictions(const JobReport& report, const PredictionRequest& request,
                          const std::string& format) {
  const std::vector<Prediction> found = predictions(report.bandwidth(), request);
  if (found.empty()) {
    printError("nothing can be predicted: " + predictionRefusal(report.bandwidth(), request));
    return matchesNothing(report.bandwidth(), request) ? kWrongUsage : kNoAnswer;
  }
  return print(format == "text" ? predictionsText(report.bandwidth(), found)
                                : formattedTable(predictionsTable(found), tableFormatNamed(format)));
}

ExitCode printBucketAdvice(const JobReport& report, const std::vector<double>& caps,
                           const std::string& format) {
  if (const std::string why = whyAbsent(report, *tableSpec("bucket_advice")); !why.empty()) {
    printError(why);
    return kNoAnswer;
  }
  const std::vector<BucketAdvice> advice = bucketAdvice(report.analysis(), report.bandwidth(), caps);
  if (advice.empty()) {
    printError("nothing can be predicted: no buckets of DistributedDataParallel were recorded");
    return kNoAnswer;
  }
  const ExitCode printed =
      print(format == "text" ? bucketAdviceText(advice)
                             : formattedTable(bucketAdviceTable(advice), tableFormatNamed(format)));
  const bool answered =
      std::ranges::any_of(advice, [](const BucketAdvice& of) { return of.refused.empty(); });
  return printed == kSuccess && !answered ? kNoAnswer : printed;
}

void addPredictOptions(CLI::App& command, PredictionRequest& request, std::vector<double>& caps) {
  command.add_option("--group", request.group, "only this process group, or table by its file name");
  command.add_option_function<std::string>(
      "--operation",
      [&request](const std::string& name) {
        request.operation = collectiveOperationOf(name);
        if (request.operation == CollectiveOperation::Unknown)
          throw CLI::ValidationError("--operation", "'" + name + "' is no collective");
      },
      "only this collective: AllReduce, AllGather, ...");
  command.add_option("--bytes", request.bytes, "message sizes, comma-separated")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(numberIn(1, 1e15));
  command
      .add_option("--bucket-caps", caps,
                  "predict DDP step times for these values of bucket_cap_mb instead of collectives")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(numberIn(0.001, 1e6));
  command.add_option("--nodes", request.nodes, "number of hosts")->check(numberIn(1, 1e6));
}

} // namespace

Command addNetworkCommand(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("network", "print the links that NCCL logged and their bandwidth");
  const auto job = std::make_shared<JobOptions>();
  const auto options = std::make_shared<NetworkOptions>();
  addJobOptions(*command, *job);
  addTextFormat(*command, options->format);
  command
      ->add_option("--table", options->table,
                   "of csv and json: this table only (csv: communicators; json: an object with all)")
      ->check(CLI::IsMember(networkTableNames()));
  addFabrics(*command, *job);
  return {command, job, [=]() -> int {
            if (!options->table.empty() && options->format == "text") {
              printError("--table: only with --format csv or json; the text has all of them");
              return kWrongUsage;
            }
            return withJob(
                *job, [&](const JobReport& report) { return printNetwork(report, *options); }, &kNoTable);
          }};
}

Command addPredictCommand(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("predict", "print how long collectives would take at other sizes or on more ranks");
  const auto job = std::make_shared<JobOptions>();
  const auto request = std::make_shared<PredictionRequest>();
  const auto caps = std::make_shared<std::vector<double>>();
  const auto format = std::make_shared<std::string>("text");
  addJobOptions(*command, *job);
  command->remove_option(command->get_option("--ranks")); // of other commands: only these ranks
  command->add_option("--ranks", request->ranks, "number of ranks")->check(numberIn(2, 1e6));
  addPredictOptions(*command, *request, *caps);
  addTextFormat(*command, *format);
  addFabrics(*command, *job);
  const auto run = [=]() -> int {
    if (!caps->empty())
      return withJob(
          *job, [&](const JobReport& report) { return printBucketAdvice(report, *caps, *format); },
          tableSpec("bucket_advice"));
    return withJob(
        *job, [&](const JobReport& report) { return printPredictions(report, *request, *format); },
        tableSpec("predictions"));
  };
  return {command, job, run};
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/network_commands.h"

#include "app/job_run.h"
#include "core/report/bandwidth_tables.h"
#include "core/report/network_tables.h"
#include "core/report/network_text.h"
#include "core/report/report_files.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace rankscope {

namespace {

ExitCode printNetwork(const JobReport& report, const std::string& format) {
  const JobNetwork& network = report.network();
  if (network.records->empty() && report.analysis().trace().ranks().empty()) {
    printError("no log of NCCL and no trace was found");
    return kNothingRead;
  }
  return print(format == "text"
                   ? networkText(network, report.networkProblems()) + bandwidthText(report.bandwidth())
                   : formattedTable(communicatorsTable(network), tableFormatNamed(format)));
}

ExitCode printPredictions(const JobReport& report, const PredictionRequest& request,
                          const std::string& format) {
  const std::vector<Prediction> found = predictions(report.bandwidth(), request);
  if (found.empty()) {
    printError("nothing can be predicted: " + predictionRefusal(report.bandwidth(), request));
    return kNoAnswer;
  }
  return print(format == "text" ? predictionsText(report.bandwidth(), found)
                                : formattedTable(predictionsTable(found), tableFormatNamed(format)));
}

ExitCode printBucketAdvice(const JobReport& report, const std::vector<double>& caps,
                           const std::string& format) {
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
      ->check(CLI::Range(1.0, 1e15));
  command
      .add_option("--bucket-caps", caps,
                  "predict DDP step times for these values of bucket_cap_mb instead of collectives")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0.001, 1e6));
  command.add_option("--nodes", request.nodes, "number of hosts")->check(CLI::Range(1, 1'000'000));
}

} // namespace

Command addNetworkCommand(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("network", "print the links that NCCL logged and their bandwidth");
  const auto job = std::make_shared<JobOptions>();
  const auto format = std::make_shared<std::string>("text");
  addJobOptions(*command, *job);
  addTextFormat(*command, *format);
  addFabrics(*command, *job);
  return {command, job, [=]() -> int {
            return withJob(
                *job, [&](const JobReport& report) { return printNetwork(report, *format); }, &kNoTable);
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
  command->add_option("--ranks", request->ranks, "number of ranks")->check(CLI::Range(2, 1'000'000));
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

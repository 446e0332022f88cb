// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/findings_command.h"

#include "app/job_run.h"
#include "core/model/rank_digest.h"
#include "core/report/digest_tables.h"
#include "core/report/findings_table.h"
#include "core/report/report_files.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

// Condition for a failing exit code of `findings`: a severity, or a minimum gain as a share of the step.
struct FailOn {
  std::optional<Severity> severity;
  std::optional<double> gainPct;

  [[nodiscard]] bool isMet(const JobReport& report, const Finding& finding) const {
    if (severity && finding.severity >= *severity) return true;
    return gainPct && findingSharePct(report, finding).value_or(-1) >= *gainPct;
  }
};

// Parses "warning", "gain:5%"; empty for other words.
std::optional<FailOn> failOnOf(std::string_view text) {
  constexpr std::string_view kGain = "gain:";
  if (!text.starts_with(kGain)) {
    const std::optional<Severity> severity = severityOf(text);
    return severity ? std::optional(FailOn{severity, std::nullopt}) : std::nullopt;
  }
  text.remove_prefix(kGain.size());
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || end != text.data() + text.size() || !(percent >= 0 && percent <= 100))
    return std::nullopt;
  return FailOn{std::nullopt, percent};
}

struct FindingsOptions {
  std::string format = "text";
  std::string failOn;
  std::string ignore; // file of accepted findings
};

ExitCode printFindings(const JobReport& report, const std::string& format, const FailOn& failOn,
                       const std::vector<AcceptedFinding>& accepted) {
  const std::string text = format == "text"
                               ? findingsText(report, accepted)
                               : formattedTable(findingsTable(report, accepted), tableFormatNamed(format));
  const ExitCode printed = print(text);
  if (printed != kSuccess) return printed;
  const bool met = std::ranges::any_of(report.findings(), [&](const Finding& finding) {
    return failOn.isMet(report, finding) && acceptedAs(report, finding, accepted) == nullptr;
  });
  return met ? kFound : kSuccess;
}

ExitCode runFindings(const JobOptions& job, const FindingsOptions& options) {
  FailOn failOn;
  if (!options.failOn.empty()) {
    const std::optional<FailOn> parsed = failOnOf(options.failOn);
    if (!parsed) {
      printError("--fail-on: '" + options.failOn + "' is none of info, warning, critical, gain:PERCENT%");
      return kWrongUsage;
    }
    failOn = *parsed;
  }
  const auto accepted = readAccepted(options.ignore);
  if (!accepted) return kWrongUsage;
  JobOptions own = job;
  own.purpose = "findings";
  if (job.gainsGiven && job.gains == GainMethod::Replay) {
    own.events = EventUse::All;
    own.arguments = true;
    own.purpose = "findings --gains replay";
  }
  return withJob(own, [&](const JobReport& report) {
    if (const std::string why = whyAbsent(report, *tableSpec("findings")); !why.empty()) {
      printError(why);
      return kNoAnswer;
    }
    if (hasDigests(report.analysis().trace()) && job.gains == GainMethod::Replay)
      printError("gains are those of the formula; --gains replay loads the events of all ranks");
    warnOfUseless(report, options.ignore, *accepted);
    return printFindings(report, options.format, failOn, *accepted);
  });
}

} // namespace

std::optional<std::vector<AcceptedFinding>> readAccepted(const std::string& file) {
  if (file.empty()) return std::vector<AcceptedFinding>();
  auto read = readAcceptedFindings(file);
  if (read) return std::move(*read);
  printError(read.error().text());
  return std::nullopt;
}

void warnOfUseless(const JobReport& report, const std::string& file,
                   const std::vector<AcceptedFinding>& accepted) {
  for (const std::string& line : uselessAcceptances(report, accepted))
    printError("warning: " + file + ": " + line);
}

Command addFindingsCommand(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("findings", "print what is wrong, what it costs and how to fix it");
  const auto job = std::make_shared<JobOptions>();
  const auto options = std::make_shared<FindingsOptions>();
  addJobOptions(*command, *job);
  addTextFormat(*command, options->format);
  addGains(*command, *job);
  command->add_option("--fail-on", options->failOn,
                      "exit with 3 if a finding has at least this severity (info, warning, critical), or a "
                      "lower gain of this share of the step (gain:5%)");
  command->add_option("--ignore", options->ignore,
                      "JSON file of accepted findings: shown as such, and no reason for --fail-on");
  return {command, job, [=]() -> int { return runFindings(*job, *options); }};
}

} // namespace rankscope

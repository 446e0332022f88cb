// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare_command.h"

#include "app/job_run.h"
#include "core/analysis/compare/gate.h"
#include "core/analysis/compare/side_collect.h"
#include "core/analysis/findings/findings.h"
#include "core/export/whole_file.h"
#include "core/report/compare_files.h"
#include "core/report/compare_html.h"
#include "core/report/compare_sides.h"
#include "core/report/compare_tables.h"
#include "core/report/compare_text.h"
#include "core/report/other_jobs.h"
#include "core/report/report_files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace rankscope {

namespace {

struct CompareArguments {
  std::vector<std::string> with;
  std::vector<std::string> moreA;
  std::vector<std::string> moreB;
  std::string aSteps;
  std::string bSteps;
  std::string aRanks;
  std::string bRanks;
  std::string align; // "number", "order"; empty: by number within a job
  std::string by = "class";
  bool total = false;
  std::string format = "text";
  std::string outFolder;
  std::string gate;
  std::string baseline;
  std::string saveBaseline;
  std::string failOn; // "regression", "regression:3%"
  std::string undecided = "fail";
};

// Of "regression", "regression:3", "regression:3%": percent, 0 where none is given; nothing for another word.
std::optional<double> failOnPercent(std::string_view text) {
  constexpr std::string_view kWord = "regression";
  if (!text.starts_with(kWord)) return std::nullopt;
  text.remove_prefix(kWord.size());
  if (text.empty()) return 0.0;
  if (!text.starts_with(':')) return std::nullopt;
  text.remove_prefix(1);
  if (text.ends_with('%')) text.remove_suffix(1);
  double percent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), percent);
  if (error != std::errc() || end != text.data() + text.size() || !(percent >= 0)) return std::nullopt;
  return percent;
}

class CompareRun {
 public:
  CompareRun(const CompareArguments& arguments, const JobOptions& job) : m_arguments(arguments), m_job(job) {}

  int run() {
    if (const std::string problem = usageProblem(); !problem.empty()) return usage(problem);
    if (!readFiles()) return kWrongUsage;
    if (!collect()) return m_exit;
    if (!m_arguments.saveBaseline.empty()) {
      if (const auto error = writeBaseline(*m_a, m_arguments.saveBaseline)) return usage(error->text());
      if (!m_b) return kSuccess;
    }
    CompareOptions options;
    options.pairByOrder = m_arguments.align == "order";
    if (m_gate) {
      options.alpha = m_gate->alpha;
      options.minSteps = m_gate->minSteps;
    }
    const Comparison comparison = compareSides(std::move(*m_a), std::move(*m_b), options);
    return answer(comparison);
  }

 private:
  int usage(const std::string& problem) {
    printError(problem);
    return kWrongUsage;
  }

  [[nodiscard]] bool savesOnly() const {
    return !m_arguments.saveBaseline.empty() && m_arguments.with.empty() && !withinOneJob();
  }
  // Ranks or steps of one job are compared with others of it.
  [[nodiscard]] bool withinOneJob() const {
    return !m_arguments.bRanks.empty() || !m_arguments.bSteps.empty();
  }
  // With a baseline the paths that are left are those of B.
  [[nodiscard]] const std::vector<std::string>& pathsOfB() const {
    return m_arguments.with.empty() ? m_job.paths : m_arguments.with;
  }

  [[nodiscard]] std::string usageProblem() const {
    const bool hasBaseline = !m_arguments.baseline.empty();
    if (m_job.paths.empty() && !hasBaseline) return "PATH is required: the job that is compared with another";
    if (hasBaseline && m_job.paths.empty() && m_arguments.with.empty()) return "--with is required: side B";
    if (hasBaseline && m_arguments.align == "number")
      return "--align number: a baseline has no recordings of steps; use --b-steps";
    if (hasBaseline && !m_job.paths.empty() && !m_arguments.with.empty())
      return "--baseline stands for side A: leave out PATH";
    if (!hasBaseline && m_arguments.with.empty() && !withinOneJob() && !savesOnly())
      return "--with is required: side B; or --b-ranks or --b-steps, for another part of the same job";
    if (!m_arguments.failOn.empty() && !failOnPercent(m_arguments.failOn))
      return "--fail-on: '" + m_arguments.failOn + "' is none of regression, regression:PERCENT%";
    for (const ScopeOptions& scope :
         {scopeOf(m_arguments.aSteps, m_arguments.aRanks), scopeOf(m_arguments.bSteps, m_arguments.bRanks)}) {
      if (std::string problem = scopeError(scope); !problem.empty()) return problem;
    }
    return {};
  }

  bool readFiles() {
    if (!m_arguments.gate.empty()) {
      auto gate = readGate(m_arguments.gate);
      if (!gate) {
        printError(gate.error().text());
        return false;
      }
      m_gate = std::move(*gate);
    }
    if (!m_arguments.outFolder.empty()) {
      // Before the work, so that a folder that cannot be created fails at once.
      if (const auto error = makeFolder(m_arguments.outFolder)) {
        printError(error->text());
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] ScopeOptions scopeOf(const std::string& steps, const std::string& ranks) const {
    ScopeOptions scope = m_job.scope;
    if (!steps.empty()) scope.steps = steps;
    if (!ranks.empty()) scope.ranks = ranks;
    return scope;
  }

  std::shared_ptr<const Analysis> fail(int code) {
    m_exit = code;
    return nullptr;
  }

  using Scopes = std::vector<const ScopeOptions*>;

  // scopes: the parts of it that are compared.
  std::shared_ptr<const Analysis> loaded(const std::vector<std::string>& paths, const Scopes& scopes) {
    JobOptions job = m_job;
    job.scope.ranks.clear();
    for (const ScopeOptions* const scope : scopes)
      job.scope.ranks += (job.scope.ranks.empty() ? "" : ",") + scope->ranks;
    if (std::ranges::any_of(scopes, [](const ScopeOptions* scope) { return scope->ranks.empty(); }))
      job.scope.ranks.clear();
    auto [analysis, code] = loadedJob(job, paths);
    if (analysis == nullptr) return fail(code);
    if (!otherJobsText(analysis->trace()).empty()) { // which listed them
      printError("a side is one job: name the one that is meant");
      return fail(kWrongUsage);
    }
    return analysis;
  }

  // The part of a job that a side is; null where there is none, which was reported.
  std::shared_ptr<const Analysis> part(const std::shared_ptr<const Analysis>& whole, std::string_view side,
                                       const ScopeOptions& scope) {
    const ScopeMatch match = scopeMatch(*whole, scope);
    for (const std::string& problem : match.nothing) printError(fmt::format("side {}: {}", side, problem));
    if (!match.matches()) return fail(kWrongUsage);
    for (const std::string& problem : match.onlyPart)
      printError(fmt::format("warning: side {}: {}", side, problem));
    if (auto scoped = scopedAnalysis(*whole, scope)) return scoped;
    return whole;
  }

  bool collect() {
    ScopeOptions scopeA = scopeOf(m_arguments.aSteps, m_arguments.aRanks);
    ScopeOptions scopeB = scopeOf(m_arguments.bSteps, m_arguments.bRanks);
    std::shared_ptr<const Analysis> a;
    std::shared_ptr<const Analysis> b;
    if (m_arguments.baseline.empty()) {
      const bool both = withinOneJob() && m_arguments.with.empty();
      const auto whole = loaded(m_job.paths, both ? Scopes{&scopeA, &scopeB} : Scopes{&scopeA});
      if (whole == nullptr) return false;
      a = part(whole, "A", scopeA);
      if (a == nullptr) return false;
      if (both) b = part(whole, "B", scopeB);
    }
    if (b == nullptr && !savesOnly()) {
      if (m_exit != kSuccess) return false;
      const auto whole = loaded(pathsOfB(), {&scopeB});
      b = whole != nullptr ? part(whole, "B", scopeB) : nullptr;
      if (b == nullptr) return false;
    }
    if (m_arguments.align == "number" && b != nullptr && !keepCommonSteps(a, b, scopeA, scopeB)) return false;
    return collectSides(a, b, scopeA, scopeB);
  }

  // Only steps with numbers that both sides have.
  bool keepCommonSteps(std::shared_ptr<const Analysis>& a, std::shared_ptr<const Analysis>& b,
                       ScopeOptions& scopeA, ScopeOptions& scopeB) {
    const std::string steps = commonSteps(*a, *b);
    if (steps.empty()) {
      printError("--align number: A and B have no step number in common");
      m_exit = kWrongUsage;
      return false;
    }
    scopeA.steps = scopeB.steps = steps;
    a = part(a, "A", scopeA);
    b = a != nullptr ? part(b, "B", scopeB) : nullptr;
    return b != nullptr;
  }

  bool collectSides(const std::shared_ptr<const Analysis>& a, const std::shared_ptr<const Analysis>& b,
                    const ScopeOptions& scopeA, const ScopeOptions& scopeB) {
    const SideOptions options = sideOptions();
    if (a != nullptr && b != nullptr) {
      const bool chosen = !m_arguments.aRanks.empty() || !m_arguments.bRanks.empty();
      ComparedSides sides = comparedSides(*a, *b, chosen, options);
      m_a = std::move(sides.a);
      m_b = std::move(sides.b);
    } else if (a != nullptr) {
      m_a = sideOf(*a, options);
    } else {
      auto baseline = readBaseline(m_arguments.baseline);
      if (!baseline) {
        printError(baseline.error().text());
        m_exit = kWrongUsage;
        return false;
      }
      m_a = std::move(*baseline);
      m_b = sideOf(*b, options);
    }
    return addMore(m_arguments.moreA, "A", scopeA, m_a) && addMore(m_arguments.moreB, "B", scopeB, m_b);
  }

  // The text and the tables of --by say nothing of findings.
  [[nodiscard]] SideOptions sideOptions() const {
    const bool whole = m_arguments.format == "json" || m_arguments.format == "html" ||
                       !m_arguments.outFolder.empty() || !m_arguments.saveBaseline.empty();
    return {m_arguments.total, m_job.threadCount(), nullptr, whole};
  }

  // Whether a recording of a run is already part of the others: it would count as two samples.
  static bool holdsRecordingOf(const std::vector<SideFacts>& runs, const SideFacts& run) {
    return std::ranges::any_of(runs, [&](const SideFacts& other) {
      return std::ranges::any_of(run.identity.recordings, [&](std::uint64_t recording) {
        return std::ranges::binary_search(other.identity.recordings, recording);
      });
    });
  }

  // Further runs of a side.
  bool addMore(const std::vector<std::string>& more, std::string_view name, const ScopeOptions& scope,
               std::optional<SideFacts>& side) {
    if (more.empty() || !side) return true;
    std::vector<SideFacts> runs;
    runs.reserve(more.size() + 1);
    runs.push_back(std::move(*side));
    for (const std::string& path : more) {
      const auto whole = loaded({path}, {&scope});
      const auto scoped = whole != nullptr ? part(whole, name, scope) : nullptr;
      if (scoped == nullptr) return false;
      SideFacts run = sideOf(*scoped, sideOptions());
      if (holdsRecordingOf(runs, run)) {
        printError(fmt::format("{}: a recording of it is already part of side {}, and counts only once", path,
                               name));
        m_exit = kWrongUsage;
        return false;
      }
      runs.push_back(std::move(run));
    }
    side = mergedSides(std::move(runs));
    return true;
  }

  int answer(const Comparison& comparison) {
    std::string text;
    if (m_arguments.format == "json")
      text = comparisonJson(comparison);
    else if (m_arguments.format == "html")
      text = comparisonHtml(comparison);
    else if (m_arguments.format == "csv")
      text = formattedTable(tableBy(comparison), TableFormat::Csv);
    else
      text = comparisonText(comparison, m_arguments.by);
    int code = judged(comparison, m_arguments.format == "text" ? &text : nullptr);
    if (print(text) != kSuccess) return kWrongUsage;
    if (!m_arguments.outFolder.empty()) {
      if (const auto error = writeComparison(comparison, m_arguments.outFolder)) return usage(error->text());
    }
    if (code == kNoAnswer && m_arguments.undecided == "pass") code = kSuccess;
    return code;
  }

  [[nodiscard]] ResultTable tableBy(const Comparison& comparison) const {
    for (const CompareTableSpec& spec : compareTableSpecs()) {
      if (spec.by == m_arguments.by) return spec.make(comparison);
    }
    return compareClassesTable(comparison);
  }

  // The exit status that --gate and --fail-on ask for. The rules' lines go before the verdict's, which stays
  // the last.
  int judged(const Comparison& comparison, std::string* text) {
    int code = kSuccess;
    if (m_gate) {
      const std::vector<RuleOutcome> outcomes = judgedRules(comparison, *m_gate);
      const std::string lines = gateText(outcomes);
      if (text != nullptr)
        text->insert(text->rfind("verdict: "), lines + "\n");
      else
        printError(lines);
      for (const RuleOutcome& outcome : outcomes) {
        if (outcome.result == RuleResult::Missing) return usage("--gate: no figure " + outcome.rule.figure);
      }
      code = gateExit(outcomes);
    }
    if (m_arguments.failOn.empty() || code == kFound) return code;
    const double percent = *failOnPercent(m_arguments.failOn);
    if (comparison.verdict == Verdict::Regression && comparison.stepPercent().value_or(percent) >= percent)
      return kFound;
    return isUndecided(comparison.verdict) ? kNoAnswer : code;
  }

  static int gateExit(const std::vector<RuleOutcome>& outcomes) {
    int code = kSuccess;
    for (const RuleOutcome& outcome : outcomes) {
      if (outcome.result == RuleResult::Fail) return kFound;
      if (outcome.result == RuleResult::Undecided) code = kNoAnswer;
    }
    return code;
  }

  const CompareArguments& m_arguments;
  const JobOptions& m_job;
  std::optional<Gate> m_gate;
  std::optional<SideFacts> m_a;
  std::optional<SideFacts> m_b;
  int m_exit = kSuccess;
};

void addCompareOptions(CLI::App& command, CompareArguments& arguments) {
  command.add_option("--with", arguments.with, "side B: trace files or folders of one job");
  command.add_option("--more-a", arguments.moreA, "a further run of side A; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--more-b", arguments.moreB, "a further run of side B; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--a-steps", arguments.aSteps, "only the steps A..B of side A");
  command.add_option("--b-steps", arguments.bSteps, "only the steps A..B of side B");
  command.add_option("--a-ranks", arguments.aRanks, "only these ranks of side A: 0,3-5");
  command.add_option("--b-ranks", arguments.bRanks, "only these ranks of side B");
  command
      .add_option(
          "--align", arguments.align,
          "number: compare only steps with numbers that both sides have; order: pair the i-th steps of "
          "two ranks")
      ->check(CLI::IsMember({"number", "order"}));
  command
      .add_option("--by", arguments.by,
                  "the table to show: class, module, operator, kernel, collective or rank")
      ->check(CLI::IsMember({"class", "module", "operator", "kernel", "collective", "rank"}))
      ->capture_default_str();
  command.add_flag("--total", arguments.total, "sums over ranks and steps instead of means per step");
  command
      .add_option("--format", arguments.format,
                  "text, csv (the table of --by), json (everything) or html (a page with charts)")
      ->check(CLI::IsMember({"text", "csv", "json", "html"}))
      ->capture_default_str();
  command.add_option("--out", arguments.outFolder,
                     "also write all tables, compare.json and compare.html into this folder");
  command.add_option("--gate", arguments.gate, "JSON file of rules: exit with 3 if one fails");
  command.add_option("--baseline", arguments.baseline, "a file of --save-baseline, which stands for side A");
  command.add_option("--save-baseline", arguments.saveBaseline, "write side A to a small file");
  command.add_option("--fail-on", arguments.failOn,
                     "exit with 3 on regression, or regression:3%; with 4 if it cannot be decided");
  command.add_option("--undecided", arguments.undecided, "whether a gate without an answer passes or fails")
      ->check(CLI::IsMember({"pass", "fail"}))
      ->capture_default_str();
}

} // namespace

Command addCompareCommand(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("compare", "print what changed between two jobs, captures, ranks or steps");
  const auto job = std::make_shared<JobOptions>();
  const auto arguments = std::make_shared<CompareArguments>();
  addJobOptions(*command, *job, false);
  job->events = EventUse::Chosen;
  job->purpose = "compare";
  addCompareOptions(*command, *arguments);
  return {command, job, [=]() -> int { return CompareRun(*arguments, *job).run(); }};
}

} // namespace rankscope

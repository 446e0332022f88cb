// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/gains/what_if_data.h"

#include "core/analysis/job/step_notes.h"
#include "core/base/thread_team.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/report/path_parts.h"
#include "core/report/reported_part.h"
#include "core/report/scenario_names.h"
#include "core/report/what_if_table.h"
#include "ui/base/counted.h"
#include "ui/base/path_palette.h"
#include "ui/base/ui_text.h"

#include <algorithm>

namespace rankscope::ui {

namespace {

// Some scenarios cannot be reached by anybody: what they gain is a bound.
bool isBound(const Scenario& scenario) {
  return std::ranges::any_of(scenario.parts, [](const ScenarioPart& part) {
    return part.kind == ScenarioKind::TransferZero || part.kind == ScenarioKind::PerfectOverlap ||
           part.kind == ScenarioKind::ZeroHost || (part.kind == ScenarioKind::Kernel && part.factor == 0);
  });
}

std::string confidenceOf(const WhatIf& whatIf, const WhatIfAnswer& answer) {
  if (!answer.refused.empty()) return tr("no answer").toStdString();
  if (isBound(answer.scenario)) return tr("upper limit").toStdString();
  switch (trustOf(whatIf.error())) {
  case ReplayTrust::Good:
    return tr("good").toStdString();
  case ReplayTrust::Rough:
    return tr("rough").toStdString();
  case ReplayTrust::IntervalOnly:
  case ReplayTrust::Refused:
    break;
  }
  return tr("bounds only").toStdString();
}

std::string nextOf(const WhatIf& whatIf, const WhatIfAnswer& answer) {
  if (!answer.nextCategory) return {};
  return tr("%1 · rank %2")
      .arg(pathCategoryTitle(*answer.nextCategory))
      .arg(whatIf.analysis().trace().rank(answer.nextRank).rank)
      .toStdString();
}

ResultTable scenarioTable(const WhatIf& whatIf, const std::vector<WhatIfAnswer>& answers) {
  ResultTable table("what_if", {{"scenario", Unit::Text},
                                {"id", Unit::Text},
                                {"predicted_us", Unit::Nanoseconds},
                                {"gain_us", Unit::Nanoseconds},
                                {"gain_pct", Unit::Percent},
                                {"gain_low_us", Unit::Nanoseconds},
                                {"gain_high_us", Unit::Nanoseconds},
                                {"confidence", Unit::Text},
                                {"next", Unit::Text},
                                {"note", Unit::Text}});
  for (const WhatIfAnswer& answer : answers) {
    const std::string id = scenarioText(answer.scenario);
    const std::string name = scenarioName(answer.scenario);
    const std::string confidence = confidenceOf(whatIf, answer);
    const std::string next = nextOf(whatIf, answer);
    const bool known = answer.refused.empty();
    const auto time = [&](double value) { return known ? Cell(rounded(value)) : Cell(); };
    const std::string_view note =
        known ? scenarioTitle(answer.scenario.parts.front().kind) : std::string_view(answer.refused);
    const ShownAnswer shown = known ? shownAnswer(whatIf, answer) : ShownAnswer();
    table.addRow({Cell(std::string_view(name)), Cell(std::string_view(id)), time(shown.predicted),
                  time(shown.gain), known ? Cell(std::max(0.0, shown.gainPct)) : Cell(), time(answer.gainLow),
                  time(answer.gainHigh), Cell(std::string_view(confidence)), textCell(next), textCell(note)});
  }
  return table;
}

// Not "-0.00".
double withoutSignOfZero(double percent) {
  return std::abs(percent) < 0.005 ? 0.0 : percent;
}

QString trustText(const JobReport& report, const WhatIf& whatIf) {
  const std::string_view part = reportedPart(report);
  const QString what = part == "step" ? tr("recorded step") : textOf(part);
  return tr("%1 %2 · replay error %3 % · %4 % of the critical path is waiting without a recorded cause")
      .arg(what)
      .arg(textOf(durationText(rounded(whatIf.stepTime()))))
      .arg(withoutSignOfZero(whatIf.error().errorPct), 0, 'f', 2)
      .arg(whatIf.error().unexplainedPct, 0, 'f', 1);
}

} // namespace

// The texts are those that make the scenarios: a filter is part of them.
std::vector<WhatIfAnswer> KnownAnswers::answers(const WhatIf& whatIf, std::span<const Scenario> scenarios) {
  std::vector<Scenario> asked;
  {
    const std::scoped_lock lock(m_guard);
    for (const Scenario& scenario : scenarios)
      if (!m_known.contains(scenarioText(scenario))) asked.push_back(scenario);
  }
  std::vector<WhatIfAnswer> fresh = whatIf.answers(asked);
  const std::scoped_lock lock(m_guard);
  for (WhatIfAnswer& answer : fresh) m_known.emplace(scenarioText(answer.scenario), std::move(answer));
  std::vector<WhatIfAnswer> all;
  all.reserve(scenarios.size());
  for (const Scenario& scenario : scenarios) all.push_back(m_known.at(scenarioText(scenario)));
  return all;
}

WhatIfView whatIfView(const JobReport& report, const std::vector<std::string>& added, KnownAnswers& known) {
  WhatIfView view;
  const unsigned threads = defaultThreadCount();
  const WhatIf& whatIf = report.whatIf(threads);
  if (whatIf.keptWindows().empty()) {
    view.whyEmpty = QString::fromStdString(whyNoSteps(report.analysis()));
    return view;
  }
  std::vector<Scenario> scenarios;
  if (!added.empty()) {
    auto own = scenariosFromTexts(report.analysis().trace(), added, threads);
    if (own) scenarios.assign(own->rbegin(), own->rend());
  }
  const std::vector<Scenario> common = defaultScenarios();
  scenarios.insert(scenarios.end(), common.begin(), common.end());
  std::vector<WhatIfAnswer> answers = known.answers(whatIf, scenarios);
  std::stable_partition(answers.begin(), answers.end(),
                        [](const WhatIfAnswer& answer) { return answer.refused.empty(); });
  view.texts.reserve(answers.size());
  for (const WhatIfAnswer& answer : answers) {
    view.texts.push_back(scenarioText(answer.scenario));
    view.refused.push_back(!answer.refused.empty());
  }
  view.scenarios = std::make_shared<const ResultTable>(scenarioTable(whatIf, answers));
  view.caption = trustText(report, whatIf);
  return view;
}

PathView pathView(const JobReport& report, PathKey key) {
  PathView view;
  const WhatIf& whatIf = report.whatIf(defaultThreadCount());
  if (whatIf.keptWindows().empty()) {
    view.whyEmpty = QString::fromStdString(whyNoSteps(report.analysis()));
    return view;
  }
  ResultTable table("critical_path_summary", {{"key", Unit::Text},
                                              {"on_path_us", Unit::Nanoseconds},
                                              {"share_pct", Unit::Percent},
                                              {"slack_us", Unit::Nanoseconds},
                                              {"imbalance_us", Unit::Nanoseconds},
                                              {"steps", Unit::Count}});
  const std::string none = tr("none").toStdString();
  for (const PathSum& sum : pathSums(whatIf, key)) {
    const std::string name = key == PathKey::Rank ? tr("Rank %1").arg(textOf(sum.key)).toStdString()
                             : key == PathKey::Category
                                 ? pathCategoryTitle(sum.longest.category).toStdString()
                             : sum.key.empty() ? none
                                               : sum.key;
    table.addRow({Cell(std::string_view(name)), Cell(rounded(sum.onPath)), Cell(100 * sum.share),
                  cellOf(sum.slack), sum.imbalance ? Cell(rounded(*sum.imbalance)) : Cell(),
                  Cell(sum.steps)});
    view.longest.push_back(sum.longest);
  }
  view.table = std::make_shared<const ResultTable>(std::move(table));
  const auto steps = static_cast<qint64>(whatIf.keptWindows().size());
  view.caption = tr("%1, each from the latest end of the step before to its own latest end")
                     .arg(counted(steps, tr("1 step"), tr("mean of %1 steps")));
  return view;
}

} // namespace rankscope::ui

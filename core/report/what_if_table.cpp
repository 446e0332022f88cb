// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/what_if_table.h"

#include "core/base/unit_text.h"
#include "core/base/whole_number.h"
#include "core/query/event_search.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

namespace rankscope {

namespace {

Cell timeCell(double nanoseconds) {
  return rounded(nanoseconds);
}

std::int64_t rankNumber(const WhatIf& whatIf, RankIndex rank) {
  return whatIf.analysis().trace().rank(rank).rank;
}

std::string_view trustText(ReplayTrust trust) {
  switch (trust) {
  case ReplayTrust::Good:
    return "good";
  case ReplayTrust::Rough:
    return "rough";
  case ReplayTrust::IntervalOnly:
    return "only the interval can be trusted";
  case ReplayTrust::Refused:
    break;
  }
  return "refused";
}

} // namespace

Result<std::vector<Scenario>> scenariosFromTexts(const TraceSet& trace, std::span<const std::string> texts,
                                                 unsigned threadCount) {
  if (texts.empty()) return defaultScenarios();
  std::vector<Scenario> scenarios;
  scenarios.reserve(texts.size());
  for (const std::string& text : texts) {
    auto scenario = scenarioFromText(text);
    if (!scenario) return scenario.error();
    for (ScenarioPart& part : scenario->parts) {
      if (part.kind != ScenarioKind::Kernel || part.text.empty()) continue;
      auto query = searchQueryFromText(part.text);
      if (!query) return query.error();
      auto search = std::make_shared<const EventSearch>(trace, *query, threadCount);
      part.selects = [search](RankIndex rank, EventIndex event) { return search->matches({rank, event}); };
    }
    scenarios.push_back(std::move(*scenario));
  }
  return scenarios;
}

ResultTable whatIfTable(const WhatIf& whatIf, std::span<const WhatIfAnswer> answers) {
  ResultTable table("what_if", {{"scenario", Unit::Text},
                                {"base_us", Unit::Nanoseconds},
                                {"predicted_us", Unit::Nanoseconds},
                                {"predicted_low_us", Unit::Nanoseconds},
                                {"gain_us", Unit::Nanoseconds},
                                {"gain_low_us", Unit::Nanoseconds},
                                {"gain_high_us", Unit::Nanoseconds},
                                {"gain_pct", Unit::Percent},
                                {"replay_error_pct", Unit::Percent},
                                {"kernel_begin_error_p99_us", Unit::Nanoseconds},
                                {"unexplained_pct", Unit::Percent},
                                {"clock_us", Unit::Nanoseconds},
                                {"next_category", Unit::Text},
                                {"next_rank", Unit::Identity},
                                {"refused", Unit::Text}});
  for (const WhatIfAnswer& answer : answers) {
    const std::string id = scenarioText(answer.scenario);
    if (!answer.refused.empty()) {
      const Cell none;
      table.addRow({Cell(std::string_view(id)), none, none, none, none, none, none, none, none, none, none,
                    none, none, none, textCell(answer.refused)});
      continue;
    }
    const ReplayError& error = whatIf.error();
    const std::string_view next = answer.nextCategory ? pathCategoryText(*answer.nextCategory) : "";
    table.addRow({Cell(std::string_view(id)), timeCell(answer.base), timeCell(answer.predicted),
                  timeCell(answer.predictedLow), timeCell(answer.gain), timeCell(answer.gainLow),
                  timeCell(answer.gainHigh), Cell(100 * answer.gain / answer.base), Cell(error.errorPct),
                  Cell(error.kernelBeginP99), Cell(error.unexplainedPct), timeCell(answer.clock),
                  textCell(next), answer.nextCategory ? Cell(rankNumber(whatIf, answer.nextRank)) : Cell(),
                  Cell()});
  }
  return table;
}

ResultTable whatIfTable(const WhatIf& whatIf) {
  return whatIfTable(whatIf, whatIf.answers(defaultScenarios()));
}

ShownAnswer shownAnswer(const WhatIf& whatIf, const WhatIfAnswer& answer) {
  ShownAnswer shown;
  shown.stepTime = whatIf.stepTime();
  shown.gain = std::min(answer.gain, shown.stepTime);
  shown.predicted = shown.stepTime - shown.gain;
  shown.gainPct = shown.stepTime > 0 ? 100 * shown.gain / shown.stepTime : 0;
  return shown;
}

std::string shownGainText(const ShownAnswer& shown, const WhatIfAnswer& answer) {
  if (shown.predicted > shown.stepTime)
    return durationText(rounded(shown.predicted - shown.stepTime)) + " longer";
  const std::string low = durationText(rounded(answer.gainLow));
  const std::string high = durationText(rounded(answer.gainHigh));
  return low == high ? "gain " + low : fmt::format("gain {} to {}", low, high);
}

bool isOfSteps(const WhatIf& whatIf) {
  const Analysis& analysis = whatIf.analysis();
  return std::ranges::any_of(analysis.ranks(),
                             [&](RankIndex rank) { return analysis.stepWindows(rank).areSteps(); });
}

std::string whatIfText(const WhatIf& whatIf, std::span<const WhatIfAnswer> answers) {
  std::string text;
  const auto out = std::back_inserter(text);
  const auto duration = [](double time) { return durationText(rounded(time)); };
  const std::size_t steps = whatIf.keptWindows().size();
  if (isOfSteps(whatIf))
    fmt::format_to(out, "Step of the job: {}, mean of {} kept {}\n", duration(whatIf.stepTime()), steps,
                   steps == 1 ? "step" : "steps");
  else
    fmt::format_to(out, "Recording of the job: {}; no steps were recorded\n", duration(whatIf.stepTime()));
  if (whatIf.refusal().empty()) {
    // "-0.00" would be no number.
    const double error = std::abs(whatIf.error().errorPct) < 0.005 ? 0 : whatIf.error().errorPct;
    fmt::format_to(
        out,
        "Replay: {:+.2f} % of the recording, {:.1f} % of the path is waiting without a recorded cause: {}\n",
        error, whatIf.error().unexplainedPct, trustText(trustOf(whatIf.error())));
  }
  std::size_t width = 0;
  for (const WhatIfAnswer& answer : answers) width = std::max(width, scenarioText(answer.scenario).size());
  for (const WhatIfAnswer& answer : answers) {
    const std::string id = scenarioText(answer.scenario);
    if (!answer.refused.empty()) {
      fmt::format_to(out, "{:<{}}  refused: {}\n", id, width, answer.refused);
      continue;
    }
    const ShownAnswer shown = shownAnswer(whatIf, answer);
    fmt::format_to(out, "{:<{}}  {} ({}, {})", id, width, duration(shown.predicted),
                   shownGainText(shown, answer), percentText(std::abs(shown.gainPct)));
    if (answer.nextCategory) {
      std::string category(pathCategoryText(*answer.nextCategory));
      std::ranges::replace(category, '_', ' ');
      fmt::format_to(out, "; next: {} on rank {}", category,
                     whatIf.analysis().trace().rank(answer.nextRank).rank);
    }
    text += '\n';
    for (const std::string& mark : answer.marks) fmt::format_to(out, "{:{}}  {}\n", "", width, mark);
  }
  return text;
}

} // namespace rankscope

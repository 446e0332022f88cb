// SPDX-License-Identifier: GPL-3.0-or-later
// What the gains tab shows: the account of the chosen ranks and steps with its texts, and what may be chosen.
// A choice names its rank and step by number, so that it holds while ranks arrive. Pure; made on a worker.
#pragma once

#include "core/report/accepted_findings.h"
#include "core/report/account_table.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/waterfall.h"

#include <QString>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace rankscope::ui {

struct GainsChoice {
  struct JobStep {
    int capture = 1;
    std::int64_t number = 0;
    std::size_t occurrence = 0;
    bool operator==(const JobStep&) const = default;
  };
  std::optional<int> rank;     // its number; nothing: the mean
  std::optional<JobStep> step; // the same

  bool operator==(const GainsChoice&) const = default;
};

struct GainsData {
  template <class Chosen> struct Choice {
    QString title;
    Chosen what;
  };

  GainsChoice chosen; // what is shown: parts that are gone are means again
  AccountView view;
  std::shared_ptr<const ResultTable> table;
  QString sentence;
  QString whole; // what the parts add up to: "step", "range", "recording"; empty without parts
  QString notes; // about steps, ranks, what is missing
  QString whyEmpty;
  QString ranksText; // "4 ranks"
  std::vector<Choice<int>> ranks;
  std::vector<Choice<GainsChoice::JobStep>> steps;
  // By leaf of the view.
  std::vector<QString> tips;
  std::vector<QString> findings; // titles; empty: none
  std::vector<std::optional<Severity>> severities;
};

[[nodiscard]] GainsData gainsData(const JobReport& report, const GainsChoice& choice);

// Leaves of the view whose finding, the one in `findings`, is accepted.
[[nodiscard]] std::vector<bool> acceptedLeaves(const GainsData& data, const JobReport& report,
                                               std::span<const AcceptedFinding> accepted);

// The rows of the waterfall, one for each bar. REQUIRES: accepted is by leaf of the view.
[[nodiscard]] WaterfallRows waterfallRows(const GainsData& data, const std::vector<AccountBar>& bars,
                                          const std::vector<bool>& accepted);
[[nodiscard]] std::vector<LegendItem> gainsLegend(const std::vector<AccountBar>& bars);
[[nodiscard]] WaterfallFill fillOf(LeafGroup group);

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// What the compare tab shows: which parts of one or two jobs are laid beside each other, the comparison with
// its texts and tables, and the rows of its waterfall. Pure; made on a worker.
#pragma once

#include "core/analysis/compare/comparison.h"
#include "core/export/result_table.h"
#include "core/report/job_report.h"
#include "ui/tabs/compare/compare_parts.h"
#include "ui/tabs/compare/delta_waterfall.h"
#include "ui/tabs/compare/step_dots.h"
#include "ui/tabs/compare/step_pairs.h"

#include <QString>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::ui {

using SidePart = JobPart;

struct CompareChoice {
  std::shared_ptr<const JobReport> other; // the job of B; null: the same job
  SidePart a;
  SidePart b;
  bool swapped = false;
  std::int64_t rank = -1;   // whose steps are laid beside each other; -1: the first
  std::size_t position = 1; // among the kept steps

  // Whether it is about the same sides, whichever of their steps are looked at.
  [[nodiscard]] bool sameSides(const CompareChoice& choice) const {
    return other == choice.other && a == choice.a && b == choice.b && swapped == choice.swapped;
  }
};

// The tables, by the buttons above them.
enum class CompareTable : std::uint8_t {
  Classes,
  Modules,
  Operators,
  Kernels,
  Collectives,
  Ranks,
  Parallelism,
  Findings,
};
inline constexpr std::size_t kCompareTableCount = static_cast<std::size_t>(CompareTable::Findings) + 1;

struct CompareData {
  std::shared_ptr<const Comparison> comparison; // null: there is nothing to compare with
  std::vector<PartOption> partsA;
  std::vector<PartOption> partsB;
  QString titleA, detailA;
  QString titleB, detailB;
  QString sentence;    // how much B is slower or faster
  QString explanation; // of the verdict, with p-values
  QString notes;       // what differs, what was left out, cautions
  StepDotRows dots;
  DeltaRows waterfall;
  StepPairs steps;
  // What the sides were made of.
  std::shared_ptr<const Analysis> a;
  std::shared_ptr<const Analysis> b;
  // By CompareTable, with the column bar_pct: the row's share of all changes.
  std::array<std::shared_ptr<const ResultTable>, kCompareTableCount> tables;
};

[[nodiscard]] CompareData compareData(const JobReport& report, const CompareChoice& choice);
// The same sides, of which other steps are looked at.
[[nodiscard]] CompareData withSteps(const CompareData& data, const CompareChoice& choice);

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/gains/slowdown_data.h"

#include "core/analysis/graph/what_if.h"
#include "core/base/thread_team.h"
#include "core/model/rank_recordings.h"
#include "core/report/slowdown_table.h"
#include "ui/base/ui_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr double kSaturated = 50; // percent longer, from which on the color stays
constexpr double kLeastTop = 5;
constexpr double kMostlyExplained = 0.5;

double percentLonger(double slowdown) {
  return std::max(0.0, 100 * (slowdown - 1));
}

// rows: by row, then column. The scale is white at no loss.
void setCells(const std::vector<std::vector<double>>& rows, HeatContents& contents) {
  auto cells = std::make_shared<HeatCells>();
  cells->rows = rows.size();
  cells->columns = rows.empty() ? 0 : rows.front().size();
  cells->values.resize(cells->rows * cells->columns);
  double largest = 0;
  for (std::size_t row = 0; row < cells->rows; ++row) {
    for (std::size_t column = 0; column < cells->columns; ++column) {
      const double value = percentLonger(rows[row][column]);
      largest = std::max(largest, value);
      cells->values[column * cells->rows + row] = static_cast<float>(value);
    }
  }
  contents.unit = Unit::Percent;
  contents.largest = largest;
  contents.top = std::clamp(largest, kLeastTop, kSaturated);
  contents.cells = std::move(cells);
}

void setRanks(const WhatIf& whatIf, const JobSlowdown& slowdown, SlowdownView& view) {
  const Analysis& analysis = whatIf.analysis();
  const RankRows ranks = rankRows(analysis.trace(), analysis.ranks());
  for (const RankIndex rank : ranks.first)
    view.ranks.rowNames << tr("Rank %1").arg(analysis.trace().rank(rank).rank);
  const std::vector<std::size_t>& kept = whatIf.keptWindows();
  std::vector<std::vector<double>> rows(ranks.count(), std::vector<double>(kept.size(), 1));
  view.recordings.assign(ranks.count(), std::vector<RankIndex>(kept.size()));
  // A step is of one capture.
  for (std::size_t i = 0; i < ranks.rowOf.size(); ++i) {
    const RankIndex rank = analysis.ranks()[i];
    for (std::size_t step = 0; step < kept.size(); ++step) {
      if (whatIf.graph().windows[kept[step]].capture != analysis.trace().rank(rank).capture) continue;
      rows[ranks.rowOf[i]][step] = slowdown.ofRankAndStep[rank.value][step];
      view.recordings[ranks.rowOf[i]][step] = rank;
    }
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const JobWindow& window = whatIf.graph().windows[kept[i]];
    view.stepOfColumn.push_back(JobRange::of(window.range));
    if (const auto number = stepNumberOf(analysis, window))
      view.ranks.marks.push_back({i, QString::number(*number)});
  }
  setCells(rows, view.ranks);
  view.ranks.outlierRows.assign(rows.size(), false);
}

void setStages(const JobSlowdown& slowdown, SlowdownView& view) {
  if (slowdown.ofStageAndDp.empty()) return;
  for (std::size_t stage = 0; stage < slowdown.ofStageAndDp.size(); ++stage)
    view.stages.rowNames << tr("Stage %1").arg(stage);
  for (std::size_t dp = 0; dp < slowdown.ofStageAndDp.front().size(); ++dp)
    view.stages.marks.push_back({dp, QString::number(dp)});
  setCells(slowdown.ofStageAndDp, view.stages);
  view.stages.outlierRows.assign(slowdown.ofStageAndDp.size(), false);
}

bool isOneRank(const JobSlowdown& slowdown) {
  return worstRankCount(slowdown.ofRankAndStep.size()) == 1;
}

// "steps take 12.3 % longer than with typical times · the slowest 3 % of ranks explain 92 %".
QString captionOf(const JobSlowdown& slowdown) {
  QStringList words;
  bool explained = false;
  QString slowestRank;
  for (const SlowdownRow& row : slowdown.rows) {
    if (row.by == "job" && row.slowdown)
      words << (*row.slowdown < kMinSlowdown
                    ? tr("steps take %1 % longer than with typical times: too little to attribute")
                    : tr("steps take %1 % longer than with typical times"))
                   .arg(100 * (*row.slowdown - 1), 0, 'f', 1);
    if (row.by == "rank" && slowestRank.isEmpty()) slowestRank = textOf(row.key);
    if (!row.explained || slowdown.ofRankAndStep.size() < 2) continue;
    const bool most = *row.explained >= kMostlyExplained;
    explained = explained || most;
    const QString who = row.by == "last_stage" ? tr("the last stage explains %1 %")
                        : isOneRank(slowdown)  ? tr("rank %1 explains %2 %").arg(slowestRank)
                                               : tr("the slowest 3 % of ranks explain %1 %");
    words << who.arg(100 * shownShare(*row.explained), 0, 'f', 0);
  }
  if (words.size() > 1 && !explained)
    words << tr("spread over ranks and steps, as by sequence lengths or garbage collection");
  return words.join(QStringLiteral(" · "));
}

std::string titleOf(const SlowdownRow& row, bool oneRank) {
  const QString key = textOf(row.key);
  const std::array<std::pair<std::string_view, QString>, 7> titles{
      {{"job", tr("Job")},
       {"step", tr("Step %1").arg(key)},
       {"rank", tr("Rank %1").arg(key)},
       {"dp", tr("Data-parallel rank %1").arg(key)},
       {"stage", tr("Stage %1").arg(key)},
       {"worst_workers", oneRank ? tr("Slowest rank") : tr("Slowest 3 % of ranks")},
       {"last_stage", tr("Last stage")}}};
  const auto found = std::ranges::find(titles, row.by, [](const auto& title) { return title.first; });
  return found == titles.end() ? row.key : found->second.toStdString();
}

ResultTable rowsOf(const JobSlowdown& slowdown) {
  ResultTable table(
      "slowdown",
      {{"key", Unit::Text}, {"by", Unit::Text}, {"slowdown", Unit::Ratio}, {"explained_pct", Unit::Percent}});
  for (const SlowdownRow& row : slowdown.rows) {
    if (row.by == "worker") continue; // in the map
    const std::string title = titleOf(row, isOneRank(slowdown));
    table.addRow({Cell(std::string_view(title)), textCell(row.by), cellOf(row.slowdown),
                  row.explained ? Cell(100 * shownShare(*row.explained)) : Cell()});
  }
  return table;
}

} // namespace

SlowdownView slowdownView(const JobReport& report) {
  SlowdownView view;
  const unsigned threads = defaultThreadCount();
  const JobSlowdown slowdown = slowdownOfReport(report, false, threads);
  if (!slowdown.refused.empty()) {
    view.whyEmpty = tr("No answer: %1.").arg(textOf(slowdown.refused));
    return view;
  }
  setRanks(report.whatIf(threads), slowdown, view);
  setStages(slowdown, view);
  view.table = std::make_shared<const ResultTable>(rowsOf(slowdown));
  view.caption = captionOf(slowdown);
  return view;
}

} // namespace rankscope::ui

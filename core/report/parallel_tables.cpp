// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/parallel_tables.h"

#include "core/analysis/parallel/dimension_times.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/report/job_totals.h"

#include <string>

namespace rankscope {

namespace {

std::string_view dimensionCellText(RankDimension dimension) {
  return dimension == RankDimension::Unknown ? std::string_view("unknown") : dimensionText(dimension);
}

Cell placeCell(const RankPlace& place, LayoutAxis axis) {
  return cellOf(place.along(axis));
}

} // namespace

Cell stepNumberCell(const Analysis& analysis, RankIndex rank, std::size_t step) {
  const StepWindows& steps = analysis.wholeStepWindows(rank);
  if (step >= steps.steps.size() || steps.steps[step].number == Step::kUnknownNumber) return {};
  return {steps.steps[step].number};
}

ResultTable parallelGroupsTable(const JobReport& report) {
  ResultTable table("parallel_groups", {{"group", Unit::Text},
                                        {"dimension", Unit::Text},
                                        {"evidence", Unit::Text},
                                        {"confidence", Unit::Text},
                                        {"size", Unit::Count},
                                        {"ranks", Unit::Text},
                                        {"stride", Unit::Count}});
  for (const ParallelGroup& group : report.parallel().dimensions.groups) {
    const std::string ranks = numberRangesText({group.members.begin(), group.members.end()});
    table.addRow(
        {textCell(group.name), Cell(dimensionCellText(group.dimension)), textCell(group.evidence),
         group.dimension == RankDimension::Unknown ? Cell() : Cell(layoutConfidenceText(group.confidence)),
         group.size > 0 ? Cell(group.size) : Cell(), textCell(ranks),
         group.stride > 0 ? Cell(group.stride) : Cell()});
  }
  return table;
}

ResultTable parallelRanksTable(const JobReport& report) {
  ResultTable table("parallel_ranks", {{"rank", Unit::Identity},
                                       {"pp", Unit::Identity},
                                       {"dp", Unit::Identity},
                                       {"fsdp", Unit::Identity},
                                       {"cp", Unit::Identity},
                                       {"ep", Unit::Identity},
                                       {"tp", Unit::Identity},
                                       {"host", Unit::Text}});
  const JobLayout& layout = report.parallel().layout;
  if (!layout.divided()) return table;
  for (const RankPlace& place : layout.ranks)
    table.addRow({Cell(std::int64_t{place.rank}), placeCell(place, LayoutAxis::Pipeline),
                  placeCell(place, LayoutAxis::Data), placeCell(place, LayoutAxis::Sharded),
                  placeCell(place, LayoutAxis::Context), placeCell(place, LayoutAxis::Expert),
                  placeCell(place, LayoutAxis::Tensor), textCell(place.host)});
  return table;
}

ResultTable parallelSummaryTable(const JobReport& report) {
  ResultTable table("parallel_summary", {{"dimension", Unit::Text},
                                         {"rank", Unit::Identity},
                                         {"capture", Unit::Identity},
                                         {"step", Unit::Identity},
                                         {"calls", Unit::Count},
                                         {"bytes", Unit::Bytes},
                                         {"total_us", Unit::Nanoseconds},
                                         {"exposed_us", Unit::Nanoseconds},
                                         {"wait_us", Unit::Nanoseconds},
                                         {"transfer_us", Unit::Nanoseconds},
                                         {"share_pct", Unit::Percent},
                                         {"exposed_wait_us", Unit::Nanoseconds},
                                         {"exposed_transfer_us", Unit::Nanoseconds}});
  const Analysis& analysis = report.analysis();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    for (const DimensionTime& time :
         dimensionTimes(analysis, rank, report.parallel().dimensions.ofCall[rank.value])) {
      const auto known = [&](std::int64_t value) { return time.partsKnown ? Cell(value) : Cell(); };
      table.addRow({Cell(dimensionCellText(time.dimension)), Cell(std::int64_t{entry.rank}),
                    Cell(std::int64_t{entry.capture}), stepNumberCell(analysis, rank, time.step),
                    Cell(time.calls), time.bytesKnown ? Cell(static_cast<std::int64_t>(time.bytes)) : Cell(),
                    Cell(time.total), Cell(time.exposed), known(static_cast<std::int64_t>(time.wait)),
                    known(static_cast<std::int64_t>(time.transfer)), Cell(time.sharePct),
                    known(time.exposedWait), known(time.exposedTransfer)});
    }
  }
  return table;
}

} // namespace rankscope

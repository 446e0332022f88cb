// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/parallel_parts_tables.h"

#include "core/analysis/parallel/bucket_times.h"
#include "core/analysis/parallel/dimension_times.h"
#include "core/analysis/parallel/expert_traffic.h"
#include "core/analysis/parallel/fsdp_units.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/analysis/parallel/tp_layers.h"
#include "core/analysis/parallel/zero_model.h"
#include "core/base/whole_number.h"
#include "core/report/parallel_tables.h"

#include <map>
#include <tuple>

namespace rankscope {

namespace {

Cell numberOrEmpty(std::int64_t value) {
  return value > 0 ? Cell(value) : Cell();
}

} // namespace

ResultTable ddpBucketsTable(const JobReport& report) {
  ResultTable table("ddp_buckets", {{"rank", Unit::Identity},
                                    {"capture", Unit::Identity},
                                    {"step", Unit::Identity},
                                    {"bucket", Unit::Identity},
                                    {"elements", Unit::Count},
                                    {"bytes", Unit::Bytes},
                                    {"dtype", Unit::Text},
                                    {"ready_us", Unit::Nanoseconds},
                                    {"begin_us", Unit::Nanoseconds},
                                    {"duration_us", Unit::Nanoseconds},
                                    {"wait_us", Unit::Nanoseconds},
                                    {"transfer_us", Unit::Nanoseconds},
                                    {"exposed_us", Unit::Nanoseconds},
                                    {"overlap_pct", Unit::Percent}});
  const Analysis& analysis = report.analysis();
  const StringTable& names = analysis.trace().names();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    for (const BucketTime& time : bucketTimes(analysis, rank)) {
      const CollectiveCall& call = analysis.collectiveCalls(rank)[time.bucket.call];
      table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                    stepNumberCell(analysis, rank, time.bucket.step),
                    Cell(static_cast<std::int64_t>(time.bucket.index)), Cell(time.bucket.elements),
                    cellOf(time.bucket.bytes), call.dtype.valid() ? textCell(names[call.dtype]) : Cell(),
                    cellOf(time.ready), Cell(sinceJobBegin(analysis, rank, RankTime(time.range.begin))),
                    Cell(time.range.length()), time.parts ? Cell(time.parts->wait) : Cell(),
                    time.parts ? Cell(time.parts->transfer) : Cell(), Cell(time.exposed),
                    cellOf(time.overlapPct())});
    }
  }
  return table;
}

ResultTable fsdpUnitsTable(const JobReport& report) {
  ResultTable table("fsdp_units", {{"rank", Unit::Identity},
                                   {"capture", Unit::Identity},
                                   {"step", Unit::Identity},
                                   {"unit", Unit::Text},
                                   {"elements", Unit::Count},
                                   {"gathers", Unit::Count},
                                   {"forward_gather_us", Unit::Nanoseconds},
                                   {"backward_gather_us", Unit::Nanoseconds},
                                   {"exposed_us", Unit::Nanoseconds},
                                   {"prefetch_lead_us", Unit::Nanoseconds},
                                   {"copy_in_us", Unit::Nanoseconds},
                                   {"copy_out_us", Unit::Nanoseconds},
                                   {"reduce_scatter_us", Unit::Nanoseconds},
                                   {"recompute_us", Unit::Nanoseconds}});
  const Analysis& analysis = report.analysis();
  const JobParallel& parallel = report.parallel();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    const FsdpUnits units =
        fsdpUnits(analysis, rank, parallel.uses[rank.value], parallel.dimensions.ofCall[rank.value]);
    for (const FsdpUnit& unit : units.units)
      table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                    stepNumberCell(analysis, rank, unit.step), textCell(unit.unit),
                    numberOrEmpty(unit.elements), Cell(unit.gathers), Cell(unit.forwardGather),
                    Cell(unit.backwardGather), Cell(unit.exposed), cellOf(unit.prefetchLead),
                    Cell(unit.copyIn), Cell(unit.copyOut), Cell(unit.reduceScatter),
                    cellOf(unit.recomputed)});
  }
  return table;
}

ResultTable zeroStagesTable(const JobReport& report) {
  ResultTable table("zero_stages", {{"stage", Unit::Text},
                                    {"in_use", Unit::Count},
                                    {"ranks", Unit::Count},
                                    {"parameters", Unit::Count},
                                    {"state_bytes", Unit::Bytes},
                                    {"elements", Unit::Count},
                                    {"factor", Unit::Ratio},
                                    {"measured_elements", Unit::Count},
                                    {"measured_bytes", Unit::Bytes},
                                    {"note", Unit::Text}});
  const auto model = zeroModel(report.analysis(), report.parallel());
  if (!model) return table;
  for (std::size_t s = 0; s < kZeroSchemeCount; ++s) {
    const auto scheme = static_cast<ZeroScheme>(s);
    const bool inUse = scheme == model->inUse;
    const ZeroStageCost& of = model->stages[s];
    table.addRow({Cell(zeroSchemeId(scheme)), Cell(std::int64_t{inUse ? 1 : 0}), Cell(model->ranks),
                  Cell(rounded(model->parameters)), Cell(rounded(of.stateBytes)), Cell(rounded(of.elements)),
                  Cell(of.factor), inUse ? Cell(rounded(model->measuredElements)) : Cell(),
                  inUse && model->measuredBytes ? Cell(rounded(*model->measuredBytes)) : Cell(),
                  inUse ? textCell(zeroNote(*model)) : Cell()});
  }
  return table;
}

ResultTable tpLayersTable(const JobReport& report) {
  ResultTable table("tp_layers", {{"rank", Unit::Identity},
                                  {"capture", Unit::Identity},
                                  {"step", Unit::Identity},
                                  {"layer", Unit::Identity},
                                  {"direction", Unit::Text},
                                  {"operation", Unit::Text},
                                  {"bytes", Unit::Bytes},
                                  {"duration_us", Unit::Nanoseconds},
                                  {"exposed_us", Unit::Nanoseconds},
                                  {"wait_us", Unit::Nanoseconds},
                                  {"busbw_gb_s", Unit::GigabytesPerSecond}});
  const Analysis& analysis = report.analysis();
  const JobParallel& parallel = report.parallel();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = analysis.trace().rank(rank);
    for (const TpLayerCall& call :
         tpLayers(analysis, rank, parallel.uses[rank.value], parallel.dimensions.ofCall[rank.value]))
      table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                    stepNumberCell(analysis, rank, call.step), cellOf(call.layer),
                    Cell(std::string_view(call.backward ? "backward" : "forward")),
                    Cell(operationText(call.operation)), cellOf(call.bytes), Cell(call.duration),
                    Cell(call.exposed), cellOf(call.wait), cellOf(call.busGigabytes)});
  }
  return table;
}

ResultTable expertTrafficTable(const JobReport& report) {
  ResultTable table("expert_traffic", {{"step", Unit::Identity},
                                       {"layer", Unit::Identity},
                                       {"direction", Unit::Text},
                                       {"source", Unit::Identity},
                                       {"destination", Unit::Identity},
                                       {"elements", Unit::Count},
                                       {"bytes", Unit::Bytes}});
  const Analysis& analysis = report.analysis();
  const JobParallel& parallel = report.parallel();
  const StringTable& names = analysis.trace().names();
  for (const RankIndex rank : analysis.ranks()) {
    const RankExperts experts = rankExperts(analysis, rank, parallel.uses[rank.value], parallel.dimensions);
    for (const ExpertCall& call : experts.calls) {
      if (!isInScope(analysis, rank, call.step)) continue;
      const NameId dtype = analysis.collectiveCalls(rank)[call.call].dtype;
      const auto width = dtype.valid() ? bytesOfDtype(names[dtype]) : std::nullopt;
      for (std::size_t to = 0; to < call.sent.size(); ++to) {
        const Cell destination =
            to < experts.members.size() ? Cell(std::int64_t{experts.members[to]}) : Cell();
        table.addRow({stepNumberCell(analysis, rank, call.step), Cell(call.layer),
                      Cell(expertDirectionText(call.direction)),
                      Cell(std::int64_t{analysis.trace().rank(rank).rank}), destination, Cell(call.sent[to]),
                      width && call.sent[to] < INT64_MAX / 16 ? Cell(call.sent[to] * *width) : Cell()});
      }
    }
  }
  return table;
}

ResultTable expertRanksTable(const JobReport& report) {
  ResultTable table("expert_ranks", {{"rank", Unit::Identity},
                                     {"capture", Unit::Identity},
                                     {"step", Unit::Identity},
                                     {"received_elements", Unit::Count},
                                     {"sent_elements", Unit::Count},
                                     {"expert_us", Unit::Nanoseconds},
                                     {"wait_us", Unit::Nanoseconds},
                                     {"imbalance", Unit::Ratio}});
  const Analysis& analysis = report.analysis();
  const JobParallel& parallel = report.parallel();
  for (const ExpertRankStep& of : expertRankSteps(analysis, parallel.uses, parallel.dimensions)) {
    const RankEntry& entry = analysis.trace().rank(of.rank);
    table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                  stepNumberCell(analysis, of.rank, of.of.step), cellOf(of.of.received), cellOf(of.of.sent),
                  Cell(of.of.experts), cellOf(of.of.wait), cellOf(of.imbalance)});
  }
  return table;
}

} // namespace rankscope

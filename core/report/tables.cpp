// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/tables.h"

#include "core/analysis/job/analysis.h"
#include "core/base/parallel_for.h"
#include "core/io/files/shown_paths.h"
#include "core/report/attribution_table.h"
#include "core/report/bandwidth_tables.h"
#include "core/report/collectives_table.h"
#include "core/report/compiled_table.h"
#include "core/report/critical_path_table.h"
#include "core/report/efficiency_tables.h"
#include "core/report/findings_table.h"
#include "core/report/frames_table.h"
#include "core/report/gaps_table.h"
#include "core/report/hang_tables.h"
#include "core/report/memory_role_tables.h"
#include "core/report/memory_tables.h"
#include "core/report/memory_view.h"
#include "core/report/modules_table.h"
#include "core/report/network_tables.h"
#include "core/report/operators_table.h"
#include "core/report/parallel_parts_tables.h"
#include "core/report/parallel_tables.h"
#include "core/report/pipeline_tables.h"
#include "core/report/slowdown_table.h"
#include "core/report/snapshot_tables.h"
#include "core/report/steps_table.h"
#include "core/report/what_if_table.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace rankscope {

namespace {

template <ResultTable (*Make)(const Analysis&)> ResultTable ofAnalysis(const JobReport& report) {
  return Make(report.analysis());
}

ResultTable attributionOf(const JobReport& report) {
  return attributionTable(report.analysis(), report.account());
}

ResultTable gapsOf(const JobReport& report) {
  return gapsTable(report.analysis(), report.account());
}

template <ResultTable (*Make)(const WhatIf&)> ResultTable ofWhatIf(const JobReport& report) {
  return Make(report.whatIf());
}

template <ResultTable (*Make)(const JobNetwork&)> ResultTable ofNetwork(const JobReport& report) {
  return Make(report.network());
}

template <ResultTable (*Make)(const JobBandwidth&)> ResultTable ofBandwidth(const JobReport& report) {
  return Make(report.bandwidth());
}

ResultTable bucketAdviceOf(const JobReport& report) {
  return bucketAdviceTable(bucketAdvice(report.analysis(), report.bandwidth()));
}

ResultTable findingsOfReport(const JobReport& report) {
  return findingsTable(report);
}

ResultTable predictionsOf(const JobReport& report) {
  return predictionsTable(predictions(report.bandwidth()));
}

template <ResultTable (*Make)(const JobNetwork&)> constexpr TableSpec ncclSpec(std::string_view name) {
  TableSpec spec{name, ofNetwork<Make>, nullptr};
  spec.nccl = true;
  return spec;
}

// Computes these results of a rank.
template <auto... Results> void compute(const Analysis& analysis, RankIndex rank) {
  (static_cast<void>((analysis.*Results)(rank)), ...);
}

constexpr auto kRankFigures = compute<&Analysis::statistics, &Analysis::gpuParts, &Analysis::memory,
                                      &Analysis::wholeStepWindows, &Analysis::wholeActivity>;

constexpr TableSpec parallelSpec(std::string_view name, ResultTable (*make)(const JobReport&)) {
  TableSpec spec{name, make, compute<&Analysis::callTree, &Analysis::wholePhases>, true};
  spec.parallel = true;
  return spec;
}

constexpr std::array kSpecs = {
    TableSpec{"files", ofAnalysis<filesTable>, nullptr, true},
    TableSpec{"ranks", ofAnalysis<ranksTable>, kRankFigures, true},
    TableSpec{"steps", ofAnalysis<stepsTable>, compute<&Analysis::stepBreakdown>, true},
    TableSpec{"collectives", ofAnalysis<collectivesTable>, compute<&Analysis::exposedCommunication>, true},
    TableSpec{"collective_instances", ofAnalysis<collectiveInstancesTable>, nullptr, true},
    TableSpec{"operators", ofAnalysis<operatorsTable>, compute<&Analysis::operators>},
    TableSpec{"kernels", ofAnalysis<kernelsTable>, compute<&Analysis::kernels>},
    TableSpec{"gaps", gapsOf, compute<&Analysis::gaps>, true, false, true},
    TableSpec{"memory", ofAnalysis<memoryTable>, compute<&Analysis::memory>},
    TableSpec{"memory_curve", ofAnalysis<memoryCurveTable>, compute<&Analysis::memory>, true},
    TableSpec{"memory_roles", memoryRolesTable, nullptr, false, false, false, false, false, false, true},
    TableSpec{"memory_expected", memoryExpectedTable, nullptr, false, false, false, false, false, false,
              true},
    TableSpec{"snapshots", snapshotsTable, nullptr},
    TableSpec{"snapshot_blocks", snapshotBlocksTable, nullptr},
    TableSpec{"snapshot_segments", snapshotSegmentsTable, nullptr},
    TableSpec{"flight_recorder", flightRecorderTable, nullptr},
    TableSpec{"findings", findingsOfReport, nullptr, true, true},
    TableSpec{"attribution", attributionOf, compute<&Analysis::wholeStepWindows>, true, false, true},
    TableSpec{"modules", ofAnalysis<modulesTable>, nullptr},
    TableSpec{"frames", ofAnalysis<framesTable>, nullptr},
    TableSpec{"compiled_regions", ofAnalysis<compiledRegionsTable>, nullptr},
    TableSpec{"flops", flopsTable, compute<&Analysis::operatorTree>, false, false, false, true},
    TableSpec{"gemms", gemmsTable, compute<&Analysis::operatorTree>, false, false, false, true},
    TableSpec{"mfu", mfuTable, compute<&Analysis::wholeStepWindows>, true, false, true, true},
    TableSpec{"efficiency", efficiencyTable, compute<&Analysis::wholeStepWindows>, true, false, true, true},
    TableSpec{"iterations", iterationsTable, compute<&Analysis::operatorTree>, true, false, true},
    parallelSpec("parallel_groups", parallelGroupsTable),
    parallelSpec("parallel_ranks", parallelRanksTable),
    parallelSpec("parallel_summary", parallelSummaryTable),
    TableSpec{"ddp_buckets", ddpBucketsTable, nullptr, true},
    parallelSpec("fsdp_units", fsdpUnitsTable),
    parallelSpec("zero_stages", zeroStagesTable),
    parallelSpec("tp_layers", tpLayersTable),
    parallelSpec("pipeline_actions", pipelineActionsTable),
    parallelSpec("pipeline_stages", pipelineStagesTable),
    parallelSpec("expert_traffic", expertTrafficTable),
    parallelSpec("expert_ranks", expertRanksTable),
    TableSpec{"critical_path", ofWhatIf<criticalPathTable>, nullptr, true, false, false, false, true},
    TableSpec{"critical_path_summary", ofWhatIf<criticalPathSummaryTable>, nullptr, true, false, false, false,
              true},
    TableSpec{"what_if", ofWhatIf<whatIfTable>, nullptr, true, false, false, false, true},
    TableSpec{"slowdown", slowdownTable, nullptr, true, false, false, false, true},
    ncclSpec<communicatorsTable>("communicators"),
    ncclSpec<ncclLinksTable>("nccl_links"),
    ncclSpec<ncclRingsTable>("nccl_rings"),
    ncclSpec<ncclTreesTable>("nccl_trees"),
    ncclSpec<ncclCallsTable>("nccl_calls"),
    ncclSpec<ncclChoicesTable>("nccl_choices"),
    ncclSpec<ncclWarningsTable>("nccl_warnings"),
    ncclSpec<ncclFilesTable>("nccl_files"),
    TableSpec{"bandwidth", ofBandwidth<bandwidthTable>, nullptr, true},
    TableSpec{"fits", ofBandwidth<fitsTable>, nullptr, true},
    TableSpec{"predictions", predictionsOf, nullptr, true},
    TableSpec{"bucket_advice", bucketAdviceOf,
              compute<&Analysis::wholePhases, &Analysis::exposedCommunication>},
};

std::int64_t whole(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

std::vector<TableColumn> ranksColumns() {
  return {{"rank", Unit::Identity},
          {"capture", Unit::Identity},
          {"host", Unit::Text},
          {"gpu", Unit::Text},
          {"world_size", Unit::Count},
          {"steps", Unit::Count},
          {"events", Unit::Count},
          {"step_mean_us", Unit::Nanoseconds},
          {"gpu_span_us", Unit::Nanoseconds},
          {"gpu_busy_us", Unit::Nanoseconds},
          {"compute_us", Unit::Nanoseconds},
          {"communication_us", Unit::Nanoseconds},
          {"overlap_us", Unit::Nanoseconds},
          {"exposed_communication_us", Unit::Nanoseconds},
          {"memory_us", Unit::Nanoseconds},
          {"idle_us", Unit::Nanoseconds},
          {"overlap_pct", Unit::Percent},
          {"gpu_utilization_pct", Unit::Percent},
          {"sm_efficiency_pct", Unit::Percent},
          {"occupancy_pct", Unit::Percent},
          {"wait_us", Unit::Nanoseconds},
          {"transfer_us", Unit::Nanoseconds},
          {"collectives", Unit::Count},
          {"last_arrivals", Unit::Ratio},
          {"lateness_mean_us", Unit::Nanoseconds},
          {"z_score", Unit::Ratio},
          {"slowdown", Unit::Ratio},
          {"straggler", Unit::Identity},
          {"clock_offset_us", Unit::Nanoseconds},
          {"clock_residual_us", Unit::Nanoseconds},
          {"peak_allocated_bytes", Unit::Bytes},
          {"peak_reserved_bytes", Unit::Bytes}};
}

// Columns that compare a rank with others. The offset is how far its clock is ahead of the job's at the begin
// of its recording.
template <class CellOf> void addArrivals(const Analysis& analysis, RankIndex rank, CellOf&& cell) {
  const RankArrivals& arrivals = analysis.arrivals(rank);
  if (arrivals.collectives > 0) {
    cell("wait_us") = arrivals.wait;
    cell("transfer_us") = arrivals.transfer;
    cell("last_arrivals") = cellOf(arrivals.lastShare());
    cell("lateness_mean_us") = cellOf(arrivals.latenessMean());
  }
  cell("collectives") = arrivals.collectives;
  const RankPace& pace = analysis.stragglers().ranks[rank.value];
  cell("z_score") = cellOf(pace.zScore);
  cell("slowdown") = cellOf(pace.slowdown);
  if (pace.slowdown) cell("straggler") = std::int64_t{pace.straggler};
  const RankClock& clock = analysis.clocks().ranks[rank.value];
  const RankTime begin(analysis.trace().rank(rank).trace->extent.begin);
  cell("clock_offset_us") = clock.correction.aheadOfJob(begin);
  cell("clock_residual_us") = cellOf(clock.residual);
}

} // namespace

std::span<const TableSpec> tableSpecs() {
  return kSpecs;
}

const TableSpec* tableSpec(std::string_view name) {
  const auto found =
      std::find_if(kSpecs.begin(), kSpecs.end(), [&](const TableSpec& spec) { return spec.name == name; });
  return found == kSpecs.end() ? nullptr : &*found;
}

void prepareTable(const JobReport& report, const TableSpec& spec, unsigned threadCount) {
  if (spec.everything) return report.computeAll(threadCount);
  const Analysis& analysis = report.analysis();
  if (spec.clocks) {
    // For all ranks, independent of scope.
    parallelFor(analysis.trace().ranks().size(), threadCount,
                [&](std::size_t i) { static_cast<void>(analysis.collectiveCalls(RankIndex(i))); });
  }
  if (spec.memoryRoles) static_cast<void>(report.memoryRoles(threadCount));
  if (spec.whatIf) static_cast<void>(report.whatIf(threadCount));
  if (spec.ofRank == nullptr) return;
  parallelFor(analysis.ranks().size(), threadCount,
              [&](std::size_t i) { spec.ofRank(analysis, analysis.ranks()[i]); });
  if (spec.account) static_cast<void>(report.account(threadCount));
  if (spec.flops) static_cast<void>(report.flops(threadCount));
  if (spec.parallel) static_cast<void>(report.parallel(threadCount));
}

ResultTable filesTable(const Analysis& analysis) {
  ResultTable table("files", {{"path", Unit::Text},
                              {"rank", Unit::Identity},
                              {"capture", Unit::Identity},
                              {"rank_from", Unit::Text},
                              {"host", Unit::Text},
                              {"bytes", Unit::Bytes},
                              {"json_bytes", Unit::Bytes},
                              {"events", Unit::Count},
                              {"begin_us", Unit::Nanoseconds},
                              {"end_us", Unit::Nanoseconds},
                              {"repaired", Unit::Count},
                              {"skipped", Unit::Count},
                              {"note", Unit::Text}});
  const TraceSet& trace = analysis.trace();
  std::vector<RankIndex> rankOfFile(trace.files().size());
  for (std::size_t i = 0; i < trace.ranks().size(); ++i)
    rankOfFile[trace.ranks()[i].file.value] = RankIndex(i);
  for (std::size_t f = 0; f < trace.files().size(); ++f) {
    const FileRecord& file = trace.files()[f];
    const auto time = [&](TimeNs own) { return Cell(sinceJobBegin(analysis, rankOfFile[f], RankTime(own))); };
    const bool read = file.rank.has_value();
    const bool timed = read && !file.extent.empty() && rankOfFile[f].valid();
    table.addRow({textCell(shownPath(file.path)), read ? Cell(std::int64_t{*file.rank}) : Cell(),
                  read ? Cell(std::int64_t{file.capture}) : Cell(), textCell(file.rankFrom),
                  textCell(file.host), whole(file.bytes), read ? Cell(whole(file.textBytes)) : Cell(),
                  read ? Cell(whole(file.events)) : Cell(), timed ? time(file.extent.begin) : Cell(),
                  timed ? time(file.extent.end) : Cell(), read ? Cell(whole(file.repaired)) : Cell(),
                  read ? Cell(whole(file.skipped)) : Cell(), textCell(withShownPaths(file.note))});
  }
  return table;
}

ResultTable ranksTable(const Analysis& analysis) {
  ResultTable table("ranks", ranksColumns());
  const TraceSet& trace = analysis.trace();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = trace.rank(rank);
    const RankStatistics& s = analysis.statistics(rank);
    const GpuMetrics& gpu = analysis.gpuMetrics(rank);
    const std::array known = {Cell(std::int64_t{entry.rank}),
                              Cell(std::int64_t{entry.capture}),
                              textCell(entry.host),
                              textCell(entry.gpu),
                              cellOf(entry.trace->metadata.worldSize),
                              Cell(s.steps),
                              Cell(whole(entry.trace->fileEvents)),
                              cellOf(analysis.stepMean(rank)),
                              Cell(s.gpuSpan),
                              Cell(s.gpuBusy),
                              Cell(s.compute),
                              Cell(s.communication),
                              Cell(s.overlap),
                              Cell(s.exposedCommunication),
                              Cell(s.memory),
                              Cell(s.idle),
                              cellOf(s.overlapPct),
                              cellOf(gpu.utilizationPct),
                              cellOf(gpu.smEfficiencyPct),
                              cellOf(gpu.occupancyPct)};
    std::vector<Cell> cells(known.begin(), known.end());
    cells.resize(table.columns().size());
    const MemoryProfile& memory = analysis.memory(rank);
    addArrivals(analysis, rank,
                [&](std::string_view column) -> Cell& { return cells[*table.columnNamed(column)]; });
    cells[*table.columnNamed("peak_allocated_bytes")] = cellOf(peakAllocatedOf(analysis, rank));
    cells[*table.columnNamed("peak_reserved_bytes")] = cellOf(memory.peakReservedBytes());
    table.addRow(cells);
  }
  return table;
}

} // namespace rankscope

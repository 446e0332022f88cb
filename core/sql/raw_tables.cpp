// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/raw_tables.h"

#include "core/io/files/shown_paths.h"
#include "core/sql/raw_rows.h"

#include <set>
#include <string>
#include <utility>

namespace rankscope {

namespace {

ResultTable emptyTable(std::string_view name, const std::vector<SqlColumn>& columns) {
  std::vector<TableColumn> own;
  own.reserve(columns.size());
  for (const SqlColumn& column : columns) own.push_back({column.name, column.unit});
  return {std::string(name), std::move(own)};
}

const std::vector<SqlColumn> kJob{{"name", Unit::Text, "name of the job"},
                                  {"world_size", Unit::Count, "ranks of the job as recorded"},
                                  {"ranks", Unit::Count, "ranks with a recording"},
                                  {"hosts", Unit::Count, "hosts with a recording"},
                                  {"steps", Unit::Count, "distinct steps of all recordings"},
                                  {"begin_wall_ns", kNs, "wall time of 0 in all tables, since 1970"},
                                  {"version", Unit::Text, "version of Rankscope"}};

ResultTable makeJob(const JobReport& report, const EventSource& source) {
  ResultTable table = emptyTable("job", kJob);
  const Analysis& analysis = report.analysis();
  const TraceSet& trace = source.trace();
  std::set<std::int64_t> steps;
  for (const RankIndex rank : analysis.ranks()) {
    for (const StepWindow& step : analysis.wholeStepWindows(rank).steps) steps.insert(step.number);
  }
  table.addRow({textCell(trace.jobName()), cellOf(trace.worldSize()),
                Cell(static_cast<std::int64_t>(countRanks(analysis).ranks)),
                Cell(static_cast<std::int64_t>(trace.hostCount())),
                Cell(static_cast<std::int64_t>(steps.size())), Cell(analysis.extent().begin.ns()),
                Cell(std::string_view(RANKSCOPE_VERSION))});
  return table;
}

const std::vector<SqlColumn> kRanks{
    {"rank", kId, "rank"},
    {"capture", kId, "profiling cycle of the rank"},
    {"rank_index", kId, "number of the recording, the high part of event ids"},
    {"host", Unit::Text, "host name"},
    {"gpu", Unit::Text, "name of the device"},
    {"file", Unit::Text, "path of the trace file"},
    {"clock_offset_ns", kNs, "how far its clock is ahead of the job's"},
    {"clock_residual_ns", kNs, "what the alignment of clocks leaves"},
    {"begin_ns", kNs, "first event on the job's clock"},
    {"end_ns", kNs, "last end on the job's clock"}};

ResultTable makeRanks(const JobReport& report, const EventSource& source) {
  ResultTable table = emptyTable("ranks_raw", kRanks);
  const Analysis& analysis = report.analysis();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = source.trace().rank(rank);
    const TimeRange extent = entry.trace->extent;
    const RankClock& clock = analysis.clocks().ranks[rank.value];
    table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                  Cell(std::int64_t{rank.value}), textCell(entry.host), textCell(entry.gpu),
                  entry.file.valid() ? textCell(shownPath(source.trace().file(entry.file).path)) : Cell(),
                  Cell(clock.correction.aheadOfJob(RankTime(extent.begin))), cellOf(clock.residual),
                  Cell(source.sinceBegin(rank, extent.begin)), Cell(source.sinceBegin(rank, extent.end))});
  }
  return table;
}

const std::vector<SqlColumn> kTracks{{"track_id", kId, "number of the thread or stream in this job"},
                                     {"rank", kId, "rank"},
                                     {"capture", kId, "profiling cycle of the rank"},
                                     {"kind", Unit::Text, "thread, stream, python, annotations, ..."},
                                     {"process", Unit::Text, "process id as recorded"},
                                     {"thread", Unit::Text, "thread or stream id as recorded"},
                                     {"device", kId, "device; NULL on the host"},
                                     {"stream", Unit::Text, "stream; NULL on the host"},
                                     {"label", Unit::Text, "names of process and thread as recorded"}};

std::string_view trackKindText(TrackKind kind) {
  switch (kind) {
  case TrackKind::Annotations:
    return "annotations";
  case TrackKind::Thread:
    return "thread";
  case TrackKind::Python:
    return "python";
  case TrackKind::Stream:
    return "stream";
  case TrackKind::GpuAnnotations:
    return "gpu_annotations";
  case TrackKind::Sync:
    return "sync";
  case TrackKind::Instants:
    return "instants";
  case TrackKind::Overhead:
    return "overhead";
  case TrackKind::Other:
    break;
  }
  return "other";
}

ResultTable makeTracks(const JobReport& report, const EventSource& source) {
  ResultTable table = emptyTable("tracks", kTracks);
  for (const RankIndex rank : report.analysis().ranks()) {
    const RankEntry& entry = source.trace().rank(rank);
    for (std::size_t i = 0; i < entry.trace->tracks.size(); ++i) {
      const Track& track = entry.trace->tracks[i];
      std::string label = track.processName;
      if (!label.empty() && !track.threadName.empty()) label += " / ";
      label += track.threadName;
      const bool onDevice = track.device >= 0;
      table.addRow({Cell(source.trackId(rank, TrackIndex(i))), Cell(std::int64_t{entry.rank}),
                    Cell(std::int64_t{entry.capture}), Cell(trackKindText(track.kind)),
                    textCell(track.process), textCell(track.thread),
                    onDevice ? Cell(std::int64_t{track.device}) : Cell(),
                    onDevice ? textCell(track.thread) : Cell(), textCell(label)});
    }
  }
  return table;
}

const std::vector<SqlColumn> kSteps{
    {"rank", kId, "rank"},
    {"capture", kId, "profiling cycle of the rank"},
    {"step", kId, "number of the step"},
    {"position", Unit::Count, "place among the steps of the recording, from 0"},
    {"kept", Unit::Count, "1 if the step counts for means"},
    {"begin_ns", kNs, "begin including the step's device work"},
    {"end_ns", kNs, "end including the step's device work"},
    {"host_begin_ns", kNs, "begin of the step on the host"},
    {"host_end_ns", kNs, "end of the step on the host"}};

ResultTable makeSteps(const JobReport& report, const EventSource& source) {
  ResultTable table = emptyTable("step_windows", kSteps);
  const Analysis& analysis = report.analysis();
  const KeptSteps& kept = analysis.keptSteps();
  for (const RankIndex rank : analysis.ranks()) {
    const RankEntry& entry = source.trace().rank(rank);
    const auto& steps = analysis.wholeStepWindows(rank).steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (!analysis.window(rank).contains(RankTime(steps[i].range.begin)) &&
          analysis.window(rank) != kWholeRecording)
        continue;
      const bool isStep = i < kept.stepOfRank[rank.value].size();
      const auto time = [&](TimeNs ns) { return Cell(source.sinceBegin(rank, ns)); };
      table.addRow({Cell(std::int64_t{entry.rank}), Cell(std::int64_t{entry.capture}),
                    steps[i].number == Step::kUnknownNumber ? Cell() : Cell(steps[i].number),
                    Cell(static_cast<std::int64_t>(i)),
                    isStep ? Cell(std::int64_t{kept.status(rank.value, i) == StepStatus::Kept}) : Cell(),
                    time(steps[i].range.begin), time(steps[i].range.end), time(steps[i].host.begin),
                    time(steps[i].host.end)});
    }
  }
  return table;
}

template <ResultTable (*Make)(const JobReport&, const EventSource&)>
std::unique_ptr<const SqlRows> made(const JobReport& report, const EventSource& source) {
  return rowsOf(Make(report, source));
}

} // namespace

const std::vector<RawTableSpec>& rawTableSpecs() {
  static const std::vector<RawTableSpec> kSpecs = [] {
    std::vector<RawTableSpec> specs{
        {"job", "The job, in one row.", kJob, made<makeJob>},
        {"ranks_raw", "Recordings with their files and clocks.", kRanks, made<makeRanks>},
        {"tracks", "Threads and streams.", kTracks, made<makeTracks>},
        {"step_windows", "Steps of each rank as time ranges.", kSteps, made<makeSteps>}};
    for (RawTableSpec& spec : rowSpecs()) specs.push_back(std::move(spec));
    for (RawTableSpec& spec : specs) markEventColumns(spec.columns);
    return specs;
  }();
  return kSpecs;
}

} // namespace rankscope

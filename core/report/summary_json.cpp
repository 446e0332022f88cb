// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/summary_json.h"

#include "core/base/unit_text.h"
#include "core/export/json.h"
#include "core/io/files/shown_paths.h"
#include "core/report/job_totals.h"
#include "core/report/summary_parts.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

using Definition = std::pair<std::string_view, std::string_view>;

constexpr std::array kDefinitions = {
    Definition{"device activity", "events of category kernel, gpu_memcpy and gpu_memset with a duration; not "
                                  "annotations, synchronization rows or overhead"},
    Definition{"gpu_span_us", "from the first begin to the last end of a rank's device activity"},
    Definition{"gpu_busy_us", "length of the union of all device activity over all streams of the rank"},
    Definition{"compute_us", "length of the union of kernels that compute"},
    Definition{"communication_us",
               "length of the union of communication kernels, identified by their collective "
               "arguments or their name"},
    Definition{"memory_us", "length of the union of memcpy and memset"},
    Definition{"overlap_us", "length of the intersection of communication and compute"},
    Definition{"exposed_communication_us",
               "communication_us - overlap_us; a memcpy does not hide communication"},
    Definition{"overlap_pct", "100 overlap_us / communication_us; empty without communication"},
    Definition{"idle_us", "gpu_span_us - gpu_busy_us"},
    Definition{"gpu_utilization_pct",
               "share of the time of the kept steps (with --all-steps from the first begin to the last "
               "end, of the GPU span without steps) in which a kernel ran; memcpy does not count"},
    Definition{"sm_efficiency_pct", "mean over that time of min(blocks per SM of the running kernels, 1)"},
    Definition{"occupancy_pct",
               "est. achieved occupancy, weighted by the time of the kernels that report it"},
    Definition{
        "steps",
        "ProfilerStep annotations on the host, each from its begin or the end of the step before to its "
        "end or that of the device work it launched; without them an annotation that repeats, else the "
        "period of the collectives, else (0 steps) one row over everything"},
    Definition{"steps_found", "how steps were found: marked, annotation, collectives, whole"},
    Definition{"step_mean_us", "mean duration of the rank's kept rows of steps; of all if none is kept"},
    Definition{"kernel_us ... other_us", "each instant of a step counts to the first of these that holds it, "
                                         "so they sum to its duration"},
    Definition{"kernels",
               "per rank, name and kind: sums of durations of calls; stddev_us of the sample; "
               "blocks_per_sm and occupancy_pct weighted by duration over the calls that report them"},
    Definition{"gaps",
               "time of 5 us or more between two busy intervals of a device (stream empty) or of a stream; "
               "cause by the activity of the thread that launched the next device event"},
    Definition{"collective_instances",
               "calls of all participants, matched by sequence number, else by order of operation, type and "
               "size within group and step, else by time; transfer_us is the least duration"},
    Definition{"wait_us", "until the last participant began, clipped to the duration; transfer_us the rest"},
    Definition{"algbw_gb_s, busbw_gb_s",
               "message size by transfer time over matched calls; times the factor of nccl-tests"},
    Definition{"last_arrivals", "share of matched collectives that the rank began last"},
    Definition{"slowdown, z_score", "of a rank's step time excluding communication (step less the union of "
                                    "its waits) against the ranks of its "
                                    "capture, "
                                    "medians over the steps"},
    Definition{"clock_offset_us",
               "how far the rank's clock is ahead of the job's, that of the first rank's host; "
               "clock_residual_us: 95 % of its blocking collectives end within this time of the median "
               "rank's; points of time in all tables are on the job's clock"},
    Definition{"operators", "per rank and name: host_self_us excludes child operators; device_self_us sums "
                            "what was launched from the "
                            "operator itself"},
    Definition{"memory", "size increase is the signed sum of records, allocation their positive part; self "
                         "excludes child operators"},
    Definition{"findings",
               "gains are per kept step, of the rank that is named, else of the mean rank; "
               "cost_us is the lower gain over all kept steps; accepted ones count in their severity too"},
    Definition{"part of a job",
               "with --steps, --from, --to: unions are clipped to it; what is counted belongs to it when it "
               "begins there"},
    Definition{"part", "what was asked about, and from when to when after the job's first event that was "
                       "recorded; null: no limit; duration_us is of the whole job"},
    Definition{"empty cell", "unknown or not recorded; 0 means zero"},
};

void writeFiles(JsonWriter& json, const TraceSet& trace) {
  json.beginArray("files");
  for (const FileRecord& file : trace.files()) {
    json.beginObject();
    json.text("path", shownPath(file.path));
    if (file.rank)
      json.integer("rank", *file.rank);
    else
      json.null("rank");
    if (file.rank)
      json.integer("capture", file.capture);
    else
      json.null("capture");
    json.integer("bytes", static_cast<std::int64_t>(file.bytes));
    json.integer("events", static_cast<std::int64_t>(file.events));
    json.integer("repaired", static_cast<std::int64_t>(file.repaired));
    json.integer("skipped", static_cast<std::int64_t>(file.skipped));
    json.text("note", file.note);
    json.endObject();
  }
  json.endArray();
}

void writeTotals(JsonWriter& json, const JobTotals& totals) {
  json.beginObject("totals");
  json.integer("files_read", static_cast<std::int64_t>(totals.filesRead));
  json.integer("files_left_out", static_cast<std::int64_t>(totals.filesLeftOut));
  json.integer("bytes", static_cast<std::int64_t>(totals.bytes));
  json.integer("json_bytes", static_cast<std::int64_t>(totals.textBytes));
  json.integer("events", static_cast<std::int64_t>(totals.events));
  json.integer("repaired", static_cast<std::int64_t>(totals.repaired));
  json.integer("skipped", static_cast<std::int64_t>(totals.skipped));
  const auto time = [&](std::string_view name, TimeNs value) { json.literal(name, microsecondsText(value)); };
  time("gpu_span_us", totals.gpuSpan);
  time("gpu_busy_us", totals.gpuBusy);
  time("compute_us", totals.compute);
  time("communication_us", totals.communication);
  time("overlap_us", totals.overlap);
  time("exposed_communication_us", totals.exposedCommunication);
  time("memory_us", totals.memory);
  time("idle_us", totals.idle);
  json.endObject();
}

} // namespace

std::span<const std::pair<std::string_view, std::string_view>> definitions() {
  return kDefinitions;
}

std::string summaryJson(const JobReport& report, std::span<const std::string> tableFiles,
                        std::span<const AcceptedFinding> accepted, const JobPart& part) {
  const Analysis& analysis = report.analysis();
  const TraceSet& trace = analysis.trace();
  const JobTotals totals = jobTotals(analysis);
  JsonWriter json;
  json.beginObject();
  json.text("program", "rankscope");
  json.text("version", RANKSCOPE_VERSION);
  json.text("job", trace.jobName());
  if (trace.worldSize())
    json.integer("world_size", *trace.worldSize());
  else
    json.null("world_size");
  json.integer("ranks", totals.distinctRanks);
  json.integer("recordings", static_cast<std::int64_t>(trace.ranks().size()));
  json.integer("hosts", static_cast<std::int64_t>(trace.hostCount()));
  json.integer("steps", totals.steps);
  json.beginArray("steps_found");
  for (const StepSource source :
       {StepSource::Marked, StepSource::Annotation, StepSource::Collectives, StepSource::Whole}) {
    const std::vector<RankIndex>& ranks = analysis.ranks();
    const bool any = std::any_of(ranks.begin(), ranks.end(),
                                 [&](RankIndex rank) { return analysis.stepWindows(rank).found == source; });
    if (any) json.text({}, stepSourceText(source));
  }
  json.endArray();
  json.literal("duration_us", microsecondsText(analysis.extent().length()));
  writePart(json, part, analysis);
  writeTotals(json, totals);
  writeJobParts(json, report, accepted);
  writeFiles(json, trace);
  json.beginArray("tables");
  for (const std::string& file : tableFiles) json.text({}, file);
  json.endArray();
  json.beginObject("definitions");
  for (const auto& [figure, definition] : kDefinitions) json.text(figure, definition);
  json.endObject();
  json.endObject();
  return json.take();
}

} // namespace rankscope

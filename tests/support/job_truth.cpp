// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes ground_truth.json: integers in nanoseconds, one collective or file per line.
#include "tests/support/job_writer.h"

#include <fmt/format.h>

namespace rankscope::test {
namespace {

const char* textOf(GapCause cause) {
  switch (cause) {
  case GapCause::DataLoader:
    return "dataloader";
  case GapCause::Sync:
    return "sync";
  case GapCause::CudaMalloc:
    return "cudaMalloc";
  case GapCause::Python:
    return "python";
  case GapCause::LaunchBound:
    return "launch-bound";
  }
  return "";
}

const char* textOf(StragglerKind kind) {
  return kind == StragglerKind::Compute      ? "compute"
         : kind == StragglerKind::DataLoader ? "dataloader"
                                             : "host";
}

template <class List, class One> std::string listed(const List& list, std::string_view separator, One one) {
  std::string text = "[";
  bool first = true;
  for (const auto& item : list) {
    if (!first) text += separator;
    first = false;
    text += one(item);
  }
  return text + "]";
}

std::string numbers(const auto& list) {
  return listed(list, ", ", [](auto n) { return fmt::format("{}", n); });
}

std::string textOf(const FileTruth& f) {
  std::string text = fmt::format(
      R"({{"file": "{}", "rank": {}, "capture": {}, "node": {}, "host": "{}", "device": {}, "pid": {},)"
      R"( "events": {}, "device_events": {}, "damaged_events": {}, "file_bytes": {}, "json_bytes": {},)"
      R"( "base_ns": {}, "first_ns": {}, "last_ns": {}, "gpu_span_ns": {}, "gpu_busy_ns": {}, "idle_ns": {}, "compute_ns": {},)"
      R"( "communication_ns": {}, "overlap_ns": {}, "exposed_communication_ns": {}, "memory_ns": {},)"
      R"( "peak_allocated": {}, "peak_reserved": {}, "allocated_at_end": {}, "steps": )",
      f.file, f.rank, f.capture, f.node, f.host, f.device, f.pid, f.events, f.deviceEvents, f.damagedEvents,
      f.fileBytes, f.jsonBytes, f.baseNs, f.firstNs, f.lastNs, f.spanNs, f.busyNs, f.idleNs, f.computeNs,
      f.communicationNs, f.overlapNs, f.communicationNs - f.overlapNs, f.memoryNs, f.peakAllocated,
      f.peakReserved, f.allocatedAtEnd);
  text += listed(f.steps, ", ", [](const StepTruth& s) {
    return fmt::format(R"({{"step": {}, "begin_ns": {}, "duration_ns": {}}})", s.number, s.beginNs,
                       s.durationNs);
  });
  text +=
      ", \"gaps\": " + listed(f.gaps, ", ", [](const GapTruth& g) {
        return fmt::format(
            R"({{"step": {}, "cause": "{}", "requested_ns": {}, "begin_ns": {}, "duration_ns": {}, "idle_ns": {}}})",
            g.step, textOf(g.cause), g.requestedNs, g.beginNs, g.durationNs, g.idleNs);
      });
  text += ",\n  \"device_names\": " + listed(f.names, ",\n    ", [](const NameTruth& n) {
            return fmt::format(R"({{"name": "{}", "kind": "{}", "calls": {}, "total_ns": {}}})", n.name,
                               n.kind == 'P'   ? "compute"
                               : n.kind == 'C' ? "communication"
                                               : "memory",
                               n.calls, n.totalNs);
          });
  return text + "}";
}

std::string textOf(const CollectiveTruth& c) {
  return fmt::format(
             R"({{"capture": {}, "step": {}, "index": {}, "operation": "{}", "dtype": "{}", "group": "{}", "in_elements": {}, "out_elements": {}, "last_rank": {}, "ranks": )",
             c.capture, c.step, c.index, c.operation, c.dtype, c.group, c.inElements, c.outElements,
             c.lastRank) +
         listed(c.participants, ", ",
                [](const ParticipantTruth& p) {
                  return fmt::format(
                      R"({{"rank": {}, "begin_ns": {}, "end_ns": {}, "wait_ns": {}, "transfer_ns": {}}})",
                      p.rank, p.beginNs, p.endNs, p.waitNs, p.transferNs);
                }) +
         "}";
}

} // namespace

void writeTruth(const JobTruth& truth, const std::filesystem::path& path) {
  OutputFile file(path, false, 0);
  const JobOptions& o = truth.options;
  file.write(
      fmt::format("{{\n\"synthetic\": true, \"ranks\": {}, \"ranks_per_node\": {}, \"steps\": {}, "
                  "\"captures\": {}, \"layers\": {}, \"seed\": {},\n"
                  "\"events\": {}, \"json_bytes\": {}, \"leak_bytes_per_step\": {}, \"leak_rank\": {},\n",
                  o.ranks, o.ranksPerNode, o.steps, o.captures, o.layers, o.seed, truth.events(),
                  truth.jsonBytes(), o.leakBytesPerStep, o.leakRank));
  file.write(fmt::format("\"origin_ns\": {}, \"clock_offset_ns\": {}, \"clock_drift_ppb\": {},\n",
                         truth.originNs, numbers(truth.clockOffsetNs), numbers(truth.clockDriftPpb)));
  file.write(fmt::format(
      R"("straggler": {{"rank": {}, "kind": "{}", "extra_ns": {}, "from_step": {}, "steps": {}, "wait_ns": {}, "exposed_wait_ns": {}, "delay_ns": {}}},)",
      truth.straggler.rank, textOf(o.straggler.kind), o.straggler.extraNs, o.straggler.fromStep,
      numbers(truth.straggler.steps), numbers(truth.straggler.waitNs), numbers(truth.straggler.exposedWaitNs),
      numbers(truth.straggler.delayNs)));
  file.write("\n\"files\": [\n");
  for (std::size_t i = 0; i < truth.files.size(); ++i) file.write((i ? ",\n" : "") + textOf(truth.files[i]));
  file.write("],\n\"collectives\": [\n");
  for (std::size_t i = 0; i < truth.collectives.size(); ++i)
    file.write((i ? ",\n" : "") + textOf(truth.collectives[i]));
  file.write("]\n}\n");
  file.close();
}

} // namespace rankscope::test

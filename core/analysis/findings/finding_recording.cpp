// SPDX-License-Identifier: GPL-3.0-or-later
// What a recording is good for: its edges, start-up, benchmarks, idle time that it does not explain.
#include "core/analysis/findings/finding_names.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/job/recording_advice.h"
#include "core/analysis/job/step_notes.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace rankscope {

namespace {

constexpr std::int64_t kFewKernels = 50;
constexpr double kMostlyStartup = 0.5;
constexpr std::size_t kSteadySteps = 3;
constexpr std::size_t kLastSteps = 2;
constexpr double kOfMeanStep = 0.5;
constexpr double kMinEdge = 0.05;
constexpr double kMinUnexplained = 0.05;

struct Work {
  std::int64_t kernels = 0;
  NameId name; // of the kernel, or the operation, that takes most time
  bool trains = false;
  bool communicates = false;
};

Work workOf(const FindingContext& context, RankIndex rank) {
  const Analysis& analysis = context.analysis();
  Work work;
  TimeNs most = 0;
  for (const KernelStatistics& kernel : analysis.kernels(rank)) {
    if (kernel.deviceClass == DeviceClass::Compute) work.kernels += kernel.calls;
    if (kernel.total <= most) continue;
    most = kernel.total;
    work.name = kernel.name;
  }
  const HostPhases& phases = analysis.wholePhases(rank);
  work.trains = !phases.backward.empty() || !phases.optimizer.empty();
  work.communicates = !analysis.collectiveCalls(rank).empty();
  return work;
}

// Kernels of the whole recording, where only a part of it is asked about. Few of them in a part are no sign
// of a benchmark.
bool isPartOfMany(const Analysis& analysis, RankIndex rank) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const RankRange asked = analysis.window(rank);
  if (asked.begin.ns() <= trace.extent.begin && trace.extent.end <= asked.end.ns()) return false;
  const auto kinds = trace.events.kind.span().subspan(trace.deviceBegin.value,
                                                      trace.deviceEnd.value - trace.deviceBegin.value);
  return std::ranges::count(kinds, EventKind::Kernel) >= kFewKernels;
}

// Single operations, over and over, or one step of a toy: a recording of that sort has no costs.
bool isBenchmark(const FindingContext& context, RankIndex rank, const Work& work) {
  if (!context.hasDevices(rank)) return !work.trains && work.communicates;
  if (isPartOfMany(context.analysis(), rank)) return false;
  return work.kernels < kFewKernels && (!work.trains || context.kept().steps == 1);
}

// Launches that a graph takes in: the device runs nothing of them.
bool recordsGraphCapture(const FindingContext& context) {
  const TraceSet& traces = context.analysis().trace();
  const bool captures = jobHasName(traces, "capture of CUDA graphs", [](std::string_view name) {
    return name.find("StreamBeginCapture") != std::string_view::npos;
  });
  return std::ranges::any_of(context.ranks(), [&](RankIndex rank) {
    const RankEntry& entry = traces.rank(rank);
    return captures || traces.file(entry.file).path.find("graph_capture") != std::string::npos;
  });
}

std::size_t mostSteps(const Analysis& analysis) {
  std::size_t most = 0;
  for (const RankIndex rank : analysis.ranks()) {
    const StepWindows& windows = analysis.wholeStepWindows(rank);
    if (windows.areSteps()) most = std::max(most, windows.steps.size());
  }
  return most;
}

// kernels: compute kernels of the rank with most.
std::string benchmarkText(const Analysis& analysis, std::int64_t kernels, bool trains) {
  const std::string few =
      kernels == 0 ? "no compute kernel" : fmt::format("fewer than {} compute kernels per rank", kFewKernels);
  const std::size_t steps = mostSteps(analysis);
  if (steps == 0) return "No training steps, and " + few;
  return (steps == 1 ? "Only one step per recording, with "
          : trains   ? "Only one step that counts, with "
                     : "Steps without a backward pass, with ") +
         few;
}

// Where steps are marked, they lack what a training step has.
std::string benchmarkAdvice(const Analysis& analysis) {
  const bool marked = std::ranges::any_of(analysis.ranks(), [&](RankIndex rank) {
    return analysis.wholeStepWindows(rank).found == StepSource::Marked;
  });
  if (!marked || recordedByNsight(analysis.trace())) return recordStepsAdvice(analysis.trace());
  return "Record three or more whole steps of the training loop in a row: "
         "torch.profiler.schedule(wait=1, warmup=2, active=3).";
}

bool findBenchmark(FindingContext& context) {
  NameId name;
  std::int64_t most = 0; // compute kernels of a rank
  bool trains = false;
  for (const RankIndex rank : context.ranks()) {
    const Work work = workOf(context, rank);
    if (!isBenchmark(context, rank, work)) return false;
    most = std::max(most, work.kernels);
    trains = trains || work.trains;
    if (!name.valid() && work.name.valid() && !context.analysis().trace().names()[work.name].empty())
      name = work.name;
  }
  if (context.ranks().empty()) return false;
  const std::string mostly =
      name.valid()
          ? fmt::format(" Most time is in {}.", shortKernelName(context.analysis().trace().names()[name]))
          : std::string();
  if (recordsGraphCapture(context)) {
    context.add(
        infoAbout(FindingKind::Benchmark, "Recording of CUDA graph capture",
                  "Kernels are launched into a graph and do not run: there is no time of a job in it.",
                  "Record steps that replay the graph."));
    return true;
  }
  Finding finding = infoAbout(FindingKind::Benchmark, "Benchmark: too little work for costs",
                              benchmarkText(context.analysis(), most, trains) +
                                  ": costs and gains of a training job do not apply." + mostly,
                              benchmarkAdvice(context.analysis()));
  if (countRanks(context.analysis()).ranks == 1) finding.rank = context.ranks().front();
  context.add(std::move(finding));
  return true;
}

// Nanoseconds of allocation and compilation in a part of a rank's recording.
double allocationIn(const FindingContext& context, RankIndex rank, TimeRange range) {
  double time = 0;
  for (const LeafTime& part : context.account().of(rank).pieces.within(range)) {
    if (isUnder(part.leaf, "host.alloc") || isUnder(part.leaf, "host.compile"))
      time += static_cast<double>(part.time);
  }
  return time;
}

// Whether ranks allocate or compile in their last steps as they do in all: then it is no start-up. Of several
// steps, also of those that the profiler did not mark.
bool isSteady(const FindingContext& context) {
  if (context.kept().areSteps) return context.kept().steps >= kSteadySteps;
  double all = 0;
  double last = 0; // both of a mean step
  for (const RankIndex rank : context.ranks()) {
    const StepWindows& found = context.analysis().stepWindows(rank);
    if (!found.areSteps() || found.steps.size() < kSteadySteps) return false;
    const std::size_t count = found.steps.size();
    for (std::size_t i = 0; i < count; ++i) {
      const double time = allocationIn(context, rank, found.steps[i].range);
      all += time / static_cast<double>(count);
      if (i + kLastSteps >= count) last += time / static_cast<double>(kLastSteps);
    }
  }
  return last >= kOfMeanStep * all;
}

bool findStartup(FindingContext& context) {
  const KeptAccount& kept = context.kept();
  const double init = kept.timeOf("capture.init");
  const double startup =
      isSteady(context) ? init : init + kept.timeOf("host.alloc") + kept.timeOf("host.compile");
  if (context.shareOf(startup) < kMostlyStartup) return false;
  const auto rest = static_cast<TimeNs>(startup - init);
  const std::string further =
      rest > 0 ? fmt::format(", {} of allocations and compilation", durationText(rest)) : std::string();
  Finding finding =
      infoAbout(FindingKind::StartupRecorded,
                fmt::format("Start-up in the recording: {}", percentText(100 * context.shareOf(startup))),
                fmt::format("{} of {} are not steady state: {} of context creation and module loading{}.",
                            durationText(static_cast<TimeNs>(startup)),
                            durationText(static_cast<TimeNs>(kept.stepTime)),
                            durationText(static_cast<TimeNs>(init)), further),
                "Record later steps: " + scheduleAdvice(5, 3, context.analysis().trace()) + ".");
  finding.leaf = leafText(Leaf::CaptureInit);
  finding.time = static_cast<TimeNs>(init);
  finding.steps = static_cast<std::int64_t>(kept.steps);
  if (countRanks(context.analysis()).ranks == 1) finding.rank = context.ranks().front();
  context.add(std::move(finding));
  return true;
}

void findEdge(FindingContext& context) {
  const LeafRule rule{FindingKind::RecordingEdge, "capture.edge", kMinEdge, Confidence::Proven, 0};
  context.addTime(rule, [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title = fmt::format("Recording edge: {} without recorded device work",
                                context.timeText(static_cast<double>(*finding.time)));
    finding.evidence = fmt::format(
        "For up to {} on {} the device worked off what was launched before the recording, or had work "
        "that ends after it. It is not counted as GPU idle time caused by the host.",
        durationText(part.front().use.worst.length()), context.rankText(part.front().rank));
    finding.fix = "Record more steps, with warmup steps before them: " +
                  scheduleAdvice(1, 5, context.analysis().trace()) + ".";
  });
}

void findUnexplained(FindingContext& context) {
  const LeafRule rule{FindingKind::UnexplainedIdle, "queue.unexplained", kMinUnexplained, Confidence::Proven,
                      0};
  context.addTime(rule, [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title =
        fmt::format("Unexplained idle time: {}", context.timeText(static_cast<double>(*finding.time)));
    finding.evidence =
        fmt::format("{}: the GPU is idle although work was queued. Kernels in CUDA graphs, another "
                    "process on the GPU or host callbacks may not have been recorded.",
                    countedText(sumOf(part, &LeafUse::count), "gap"));
    finding.fix = recordedByNsight(context.analysis().trace())
                      ? "Record with --cuda-graph-trace=node; look for other processes with nvidia-smi pmon."
                      : "Record with a newer CUPTI or with Nsight Systems; look for other processes with "
                        "nvidia-smi pmon.";
  });
}

} // namespace

RecordingUse findRecordingFindings(FindingContext& context) {
  RecordingUse use;
  use.startup = context.hasDevices() && findStartup(context);
  use.benchmark = findBenchmark(context);
  if (use.benchmark || !context.hasDevices()) return use;
  findEdge(context);
  findUnexplained(context);
  return use;
}

} // namespace rankscope

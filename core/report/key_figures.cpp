// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/key_figures.h"

#include "core/analysis/job/recording_advice.h"
#include "core/analysis/job/step_notes.h"
#include "core/base/unit_text.h"
#include "core/report/one_rank.h"

#include <fmt/format.h>

namespace rankscope {

namespace {

std::string countedText(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", countText(count), count == 1 ? one : many);
}

// The first figure that needs devices says how to record them, the others only that they are missing.
constexpr std::string_view kNoDevices = "no device activity was recorded";

std::string howToRecordDevices(const TraceSet& trace) {
  if (areFoldedStacks(trace)) return "folded stacks have no device activity";
  return fmt::format("{}: if it ran on a GPU, profile with {}", kNoDevices,
                     optionFor(Recordable::Device, trace));
}

std::string lowestText(const RankFigure& figure, const TraceSet& trace) {
  const RankEntry& lowest = trace.rank(figure.lowest);
  const std::string text = fmt::format("lowest {} (rank {}", percentText(figure.lowestPct), lowest.rank);
  return text + (trace.severalCaptures() ? fmt::format(", capture {})", lowest.capture) : std::string(")"));
}

KeyFigureText stepTime(const OverviewFigures& figures, const TraceSet& trace) {
  if (!figures.stepMean)
    return {{},
            figures.recordingHasSteps ? std::string("no step begins in the range")
            : areFoldedStacks(trace)  ? std::string("folded stacks have no steps")
                                      : "no steps were recorded: " + stepAdvice(trace)};
  const std::string_view source = detectedFromText(figures.stepsFound);
  const std::string_view one = source.empty() ? "step" : "detected step";
  const std::string_view many = source.empty() ? "steps" : "detected steps";
  std::string steps = countedText(figures.steps, one, many);
  if (figures.stepsLeftOut > 0)
    steps = fmt::format("{} of {}", countText(figures.steps),
                        countedText(figures.steps + figures.stepsLeftOut, one, many));
  if (figures.isRange && figures.steps > 0)
    steps += figures.steps == 1 ? " that begins in the range" : " that begin in the range";
  std::string note = figures.stepSpread ? fmt::format("±{} over {}", durationText(*figures.stepSpread), steps)
                                        : "of " + steps;
  KeyFigureText text{durationText(*figures.stepMean), std::move(note), spreadSeverity(figures)};
  if (!source.empty())
    text.more = fmt::format("The profiler marked no steps; they were taken from {}.", source);
  return text;
}

KeyFigureText utilization(const OverviewFigures& figures, const TraceSet& trace) {
  if (!figures.utilization) return {{}, howToRecordDevices(trace)};
  const RankFigure& of = *figures.utilization;
  // Of a range, also of the time before its first kernel and behind its last one.
  const std::string_view whole = figures.areSteps  ? ""
                                 : figures.isRange ? ", of the range"
                                                   : ", from the first kernel to the last";
  std::string note = of.captures > 1    ? rankCountText(figures.ranks) + ", " + lowestText(of, trace)
                     : figures.areSteps ? "of the steps with a kernel running"
                                        : "with a kernel running";
  note += whole;
  return {percentText(of.meanPct), std::move(note), utilizationSeverity(figures)};
}

KeyFigureText smEfficiency(const OverviewFigures& figures, const TraceSet& trace) {
  if (!figures.smEfficiency)
    return {{}, std::string(figures.hasDevices ? "blocks per SM were not recorded" : kNoDevices)};
  const RankFigure& of = *figures.smEfficiency;
  return {percentText(of.meanPct), of.captures > 1 ? lowestText(of, trace) : "of SMs with a block"};
}

KeyFigureText occupancy(const OverviewFigures& figures) {
  if (!figures.occupancy)
    return {{}, std::string(figures.hasDevices ? "occupancy was not recorded" : kNoDevices)};
  return {percentText(figures.occupancy->meanPct), "of all kernels; 15 to 30 % is common for GEMM"};
}

KeyFigureText exposed(const OverviewFigures& figures) {
  if (!figures.exposed) return {{}, std::string(noCollectivesNote(figures.callsCollectives))};
  std::string note =
      fmt::format("{} of the {}", percentText(figures.exposed->sharePct), figures.areSteps ? "step" : "time");
  if (const std::optional<TimeNs> skew = startSkew(figures))
    note += fmt::format("; {} of it start skew of the recordings", durationText(*skew));
  return {durationText(figures.exposed->mean), std::move(note), exposedSeverity(figures)};
}

KeyFigureText idle(const OverviewFigures& figures) {
  if (!figures.idle && figures.hostIdle) {
    const std::string cause = idleCauseText(figures);
    return {{},
            fmt::format("{}; the host has neither operators nor collectives for {}{}{}", kNoDevices,
                        durationText(figures.hostIdle->mean), figures.areSteps ? "/step" : "",
                        cause.empty() ? cause : ", mostly " + cause)};
  }
  if (!figures.idle) return {{}, std::string(kNoDevices)};
  const StepPart ofJob = *idleOfJob(figures);
  std::string note = durationText(ofJob.mean);
  if (figures.areSteps)
    note += "/step";
  else if (figures.isRange)
    note += " of the range";
  else
    note += figures.ranks.captures > 1 ? "/recording" : " of the recording";
  if (const std::string cause = idleCauseText(figures); !cause.empty())
    note += fmt::format(", mostly {}", cause);
  // As on the Gains tab.
  if (const std::string apart = recordingText(figures); !apart.empty()) note += "; without " + apart;
  return {percentText(ofJob.sharePct), std::move(note), idleSeverity(figures)};
}

} // namespace

std::string_view detectedFromText(StepSource source) {
  return source == StepSource::Annotation    ? "a repeating annotation"
         : source == StepSource::Collectives ? "the period of the collectives"
                                             : "";
}

std::string_view keyFigureTitle(KeyFigure figure) {
  switch (figure) {
  case KeyFigure::StepTime:
    return "Step time";
  case KeyFigure::Utilization:
    return "GPU utilization";
  case KeyFigure::SmEfficiency:
    return "Est. SM efficiency";
  case KeyFigure::Occupancy:
    return "Est. achieved occupancy";
  case KeyFigure::Exposed:
    return "Exposed communication";
  case KeyFigure::Idle:
    return "Idle";
  }
  return {};
}

std::string_view keyFigureDefinition(KeyFigure figure) {
  switch (figure) {
  case KeyFigure::StepTime:
    return "Mean over kept steps of the mean over their ranks, including the device work launched by the "
           "step; ± is the sample standard deviation over steps, each the mean of its ranks. Left out: a "
           "slow first "
           "step, "
           "evaluation and checkpoint steps, steps cut by the recording.";
  case KeyFigure::Utilization:
    return "Share of the kept steps with at least one kernel running on the device: compute and exposed "
           "communication together, without memcpy. Mean over steps, ranks and their devices. Without "
           "steps, of the time from the first to the last device activity. Colored at 50 % or less.";
  case KeyFigure::SmEfficiency:
    return "Blocks per SM of the running kernels, at most 1, averaged over the time of the kept steps: "
           "estimated share of the SMs in use. Mean over ranks.";
  case KeyFigure::Occupancy:
    return "Active warps per SM as a share of the device maximum, weighted by kernel duration, as "
           "estimated by the profiler, in the kept steps of all ranks.";
  case KeyFigure::Exposed:
    return "Time per step in which a collective runs without concurrent compute kernels. Full overlap could "
           "save this at most; waiting for late ranks is included. Colored at 15 % of the step or more "
           "without start skew of "
           "the recordings.";
  case KeyFigure::Idle:
    return "Share of the kept steps in which nothing runs on the device, memcpy included, and its main "
           "cause in the account. Edges and start-up of the recording are left out, as on the Gains "
           "tab. Colored at 10 % of the step or more.";
  }
  return {};
}

std::array<KeyFigureText, kKeyFigureCount> keyFigureTexts(const OverviewFigures& figures,
                                                          const TraceSet& trace) {
  return {stepTime(figures, trace),
          utilization(figures, trace),
          smEfficiency(figures, trace),
          occupancy(figures),
          exposed(figures),
          idle(figures)};
}

std::string rankCountText(const RankCounts& counts) {
  std::string text = countedText(static_cast<std::int64_t>(counts.ranks), "rank", "ranks");
  if (counts.severalCaptures())
    text += ", " + countedText(static_cast<std::int64_t>(counts.captures), "recording", "recordings");
  return text;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about devices that wait for what their host does beside launching.
#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/findings/leaf_parts.h"
#include "core/analysis/job/recording_advice.h"
#include "core/base/unit_text.h"

#include <array>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr LeafRule kInput{FindingKind::DataLoaderStall, "host.input", 0.02, Confidence::Proven};
constexpr LeafRule kSync{FindingKind::Synchronization, "host.sync", 0.01, Confidence::Proven};
constexpr LeafRule kPython{FindingKind::Python, "host.python", 0.02, Confidence::Proven};
constexpr LeafRule kCollection{FindingKind::GarbageCollection, "host.gc", 0.01, Confidence::Proven};
constexpr LeafRule kDescheduled{FindingKind::Descheduled, "host.descheduled", 0.01, Confidence::Hint};
constexpr LeafRule kCompile{FindingKind::GraphBreaks, "host.compile", 0.01, Confidence::Proven};
constexpr LeafRule kHostComm{FindingKind::ObjectCollectives, "host.comm", 0.01, Confidence::Likely};
constexpr LeafRule kBarrier{FindingKind::BarrierInStep, "host.comm", 0.01, Confidence::Proven};
constexpr LeafRule kCheckpoint{FindingKind::StepBurst, "host.checkpoint", 0.01, Confidence::Proven};

std::string nameText(const FindingContext& context, NameId name) {
  return name.valid() ? std::string(context.analysis().trace().names()[name]) : std::string();
}

std::string gapsText(const std::vector<RankCost>& part) {
  return countedText(sumOf(part, &LeafUse::count), "gap");
}

// ", mostly in NAME"; empty where nothing stands out.
std::string mostlyText(const FindingContext& context, const std::vector<RankCost>& part,
                       std::string_view lead) {
  const std::string name = nameText(context, part.front().use.name);
  return name.empty() ? std::string() : fmt::format(", mostly {} {}", lead, name);
}

// Whether batches are made on the training thread, as the annotation of the iterator says. On hosts no event
// stands for the time.
bool loadsInProcess(const FindingContext& context, const std::string& loader) {
  constexpr std::string_view kSingle = "_SingleProcessDataLoaderIter";
  if (!loader.empty()) return loader.find(kSingle) != std::string::npos;
  const TraceSet& job = context.analysis().trace();
  const bool single = jobHasName(job, "loader without workers", [&](std::string_view name) {
    return name.find(kSingle) != std::string_view::npos;
  });
  const bool several = jobHasName(job, "loader with workers", [](std::string_view name) {
    return name.find("_MultiProcessingDataLoaderIter") != std::string_view::npos;
  });
  return single && !several;
}

// On a job without devices the workers of the loader share the cores with what they load for: a smaller part
// than this may not be won.
constexpr double kCertainOnHost = 0.25;

void findInput(FindingContext& context) {
  LeafRule rule = kInput;
  const bool certain =
      context.hasDevices() || context.shareOf(context.kept().timeOf(kInput.leaf)) >= kCertainOnHost;
  if (!certain) rule.confidence = Confidence::Hint;
  context.addLeaf(rule, [&](Finding& finding, const std::vector<RankCost>& part) {
    const std::string loader = nameText(context, part.front().use.name);
    const bool inProcess = loadsInProcess(context, loader);
    finding.title = fmt::format("DataLoader: {}, {}", context.ranksText(finding), context.gainText(finding));
    finding.evidence =
        fmt::format("{} for the next batch: {}{}, max {}.",
                    context.hasDevices() ? "The device waits" : "The training thread waits", gapsText(part),
                    mostlyText(context, part, "in"), durationText(part.front().use.worst.length()));
    const RankCost& most = part.front();
    const auto code = context.ofRank<NameId>(most.rank, "code of the longest wait for input", [&] {
      return codeIn(context.analysis(), most.rank, most.use.worst);
    });
    if (code.valid())
      finding.evidence += fmt::format(" The longest is spent in {}.", nameText(context, code));
    finding.fix =
        inProcess && !context.hasDevices()
            ? "The batch is made on the training thread (num_workers=0): DataLoader(num_workers=2 or more, "
              "persistent_workers=True)."
        : inProcess
            ? "The batch is made on the training thread (num_workers=0): DataLoader(num_workers=4 or more "
              "per GPU, persistent_workers=True, pin_memory=True)."
        : context.hasDevices()
            ? "More or faster workers: num_workers, persistent_workers=True, prefetch_factor; move decoding "
              "and augmentation to the GPU; check the storage throughput."
            : "More or faster workers, as far as cores are free: num_workers, persistent_workers=True, "
              "prefetch_factor; check the storage throughput.";
  });
}

// The reads of a gradient norm or of the scaler's flag: the first wait after such an operator of the step.
bool readsCheckedGradients(const FindingContext& context, RankIndex rank, EventIndex wait) {
  const RankTrace& trace = context.traceOf(rank);
  if (!wait.valid() || trace.isDeviceEvent(wait)) return false;
  const NamedSpans& spans = context.spans(rank);
  const TimeNs begin = trace.events.begin[wait];
  return spans.of(NamedCall::ClipGradients).contains(begin) ||
         spans.endsJustBefore(NamedCall::CheckFinite, begin);
}

bool isInFsdpHook(const FindingContext& context, RankIndex rank, EventIndex wait) {
  const RankTrace& trace = context.traceOf(rank);
  return wait.valid() && !trace.isDeviceEvent(wait) &&
         context.spans(rank).of(NamedCall::FsdpForward).contains(trace.events.begin[wait]);
}

// Which of the rules a wait for the device belongs to.
FindingKind syncKindOf(const FindingContext& context, RankIndex rank, EventIndex wait) {
  if (isInFsdpHook(context, rank, wait)) return FindingKind::FsdpRateLimited;
  return readsCheckedGradients(context, rank, wait) ? FindingKind::GradClipSync
                                                    : FindingKind::Synchronization;
}

struct SyncTexts {
  FindingKind kind;
  const char* title;
  const char* evidence;
  const char* fix;
};

constexpr std::array kSyncTexts{
    SyncTexts{
        FindingKind::Synchronization, "Synchronization", "The launch queue was empty when the call returned",
        "Do not read device values within the step: .item(), .cpu(), print(loss), nonzero and boolean masks "
        "wait for the GPU. Log every n steps, keep metrics on the device, use non_blocking copies; "
        "torch.cuda.set_sync_debug_mode(\"warn\") reports the source lines."},
    SyncTexts{
        FindingKind::GradClipSync, "Synchronization of gradient clipping",
        "The host reads the norm of the gradients, or the flag of the gradient scaler, before the optimizer",
        "clip_grad_norm_(..., foreach=True, error_if_nonfinite=False) keeps the norm on the device; log it "
        "every n steps. Training in bf16 needs no GradScaler."},
    SyncTexts{FindingKind::FsdpRateLimited, "FSDP rate limiter",
              "FSDP waits for earlier gathers to free memory before it launches the next",
              "FullyShardedDataParallel(limit_all_gathers=False) where memory allows, or larger units."},
};

// By the operator that waits most.
std::string fixForSync(const std::string& usual, std::string_view name) {
  if (name.starts_with("aten::copy_") || name.starts_with("aten::to") || name.starts_with("aten::_to_copy"))
    return "Copies that wait: pin host memory (DataLoader(pin_memory=True)) and use .to(device, "
           "non_blocking=True); "
           "read results a step later. torch.cuda.set_sync_debug_mode(\"warn\") reports the source lines.";
  if (name.find("DeviceSynchronize") != std::string_view::npos)
    return "Remove torch.cuda.synchronize() from the step; torch.cuda.Event measures time without waiting.";
  return usual;
}

void findSynchronization(FindingContext& context) {
  const std::vector<RankCost> whole = context.costsOf(kSync);
  for (const SyncTexts& texts : kSyncTexts) {
    LeafRule rule = kSync;
    rule.kind = texts.kind;
    if (texts.kind == FindingKind::FsdpRateLimited) rule.confidence = Confidence::Likely;
    const auto choose = [&](RankIndex rank) -> ChoosePiece {
      return [&context, &texts, rank](TimeRange, const TimePieces::Piece& piece) {
        return syncKindOf(context, rank, piece.event) == texts.kind;
      };
    };
    std::vector<RankCost> costs = partOfCosts(context, whole, rule, texts.title, choose);
    for (RankCost& cost : costs)
      if (texts.kind == FindingKind::Synchronization)
        cost.use.name = context.uses(cost.rank)[static_cast<std::size_t>(Leaf::HostSync)].name;
    context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
      finding.title =
          fmt::format("{}: {}, {}", texts.title, context.ranksText(finding), context.gainText(finding));
      finding.evidence =
          fmt::format("{}: {}{}, max {}.", texts.evidence, gapsText(part), mostlyText(context, part, "after"),
                      durationText(part.front().use.worst.length()));
      finding.fix = texts.fix;
      if (texts.kind == FindingKind::Synchronization)
        finding.fix = fixForSync(finding.fix, nameText(context, part.front().use.name));
    });
  }
}

// Whether a module of the model runs in the middle of the range.
bool isInModule(const FindingContext& context, RankIndex rank, TimeRange range) {
  const RankTrace& trace = context.traceOf(rank);
  const TimeNs middle = range.begin + range.length() / 2;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Python || !track.mainThread) continue;
    for (std::uint32_t row = track.firstRow.value; row < track.firstRow.value + track.rowCount; ++row) {
      const EventIndex event = trace.lastBeginningBy(RowIndex(row), middle);
      if (event.valid() && trace.events.range(event).contains(middle) &&
          context.analysis().trace().names()[trace.events.name[event]].starts_with("nn.Module: "))
        return true;
    }
  }
  return false;
}

std::string fixForPython(const FindingContext& context, const std::vector<RankCost>& part, bool isRecorded) {
  if (!isRecorded)
    return fmt::format(
        "Record with {} to see the Python code; then move it off the main thread or out of the step.",
        optionFor(Recordable::Stacks, context.analysis().trace()));
  const RankCost& most = part.front();
  if (context.ofRank<bool>(most.rank, "the longest Python is of a module",
                           [&] { return isInModule(context, most.rank, most.use.worst); }))
    return "This is Python of the model: torch.compile removes most of it; make masks, positions and checks "
           "once instead of in each call. Measure without with_stack too, which slows Python down.";
  return "Move this code off the main thread (DataLoader workers, asynchronous logging) or out of the step.";
}

void findPython(FindingContext& context) {
  context.addLeaf(kPython, [&](Finding& finding, const std::vector<RankCost>& part) {
    const std::string frame = nameText(context, part.front().use.name);
    finding.title =
        fmt::format("Python between launches: {}, {}", context.ranksText(finding), context.gainText(finding));
    finding.evidence = fmt::format(
        "{}, max {}{}.", gapsText(part), durationText(part.front().use.worst.length()),
        frame.empty() ? std::string("; the code was not recorded") : fmt::format(", mostly in {}", frame));
    finding.fix = fixForPython(context, part, !frame.empty());
  });
}

struct PlainRule {
  const LeafRule* rule;
  const char* title;
  const char* evidence;
  const char* fix;
};

constexpr std::array kPlainRules{
    PlainRule{&kCollection, "Garbage collection", "Python's garbage collector runs between launches",
              "gc.disable() and gc.collect() every n steps, on all ranks at the same step; gc.freeze() after "
              "set-up."},
    PlainRule{&kDescheduled, "Descheduled host thread", "The training thread records nothing",
              "Give each rank as many cores as DataLoader workers and four more, and pin them; check other "
              "processes on "
              "the host."},
    PlainRule{&kCompile, "Compilation in steps",
              "torch.compile, Triton or CUDA graphs compile or record again",
              "TORCH_LOGS=graph_breaks,recompiles names the reasons; mark_dynamic for changing shapes, warm "
              "up before "
              "the recording."},
    PlainRule{
        &kBarrier, "Barrier in steps", "The host waits in a barrier, and the device for the host",
        "Remove the barrier from the loop. Collectives order the ranks already; to notice ranks that hang, "
        "use the watchdog's timeout (init_process_group(timeout=...))."},
    PlainRule{
        &kHostComm, "Host communication in steps",
        "The host waits for other hosts: object collectives, gloo, store",
        "Send tensors instead of objects, once every n steps; do not use all_gather_object in the loop."},
    PlainRule{&kCheckpoint, "Checkpoint or evaluation in steps", "The model is saved or evaluated",
              "Save asynchronously (torch.distributed.checkpoint.async_save) and less often."},
};

bool isOfBarrier(const FindingContext& context, RankIndex rank, EventIndex event) {
  const RankTrace& trace = context.traceOf(rank);
  return event.valid() && !trace.isDeviceEvent(event) &&
         context.spans(rank).of(NamedCall::Barrier).contains(trace.events.begin[event]);
}

// Barriers have a rule of their own among what waits for other hosts.
std::vector<RankCost> plainCosts(const FindingContext& context, const LeafRule& rule) {
  std::vector<RankCost> costs = context.costsOf(rule);
  if (rule.leaf != kHostComm.leaf) return costs;
  const bool barriers = rule.kind == FindingKind::BarrierInStep;
  const std::string_view of = barriers ? "barriers" : "no barriers";
  return partOfCosts(context, std::move(costs), rule, of, [&](RankIndex rank) -> ChoosePiece {
    return [&context, rank, barriers](TimeRange, const TimePieces::Piece& piece) {
      return isOfBarrier(context, rank, piece.event) == barriers;
    };
  });
}

// Collectives of tensors take another fix than those of objects.
std::string fixOf(const FindingContext& context, const PlainRule& plain, const std::vector<RankCost>& part) {
  if (plain.rule != &kHostComm || !nameText(context, part.front().use.name).starts_with("gloo:"))
    return std::string(plain.fix);
  return "Use init_process_group(\"nccl\") for tensors on the GPU: gloo copies them to the host, sends them "
         "and "
         "copies them back.";
}

void findPlain(FindingContext& context, const PlainRule& plain) {
  context.addForRanks(*plain.rule, plainCosts(context, *plain.rule),
                      [&](Finding& finding, const std::vector<RankCost>& part) {
                        finding.title = fmt::format("{}: {}, {}", plain.title, context.ranksText(finding),
                                                    context.gainText(finding));
                        finding.evidence = fmt::format("{}: {}{}, max {}.", plain.evidence, gapsText(part),
                                                       mostlyText(context, part, "in"),
                                                       durationText(part.front().use.worst.length()));
                        finding.fix = fixOf(context, plain, part);
                      });
}

} // namespace

void findHostFindings(FindingContext& context) {
  findInput(context);
  if (!context.hasDevices()) return;
  findSynchronization(context);
  findAllocationFindings(context);
  findPython(context);
  for (const PlainRule& plain : kPlainRules) findPlain(context, plain);
  findHostWorkFindings(context);
}

} // namespace rankscope

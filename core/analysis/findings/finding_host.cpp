// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about devices that wait for what their host does beside launching.
#include "core/analysis/findings/finding_rules.h"
#include "core/base/unit_text.h"

#include <array>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>

namespace rankscope {

namespace {

constexpr LeafRule kInput{FindingKind::DataLoaderStall, "host.input", 0.02, Confidence::Proven};
constexpr LeafRule kSync{FindingKind::Synchronization, "host.sync", 0.01, Confidence::Proven};
constexpr LeafRule kAllocation{FindingKind::DeviceAllocation, "host.alloc", 0.005, Confidence::Proven};
constexpr LeafRule kPython{FindingKind::Python, "host.python", 0.02, Confidence::Proven};
constexpr LeafRule kCollection{FindingKind::GarbageCollection, "host.gc", 0.01, Confidence::Proven};
constexpr LeafRule kDescheduled{FindingKind::Descheduled, "host.descheduled", 0.01, Confidence::Hint};
constexpr LeafRule kCompile{FindingKind::GraphBreaks, "host.compile", 0.01, Confidence::Proven};
constexpr LeafRule kHostComm{FindingKind::ObjectCollectives, "host.comm", 0.01, Confidence::Likely};
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
    const bool inProcess = loader.find("SingleProcess") != std::string::npos;
    finding.title = fmt::format("DataLoader: {}, {}", context.ranksText(finding), context.gainText(finding));
    finding.evidence =
        fmt::format("The device waits for the next batch: {}{}, max {}.", gapsText(part),
                    mostlyText(context, part, "in"), durationText(part.front().use.worst.length()));
    finding.fix =
        inProcess
            ? "The batch is made on the training thread (num_workers=0): DataLoader(num_workers=4 or more "
              "per GPU, persistent_workers=True, pin_memory=True)."
            : "More or faster workers: num_workers, persistent_workers=True, prefetch_factor; move decoding "
              "and augmentation to the GPU; check the storage throughput.";
  });
}

void findSynchronization(FindingContext& context) {
  context.addLeaf(kSync, [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title =
        fmt::format("Synchronization: {}, {}", context.ranksText(finding), context.gainText(finding));
    finding.evidence = fmt::format("{}{}: the launch queue was empty when the call returned.", gapsText(part),
                                   mostlyText(context, part, "after"));
    finding.fix =
        "Do not read device values within the step: .item(), .cpu(), print(loss), nonzero and boolean masks "
        "wait for the GPU. Log every n steps, keep metrics on the device, use non_blocking copies; "
        "torch.cuda.set_sync_debug_mode(\"warn\") reports the source lines.";
  });
}

void findAllocation(FindingContext& context) {
  context.addLeaf(kAllocation, [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title = fmt::format("Device allocation in steps: {}, {}", context.ranksText(finding),
                                context.gainText(finding));
    finding.evidence = fmt::format("{}{}; cudaFree waits for the whole device.", gapsText(part),
                                   mostlyText(context, part, "in"));
    finding.fix = "Let the caching allocator keep its memory: warm up with the largest batch, do not call "
                  "empty_cache() in the loop, PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.";
  });
}

void findPython(FindingContext& context) {
  context.addLeaf(kPython, [&](Finding& finding, const std::vector<RankCost>& part) {
    const std::string frame = nameText(context, part.front().use.name);
    finding.title =
        fmt::format("Python between launches: {}, {}", context.ranksText(finding), context.gainText(finding));
    finding.evidence = fmt::format(
        "{}, max {}{}.", gapsText(part), durationText(part.front().use.worst.length()),
        frame.empty() ? std::string("; the code was not recorded") : fmt::format(", mostly in {}", frame));
    finding.fix =
        frame.empty()
            ? "Record with with_stack=True to see the Python code; then move it off the training "
              "thread or out of the step."
            : "Move this code off the training thread (DataLoader workers, asynchronous logging) or "
              "out of the step.";
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
    PlainRule{&kHostComm, "Host communication in steps",
              "The host waits for other hosts: barrier, object collectives, "
              "gloo, store",
              "Remove barriers from the step; send tensors instead of objects, once every n steps."},
    PlainRule{&kCheckpoint, "Checkpoint or evaluation in steps", "The model is saved or evaluated",
              "Save asynchronously (torch.distributed.checkpoint.async_save) and less often."},
};

void findPlain(FindingContext& context, const PlainRule& plain) {
  context.addLeaf(*plain.rule, [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title =
        fmt::format("{}: {}, {}", plain.title, context.ranksText(finding), context.gainText(finding));
    finding.evidence =
        fmt::format("{}: {}{}, max {}.", plain.evidence, gapsText(part), mostlyText(context, part, "in"),
                    durationText(part.front().use.worst.length()));
    finding.fix = plain.fix;
  });
}

} // namespace

void findHostFindings(FindingContext& context) {
  findInput(context);
  if (!context.hasDevices()) return;
  findSynchronization(context);
  findAllocation(context);
  findPython(context);
  for (const PlainRule& plain : kPlainRules) findPlain(context, plain);
}

} // namespace rankscope

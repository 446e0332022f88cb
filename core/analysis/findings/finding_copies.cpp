// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about copies that nothing runs beside.
#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/base/unit_text.h"
#include "core/base/whole_number.h"

#include <algorithm>

#include <fmt/format.h>
#include <string>
#include <string_view>

namespace rankscope {

namespace {

constexpr std::int64_t kManySmallCopies = 100;

bool isPageable(const FindingContext& context, NameId name) {
  return name.valid() && context.analysis().trace().names()[name].find("Pageable") != std::string_view::npos;
}

// What the same bytes take from pinned memory, over PCIe 4 also where the device could do more: hosts often
// cannot.
TimeNs pinnedTime(const FindingContext& context, const RankCost& cost) {
  double bytesPerNs = 25;
  for (const DeviceProperties& device : context.analysis().trace().rank(cost.rank).trace->metadata.devices) {
    if (device.computeMajor > 0) bytesPerNs = device.computeMajor <= 7 ? 12 : 25;
  }
  return truncated(static_cast<double>(cost.use.bytes) / bytesPerNs);
}

std::string evidenceOf(const FindingContext& context, const std::vector<RankCost>& part) {
  const LeafUse& use = part.front().use;
  std::string text = fmt::format("{} without other device work on {}", countedText(use.count, "interval"),
                                 context.rankText(part.front().rank));
  if (use.name.valid()) text += fmt::format(", mostly {}", context.analysis().trace().names()[use.name]);
  return text + fmt::format(", max {}.", durationText(use.worst.length()));
}

struct LongestCopy {
  std::int64_t bytes = 0; // 0 if not recorded
  TimeNs duration = 0;
  bool ownStream = false; // not on a stream of kernels
};

LongestCopy longestCopy(const FindingContext& context, const RankCost& cost) {
  const RankTrace& trace = context.traceOf(cost.rank);
  const EventIndex copy = cost.use.worstEvent;
  if (!copy.valid() || !trace.isDeviceEvent(copy)) return {};
  return {trace.deviceDetail(copy).bytes, trace.events.duration[copy],
          trace.tracks[trace.trackOf(copy).value].role == StreamRole::Copy};
}

} // namespace

template <class Archive, Described<LongestCopy> T> void describe(Archive& archive, T& copy) {
  auto& [bytes, duration, ownStream] = copy;
  archive(bytes, duration, ownStream);
}

namespace {

// " The longest has 56 MB, at 7.6 GB/s."; empty where its bytes were not recorded.
std::string longestRate(const LongestCopy& copy) {
  if (copy.bytes <= 0 || copy.duration <= 0) return {};
  return fmt::format(" The longest has {}, at {}.", bytesText(copy.bytes),
                     rateText(1e9 * static_cast<double>(copy.bytes) / static_cast<double>(copy.duration)));
}

void findInputCopies(FindingContext& context) {
  LeafRule rule{FindingKind::InputCopy, "copy.h2d", 0.01, Confidence::Proven, 1};
  std::vector<RankCost> costs = context.costsOf(rule);
  const RankCost* most = nullptr;
  for (const RankCost& cost : costs) {
    if (most == nullptr || cost.time > most->time) most = &cost;
  }
  if (most == nullptr) return;
  const bool pageable = isPageable(context, most->use.name);
  if (pageable) rule.kind = FindingKind::PageableCopy;
  // What the bytes take at best goes only where the batch is there early enough to be copied ahead.
  for (RankCost& cost : costs)
    cost.low = std::max(0.0, cost.low - context.perStep(cost.rank, pinnedTime(context, cost)));
  context.addForRanks(rule, costs, [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title = fmt::format("Host-to-device memcpy{}: {}, {}", pageable ? " from pageable memory" : "",
                                context.ranksText(finding), context.gainText(finding));
    const auto copy = context.ofRank<LongestCopy>(part.front().rank, "longest copy of input",
                                                  [&] { return longestCopy(context, part.front()); });
    finding.evidence = evidenceOf(context, part) + longestRate(copy);
    finding.fix =
        pageable ? "DataLoader(pin_memory=True) or tensor.pin_memory(), then .to(device, non_blocking=True)."
        : copy.ownStream
            ? "The copies are on a stream of their own: begin them one batch ahead. Send uint8 or 16 bits "
              "and "
              "convert on the GPU; compare their rate with the PCIe link's."
            : "Copy one batch ahead on a separate stream; send uint8 and convert on the GPU; copy only "
              "what the step needs.";
  });
}

void findOutputCopies(FindingContext& context) {
  const LeafRule rule{FindingKind::DeviceToHostCopy, "copy.d2h", 0.005, Confidence::Proven, 1};
  context.addLeaf(rule, [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title =
        fmt::format("Device-to-host memcpy: {}, {}", context.ranksText(finding), context.gainText(finding));
    finding.evidence = evidenceOf(context, part);
    finding.fix = "Keep results on the device, or copy to pinned memory with non_blocking=True and read it a "
                  "step later.";
  });
}

bool usesDdp(const FindingContext& context) {
  return jobHasName(context.analysis().trace(), "DistributedDataParallel", [](std::string_view name) {
    return name.find("DistributedDataParallel") != std::string_view::npos ||
           name.find("torch::distributed::reducer") != std::string_view::npos ||
           name.find("torch.distributed.ddp.reducer") != std::string_view::npos;
  });
}

void findDeviceCopies(FindingContext& context) {
  const LeafRule rule{FindingKind::SmallDeviceCopies, "copy.d2d", 0.01, Confidence::Proven, 1};
  std::vector<RankCost> costs = context.costsOf(rule);
  std::erase_if(costs, [&](const RankCost& cost) {
    return context.perStep(cost.rank, cost.use.count) < static_cast<double>(kManySmallCopies);
  });
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title =
        fmt::format("Device-to-device memcpy: {}, {}", context.ranksText(finding), context.gainText(finding));
    finding.evidence = evidenceOf(context, part);
    finding.fix = fmt::format("Use views instead of clone, cat and copy_{}; torch._foreach_copy_ copies many "
                              "tensors at once.",
                              usesDdp(context) ? " (gradient_as_bucket_view=True)" : "");
  });
}

} // namespace

void findCopyFindings(FindingContext& context) {
  if (!context.hasDevices()) return;
  findInputCopies(context);
  findOutputCopies(context);
  findDeviceCopies(context);
}

} // namespace rankscope

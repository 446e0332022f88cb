// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about communication: what is exposed, and of it last buckets, small calls, slow links, uneven
// exchanges.
#include "core/analysis/findings/exposed_parts.h"
#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/findings/leaf_parts.h"
#include "core/base/exact_sum.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace rankscope {

namespace {

constexpr LeafRule kTail{FindingKind::LastBucket, "comm.tail", 0.01, Confidence::Proven, 0};
constexpr LeafRule kFragmented{FindingKind::FragmentedCollectives, "comm.fragmented", 0.01,
                               Confidence::Proven, 1};
constexpr LeafRule kSlowLink{FindingKind::SlowLink, "comm.slow_link", 0.01, Confidence::Likely, 0.5};
constexpr LeafRule kWaits{FindingKind::AllToAllWait, "wait.rank", 0.02, Confidence::Likely, 0};

void findTail(FindingContext& context) {
  context.addLeaf(context.withoutWaits(kTail), [&](Finding& finding, const std::vector<RankCost>& part) {
    const bool sharded = usesFsdp(context);
    const std::string time = context.timeText(static_cast<double>(*finding.time));
    finding.title = sharded ? fmt::format("First gather and last reduction: {} exposed", time)
                            : fmt::format("Last bucket: {} exposed after backward", time);
    const auto count = sumOf(part, &LeafUse::count);
    finding.evidence = fmt::format(
        "{} {} after the last backward kernel, or before any compute: nothing in the step can hide "
        "{}.{}",
        countedText(count, "collective"), count == 1 ? "begins" : "begin", count == 1 ? "it" : "them",
        context.includedIn(kExposedKinds));
    finding.fix =
        usesFsdp(context)
            ? "Make what is gathered first and reduced last small: shard the first layers separately."
            : "Make the last bucket small: DDP(bucket_cap_mb=10).";
  });
}

// Of all fragmented collectives, and of those that units of FSDP may have.
std::array<ExactSum, 2> fragmentedTimes(const FindingContext& context, RankIndex rank) {
  ExactSum units, all;
  for (const KeptWindow& window : context.kept().windows[rank.value]) {
    context.account().of(rank).pieces.forEachWithin(
        window.range, [&](TimeRange range, const TimePieces::Piece& piece) {
          if (piece.leaf != Leaf::CommFragmented) return;
          all += range.length();
          const CollectiveInstance* const instance =
              context.analysis().collectives().match.instanceAt(rank, piece.event);
          if (instance != nullptr && (instance->operation == CollectiveOperation::AllGather ||
                                      instance->operation == CollectiveOperation::ReduceScatter))
            units += range.length();
        });
  }
  return {all, units};
}

// Whether most of the fragmented time is of FSDP's units.
bool isOfUnits(const FindingContext& context) {
  if (!usesFsdp(context)) return false;
  ExactSum units, all;
  for (const RankIndex rank : context.ranks()) {
    const auto times = context.ofRank<std::array<ExactSum, 2>>(
        rank, "fragmented collectives", [&] { return fragmentedTimes(context, rank); });
    all += std::int64_t{times[0]};
    units += std::int64_t{times[1]};
  }
  return 2 * units > all;
}

void findFragmented(FindingContext& context) {
  LeafRule rule = context.withoutWaits(kFragmented);
  const bool units = isOfUnits(context);
  if (units) rule.kind = FindingKind::FsdpUnitsTooSmall;
  context.addLeaf(rule, [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title = fmt::format("{}: {}", units ? "Small FSDP units" : "Fragmented collectives",
                                context.gainText(finding));
    finding.evidence = fmt::format(
        "{} of the time of {} per step is latency that fewer, larger calls would save.",
        context.timeText(static_cast<double>(*finding.time)),
        countedText(sumOf(part, &LeafUse::count) /
                        std::max<std::int64_t>(1, static_cast<std::int64_t>(part.size()) * finding.steps),
                    "call"));
    finding.fix =
        units ? "Shard whole blocks, not single layers: fully_shard on each transformer block, FSDP1: "
                "transformer_auto_wrap_policy."
              : "Reduce gradients in buckets: DDP instead of one all_reduce per parameter; "
                "torch.distributed._coalescing_manager, all_reduce_coalesced, or flatten tensors first.";
  });
}

void findSlowLink(FindingContext& context) {
  context.addLeaf(context.withoutWaits(kSlowLink), [&](Finding& finding, const std::vector<RankCost>&) {
    finding.title = fmt::format("Slow link: {}, {}", context.ranksText(finding), context.gainText(finding));
    finding.evidence =
        "Transfers take longer than the same bytes of the same operation take elsewhere; waiting "
        "is not included.";
    finding.fix = "Record NCCL_DEBUG=INFO and check the transport: NET/Socket instead of IB, NVLink down, "
                  "NCCL_P2P_DISABLE or NCCL_IB_DISABLE set.";
  });
}

// Waiting that no steady straggler explains, in all-to-all: whose data is uneven.
void findAllToAllWaits(FindingContext& context) {
  const CollectiveMatch& match = context.analysis().collectives().match;
  const auto isAllToAll = [&match](RankIndex rank, const TimePieces::Piece& piece) {
    const CollectiveInstance* const instance =
        piece.event.valid() ? match.instanceAt(rank, piece.event) : nullptr;
    return instance != nullptr && instance->operation == CollectiveOperation::AllToAll;
  };
  double wait = 0, transfer = 0, allWait = 0;
  for (const RankIndex rank : context.ranks()) {
    const auto [waits, transfers, all] =
        context.ofRank<std::array<ExactSum, 3>>(rank, "waits in all-to-all", [&] {
          std::array<ExactSum, 3> sums;
          for (const KeptWindow& window : context.kept().windows[rank.value]) {
            context.account().of(rank).pieces.forEachWithin(
                window.range, [&](TimeRange range, const TimePieces::Piece& piece) {
                  if (piece.leaf == Leaf::WaitRank) sums[2] += range.length();
                  if (piece.leaf == Leaf::WaitRank && isAllToAll(rank, piece)) sums[0] += range.length();
                  if (isUnder(piece.leaf, "comm") && isAllToAll(rank, piece)) sums[1] += range.length();
                });
          }
          return sums;
        });
    wait += context.perStep(rank, waits);
    transfer += context.perStep(rank, transfers);
    allWait += context.perStep(rank, all);
  }
  if (2 * wait <= allWait || wait <= transfer) return;
  std::vector<RankCost> costs =
      partOfCosts(context, context.costsOf(kWaits), kWaits, "all-to-all", [&](RankIndex rank) -> ChoosePiece {
        return [&isAllToAll, rank](TimeRange, const TimePieces::Piece& piece) {
          return isAllToAll(rank, piece);
        };
      });
  const auto ranks = static_cast<double>(std::max<std::size_t>(1, context.ranks().size()));
  context.addForRanks(kWaits, std::move(costs), [&](Finding& finding, const std::vector<RankCost>&) {
    finding.title =
        fmt::format("Uneven all-to-all: {} of waiting", context.timeText(static_cast<double>(*finding.time)));
    finding.evidence = fmt::format("A rank waits {} for the last rank of an all-to-all and transfers for {} "
                                   "with nothing beside, as means over ranks. The first call of a recording, "
                                   "which waits because recordings begin at different times, is not counted.",
                                   context.timeText(wait / ranks), context.timeText(transfer / ranks));
    finding.fix =
        shardsEmbeddings(context)
            ? "Balance what ranks send: sharding of the embedding tables by rows and lookups, even batches."
            : "Balance what ranks send: expert capacity factor, auxiliary loss, expert placement, even "
              "batches.";
  });
}

} // namespace

void findCommunicationFindings(FindingContext& context) {
  // Without a device, communication and computation share the CPU cores: exposure is a figure, not a fault.
  if (!context.hasDevices()) return;
  findExposedCommunication(context);
  findTail(context);
  findFragmented(context);
  findSlowLink(context);
  findAllToAllWaits(context);
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/call_uses.h"

#include "core/analysis/classify/host_work.h"
#include "core/analysis/digest/rank_answers.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>

namespace rankscope {

namespace {

constexpr std::uint16_t kBackward = 0x8000; // in the label of a node: below autograd

struct LabelMark {
  std::string_view text;
  CallLabel label;
};

// Beginnings of names that frameworks assign.
constexpr std::array kBeginnings{
    LabelMark{"DistributedDataParallel.", CallLabel::Ddp},
    LabelMark{"torch::distributed::reducer::", CallLabel::Ddp},
    LabelMark{"FullyShardedDataParallel.", CallLabel::Fsdp},
    LabelMark{"FSDP::", CallLabel::Fsdp},
    LabelMark{"PartitionedParameterCoordinator.", CallLabel::Fsdp},
    LabelMark{"CustomFSDP.", CallLabel::Fsdp},
    LabelMark{"Redistribute", CallLabel::DTensor},
    LabelMark{"_FromTorchTensor", CallLabel::DTensor},
    LabelMark{"_ToTorchTensor", CallLabel::DTensor},
    LabelMark{"MoEDispatch", CallLabel::Expert},
    LabelMark{"MoECombine", CallLabel::Expert},
    LabelMark{"moe_", CallLabel::Expert},
    LabelMark{"TokenPermute", CallLabel::Expert},
    LabelMark{"dispatch(", CallLabel::Expert},
    LabelMark{"combine(", CallLabel::Expert},
    LabelMark{"AttnFuncWithCP", CallLabel::Context},
    LabelMark{"_SeqAllToAll", CallLabel::Context},
    LabelMark{"SeqAllToAll", CallLabel::Context},
    LabelMark{"RingFlashAttn", CallLabel::Context},
    LabelMark{"ZigZagRingFlashAttn", CallLabel::Context},
    LabelMark{"StripeFlashAttn", CallLabel::Context},
    LabelMark{"All2All_Pooled", CallLabel::EmbeddingAll},
    LabelMark{"All2All_Seq", CallLabel::EmbeddingAll},
};

// Parts of names of torchrec and DLRM, of expert layers.
constexpr std::array kParts{
    LabelMark{"KJT", CallLabel::EmbeddingAll},
    LabelMark{"PooledEmbeddings", CallLabel::EmbeddingAll},
    LabelMark{"SequenceEmbeddings", CallLabel::EmbeddingAll},
    LabelMark{"all2all_data", CallLabel::EmbeddingAll},
    LabelMark{"all2all_tw_data", CallLabel::EmbeddingAll},
    LabelMark{"all2all_global_emb", CallLabel::EmbeddingAll},
    LabelMark{"alltoall_fwd_single", CallLabel::EmbeddingAll},
    LabelMark{"alltoall_bwd_single", CallLabel::EmbeddingAll},
    LabelMark{"ring_attention", CallLabel::Context},
    LabelMark{"ring_flash_attention", CallLabel::Context},
    LabelMark{"dot_product_ring", CallLabel::Context},
    LabelMark{"deep_ep", CallLabel::Expert},
    LabelMark{"moe_dispatch", CallLabel::Expert},
    LabelMark{"moe_combine", CallLabel::Expert},
};

struct NodeLabels {
  std::uint16_t labels = 0;
  NameId innermost;
};

bool isBackwardName(std::string_view name, std::uint16_t label) {
  if (frameworkPhaseOf(name) == Phase::Backward) return true;
  return label == static_cast<std::uint16_t>(CallLabel::Fsdp) &&
         name.find("backward") != std::string_view::npos;
}

// The labels of each node of a call tree with those of all its callers.
std::vector<NodeLabels> labelsOfNodes(const CallTree& tree, const StringTable& names) {
  std::map<NameId, std::uint16_t> known;
  std::vector<NodeLabels> labels(tree.nodes.size());
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    const CallTree::Node& node = tree.nodes[i];
    const auto [place, isNew] = known.try_emplace(node.name, std::uint16_t{0});
    if (isNew && node.name.valid()) {
      place->second = callLabelOf(names[node.name]);
      if (isBackwardName(names[node.name], place->second)) place->second |= kBackward;
    }
    labels[i] = labels[node.parent];
    labels[i].labels |= place->second;
    if ((place->second & ~kBackward) != 0) labels[i].innermost = node.name;
  }
  return labels;
}

CollectiveOperation issuedOperation(std::string_view name) {
  constexpr std::string_view kC10d = "c10d::";
  if (!name.starts_with(kC10d)) return CollectiveOperation::Unknown;
  return collectiveOperationOf(name);
}

// gloo records a ReduceScatter as the AllReduce that it performs.
bool mayBe(CollectiveOperation recorded, CollectiveOperation issued) {
  if (recorded == issued) return true;
  if (recorded == CollectiveOperation::AllReduce) return issued == CollectiveOperation::ReduceScatter;
  return false;
}

struct Issuer {
  EventIndex event;
  CollectiveOperation operation;
};

// Calls of torch.distributed in the order of time, without those nested in one of them.
std::vector<Issuer> hostIssuers(const RankTrace& trace, const StringTable& names) {
  std::vector<Issuer> issuers;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Thread) continue;
    const std::size_t first = issuers.size();
    for (EventIndex e = track.firstEvent; e < track.endEvent; ++e.value) {
      if (trace.events.kind[e] != EventKind::HostCollective) continue;
      const CollectiveOperation operation = issuedOperation(names[trace.events.name[e]]);
      if (operation != CollectiveOperation::Unknown) issuers.push_back({e, operation});
    }
    const auto begin = issuers.begin() + static_cast<std::ptrdiff_t>(first);
    std::stable_sort(begin, issuers.end(), [&](const Issuer& a, const Issuer& b) {
      return trace.events.begin[a.event] < trace.events.begin[b.event];
    });
  }
  std::ranges::stable_sort(issuers, {}, [&](const Issuer& i) { return trace.events.begin[i.event]; });
  return issuers;
}

// Gives each host call the first issuer of its operation that is not taken and that began before it.
void issueHostCalls(const RankTrace& trace, const StringTable& names,
                    const std::vector<CollectiveCall>& calls, std::vector<CallUse>& uses) {
  std::deque<Issuer> open;
  std::size_t next = 0;
  const std::vector<Issuer> issuers = hostIssuers(trace, names);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    while (next < issuers.size() && trace.events.begin[issuers[next].event] <= calls[i].range.begin.ns())
      open.push_back(issuers[next++]);
    const auto of = std::ranges::find_if(
        open, [&](const Issuer& issuer) { return mayBe(calls[i].operation, issuer.operation); });
    if (of == open.end()) continue;
    uses[i].issuer = of->event;
    uses[i].operation = of->operation;
    open.erase(of);
  }
}

Phase phaseAt(const HostPhases& phases, TimeNs time, bool belowAutograd) {
  if (belowAutograd || phases.backward.contains(time)) return Phase::Backward;
  if (phases.optimizer.contains(time)) return Phase::Optimizer;
  return phases.forward.contains(time) || phases.loss.contains(time) ? Phase::Forward : Phase::None;
}

bool followsBackward(const HostPhases& phases, const StepWindows& steps, TimeNs time) {
  const std::size_t before = phases.backward.lowerBound(time);
  if (before == 0) return false;
  const TimeNs begin = phases.backward.ranges()[before - 1].begin;
  if (!steps.areSteps()) return true;
  return std::ranges::any_of(steps.steps, [&](const StepWindow& step) {
    return step.host.contains(time) && step.host.contains(begin);
  });
}

} // namespace

std::uint16_t callLabelOf(std::string_view name) {
  for (const LabelMark& mark : kBeginnings) {
    if (name.starts_with(mark.text)) return static_cast<std::uint16_t>(mark.label);
  }
  for (const LabelMark& mark : kParts) {
    if (name.find(mark.text) != std::string_view::npos) return static_cast<std::uint16_t>(mark.label);
  }
  return 0;
}

template <class Archive, Described<CallUse> T> void describe(Archive& archive, T& use) {
  auto& [issuer, issued, operation, phase, afterBackward, labels, label] = use;
  archive(issuer, issued, operation, phase, afterBackward, labels, label);
}

namespace {

std::vector<CallUse> usesFromEvents(const Analysis& analysis, RankIndex rank) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const StringTable& names = analysis.trace().names();
  const std::vector<CollectiveCall>& calls = analysis.collectiveCalls(rank);
  std::vector<CallUse> uses(calls.size());
  if (calls.empty()) return uses;
  const bool onDevice = trace.isDeviceEvent(calls.front().event);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    uses[i].operation = calls[i].operation;
    if (onDevice) uses[i].issuer = trace.deviceDetail(calls[i].event).launch;
  }
  if (!onDevice) issueHostCalls(trace, names, calls, uses);
  const CallTree& tree = analysis.callTree(rank);
  const std::vector<NodeLabels> labels = labelsOfNodes(tree, names);
  const HostPhases& phases = analysis.wholePhases(rank);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    CallUse& use = uses[i];
    use.issued = use.issuer.valid() ? trace.events.begin[use.issuer] : calls[i].range.begin.ns();
    const NodeLabels found = use.issuer.valid() ? labels[tree.of(use.issuer)] : NodeLabels();
    const NameId name = trace.events.name[calls[i].event];
    use.labels = static_cast<std::uint16_t>((found.labels & ~kBackward) | callLabelOf(names[name]));
    use.label = found.innermost;
    use.phase = phaseAt(phases, use.issued, (found.labels & kBackward) != 0);
    use.afterBackward = followsBackward(phases, analysis.wholeStepWindows(rank), use.issued);
  }
  return uses;
}

} // namespace

std::vector<CallUse> callUses(const Analysis& analysis, RankIndex rank) {
  std::vector<CallUse> uses = rankAnswer<std::vector<CallUse>>(
      analysis.trace(), rank, "uses of collectives", [&] { return usesFromEvents(analysis, rank); });
  uses.resize(analysis.collectiveCalls(rank).size()); // of a digest without the answer
  return uses;
}

} // namespace rankscope

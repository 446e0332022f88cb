// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/account/compute_leaves.h"

#include "core/analysis/account/attention_kernels.h"
#include "core/analysis/account/elementwise_chains.h"
#include "core/analysis/account/kernel_facts.h"
#include "core/analysis/account/stream_kernels.h"
#include "core/analysis/kernels/contention.h"
#include "core/analysis/operators/operator_shapes.h"
#include "core/analysis/operators/recomputation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// Of shorter products it is the launch that takes the time, and of shorter small grids.
constexpr TimeNs kMinProduct = 10'000;
constexpr TimeNs kMinSmallGrid = 5'000;
// Of its peak rate a fused attention kernel reaches this.
constexpr double kAttentionEfficiency = 0.4;
// At least so much of written-out attention goes with a fused kernel.
constexpr double kAttentionSaved = 0.6;
// A copy that only changes the order of elements goes with the operator that reads them, mostly.
constexpr double kCopySaved = 0.8;
// Communication slows kernels down, if they take so much longer beside it.
constexpr double kMinContention = 1.1;
// The optimizer runs over parameters one by one, if it launches so many kernels.
constexpr std::size_t kMinOptimizerLaunches = 50;

TimeNs partOf(TimeNs time, double share) {
  return static_cast<TimeNs>(std::floor(static_cast<double>(time) * share));
}

struct Verdict {
  Leaf leaf = Leaf::Ideal;
  ModelBasis basis = ModelBasis::Names;
  TimeNs high = 0;
  TimeNs low = 0;
};

class ComputeLeaves {
 public:
  ComputeLeaves(const Analysis& analysis, RankIndex rank, double clockRatio)
      : m_entry(analysis.trace().rank(rank)), m_trace(*m_entry.trace),
        m_facts(m_trace, analysis.trace().names(), analysis.operatorTree(rank)),
        m_names(analysis.trace().names()), m_activity(analysis.wholeActivity(rank)),
        m_optimizer(analysis.wholePhases(rank).optimizer), m_backward(analysis.wholePhases(rank).backward),
        m_tree(analysis.operatorTree(rank)), m_clockRatio(clockRatio),
        m_verdicts(m_trace.deviceDetails.size()) {}

  // In the order in which one reason goes before another.
  KernelExcesses excesses(std::span<const OwnedTime> compute) {
    judgeAttention();
    judgeProducts();
    forEachStream(m_trace, [&](std::span<const EventIndex> stream) { judgeCasts(stream); });
    judgeAtomics();
    judgeNorms();
    judgeOptimizer();
    judgeElementwise();
    judgeSmallGrids(compute);
    judgeContention();
    judgeClock();
    judgeRecomputation();
    return owned(compute);
  }

 private:
  [[nodiscard]] Verdict& verdict(EventIndex event) {
    return m_verdicts[event.value - m_trace.deviceBegin.value];
  }
  [[nodiscard]] bool isOpen(EventIndex event) const {
    return m_trace.events.kind[event] == EventKind::Kernel &&
           m_verdicts[event.value - m_trace.deviceBegin.value].leaf == Leaf::Ideal;
  }
  [[nodiscard]] TimeNs durationOf(EventIndex event) const { return m_trace.events.duration[event]; }
  void blame(EventIndex event, Leaf leaf, ModelBasis basis, TimeNs high, TimeNs low) {
    if (high > 0) verdict(event) = {leaf, basis, high, std::clamp<TimeNs>(low, 0, high)};
  }
  template <class Visit> void forEachOpen(Visit&& visit) {
    for (EventIndex event = m_trace.deviceBegin; event < m_trace.deviceEnd; ++event.value) {
      if (isOpen(event)) visit(event);
    }
  }

  void judgeAttention() {
    const std::function<const KernelTraits&(EventIndex)> traits = [&](EventIndex e) -> const KernelTraits& {
      return m_facts.traits(e);
    };
    const std::function<bool(EventIndex)> batched = [&](EventIndex e) { return m_facts.isBatchedProduct(e); };
    std::vector<WrittenAttention> found;
    if (!m_facts.hasWork(KernelWork::Softmax) && !m_facts.hasWork(KernelWork::SoftmaxBackward)) return;
    forEachStream(m_trace, [&](std::span<const EventIndex> stream) {
      std::ranges::move(writtenAttention(stream, traits, batched), std::back_inserter(found));
    });
    std::vector<EventIndex> operators;
    for (const WrittenAttention& attention : found) {
      for (const EventIndex event : attention.products) addOwner(event, operators);
      addOwner(attention.softmax, operators);
    }
    const OperatorShapes shapes(m_entry, std::move(operators));
    for (const WrittenAttention& attention : found) judge(attention, shapes);
  }

  void judge(const WrittenAttention& attention, const OperatorShapes& shapes) {
    const auto* const scores = shapes.of(m_facts.owner(attention.softmax));
    TimeNs total = 0;
    for (const EventIndex event : attention.kernels) total += durationOf(event);
    double saved = kAttentionSaved;
    ModelBasis basis = ModelBasis::Names;
    if (scores != nullptr && !scores->empty()) {
      AttentionShapes known{scores->front(), {}};
      for (const EventIndex event : attention.products) {
        const auto* const operands = shapes.of(m_facts.owner(event));
        if (operands == nullptr || operands->size() < 2) continue;
        // What is added to the product stands first.
        const std::size_t first = m_facts.addsToProduct(event) && operands->size() > 2 ? 1 : 0;
        known.products.emplace_back((*operands)[first], (*operands)[first + 1]);
      }
      const std::optional<double> operations = attentionOperations(known, attention.backward);
      if (!operations) return;
      const double rate = m_facts.attentionRate(attention.products.front());
      if (rate > 0) {
        const double needed = *operations / (kAttentionEfficiency * rate * 1e3);
        saved = std::max(0.0, 1 - needed / static_cast<double>(std::max<TimeNs>(total, 1)));
        basis = ModelBasis::Shapes;
      }
    }
    for (const EventIndex event : attention.kernels) {
      if (isOpen(event))
        blame(event, Leaf::ComputeAttention, basis, partOf(durationOf(event), saved),
              partOf(durationOf(event), kAttentionSaved));
    }
  }

  void judgeProducts() {
    const bool converts = m_facts.convertsLayouts();
    forEachOpen([&](EventIndex event) {
      const KernelTraits& traits = m_facts.traits(event);
      const TimeNs duration = durationOf(event);
      if (traits.work == KernelWork::Layout && converts) {
        blame(event, Leaf::ComputeLayout, ModelBasis::Counted, duration, duration);
      } else if (traits.work == KernelWork::Product && m_facts.couldUseMatrixUnits(event) &&
                 duration >= kMinProduct) {
        // Half precision where matrix units take nothing else; TF32 elsewhere, and more in half precision.
        const TimeNs high = partOf(duration, m_facts.takesTf32(event) ? 1 - 1.0 / 4 : 1 - 1.0 / 3);
        blame(event, Leaf::ComputeSimt, ModelBasis::Names, high, high);
      } else if (traits.misaligned || m_facts.isOfOlderGeneration(event)) {
        blame(event, Leaf::ComputeMisaligned, ModelBasis::Names, duration / 2, duration / 2);
      }
    });
  }

  // Casts of what a product is given, or of what it made: autocast has them made for each region again. With
  // parameters in the product's format those of the forward pass are one less each, the others stay.
  void judgeCasts(std::span<const EventIndex> stream) {
    for (std::size_t i = 0; i < stream.size();) {
      if (!isCast(stream[i])) {
        ++i;
        continue;
      }
      const std::size_t begin = i;
      while (i < stream.size() && isCast(stream[i])) ++i;
      const bool feeds = i < stream.size() && m_facts.traits(stream[i]).work == KernelWork::Product;
      const bool follows = begin > 0 && m_facts.traits(stream[begin - 1]).work == KernelWork::Product &&
                           isOfBackward(stream[begin]);
      if (!feeds && !follows) continue;
      for (std::size_t k = begin; k < i; ++k) {
        const TimeNs duration = durationOf(stream[k]);
        if (isOpen(stream[k])) blame(stream[k], Leaf::ComputeCast, ModelBasis::Names, duration, duration / 2);
      }
    }
  }
  [[nodiscard]] bool isCast(EventIndex event) { return m_facts.traits(event).work == KernelWork::Cast; }
  [[nodiscard]] bool isOfBackward(EventIndex event) const {
    const EventIndex launch = m_trace.deviceDetail(event).launch;
    return launch.valid() && m_backward.contains(m_trace.events.begin[launch]);
  }

  void judgeAtomics() {
    if (!m_facts.hasWork(KernelWork::Atomics)) return;
    forEachOpen([&](EventIndex event) {
      if (m_facts.traits(event).work == KernelWork::Atomics)
        blame(event, Leaf::ComputeAtomics, ModelBasis::Names, durationOf(event) / 2, durationOf(event) / 2);
    });
  }

  // PyTorch's own batch norms against what reading and writing twice takes.
  void judgeNorms() {
    if (!m_facts.hasWork(KernelWork::BatchNorm)) return;
    std::map<EventIndex, std::vector<EventIndex>> byOperator;
    forEachOpen([&](EventIndex event) {
      if (m_facts.traits(event).work == KernelWork::BatchNorm && m_facts.owner(event).valid())
        byOperator[m_facts.owner(event)].push_back(event);
    });
    std::vector<EventIndex> operators;
    for (const auto& [op, kernels] : byOperator) operators.push_back(op);
    const OperatorShapes shapes(m_entry, std::move(operators));
    for (const auto& [op, kernels] : byOperator) {
      const auto* const inputs = shapes.of(op);
      if (inputs == nullptr || inputs->empty()) continue;
      const std::optional<double> needed = m_facts.batchNormTime(kernels.front(), inputs->front());
      if (!needed) continue;
      TimeNs total = 0;
      for (const EventIndex event : kernels) total += durationOf(event);
      const double saved = 1 - *needed / static_cast<double>(std::max<TimeNs>(total, 1));
      if (saved <= 0) continue;
      for (const EventIndex event : kernels) {
        const TimeNs high = partOf(durationOf(event), saved);
        blame(event, Leaf::ComputeNorm, ModelBasis::Shapes, high, high);
      }
    }
  }

  // Several kernels for each parameter, where one would do: as many as there are launches for each of the
  // rarest kernel that still belongs to all parameters.
  void judgeOptimizer() {
    if (m_optimizer.empty()) return;
    std::vector<EventIndex> launched;
    std::map<NameId, std::size_t> calls;
    forEachOpen([&](EventIndex event) {
      const KernelWork work = m_facts.traits(event).work;
      const EventIndex launch = m_trace.deviceDetail(event).launch;
      if (work == KernelWork::Foreach || work == KernelWork::Product || !launch.valid() ||
          !m_optimizer.contains(m_trace.events.begin[launch]))
        return;
      launched.push_back(event);
      ++calls[m_trace.events.name[event]];
    });
    if (launched.size() < kMinOptimizerLaunches) return;
    std::size_t tensors = launched.size();
    for (const auto& [name, count] : calls) {
      if (20 * count >= launched.size()) tensors = std::min(tensors, count);
    }
    const double saved = 1 - static_cast<double>(tensors) / static_cast<double>(launched.size());
    for (const EventIndex event : launched) {
      const TimeNs high = partOf(durationOf(event), saved);
      blame(event, Leaf::ComputeOptimizer, ModelBasis::Times, high, high);
    }
  }

  void judgeElementwise() {
    const std::function<const KernelTraits&(EventIndex)> traits = [&](EventIndex e) -> const KernelTraits& {
      return m_facts.traits(e);
    };
    const std::function<bool(EventIndex)> open = [&](EventIndex e) {
      return isOpen(e) && !m_facts.accumulatesGradients(e);
    };
    std::vector<TimeNs> times;
    forEachStream(m_trace, [&](std::span<const EventIndex> stream) {
      for (const std::span<const EventIndex> chain : elementwiseChains(stream, traits, open)) {
        times.clear();
        for (const EventIndex event : chain) times.push_back(durationOf(event));
        const std::vector<TimeNs> savings = fusedSavings(times);
        for (std::size_t i = 0; i < chain.size(); ++i)
          blame(chain[i], Leaf::ComputeUnfused, ModelBasis::Times, savings[i], savings[i]);
      }
      for (const EventIndex event : stream) {
        if (m_trace.events.kind[event] != EventKind::Kernel || !m_facts.isContiguityCopy(event)) continue;
        const TimeNs high = partOf(durationOf(event), kCopySaved);
        const Verdict& known = verdict(event);
        if (known.leaf == Leaf::Ideal || (known.leaf == Leaf::ComputeUnfused && known.high < high))
          blame(event, Leaf::ComputeUnfused, ModelBasis::Times, high, high);
      }
    });
  }

  // Fewer blocks than the device has multiprocessors, and nothing beside them.
  void judgeSmallGrids(std::span<const OwnedTime> compute) {
    for (std::size_t i = 0; i < compute.size(); ++i) {
      const EventIndex event = compute[i].event;
      const auto share = static_cast<double>(m_trace.deviceDetail(event).blocksPerSm);
      if (!isOpen(event) || !(share > 0) || share >= 1 || durationOf(event) < kMinSmallGrid) continue;
      const TimeRange range = m_trace.events.range(event);
      const bool alone =
          compute[i].range == range &&
          (i + 1 == compute.size() || m_trace.events.begin[compute[i + 1].event] >= range.end) &&
          m_activity.communication.coveredWithin(range) == 0;
      if (!alone || m_facts.traits(event).persistent) continue;
      const TimeNs high = partOf(durationOf(event), 1 - share);
      blame(event, Leaf::ComputeSmallGrid, ModelBasis::Names, high, high);
    }
  }

  void judgeContention() {
    const Contention slowed = contention(m_trace, m_activity.communication);
    if (slowed.factor().value_or(1) < kMinContention) return;
    for (const ContendedKernel& kernel : slowed.kernels) {
      const TimeNs high = durationOf(kernel.kernel) - kernel.free;
      if (isOpen(kernel.kernel)) blame(kernel.kernel, Leaf::ComputeContention, ModelBasis::Times, high, high);
    }
  }

  void judgeClock() {
    if (m_clockRatio <= 1) return;
    forEachOpen([&](EventIndex event) {
      const TimeNs high = partOf(durationOf(event), 1 - 1 / m_clockRatio);
      blame(event, Leaf::ComputeClock, ModelBasis::Times, high, high);
    });
  }

  // Whether there is memory to keep the activations is not known here: nothing is promised.
  void judgeRecomputation() {
    const std::vector<std::uint8_t> recomputed = recomputedDeviceEvents(m_trace, m_names, m_tree);
    if (recomputed.empty()) return;
    forEachOpen([&](EventIndex event) {
      if (recomputed[event.value - m_trace.deviceBegin.value] != 0)
        blame(event, Leaf::ComputeRecompute, ModelBasis::Counted, durationOf(event), 0);
    });
  }

  [[nodiscard]] KernelExcesses owned(std::span<const OwnedTime> compute) const {
    KernelExcesses excesses;
    for (const OwnedTime& own : compute) {
      const Verdict& verdict = m_verdicts[own.event.value - m_trace.deviceBegin.value];
      if (verdict.leaf == Leaf::Ideal) continue;
      const TimeNs high = std::min(verdict.high, own.range.length());
      const bool critical = isCritical(m_trace, own.event);
      excesses.push_back({own.event, own.range, verdict.leaf, verdict.basis, critical, high,
                          critical ? std::min(verdict.low, high) : 0});
    }
    return excesses;
  }

  void addOwner(EventIndex event, std::vector<EventIndex>& operators) const {
    if (m_facts.owner(event).valid()) operators.push_back(m_facts.owner(event));
  }

  const RankEntry& m_entry;
  const RankTrace& m_trace;
  KernelFacts m_facts;
  const StringTable& m_names;
  const DeviceActivity& m_activity;
  const IntervalSet& m_optimizer;
  const IntervalSet& m_backward;
  const OperatorTree& m_tree;
  double m_clockRatio;
  std::vector<Verdict> m_verdicts; // by device event
};

} // namespace

KernelExcesses computeExcesses(const Analysis& analysis, RankIndex rank, std::span<const OwnedTime> compute,
                               double clockRatio) {
  if (compute.empty()) return {};
  return ComputeLeaves(analysis, rank, clockRatio).excesses(compute);
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/graph_join.h"

#include "core/analysis/classify/kernel_dtype.h"
#include "core/analysis/efficiency/iteration_search.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <unordered_map>

namespace rankscope {

namespace {

// Smaller graphs have no order that tells them from others.
constexpr std::size_t kLeastKernels = 8;
// Of the captured products, those that must meet the kernel of a product.
constexpr double kLeastAgreement = 0.95;

// "capture_32_FULL": 32.
std::int64_t captureBatch(std::string_view annotation) {
  constexpr std::string_view kPrefix = "capture_";
  if (!annotation.starts_with(kPrefix)) return -1;
  std::int64_t batch = -1;
  const char* const end = annotation.data() + annotation.size();
  const auto [at, error] = std::from_chars(annotation.data() + kPrefix.size(), end, batch);
  return error == std::errc() && (at == end || *at == '_') ? batch : -1;
}

bool isProductKernel(std::string_view name) {
  const KernelDtype dtype = kernelDtype(name);
  return dtype.product || dtype.fusedAttention;
}

// The launch of a captured kernel, and the call of the source's flops that it belongs to.
using CallOfLaunch = std::vector<std::int32_t>;

class Joining {
 public:
  Joining(const Analysis& analysis, RankIndex rank, const std::vector<const CaptureSource*>& sources)
      : m_analysis(analysis), m_trace(*analysis.trace().rank(rank).trace), m_names(analysis.trace().names()),
        m_sources(sources), m_labels(labeledIterations(m_trace, m_names)) {}

  ReplayedCalls join() {
    for (const auto& [launch, kernels] : replays()) joinOne(launch, kernels);
    return std::move(m_result);
  }

 private:
  struct Choice {
    const CaptureSource* source = nullptr;
    std::size_t graph = 0;
  };

  // Kernels by the launch of their graph, in the order in which they ran.
  [[nodiscard]] std::map<EventIndex, std::vector<EventIndex>> replays() const {
    std::map<EventIndex, std::vector<EventIndex>> replays;
    for (EventIndex event = m_trace.deviceBegin; event < m_trace.deviceEnd; ++event.value) {
      const EventKind kind = m_trace.events.kind[event];
      const EventIndex launch = m_trace.deviceDetail(event).launch;
      if (launch.valid() && (kind == EventKind::Kernel || kind == EventKind::Collective))
        replays[launch].push_back(event);
    }
    std::erase_if(replays, [](const auto& of) { return of.second.size() < kLeastKernels; });
    for (auto& [launch, kernels] : replays)
      std::ranges::stable_sort(kernels, {}, [&](EventIndex event) { return m_trace.events.begin[event]; });
    return replays;
  }

  void joinOne(EventIndex launch, const std::vector<EventIndex>& kernels) {
    const HostIteration* const in = iterationAt(m_labels, m_trace.events.begin[launch]);
    const Choice choice = choose(in == nullptr ? nullptr : &in->label, kernels);
    if (choice.source == nullptr) return;
    const CallOfLaunch& calls = callsOf(*choice.source, choice.graph);
    std::map<std::int32_t, std::size_t> placeOf; // of this replay
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (calls[i] < 0) continue;
      const auto [place, isNew] = placeOf.try_emplace(calls[i], m_result.calls.size());
      if (isNew) addCall(*choice.source, static_cast<std::size_t>(calls[i]), launch, in);
      addKernel(kernels[i], place->second);
    }
  }

  void addCall(const CaptureSource& source, std::size_t from, EventIndex launch, const HostIteration* in) {
    FlopCall call = source.flops->calls[from];
    m_result.shapes.push_back(source.flops->shapes[call.shapes]);
    if (!call.work.known() && in != nullptr) {
      if (const OperatorInputs* const inputs = inputsOf(source, call.op))
        call.work = flopsOf(m_names[call.name], *inputs, {nullptr, nullptr, &in->label});
    }
    if (call.work.tier == FlopTier::Shapes || call.work.tier == FlopTier::Linked)
      call.work.tier = FlopTier::Capture;
    call.op = launch;
    call.ran = true;
    call.recomputed = false;
    call.kernels = 0;
    call.deviceTime = 0;
    call.longestKernel = EventIndex();
    m_result.calls.push_back(std::move(call));
  }

  void addKernel(EventIndex kernel, std::size_t place) {
    m_result.kernels.emplace_back(kernel, place);
    FlopCall& call = m_result.calls[place];
    const auto duration = [&](EventIndex event) { return m_trace.events.duration[event]; };
    ++call.kernels;
    call.deviceTime += duration(kernel);
    if (!call.longestKernel.valid() || duration(kernel) > duration(call.longestKernel))
      call.longestKernel = kernel;
  }

  // Of graphs that fit the one for the fewest requests that are enough; where nothing says how many there
  // are, the first.
  [[nodiscard]] Choice choose(const IterationLabel* label, const std::vector<EventIndex>& kernels) {
    const std::int64_t wanted = label == nullptr ? -1 : std::max(label->padded, label->requests());
    Choice best;
    std::int64_t bestBatch = -1;
    for (const CaptureSource* const source : m_sources) {
      for (std::size_t i = 0; i < source->graphs.size(); ++i) {
        const std::int64_t batch = source->batches[i];
        const bool isBetter = best.source == nullptr || (wanted >= 0 && batch >= 0 && batch < bestBatch);
        if (!isBetter || (wanted >= 0 && batch >= 0 && batch < wanted)) continue;
        if (source->graphs[i].launches.size() != kernels.size() || !agrees(*source, i, kernels)) continue;
        best = {source, i};
        bestBatch = batch;
      }
    }
    return best;
  }

  bool agrees(const CaptureSource& source, std::size_t graph, const std::vector<EventIndex>& kernels) {
    const CallOfLaunch& calls = callsOf(source, graph);
    std::map<std::int32_t, bool> met; // whether a call has the kernel of a product
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      if (calls[i] < 0) continue;
      bool& of = met[calls[i]];
      of = of || isProduct(m_trace.events.name[kernels[i]]);
    }
    const auto good = std::ranges::count_if(met, [](const auto& of) { return of.second; });
    return static_cast<double>(good) >= kLeastAgreement * static_cast<double>(met.size());
  }

  bool isProduct(NameId name) {
    const auto [known, isNew] = m_isProduct.try_emplace(name.value, false);
    if (isNew) known->second = isProductKernel(m_names[name]);
    return known->second;
  }

  const CallOfLaunch& callsOf(const CaptureSource& source, std::size_t graph) {
    const auto [known, isNew] = m_calls.try_emplace({&source, graph});
    if (!isNew) return known->second;
    const OperatorTree& tree = m_analysis.operatorTree(source.rank);
    std::unordered_map<std::uint64_t, std::int32_t> placeOf;
    for (std::size_t i = 0; i < source.flops->calls.size(); ++i)
      placeOf[source.flops->calls[i].op.value] = static_cast<std::int32_t>(i);
    for (const EventIndex launch : source.graphs[graph].launches) {
      std::int32_t call = -1;
      // The outermost: calls of a recording do not lie in each other.
      for (EventIndex op = tree.enclosingOf(launch); op.valid() && call < 0; op = tree.enclosingOf(op)) {
        const auto found = placeOf.find(op.value);
        if (found != placeOf.end()) call = found->second;
      }
      known->second.push_back(call);
    }
    return known->second;
  }

  // Of operators that nothing is known of but their shapes.
  const OperatorInputs* inputsOf(const CaptureSource& source, EventIndex op) {
    const auto known = m_inputs.find(&source);
    if (known != m_inputs.end()) return known->second.of(op);
    std::vector<EventIndex> operators;
    for (const FlopCall& call : source.flops->calls)
      if (!call.work.known()) operators.push_back(call.op);
    return m_inputs
        .emplace(&source, OperatorInputsOf(m_analysis.trace().rank(source.rank), std::move(operators)))
        .first->second.of(op);
  }

  const Analysis& m_analysis;
  const RankTrace& m_trace;
  const StringTable& m_names;
  const std::vector<const CaptureSource*>& m_sources;
  std::vector<HostIteration> m_labels;
  std::unordered_map<std::uint32_t, bool> m_isProduct; // by name
  std::map<std::pair<const CaptureSource*, std::size_t>, CallOfLaunch> m_calls;
  std::map<const CaptureSource*, OperatorInputsOf> m_inputs;
  ReplayedCalls m_result;
};

} // namespace

CaptureSource captureSource(const Analysis& analysis, RankIndex rank, const RankFlops& flops) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const StringTable& names = analysis.trace().names();
  CaptureSource source{rank, &flops, capturedGraphs(trace, names), {}};
  std::erase_if(source.graphs, [](const CapturedGraph& of) { return of.launches.size() < kLeastKernels; });
  source.batches.assign(source.graphs.size(), -1);
  if (source.graphs.empty()) return source;
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Annotations && track.kind != TrackKind::Thread) continue;
    for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
      if (trace.events.kind[event] != EventKind::Annotation) continue;
      const std::int64_t batch = captureBatch(names[trace.events.name[event]]);
      for (std::size_t i = 0; batch >= 0 && i < source.graphs.size(); ++i)
        if (trace.events.range(event).contains(source.graphs[i].range.begin)) source.batches[i] = batch;
    }
  }
  return source;
}

ReplayedCalls replayedCalls(const Analysis& analysis, RankIndex rank,
                            const std::vector<const CaptureSource*>& sources) {
  return Joining(analysis, rank, sources).join();
}

void addReplayed(const RankTrace& trace, ReplayedCalls replayed, RankFlops& flops) {
  const std::size_t first = flops.calls.size();
  for (std::size_t i = 0; i < replayed.calls.size(); ++i) {
    FlopCall& call = flops.calls.emplace_back(std::move(replayed.calls[i]));
    const auto known = std::ranges::find(flops.shapes, replayed.shapes[i]);
    call.shapes = static_cast<std::uint32_t>(known - flops.shapes.begin());
    if (known == flops.shapes.end()) flops.shapes.push_back(std::move(replayed.shapes[i]));
    flops.hasShapes = true;
  }
  for (const auto& [kernel, place] : replayed.kernels)
    flops.callOf[kernel.value - trace.deviceBegin.value] = static_cast<std::int32_t>(first + place);
}

} // namespace rankscope

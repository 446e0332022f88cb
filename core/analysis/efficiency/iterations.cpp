// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/iterations.h"

#include "core/analysis/operators/operator_inputs.h"
#include "core/index/interval_set.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rankscope {

namespace {

// Below this share of the kernels' time with a figure, sums would say nothing.
constexpr double kGoodCoverage = 0.7;
// With fewer launches of graphs there is nothing that repeats.
constexpr std::size_t kLeastGraphs = 3;

bool isGraphLaunch(std::string_view name) {
  return name == "cudaGraphLaunch" || name == "hipGraphLaunch" || name == "cuGraphLaunch";
}

// Serving engines' attention: q (T, heads, d), k (T, heads of keys, d).
bool isUnifiedAttention(std::string_view name) {
  return name == "vllm::unified_attention_with_output" || name == "vllm::unified_attention" ||
         name == "sglang::unified_attention_with_output";
}

struct AttentionOperator {
  std::int64_t heads = 0;
  std::int64_t keyHeads = 0;
  std::int64_t width = 0;
  std::int64_t bytes = 2; // of an element
};

class Finder {
 public:
  Finder(const Analysis& analysis, RankIndex rank, const RankAccount& account, const RankFlops& flops,
         const RankPeaks& peaks)
      : m_entry(analysis.trace().rank(rank)), m_trace(*m_entry.trace), m_names(analysis.trace().names()),
        m_account(account), m_flops(flops), m_peaks(peaks), m_tree(analysis.operatorTree(rank)) {}

  std::vector<Iteration> all(TimeRange window) {
    labeled();
    if (m_found.empty()) ofGraphs();
    std::ranges::stable_sort(m_found, {}, [](const Iteration& of) { return of.host.begin; });
    attributeDevice();
    if (!m_found.empty()) findAttention();
    addWork();
    addGaps();
    std::erase_if(m_found, [&](const Iteration& of) { return !window.contains(of.host.begin); });
    return std::move(m_found);
  }

 private:
  // The outermost label of each nest: one that lies in another is its part.
  void labeled() {
    std::vector<std::optional<IterationLabel>> labels(m_names.size());
    std::vector<std::uint8_t> judged(m_names.size());
    for (const Track& track : m_trace.tracks) {
      if (track.kind != TrackKind::Annotations && track.kind != TrackKind::Thread) continue;
      for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
        const NameId name = m_trace.events.name[event];
        if (judged[name.value] == 0) {
          judged[name.value] = 1;
          labels[name.value] = iterationLabel(m_names[name]);
        }
        if (!labels[name.value]) continue;
        Iteration& iteration = m_found.emplace_back();
        iteration.event = event;
        iteration.label = *labels[name.value];
        iteration.host = m_trace.events.range(event);
      }
    }
    std::ranges::stable_sort(m_found, [](const Iteration& a, const Iteration& b) {
      return std::pair(a.host.begin, -a.host.end) < std::pair(b.host.begin, -b.host.end);
    });
    TimeNs covered = kAllTime.begin;
    std::erase_if(m_found, [&](const Iteration& of) {
      const bool inside = of.host.end <= covered;
      covered = std::max(covered, of.host.end);
      return inside;
    });
  }

  void ofGraphs() {
    for (const Track& track : m_trace.tracks) {
      if (track.kind != TrackKind::Thread) continue;
      for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
        if (m_trace.events.kind[event] != EventKind::Runtime ||
            !isGraphLaunch(m_names[m_trace.events.name[event]]))
          continue;
        Iteration& iteration = m_found.emplace_back();
        iteration.event = event;
        iteration.host = m_trace.events.range(event);
      }
    }
    if (m_found.size() < kLeastGraphs) m_found.clear();
  }

  // The iteration whose host part holds a time; they do not overlap on one engine's thread.
  [[nodiscard]] Iteration* at(TimeNs time) {
    const auto after =
        std::ranges::upper_bound(m_found, time, {}, [](const Iteration& of) { return of.host.begin; });
    if (after == m_found.begin()) return nullptr;
    Iteration& of = *std::prev(after);
    return of.host.contains(time) || of.host.begin == time ? &of : nullptr;
  }

  void attributeDevice() {
    std::vector<std::vector<TimeRange>> ranges(m_found.size());
    m_covered.assign(m_found.size(), 0);
    for (EventIndex event = m_trace.deviceBegin; event < m_trace.deviceEnd; ++event.value) {
      const EventIndex launch = m_trace.deviceDetail(event).launch;
      Iteration* const of = launch.valid() ? at(m_trace.events.begin[launch]) : nullptr;
      if (of == nullptr || m_trace.events.duration[event] <= 0) continue;
      const auto place = static_cast<std::size_t>(of - m_found.data());
      ranges[place].push_back(m_trace.events.range(event));
      const FlopCall* const call = m_flops.callOfDevice(m_trace, event);
      if (call != nullptr && call->counts()) m_covered[place] += m_trace.events.duration[event];
    }
    for (std::size_t i = 0; i < m_found.size(); ++i) {
      std::ranges::sort(ranges[i], {}, &TimeRange::begin);
      TimeNs end = kAllTime.begin;
      for (const TimeRange& range : ranges[i]) {
        m_found[i].device = m_found[i].device.unitedWith(range);
        m_found[i].deviceTime += std::max<TimeNs>(0, range.end - std::max(range.begin, end));
        end = std::max(end, range.end);
      }
    }
  }

  // Calls of the engine's attention in each iteration, and what their kernels took.
  void findAttention() {
    std::vector<EventIndex> operators;
    forEachOperator(m_trace, m_names, [&](EventIndex op) {
      if (isUnifiedAttention(m_names[m_trace.events.name[op]])) operators.push_back(op);
    });
    if (operators.empty()) return;
    const OperatorInputsOf inputs(m_entry, operators);
    for (const EventIndex op : operators) {
      const OperatorInputs* const of = inputs.of(op);
      Iteration* const iteration = at(m_trace.events.begin[op]);
      if (of == nullptr || iteration == nullptr || of->shapes.size() < 2 || of->shapes[0].size() != 3 ||
          of->shapes[1].size() != 3)
        continue;
      const std::int64_t size = of->types.empty() ? 0 : bytesOfType(of->types.front());
      m_attention[static_cast<std::size_t>(iteration - m_found.data())].push_back(
          {of->shapes[0][1], of->shapes[1][1], of->shapes[0][2], size > 0 ? size : 2});
    }
    for (std::size_t i = 0; i < m_trace.deviceDetails.size(); ++i) {
      EventIndex op = m_tree.owners[i];
      while (op.valid() && !isUnifiedAttention(m_names[m_trace.events.name[op]])) op = m_tree.enclosingOf(op);
      Iteration* const iteration = op.valid() ? at(m_trace.events.begin[op]) : nullptr;
      if (iteration != nullptr && iteration->label.context() >= 0)
        m_covered[static_cast<std::size_t>(iteration - m_found.data())] +=
            m_trace.events.duration[EventIndex(m_trace.deviceBegin.value + i)];
    }
  }

  // Products by shapes; attention by the sums in the label: causal inside a chunk, full over its past.
  void addWork() {
    std::vector<double> flops(m_found.size());
    std::vector<double> bytes(m_found.size());
    for (const FlopCall& call : m_flops.calls) {
      Iteration* const of = call.counts() ? at(m_trace.events.begin[call.op]) : nullptr;
      if (of == nullptr) continue;
      const auto place = static_cast<std::size_t>(of - m_found.data());
      flops[place] += static_cast<double>(call.work.executed);
      bytes[place] += static_cast<double>(std::max<std::int64_t>(call.work.bytes, 0));
    }
    for (const auto& [place, calls] : m_attention) {
      const IterationLabel& label = m_found[place].label;
      for (const AttentionOperator& of : calls) addAttention(label, of, flops[place], bytes[place]);
    }
    for (std::size_t i = 0; i < m_found.size(); ++i) {
      Iteration& of = m_found[i];
      const auto time = static_cast<double>(of.deviceTime);
      if (time <= 0 || static_cast<double>(m_covered[i]) < kGoodCoverage * time) continue;
      of.tflops = flops[i] / time / 1e3;
      of.gigabytes = bytes[i] / time;
      const bool decodes = of.label.phase == IterationPhase::Decode;
      if (decodes && m_peaks.gigabytes > 0) of.bandwidthPct = 100 * *of.gigabytes / m_peaks.gigabytes;
    }
  }

  static void addAttention(const IterationLabel& label, const AttentionOperator& of, double& flops,
                           double& bytes) {
    const auto known = [](std::int64_t sum) { return static_cast<double>(std::max<std::int64_t>(sum, 0)); };
    const double width = 2 * static_cast<double>(of.width); // of keys and values
    const double pairs =
        known(label.prefill.pairs) - known(label.prefill.squares) / 2 + known(label.decode.pairs);
    flops += 2 * static_cast<double>(of.heads) * width * std::max(0.0, pairs);
    bytes += known(label.context()) * static_cast<double>(of.keyHeads * of.bytes) * width;
    bytes += (known(label.prefill.tokens) + known(label.decode.tokens)) *
             static_cast<double>(of.heads * of.bytes) * width;
  }

  void addGaps() {
    const Iteration* before = nullptr;
    for (Iteration& of : m_found) {
      const bool decodes =
          of.label.phase == IterationPhase::Decode || of.label.phase == IterationPhase::Mixed;
      if (decodes)
        of.perToken = of.range().end - (before != nullptr ? before->range().end : of.range().begin);
      if (of.device.empty()) continue;
      if (before != nullptr && !before->device.empty()) {
        const TimeRange gap{before->device.end, std::max(before->device.end, of.device.begin)};
        of.gapBefore = gap.length();
        of.gapLeaf = leafOf(gap);
      }
      before = &of;
    }
  }

  [[nodiscard]] std::optional<Leaf> leafOf(TimeRange gap) const {
    std::map<Leaf, TimeNs> times;
    m_account.pieces.forEachWithin(gap, [&](TimeRange range, const TimePieces::Piece& piece) {
      if (piece.timeClass == TimeClass::Idle) times[piece.leaf] += range.length();
    });
    const auto most = std::ranges::max_element(times, {}, &std::pair<const Leaf, TimeNs>::second);
    return most == times.end() ? std::nullopt : std::optional(most->first);
  }

  const RankEntry& m_entry;
  const RankTrace& m_trace;
  const StringTable& m_names;
  const RankAccount& m_account;
  const RankFlops& m_flops;
  const RankPeaks& m_peaks;
  const OperatorTree& m_tree;
  std::vector<Iteration> m_found;
  std::vector<TimeNs> m_covered; // by iteration: kernel time with a figure
  std::map<std::size_t, std::vector<AttentionOperator>> m_attention; // by iteration
};

} // namespace

std::vector<Iteration> iterationsOf(const Analysis& analysis, RankIndex rank, const RankAccount& account,
                                    const RankFlops& flops, const RankPeaks& peaks) {
  return Finder(analysis, rank, account, flops, peaks).all(analysis.window(rank).ns());
}

} // namespace rankscope

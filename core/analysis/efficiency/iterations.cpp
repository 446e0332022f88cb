// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/iterations.h"

#include "core/analysis/classify/name_traits.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace rankscope {

namespace {

// Below this share of the kernels' time with a figure, sums would say nothing.
constexpr double kGoodCoverage = 0.7;
// Of a product: more rows than a batch of requests has.
constexpr std::int64_t kMostDecodeRows = 256;
constexpr std::int64_t kLeastSide = 16;

enum AttentionUse : std::uint8_t { kNoAttention, kOfDecode, kOfPrefill };

// What fused attention is made for, by the kernel's name.
std::uint8_t attentionUseOf(std::string_view kernel) {
  constexpr std::array<std::string_view, 6> kDecode{"splitkv",   "paged_attention",  "BatchDecode",
                                                    "flash_mla", "decode_attention", "_fwd_mla"};
  constexpr std::array<std::string_view, 3> kPrefill{"BatchPrefill", "FmhaPrefill", "flash_fwd_kernel"};
  const auto has = [&](std::string_view part) { return kernel.find(part) != std::string_view::npos; };
  return std::ranges::any_of(kDecode, has)    ? kOfDecode
         : std::ranges::any_of(kPrefill, has) ? kOfPrefill
                                              : kNoAttention;
}

class Finder {
 public:
  Finder(const Analysis& analysis, RankIndex rank, const RankAccount& account, const RankFlops& flops,
         const RankPeaks& peaks)
      : m_trace(*analysis.trace().rank(rank).trace), m_names(analysis.trace().names()), m_account(account),
        m_flops(flops), m_peaks(peaks), m_host(hostIterations(analysis, rank)),
        m_attention(m_names, &attentionUseOf) {}

  std::vector<Iteration> all(TimeRange window) {
    for (const HostIteration& of : m_host) {
      Iteration& iteration = m_found.emplace_back();
      iteration.event = of.event;
      iteration.label = of.label;
      iteration.host = of.host;
    }
    if (m_found.empty()) return {};
    m_work.resize(m_found.size());
    attributeDevice();
    addWork();
    judgePhases();
    addBandwidth();
    addGaps();
    std::erase_if(m_found, [&](const Iteration& of) { return !window.contains(of.host.begin); });
    return std::move(m_found);
  }

 private:
  struct Work {
    double flops = 0;
    double bytes = 0;
    double productBytes = 0;
    TimeNs covered = 0;                  // kernel time with a figure
    std::map<std::int64_t, double> rows; // FLOPs of products, by their rows
    std::array<TimeNs, 3> attention{};   // by AttentionUse
  };

  [[nodiscard]] std::optional<std::size_t> placeAt(TimeNs time) {
    const Iteration* const of = iterationAt(m_found, time);
    return of == nullptr ? std::nullopt : std::optional(static_cast<std::size_t>(of - m_found.data()));
  }

  void attributeDevice() {
    std::vector<std::vector<TimeRange>> ranges(m_found.size());
    std::vector<std::vector<EventIndex>> launches(m_found.size());
    for (EventIndex event = m_trace.deviceBegin; event < m_trace.deviceEnd; ++event.value) {
      const EventIndex launch = m_trace.deviceDetail(event).launch;
      const auto place = launch.valid() ? placeAt(m_trace.events.begin[launch]) : std::nullopt;
      if (!place || m_trace.events.duration[event] <= 0) continue;
      ranges[*place].push_back(m_trace.events.range(event));
      if (m_trace.events.kind[event] != EventKind::Kernel) continue;
      launches[*place].push_back(launch);
      Work& work = m_work[*place];
      work.attention[m_attention[m_trace.events.name[event]]] += m_trace.events.duration[event];
      const FlopCall* const call = m_flops.callOfDevice(m_trace, event);
      if (call != nullptr && call->counts()) work.covered += m_trace.events.duration[event];
    }
    for (std::size_t i = 0; i < m_found.size(); ++i) {
      addDevice(std::move(ranges[i]), m_found[i]);
      std::ranges::sort(launches[i]);
      launches[i].erase(std::unique(launches[i].begin(), launches[i].end()), launches[i].end());
      m_found[i].launches = static_cast<std::int64_t>(launches[i].size());
      m_found[i].graphs = std::ranges::any_of(launches[i], [&](EventIndex launch) {
        return isGraphLaunch(m_names[m_trace.events.name[launch]]);
      });
    }
  }

  static void addDevice(std::vector<TimeRange> ranges, Iteration& of) {
    std::ranges::sort(ranges, {}, &TimeRange::begin);
    TimeNs end = kAllTime.begin;
    for (const TimeRange& range : ranges) {
      of.device = of.device.unitedWith(range);
      of.deviceTime += std::max<TimeNs>(0, range.end - std::max(range.begin, end));
      end = std::max(end, range.end);
    }
  }

  void addWork() {
    for (const FlopCall& call : m_flops.calls) {
      const auto place = call.counts() ? placeAt(m_trace.events.begin[call.op]) : std::nullopt;
      if (!place) continue;
      Work& work = m_work[*place];
      work.flops += static_cast<double>(call.work.executed);
      const auto bytes = static_cast<double>(std::max<std::int64_t>(call.work.bytes, 0));
      work.bytes += bytes;
      if (call.work.kind == FlopKind::Product) work.productBytes += bytes;
      const bool isMatrix = call.work.kind == FlopKind::Product && call.work.batch == 1 &&
                            std::min(call.work.n, call.work.k) >= kLeastSide;
      if (isMatrix) work.rows[call.work.m] += static_cast<double>(call.work.flops);
    }
  }

  // The rows that most FLOPs of products have: tokens, where all are computed together.
  [[nodiscard]] std::int64_t rowsOf(std::size_t place) const {
    const auto& rows = m_work[place].rows;
    const auto most = std::ranges::max_element(rows, {}, [](const auto& of) { return of.second; });
    return most == rows.end() ? -1 : most->first;
  }

  // Of iterations that no engine has labeled: by rows of products, kind of attention and launches of graphs.
  void judgePhases() {
    std::int64_t least = 0; // rows of any that generates
    for (std::size_t i = 0; i < m_found.size(); ++i) {
      const std::int64_t rows = m_host[i].generates ? rowsOf(i) : -1;
      if (rows > 0) least = least > 0 ? std::min(least, rows) : rows;
    }
    for (std::size_t i = 0; i < m_found.size(); ++i) {
      if (m_host[i].labeled) continue;
      IterationLabel& label = m_found[i].label;
      const std::int64_t rows = rowsOf(i);
      if (label.phase == IterationPhase::Unknown) label.phase = phaseOf(i, rows, least);
      if (label.phase == IterationPhase::Unknown || label.tokens >= 0 || rows <= 0) continue;
      label.tokens = rows;
      (label.phase == IterationPhase::Prefill ? label.prefill : label.decode).tokens = rows;
    }
  }

  [[nodiscard]] IterationPhase phaseOf(std::size_t place, std::int64_t rows, std::int64_t least) const {
    const std::array<TimeNs, 3>& attention = m_work[place].attention;
    const bool generates = m_host[place].generates;
    if (attention[kOfDecode] == 0 && attention[kOfPrefill] == 0 && !generates && !m_found[place].graphs)
      return IterationPhase::Unknown;
    if (rows > kMostDecodeRows || (generates && least > 0 && rows >= 2 * least))
      return IterationPhase::Prefill;
    if (attention[kOfDecode] > attention[kOfPrefill]) return IterationPhase::Decode;
    if (generates && rows > 0) return IterationPhase::Decode;
    if (attention[kOfPrefill] > 0) return IterationPhase::Prefill;
    return m_found[place].graphs ? IterationPhase::Decode : IterationPhase::Unknown;
  }

  void addBandwidth() {
    for (std::size_t i = 0; i < m_found.size(); ++i) {
      Iteration& of = m_found[i];
      const auto time = static_cast<double>(of.deviceTime);
      if (time <= 0) continue;
      if (m_work[i].bytes > 0) of.productShare = m_work[i].productBytes / m_work[i].bytes;
      of.coverage = std::min(1.0, static_cast<double>(m_work[i].covered) / time);
      if (of.coverage < kGoodCoverage) continue;
      of.tflops = m_work[i].flops / time / 1e3;
      of.gigabytes = m_work[i].bytes / time;
      const bool decodes = of.label.phase == IterationPhase::Decode;
      if (decodes && m_peaks.gigabytes > 0) of.bandwidthPct = 100 * *of.gigabytes / m_peaks.gigabytes;
    }
  }

  void addGaps() {
    const Iteration* before = nullptr;
    for (Iteration& of : m_found) {
      const bool decodes =
          of.label.phase == IterationPhase::Decode || of.label.phase == IterationPhase::Mixed;
      // Of the first one it is not known when the one before ended.
      if (decodes && before != nullptr) of.perToken = of.range().end - before->range().end;
      if (of.device.empty()) continue;
      of.dispatch = dispatchIn(of.device);
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

  // Time in which the device waits for launches.
  [[nodiscard]] TimeNs dispatchIn(TimeRange range) const {
    TimeNs time = 0;
    m_account.pieces.forEachWithin(range, [&](TimeRange part, const TimePieces::Piece& piece) {
      if (piece.timeClass == TimeClass::Idle && leafText(piece.leaf).starts_with("host.dispatch"))
        time += part.length();
    });
    return time;
  }

  const RankTrace& m_trace;
  const StringTable& m_names;
  const RankAccount& m_account;
  const RankFlops& m_flops;
  const RankPeaks& m_peaks;
  std::vector<HostIteration> m_host;
  NameMemory<std::uint8_t (*)(std::string_view)> m_attention;
  std::vector<Iteration> m_found; // like m_host
  std::vector<Work> m_work;       // by iteration
};

} // namespace

std::vector<Iteration> iterationsOf(const Analysis& analysis, RankIndex rank, const RankAccount& account,
                                    const RankFlops& flops, const RankPeaks& peaks) {
  return Finder(analysis, rank, account, flops, peaks).all(analysis.window(rank).ns());
}

} // namespace rankscope

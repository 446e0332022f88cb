// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/step_efficiency.h"

#include "core/analysis/classify/kernel_work.h"
#include "core/analysis/classify/name_traits.h"
#include "core/analysis/efficiency/calls_of_steps.h"
#include "core/base/whole_number.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace rankscope {

namespace {

std::size_t placeOf(NumberFormat format) {
  return static_cast<std::size_t>(format);
}

// What the kernels of one call took, and what they need at the peak.
struct CallTime {
  double ideal = 0;  // ns at the peak, no more than owned
  double memory = 0; // ns that memory adds
  TimeNs owned = 0;  // of the recording
  bool modelled = false;
};

constexpr std::uint8_t kLayout = 0x80;

// The format of a product after 1, kLayout of a layout conversion, else 0.
std::uint8_t productFormat(std::string_view kernel) {
  const KernelTraits traits = kernelTraits(kernel);
  if (traits.work == KernelWork::Layout) return kLayout;
  const KernelDtype& dtype = traits.dtype;
  return dtype.product ? static_cast<std::uint8_t>(1 + placeOf(dtype.format)) : std::uint8_t{0};
}

class Splitting {
 public:
  Splitting(const Analysis& analysis, RankIndex rank, const RankAccount& account, const RankFlops& flops,
            const RankPeaks& peaks)
      : m_trace(*analysis.trace().rank(rank).trace), m_account(account), m_flops(flops), m_peaks(peaks),
        m_product(analysis.trace().names(), &productFormat) {
    sumOwned();
  }

  void split(StepEfficiency& step) {
    std::map<std::int32_t, TimeNs> byCall;
    std::array<TimeNs, kNumberFormatCount> products{}; // by format, of their names
    TimeNs nonGemm = 0;
    TimeNs unmodelled = 0;
    m_account.pieces.forEachWithin(step.range, [&](TimeRange range, const TimePieces::Piece& piece) {
      if (piece.timeClass != TimeClass::Compute || !isKernel(piece.event)) return;
      step.compute += range.length();
      const std::int32_t call = callOf(piece.event);
      const std::uint8_t product = m_product[m_trace.events.name[piece.event]];
      const bool isProduct = product != 0 && product != kLayout;
      if (isProduct) products[product - 1] += range.length();
      if (call >= 0 && m_flops.calls[static_cast<std::size_t>(call)].work.known())
        byCall[call] += range.length();
      else if (isProduct || (call >= 0 && product != kLayout))
        unmodelled += range.length();
      else
        nonGemm += range.length();
    });
    for (const auto& [call, time] : byCall) step.covered += time;
    if (step.calls == 0 || step.format == NumberFormat::Unknown)
      step.format = static_cast<NumberFormat>(std::ranges::max_element(products) - products.begin());
    if (step.peak <= 0 && step.calls == 0) step.peak = m_peaks.of(step.format);
    if (m_peaks.known() && m_trace.hasDeviceEvents()) setParts(step, byCall, nonGemm, unmodelled);
  }

 private:
  [[nodiscard]] bool isKernel(EventIndex event) const {
    return event.valid() && m_trace.isDeviceEvent(event);
  }
  [[nodiscard]] std::int32_t callOf(EventIndex event) const {
    return isKernel(event) && !m_flops.callOf.empty()
               ? m_flops.callOf[event.value - m_trace.deviceBegin.value]
               : -1;
  }

  void sumOwned() {
    m_times.resize(m_flops.calls.size());
    for (std::size_t i = 0; i < m_account.pieces.size(); ++i) {
      const TimePieces::Piece& piece = m_account.pieces[i];
      const std::int32_t call = piece.timeClass == TimeClass::Compute ? callOf(piece.event) : -1;
      if (call >= 0) m_times[static_cast<std::size_t>(call)].owned += m_account.pieces.rangeOf(i).length();
    }
    for (std::size_t i = 0; i < m_times.size(); ++i) model(m_flops.calls[i].work, m_times[i]);
  }

  // Memory limits a product below the ridge: of its time so much as its intensity lacks.
  void model(const FlopWork& work, CallTime& time) const {
    const double peak = m_peaks.of(work.format);
    if (!work.known() || peak <= 0) return;
    const auto owned = static_cast<double>(time.owned);
    time.modelled = true;
    time.ideal = std::min(owned, static_cast<double>(work.executed) / peak / 1e3);
    if (work.bytes <= 0 || m_peaks.gigabytes <= 0) return;
    const double intensity = static_cast<double>(work.executed) / static_cast<double>(work.bytes);
    const double ridge = peak * 1e3 / m_peaks.gigabytes;
    if (intensity < ridge) time.memory = std::min(owned * (1 - intensity / ridge), owned - time.ideal);
  }

  void setParts(StepEfficiency& step, const std::map<std::int32_t, TimeNs>& byCall, TimeNs nonGemm,
                TimeNs unmodelled) const {
    TimeNs memory = 0;
    TimeNs inefficient = 0;
    TimeNs recompute = 0;
    TimeNs model = 0;
    for (const auto& [call, inStep] : byCall) {
      const CallTime& time = m_times[static_cast<std::size_t>(call)];
      if (!time.modelled) {
        unmodelled += inStep;
        continue;
      }
      // Of a call whose kernels run in two steps each has its part.
      const double share = static_cast<double>(inStep) / static_cast<double>(std::max<TimeNs>(time.owned, 1));
      const TimeNs ideal = std::min(inStep, static_cast<TimeNs>(std::floor(time.ideal * share)));
      const TimeNs limited = std::min(inStep - ideal, static_cast<TimeNs>(std::floor(time.memory * share)));
      memory += limited;
      inefficient += inStep - ideal - limited;
      (m_flops.calls[static_cast<std::size_t>(call)].recomputed ? recompute : model) += ideal;
    }
    const auto set = [&](EfficiencyPart part, TimeNs time) {
      step.parts[static_cast<std::size_t>(part)] = time;
    };
    set(EfficiencyPart::NonGemm, nonGemm);
    set(EfficiencyPart::Unmodelled, unmodelled);
    set(EfficiencyPart::MemoryBound, memory);
    set(EfficiencyPart::Inefficient, inefficient);
    set(EfficiencyPart::Recompute, recompute);
    set(EfficiencyPart::ModelFlops, model);
  }

  const RankTrace& m_trace;
  const RankAccount& m_account;
  const RankFlops& m_flops;
  const RankPeaks& m_peaks;
  NameMemory<std::uint8_t (*)(std::string_view)> m_product;
  std::vector<CallTime> m_times; // by call
};

// The peak of a mix: FLOPs over the time that each format needs at its own. 0 when a peak is missing.
double mixedPeak(const StepEfficiency& step, const RankPeaks& peaks) {
  double flops = 0;
  double time = 0;
  for (std::size_t i = 0; i < kNumberFormatCount; ++i) {
    if (step.flopsOf[i] <= 0) continue;
    if (peaks.tflops[i] <= 0) return 0;
    flops += step.flopsOf[i];
    time += step.flopsOf[i] / peaks.tflops[i];
  }
  return time > 0 ? flops / time : 0;
}

void addCalls(const CallsOfSteps& calls, const RankFlops& flops, std::size_t place, StepEfficiency& step) {
  calls.forEach(place, step.range, [&](std::size_t of, double share) {
    const FlopCall& call = flops.calls[of];
    const double done = share * static_cast<double>(call.work.flops);
    const std::int64_t whole = share < 1 ? rounded(done) : call.work.flops;
    ++step.calls;
    step.flops += whole;
    if (call.recomputed) step.recomputed += whole;
    step.flopsOf[placeOf(call.work.format)] += done;
  });
  const auto* const most = std::ranges::max_element(step.flopsOf);
  if (*most > 0) step.format = static_cast<NumberFormat>(most - step.flopsOf.begin());
}

std::optional<double> shareOfPeak(double flops, TimeNs time, double peak) {
  if (peak <= 0 || time <= 0) return std::nullopt;
  return 100 * flops / (static_cast<double>(time) * peak * 1e3);
}

} // namespace

std::string_view efficiencyPartText(EfficiencyPart part) {
  static constexpr std::array<std::string_view, kEfficiencyPartCount> kTexts{
      "idle",         "exposed_communication", "exposed_memory", "non_gemm",   "unmodelled",
      "memory_bound", "inefficient",           "recompute",      "model_flops"};
  return kTexts[static_cast<std::size_t>(part)];
}

std::optional<double> StepEfficiency::coveragePct() const {
  if (compute <= 0) return std::nullopt;
  return 100 * static_cast<double>(covered) / static_cast<double>(compute);
}

std::optional<double> StepEfficiency::tflops() const {
  if (calls == 0 || duration() <= 0) return std::nullopt;
  return static_cast<double>(flops) / static_cast<double>(duration()) / 1e3;
}

std::optional<double> StepEfficiency::hfuPct() const {
  if (calls == 0) return std::nullopt;
  return shareOfPeak(static_cast<double>(flops), duration(), peak);
}

std::optional<double> StepEfficiency::busyHfuPct() const {
  if (calls == 0) return std::nullopt;
  return shareOfPeak(static_cast<double>(flops), compute, peak);
}

std::optional<double> StepEfficiency::mfuPct() const {
  if (calls == 0) return std::nullopt;
  return shareOfPeak(static_cast<double>(flops) - static_cast<double>(recomputed), duration(), peak);
}

std::optional<double> StepEfficiency::mfuPct(double modelFlops) const {
  return shareOfPeak(modelFlops, duration(), peak);
}

std::vector<StepEfficiency> stepEfficiency(const Analysis& analysis, RankIndex rank,
                                           const RankAccount& account, const RankFlops& flops,
                                           const RankPeaks& peaks) {
  Splitting splitting(analysis, rank, account, flops, peaks);
  const CallsOfSteps calls(analysis, rank, flops);
  std::vector<StepEfficiency> steps;
  steps.reserve(account.steps.size());
  for (std::size_t i = 0; i < account.steps.size(); ++i) {
    StepEfficiency& step = steps.emplace_back();
    step.number = account.steps[i].number;
    step.range = account.steps[i].range;
    addCalls(calls, flops, i, step);
    step.peak = mixedPeak(step, peaks);
    const LeafTimes& times = account.steps[i].times;
    step.parts[0] = timeOf(times, TimeClass::Idle);
    step.parts[1] = timeOf(times, TimeClass::ExposedCommunication);
    step.parts[2] = timeOf(times, TimeClass::ExposedMemory);
    splitting.split(step);
  }
  return steps;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/efficiency_checklist.h"

#include "core/analysis/efficiency/gemm_advice.h"
#include "core/analysis/job/cut_ranks.h"
#include "core/base/unit_text.h"
#include "core/model/rank_digest.h"
#include "core/report/gpu_means.h"
#include "core/report/leaf_texts.h"
#include "core/report/reported_part.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace rankscope {

namespace {

constexpr TimeNs kShortKernel = 10'000;
constexpr double kLeastKnownPct = 50; // of the time that a good answer is of
using LeafNames = std::vector<std::string_view>;

// Leaves of idle time in the row of launches, and those that have no row of their own.
LeafNames launchLeaves() {
  return {"host.dispatch", "host.python", "queue.latency"};
}
constexpr std::array kOtherIdle{Leaf::HostComm,         Leaf::HostCompile,     Leaf::HostCheckpoint,
                                Leaf::HostGc,           Leaf::HostDescheduled, Leaf::QueueDependency,
                                Leaf::QueueUnexplained, Leaf::CaptureEdge,     Leaf::CaptureInit};
constexpr std::string_view kCostliest = "the digest has the costliest shapes only";

std::string timeOf(double ns) {
  return durationText(static_cast<TimeNs>(std::llround(ns)));
}

// What the kernels of all ranks are, by their names.
struct KernelFigures {
  double products = 0; // time of kernels that multiply matrices, not vectors, and name their units; ns
  double ordinary = 0; // of these, on ordinary cores
  double unnamed = 0;  // time of kernels that multiply matrices, whose names tell no units
  double attention = 0;
  std::string attentionKernel;
  double total = 0;
  std::int64_t calls = 0;
  TimeNs median = 0; // of the calls' durations
};

KernelFigures kernelFigures(const Analysis& analysis) {
  KernelFigures figures;
  const StringTable& names = analysis.trace().names();
  std::vector<TimeNs> durations;
  for (const RankIndex rank : analysis.ranks()) {
    const RankTrace& trace = *analysis.trace().rank(rank).trace;
    const TimeRange window = analysis.window(rank).ns();
    for (const KernelStatistics& kernel : analysis.kernels(rank)) {
      if (kernel.deviceClass != DeviceClass::Compute) continue;
      const auto time = static_cast<double>(kernel.total);
      const KernelDtype dtype = kernelDtype(names[kernel.name]);
      figures.total += time;
      figures.calls += kernel.calls;
      if (dtype.fusedAttention && time > figures.attention) {
        figures.attention = time;
        figures.attentionKernel = names[kernel.name];
      }
      if (!dtype.product || dtype.vector) continue;
      if (dtype.units == MatrixUnits::Unknown) {
        figures.unnamed += time;
        continue;
      }
      figures.products += time;
      if (dtype.units == MatrixUnits::Unused) figures.ordinary += time;
    }
    for (EventIndex event = trace.deviceBegin; event < trace.deviceEnd; ++event.value) {
      if (trace.events.kind[event] != EventKind::Kernel || !window.contains(trace.events.begin[event]))
        continue;
      durations.push_back(trace.events.duration[event]);
    }
  }
  if (!durations.empty()) {
    const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
    std::nth_element(durations.begin(), middle, durations.end());
    figures.median = *middle;
  }
  return figures;
}

class Checklist {
 public:
  Checklist(const JobReport& report, const EfficiencyView& view)
      : m_report(report), m_view(view), m_kept(report.keptAccount()), m_whole(reportedPart(report)),
        m_kernels(kernelFigures(report.analysis())) {}

  std::vector<EfficiencyCheck> all() {
    return {mixedPrecision(),    matrixUnits(),   shapes(),
            communication(),     memoryBound(),   attention(),
            layoutConversions(), batch(),         synchronization(),
            deviceAllocation(),  launches(),      dataLoader(),
            otherIdle(),         recomputation(), optimizer(),
            occupancy(),         clocks()};
  }

 private:
  [[nodiscard]] double leaf(std::string_view name) const { return m_kept.timeOf(name); }
  [[nodiscard]] double classTime(TimeClass of) const {
    return m_kept.classTimes[static_cast<std::size_t>(of)];
  }
  [[nodiscard]] double shareOf(double time) const { return 100 * m_kept.shareOf(time); }

  // The first finding about one of the leaves.
  [[nodiscard]] std::optional<std::size_t> findingOf(const LeafNames& leaves) const {
    const std::vector<Finding>& findings = m_report.findings();
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const std::string& of = findings[i].leaf;
      if (of.empty()) continue;
      if (std::ranges::any_of(leaves, [&](std::string_view name) { return of.starts_with(name); })) return i;
    }
    return std::nullopt;
  }

  static EfficiencyCheck unknownCheck(std::string title, std::string why, std::string rule) {
    return {std::move(title), CheckAnswer::Unknown, std::move(why), {}, {}, std::move(rule)};
  }
  static CheckAnswer answer(bool bad) { return bad ? CheckAnswer::Bad : CheckAnswer::Good; }

  // What is good of less than half of the kernel time says nothing about the rest.
  [[nodiscard]] EfficiencyCheck ofKnownPart(EfficiencyCheck check) const {
    if (check.answer != CheckAnswer::Good || !m_view.coveragePct || *m_view.coveragePct >= kLeastKnownPct)
      return check;
    check.answer = CheckAnswer::Unknown;
    check.measured += fmt::format("; only {} of kernel time has FLOPs", percentText(*m_view.coveragePct));
    return check;
  }

  // What only kernels can have is no good news without one.
  [[nodiscard]] EfficiencyCheck ofKernels(EfficiencyCheck check) const {
    if (m_view.hasKernels) return check;
    return unknownCheck(std::move(check.title), "no compute kernel was recorded", std::move(check.rule));
  }

  // What a host can only wait for with a device is no good news without one.
  [[nodiscard]] EfficiencyCheck ofWaits(EfficiencyCheck check) const {
    const Analysis& analysis = m_report.analysis();
    const bool devices = std::ranges::any_of(analysis.ranks(), [&](RankIndex rank) {
      const RankTrace& trace = *analysis.trace().rank(rank).trace;
      return trace.hasDeviceEvents();
    });
    if (devices) return check;
    return unknownCheck(std::move(check.title), "no device activity was recorded", std::move(check.rule));
  }

  // A leaf whose share of the step decides.
  [[nodiscard]] EfficiencyCheck ofLeaf(std::string title, const LeafNames& leaves, double limitPct,
                                       const std::string& fix) const {
    double time = 0;
    for (const std::string_view name : leaves) time += leaf(name);
    const double share = shareOf(time);
    EfficiencyCheck check;
    check.title = std::move(title);
    check.answer = answer(share > limitPct);
    check.measured = fmt::format("{} of the {}", percentText(share), m_whole);
    check.time = time;
    check.finding = findingOf(leaves);
    check.rule = fmt::format("above {:g} % of the {}: {}", limitPct, m_whole, fix);
    return check;
  }

  [[nodiscard]] EfficiencyCheck mixedPrecision() const {
    const std::string rule =
        "above 20 % of FLOPs in fp32 on a device with 16-bit tensor cores: autocast, bf16 or TF32";
    if (!m_view.flopsPerStep) return unknownCheck("Mixed precision", "FLOPs are not known", rule);
    if (m_view.shortened) return unknownCheck("Mixed precision", std::string(kCostliest), rule);
    double all = 0;
    double fp32 = 0;
    double most = 0;
    NumberFormat format = NumberFormat::Unknown;
    std::array<double, kNumberFormatCount> of{};
    for (const JobPoint& point : m_view.points) {
      if (!point.point.work.known()) continue;
      const auto flops = static_cast<double>(point.point.flops);
      all += flops;
      double& sum = of[static_cast<std::size_t>(point.point.work.format)];
      sum += flops;
      if (sum > most) {
        most = sum;
        format = point.point.work.format;
      }
      if (point.point.work.format == NumberFormat::Float32) fp32 += flops;
    }
    const bool hasUnits = m_view.peaks.of(NumberFormat::Float16) > 2 * m_view.peaks.of(NumberFormat::Float32);
    EfficiencyCheck check{"Mixed precision",
                          answer(hasUnits && fp32 > 0.2 * all),
                          fmt::format("{} of FLOPs in {}", percentText(100 * most / std::max(all, 1.0)),
                                      numberFormatText(format)),
                          {},
                          findingOf({"compute.simt"}),
                          rule};
    if (!m_view.peaks.known()) check.answer = CheckAnswer::Unknown;
    return ofKnownPart(std::move(check));
  }

  [[nodiscard]] EfficiencyCheck matrixUnits() const {
    const std::string rule = "above 10 % of GEMM and convolution time without tensor cores: TF32, sizes in "
                             "multiples of 8 (16-bit) or 16 (8-bit)";
    if (m_kernels.products <= 0) return unknownCheck("Tensor cores", "no kernel says by its name", rule);
    const double used = 100 * (1 - m_kernels.ordinary / m_kernels.products);
    const std::string share = percentText(used) + " of ";
    EfficiencyCheck check{"Tensor cores",
                          answer(used < 90),
                          fmt::format("used in {}GEMM and convolution time", share),
                          leaf("compute.simt"),
                          findingOf({"compute.simt"}),
                          rule};
    if (m_kernels.unnamed <= 0) return check;
    const double named = 100 * m_kernels.products / (m_kernels.products + m_kernels.unnamed);
    constexpr double kNearlyAllPct = 99;
    if (named < kNearlyAllPct)
      check.measured = fmt::format("used in {}the {} of GEMM and convolution time whose kernels tell by name",
                                   m_kernels.ordinary > 0 ? share : "all of ", percentText(named));
    if (check.answer == CheckAnswer::Good && named < kLeastKnownPct) check.answer = CheckAnswer::Unknown;
    return check;
  }

  [[nodiscard]] EfficiencyCheck shapes() const {
    const std::string rule = "GEMM whose N or K is no multiple of 8 (16-bit) or 16 (8-bit): pad them";
    if (m_view.shortened) return unknownCheck("Shapes", std::string(kCostliest), rule);
    double odd = 0;
    double all = 0;
    const JobPoint* worst = nullptr;
    for (const JobPoint& gemm : m_view.gemms) {
      const auto time = static_cast<double>(gemm.point.deviceTime);
      const std::int64_t multiple = alignmentOf(gemm.point.work.format);
      all += time;
      if (gemm.point.work.n % multiple == 0 && gemm.point.work.k % multiple == 0) continue;
      odd += time;
      if (worst == nullptr) worst = &gemm;
    }
    if (all <= 0)
      return unknownCheck("Shapes", m_view.gemms.empty() ? "no GEMMs with shapes" : "no GEMM ran on a device",
                          rule);
    // Of what hardly takes time nothing is to be gained.
    const bool matters = odd > 0.05 * all && odd > 0.01 * m_kernels.total;
    EfficiencyCheck check{
        "Shapes", answer(matters), "all GEMM dimensions are aligned", {}, findingOf({"compute.misaligned"}),
        rule};
    if (worst != nullptr) {
      const FlopWork& work = worst->point.work;
      check.measured =
          fmt::format("{} of GEMM time, {} of kernel time, most {} × {} × {}", percentText(100 * odd / all),
                      percentText(100 * odd / std::max(m_kernels.total, 1.0)), work.m, work.n, work.k);
    }
    return ofKnownPart(std::move(check));
  }

  [[nodiscard]] EfficiencyCheck communication() const {
    const std::string rule =
        fmt::format("above 5 % of the {}: overlap it, or find the rank that is late", m_whole);
    const double time = classTime(TimeClass::ExposedCommunication);
    const CollectiveMatch& match = m_report.analysis().collectives().match;
    const bool complete = match.counts.partial == 0 && match.counts.unmatched == 0;
    EfficiencyCheck check;
    check.title = "Exposed communication";
    check.answer = answer(shareOf(time) > 5);
    check.time = time;
    if (time <= 0 && match.instances.empty())
      return unknownCheck(check.title, "no collective was recorded", rule);
    if (time <= 0)
      check.measured = "none";
    else if (std::ranges::none_of(match.instances, &CollectiveInstance::matched))
      check.measured = fmt::format("{} of the {}, how much of it waiting is not known",
                                   percentText(shareOf(time)), m_whole);
    else
      check.measured = fmt::format("{} of the {}: {} transfer{}, {} waiting", percentText(shareOf(time)),
                                   m_whole, timeOf(leaf("comm")), complete ? "" : " or unknown waiting",
                                   timeOf(std::max(0.0, time - leaf("comm"))));
    check.finding = findingOf({"comm", "wait"});
    check.rule = rule;
    return check;
  }

  [[nodiscard]] EfficiencyCheck memoryBound() const {
    const std::string rule =
        "above 40 % of compute: fuse (torch.compile, FlashAttention), larger batch in decode";
    if (!m_view.partsKnown || m_view.computeTime <= 0)
      return unknownCheck("Memory-bound kernels", whyNoMfu(m_view), rule);
    const double time = m_view.part(EfficiencyPart::MemoryBound) + m_view.part(EfficiencyPart::NonGemm);
    return {"Memory-bound kernels",
            answer(time > 0.4 * m_view.computeTime),
            fmt::format("{} of compute, {} in other kernels", percentText(100 * time / m_view.computeTime),
                        timeOf(m_view.part(EfficiencyPart::NonGemm))),
            time,
            findingOf({"compute.unfused", "compute.norm"}),
            rule};
  }

  [[nodiscard]] EfficiencyCheck batch() const {
    const std::string rule = fmt::format(
        "median below 10 µs and above 10 % of the {} waiting for launches: larger batch, CUDA graphs",
        m_whole);
    if (m_kernels.calls == 0) return unknownCheck("Batch", "no kernels", rule);
    if (hasDigests(m_report.analysis().trace(), m_report.analysis().ranks()))
      return unknownCheck("Batch", "a digest has no single kernels", rule);
    const double waits = shareOf(leaf("host.dispatch"));
    return {"Batch",
            answer(m_kernels.median < kShortKernel && waits > 10),
            // Waiting behind long kernels is not for want of work in a batch; "Launches and Python" has it.
            m_kernels.median < kShortKernel
                ? fmt::format("median {}, {} of the {} waits for launches", durationText(m_kernels.median),
                              percentText(waits), m_whole)
                : fmt::format("kernels are long enough: median {}", durationText(m_kernels.median)),
            {},
            findingOf({"compute.small_grid", "host.dispatch"}),
            rule};
  }

  [[nodiscard]] EfficiencyCheck synchronization() const {
    return ofWaits(ofLeaf("Synchronization", {"host.sync"}, 5, "keep values on the device, log less often"));
  }
  [[nodiscard]] EfficiencyCheck deviceAllocation() const {
    return ofWaits(ofLeaf("Device allocation", {"host.alloc"}, 5,
                          "let the caching allocator keep its memory, warm up with the largest batch"));
  }
  [[nodiscard]] EfficiencyCheck launches() const {
    return ofLeaf("Launches and Python", launchLeaves(), 10,
                  "torch.compile, CUDA graphs, fewer small operators");
  }
  [[nodiscard]] EfficiencyCheck dataLoader() const {
    return ofLeaf("DataLoader", {"host.input"}, 5, "more workers, pinned memory, prefetching");
  }

  // The rest of the idle time, so that each part of it is in a row.
  [[nodiscard]] EfficiencyCheck otherIdle() const {
    double time = classTime(TimeClass::Idle) - leaf("host.sync") - leaf("host.alloc") - leaf("host.input");
    for (const std::string_view name : launchLeaves()) time -= leaf(name);
    Leaf largest = Leaf::WaitRank; // idle behind a collective: what the others leave
    double most = time;
    for (const Leaf of : kOtherIdle) most -= m_kept.leafTimes[static_cast<std::size_t>(of)];
    for (const Leaf of : kOtherIdle) {
      const double part = m_kept.leafTimes[static_cast<std::size_t>(of)];
      if (part <= most) continue;
      most = part;
      largest = of;
    }
    time = time < 1 ? 0 : time; // of a difference of doubles
    EfficiencyCheck check{"Other idle",
                          answer(shareOf(time) > 5),
                          fmt::format("{} of the {}", percentText(shareOf(time)), m_whole),
                          time,
                          {},
                          fmt::format("above 5 % of the {}: see its leaves in the tab Gains", m_whole)};
    if (time > 0) {
      check.measured += fmt::format(", largest part: {}", leafTitle(largest));
      check.finding = findingOf({leafText(largest)});
    }
    return check;
  }

  // Of compute, as they are kernels: convolutions launch them.
  [[nodiscard]] EfficiencyCheck layoutConversions() const {
    const double time = leaf("compute.layout");
    const double compute = std::max(classTime(TimeClass::Compute), 1.0);
    return ofKernels({"Layout conversions", answer(time > 0.05 * compute),
                      fmt::format("{} of compute", percentText(100 * time / compute)), time,
                      findingOf({"compute.layout"}),
                      "NCHW to NHWC and back, above 5 % of compute: channels_last for model and input"});
  }

  [[nodiscard]] EfficiencyCheck attention() const {
    const double time = leaf("compute.attention");
    const std::string rule = "bmm, softmax, bmm above 5 % of compute: scaled_dot_product_attention";
    const double compute = classTime(TimeClass::Compute);
    if (time > 0)
      return {"Attention",
              answer(time > 0.05 * compute),
              fmt::format("{} would save {} of compute",
                          m_kernels.attention > 0 ? "partly fused: fusing the rest" : "not fused: fusing",
                          percentText(100 * time / std::max(compute, 1.0))),
              time,
              findingOf({"compute.attention"}),
              rule};
    if (m_kernels.attention > 0) return {"Attention", CheckAnswer::Good, "fused", {}, {}, rule};
    return ofKernels({"Attention", CheckAnswer::Good, "none found", {}, {}, rule});
  }

  [[nodiscard]] EfficiencyCheck recomputation() const {
    const std::string rule = "above 25 % of FLOPs: checkpoint fewer layers, if memory is free";
    if (!m_view.recomputedPct) return unknownCheck("Recomputation", "FLOPs are not known", rule);
    return {"Recomputation",
            answer(*m_view.recomputedPct > 25),
            fmt::format("{} of FLOPs", percentText(*m_view.recomputedPct)),
            leaf("compute.recompute"),
            findingOf({"compute.recompute"}),
            rule};
  }

  // Not how long the optimizer takes, which is among the phases of the Overview.
  [[nodiscard]] EfficiencyCheck optimizer() const {
    EfficiencyCheck check = ofLeaf("Optimizer", {"compute.optimizer", "host.dispatch.optimizer"}, 5,
                                   "fused=True or foreach=True");
    check.measured += ": unfused kernels and gaps";
    return ofKernels(std::move(check));
  }

  // As the overview says it, by the time of kernels.
  [[nodiscard]] EfficiencyCheck occupancy() const {
    const std::string rule = "fewer than 60 % of the multiprocessors with a block: larger batch or kernels";
    const GpuMeans means = gpuMeansOfRanks(m_report.analysis(), wholeRanks(m_report.analysis()));
    if (!means.smEfficiencyPct || means.utilizationPct.value_or(0) <= 0)
      return unknownCheck("SM coverage", "blocks per SM were not recorded", rule);
    const double whileBusy = 100 * *means.smEfficiencyPct / *means.utilizationPct;
    std::string text = fmt::format("{} of the SMs while busy", percentText(whileBusy));
    if (means.occupancyPct) text += fmt::format(", occupancy {}", percentText(*means.occupancyPct));
    return {"SM coverage",
            answer(whileBusy < 60),
            text,
            leaf("compute.small_grid"),
            findingOf({"compute.small_grid"}),
            rule};
  }

  static EfficiencyCheck clocks() {
    return unknownCheck("Device clocks", "not recorded: the peak is that of boost clock",
                        "nvidia-smi -q -d CLOCK,PERFORMANCE or rocm-smi while it runs");
  }

  const JobReport& m_report;
  const EfficiencyView& m_view;
  const KeptAccount& m_kept;
  std::string_view m_whole; // that shares are of
  KernelFigures m_kernels;
};

} // namespace

std::string_view checkAnswerText(CheckAnswer answer) {
  static constexpr std::array<std::string_view, 3> kTexts{"ok", "look", "unknown"};
  return kTexts[static_cast<std::size_t>(answer)];
}

std::vector<EfficiencyCheck> efficiencyChecklist(const JobReport& report, const EfficiencyView& view) {
  return Checklist(report, view).all();
}

} // namespace rankscope

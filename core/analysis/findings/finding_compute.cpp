// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about kernels that take longer than the same work could.
#include "core/analysis/account/kernel_excess.h"
#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_names.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/hardware/device_peaks.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

namespace {

struct ComputeRule {
  FindingKind kind;
  Leaf leaf;
  double minShare; // of the compute time
  Confidence confidence;
  const char* title;
  const char* evidence;
  const char* fix; // empty: by device
};

constexpr std::array kRules{
    ComputeRule{FindingKind::UnfusedAttention, Leaf::ComputeAttention, 0.05, Confidence::Hint,
                "Unfused attention", "Softmax between two batched GEMM writes the whole score matrix.",
                "F.scaled_dot_product_attention(q, k, v); Hugging Face: attn_implementation=\"sdpa\" or "
                "\"flash_attention_2\". Does not help where attention weights are returned."},
    ComputeRule{FindingKind::NoTensorCores, Leaf::ComputeSimt, 0.05, Confidence::Likely,
                "GEMM and convolution without tensor cores", "Kernels in fp32 on SIMT units.", ""},
    ComputeRule{FindingKind::MisalignedGemm, Leaf::ComputeMisaligned, 0.03, Confidence::Likely,
                "Misaligned GEMM",
                "Dimensions are no multiples of 8, so that the kernels use narrow loads or old tiles.",
                "Pad vocabulary, heads and sequence length to multiples of 8, better 64."},
    ComputeRule{FindingKind::LayoutConversions, Leaf::ComputeLayout, 0.03, Confidence::Proven,
                "Layout conversions", "Kernels only convert between NCHW and NHWC around convolutions.",
                "model.to(memory_format=torch.channels_last), and the same for the input."},
    ComputeRule{
        FindingKind::Casts, Leaf::ComputeCast, 0.03, Confidence::Proven, "Dtype conversions",
        "Kernels only convert between number formats.",
        "Keep parameters in bf16 (the optimizer holds the fp32 copy); one autocast region around the whole "
        "forward pass."},
    ComputeRule{FindingKind::Atomics, Leaf::ComputeAtomics, 0.05, Confidence::Hint, "Atomic accumulation",
                "Kernels add to the same elements with atomic operations.",
                "Sort indices once, use fused embedding kernels, or embedding_bag."},
    ComputeRule{
        FindingKind::Norms, Leaf::ComputeNorm, 0.05, Confidence::Hint, "Slow normalization kernels",
        "Normalization takes longer than its bytes need.",
        "channels_last with cuDNN enabled; F.layer_norm and F.rms_norm instead of separate operators."},
    ComputeRule{FindingKind::UnfusedElementwise, Leaf::ComputeUnfused, 0.1, Confidence::Likely,
                "Unfused elementwise kernels",
                "Chains of three or more elementwise kernels write each intermediate "
                "result.",
                "torch.compile fuses them; fused RMSNorm, SwiGLU and rotary kernels."},
    ComputeRule{FindingKind::SmallGrids, Leaf::ComputeSmallGrid, 0.1, Confidence::Hint,
                "Kernels with fewer blocks than SMs", "The other SMs are idle meanwhile.",
                "Larger batches, split-k GEMM, fused or batched kernels."},
    ComputeRule{FindingKind::Contention, Leaf::ComputeContention, 0.02, Confidence::Proven,
                "Kernels slowed by communication",
                "The same kernels are faster without communication beside them.",
                "Give communication fewer SMs (NCCL_MAX_CTAS) or move it; the gain is net only where it "
                "stays hidden."},
    ComputeRule{
        FindingKind::SlowClock, Leaf::ComputeClock, 0.01, Confidence::Proven, "Slow GPU clock",
        "The same kernels take longer than on the median rank, also without communication beside them.",
        "nvidia-smi -q -d PERFORMANCE,CLOCK: power cap, temperature; compare with a neighbor."},
    ComputeRule{FindingKind::Recomputation, Leaf::ComputeRecompute, 0.05, Confidence::Proven, "Recomputation",
                "Activation checkpointing runs forward kernels again in backward.",
                "Checkpoint fewer layers (selective checkpointing) where memory allows."},
};

// The excess of a leaf on a rank over its kept steps.
struct Excess {
  RankCost cost;
  std::int64_t kernels = 0;
  std::int64_t critical = 0;
  ModelBasis basis = ModelBasis::Counted;
};

struct NamedTime {
  NameId name;
  TimeNs time = 0;
};

// What kernels of a rank take too long, within a kept step.
struct ExcessPart {
  Leaf leaf = Leaf::Ideal;
  NameId name;
  std::int64_t kernels = 0;
  std::int64_t critical = 0;
  ModelBasis basis = ModelBasis::Counted;
  TimeNs low = 0;
  TimeNs high = 0;
};

} // namespace

template <class Archive, Described<ExcessPart> T> void describe(Archive& archive, T& part) {
  auto& [leaf, name, kernels, critical, basis, low, high] = part;
  archive(leaf, name, kernels, critical, basis, low, high);
}

namespace {

// Over all kept steps, each with its own.
std::vector<ExcessPart> excessParts(const FindingContext& context, RankIndex rank) {
  std::vector<ExcessPart> parts;
  for (const KeptWindow& window : context.kept().windows[rank.value]) {
    for (const ExcessSum& sum : excessWithin(context.account().of(rank).excesses, context.traceOf(rank),
                                             context.analysis().trace().names(), window.range))
      parts.push_back(
          {sum.leaf, sum.name, sum.kernels, sum.critical, sum.basis, sum.gain.low, sum.gain.high});
  }
  return parts;
}

class ExcessSums {
 public:
  explicit ExcessSums(const FindingContext& context) : m_context(context) {
    for (const RankIndex rank : context.ranks()) add(rank);
  }

  [[nodiscard]] std::vector<RankCost> costsOf(Leaf leaf) const {
    std::vector<RankCost> costs;
    for (const RankIndex rank : m_context.ranks()) {
      if (m_context.kept().windows[rank.value].empty() || !m_context.hasDevices(rank)) continue;
      const auto found = m_sums.find({leaf, rank});
      RankCost cost;
      cost.rank = rank;
      if (found != m_sums.end()) cost = found->second.cost;
      cost.use.time = m_context.uses(rank)[static_cast<std::size_t>(leaf)].time;
      cost.time = m_context.perStep(rank, cost.use.time);
      cost.high = cost.time;
      costs.push_back(cost);
    }
    return costs;
  }
  [[nodiscard]] const Excess* of(Leaf leaf, RankIndex rank) const {
    const auto found = m_sums.find({leaf, rank});
    return found != m_sums.end() ? &found->second : nullptr;
  }
  // The kernels with most of it on a rank, largest first.
  [[nodiscard]] std::vector<NamedTime> namesOf(Leaf leaf, RankIndex rank) const {
    const auto found = m_names.find({leaf, rank});
    if (found == m_names.end()) return {};
    std::vector<NamedTime> names;
    for (const auto& [name, time] : found->second) names.push_back({name, time});
    const StringTable& texts = m_context.analysis().trace().names();
    std::ranges::sort(names, [&](const NamedTime& a, const NamedTime& b) {
      return a.time != b.time ? a.time > b.time : texts[a.name] < texts[b.name];
    });
    return names;
  }

 private:
  using Key = std::pair<Leaf, RankIndex>;

  void add(RankIndex rank) {
    std::map<Leaf, ExactSum> lows;
    const auto parts = m_context.ofRank<std::vector<ExcessPart>>(
        rank, "kernels that take too long", [&] { return excessParts(m_context, rank); });
    for (const ExcessPart& part : parts) {
      Excess& of = m_sums[{part.leaf, rank}];
      of.kernels += part.kernels;
      of.critical += part.critical;
      of.basis = std::min(of.basis, part.basis);
      lows[part.leaf] += part.low;
      m_names[{part.leaf, rank}][part.name] += part.high;
    }
    for (const auto& [leaf, low] : lows) {
      Excess& of = m_sums[{leaf, rank}];
      of.cost.rank = rank;
      of.cost.low = m_context.perStep(rank, low);
      of.cost.use = m_context.uses(rank)[static_cast<std::size_t>(leaf)];
    }
  }

  const FindingContext& m_context;
  std::map<Key, Excess> m_sums;
  std::map<Key, std::map<NameId, ExactSum>> m_names;
};

std::string fixForSimt(const FindingContext& context, RankIndex rank) {
  const RankTrace& trace = context.traceOf(rank);
  const int device = trace.devices.empty() ? -1 : trace.devices.front();
  const DeviceProperties* const properties = propertiesOf(trace, device);
  const DeviceGeneration generation =
      properties != nullptr ? generationOf(*properties) : DeviceGeneration::Unknown;
  const std::string name(generationText(generation));
  if (isAmd(generation)) return "Train in bf16 or fp16: torch.autocast(\"cuda\", torch.bfloat16).";
  if (generation == DeviceGeneration::Unknown)
    return "Train in bf16 or fp16 (torch.autocast), as far as the device multiplies these.";
  if (!multipliesTf32(generation))
    return name +
           " multiplies fp16 on tensor cores, neither TF32 nor bf16: torch.autocast(\"cuda\", torch.float16) "
           "with GradScaler.";
  return "torch.set_float32_matmul_precision(\"high\") allows TF32; bf16 autocast gains more.";
}

bool isOnAmd(const FindingContext& context, RankIndex rank) {
  const RankTrace& trace = context.traceOf(rank);
  const DeviceProperties* const properties =
      propertiesOf(trace, trace.devices.empty() ? -1 : trace.devices.front());
  return properties != nullptr && isAmd(generationOf(*properties));
}

// most: the kernel with most of the time.
std::string fixOf(const FindingContext& context, const ComputeRule& rule, RankIndex rank,
                  std::string_view most) {
  const auto has = [&](std::string_view part) { return most.find(part) != std::string_view::npos; };
  const bool amd = isOnAmd(context, rank);
  if (rule.leaf == Leaf::ComputeSimt) {
    std::string fix = fixForSimt(context, rank);
    if (has("conv") || has("dgrad") || has("wgrad") || has("scudnn"))
      fix += " With it model.to(memory_format=torch.channels_last), which convolutions in 16 bits prefer.";
    return fix;
  }
  if (rule.leaf == Leaf::ComputeNorm && (has("batch_norm") || has("batchnorm")))
    return amd ? "Let MIOpen compute batch norm: torch.backends.cudnn.enabled=True, channels_last with "
                 "PYTORCH_MIOPEN_SUGGEST_NHWC=1."
               : "Let cuDNN compute batch norm: torch.backends.cudnn.enabled=True, "
                 "model.to(memory_format=torch.channels_last).";
  if (rule.leaf == Leaf::ComputeUnfused && has("CatArray"))
    return "torch.compile fuses them; write into parts of one tensor instead of torch.cat.";
  if (rule.leaf == Leaf::ComputeLayout && amd)
    return std::string(rule.fix) + " On ROCm with PYTORCH_MIOPEN_SUGGEST_NHWC=1.";
  return std::string(rule.fix);
}

// Of attention, by the least that is known of any kernel.
Confidence confidenceOf(const FindingContext& context, const ComputeRule& rule, const ExcessSums& sums) {
  if (rule.leaf != Leaf::ComputeAttention) return rule.confidence;
  const bool measured = std::ranges::all_of(context.ranks(), [&](RankIndex rank) {
    const Excess* const known = sums.of(rule.leaf, rank);
    return known == nullptr || known->basis == ModelBasis::Shapes || known->basis == ModelBasis::Counted;
  });
  return measured ? Confidence::Proven : rule.confidence;
}

// " Of the upper gain, NAME has 3 ms/step, NAME 1 ms/step."; kernels whose short names are the same count
// together.
std::string mostlyKernels(const FindingContext& context, RankIndex rank,
                          const std::vector<NamedTime>& largest) {
  constexpr std::size_t kNamesTold = 3;
  std::vector<std::pair<std::string, double>> sums;
  for (const NamedTime& of : largest) {
    const std::string name = shortKernelName(context.analysis().trace().names()[of.name]);
    const auto known = std::ranges::find(sums, name, &std::pair<std::string, double>::first);
    const double time = context.perStep(rank, of.time);
    if (known != sums.end())
      known->second += time;
    else
      sums.emplace_back(name, time);
  }
  std::ranges::stable_sort(sums, std::greater<>(), &std::pair<std::string, double>::second);
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamesTold, sums.size()); ++i)
    text += fmt::format("{} {}{} {}", i == 0 ? " Of the upper gain," : ",", sums[i].first,
                        i == 0 ? " has" : "", context.timeText(sums[i].second));
  return text + ".";
}

void describe(const FindingContext& context, const ComputeRule& rule, const ExcessSums& sums,
              Finding& finding, const std::vector<RankCost>& part) {
  const StringTable& names = context.analysis().trace().names();
  const RankIndex rank = part.front().rank;
  finding.title = fmt::format("{}: {}", rule.title, context.gainText(finding));
  finding.evidence = rule.evidence;
  if (const Excess* const known = sums.of(rule.leaf, rank)) {
    finding.evidence +=
        fmt::format(" {} on {}", countedText(known->kernels, "kernel"), context.rankText(rank));
    finding.evidence +=
        finding.confidence == Confidence::Hint
            ? std::string(".")
            : fmt::format(", {} of them with queued work behind them, which the lower bound counts.",
                          groupedText(known->critical));
    if (finding.confidence == Confidence::Hint && rule.leaf != Leaf::ComputeRecompute)
      finding.evidence += " Judged by names only: the lower bound is 0.";
  }
  const std::vector<NamedTime> largest = sums.namesOf(rule.leaf, rank);
  if (!largest.empty()) {
    finding.evidence += mostlyKernels(context, rank, largest);
    finding.subject = names[largest.front().name];
  }
  const Excess* const excess = sums.of(rule.leaf, rank);
  if (rule.leaf == Leaf::ComputeRecompute)
    finding.evidence += " Whether the activations fit in memory is not known: the lower bound is 0.";
  else if (excess != nullptr && 2 * excess->critical < excess->kernels &&
           finding.gain->low * 10 < finding.gain->high)
    finding.evidence += " The job is launch-bound: faster kernels save little until launches get faster.";
  const std::string_view most = largest.empty() ? std::string_view() : names[largest.front().name];
  finding.fix = fixOf(context, rule, rank, most);
}

// Above the share of compute time, and never below one percent of the step.
double minShareOf(const FindingContext& context, const ComputeRule& rule) {
  const double compute = context.kept().classTimes[static_cast<std::size_t>(TimeClass::Compute)];
  return std::max(0.01, rule.minShare * context.shareOf(compute));
}

// A slow clock costs the job what it makes the rank late by: that is the straggler's gain. A rank that is not
// late has nothing to gain.
void keepTimeOnly(const FindingContext& context, std::vector<RankCost>& costs) {
  std::erase_if(costs, [&](const RankCost& cost) { return context.isStraggler(cost.rank); });
  for (RankCost& cost : costs) cost.low = 0;
}

} // namespace

void findComputeFindings(FindingContext& context) {
  if (!context.hasDevices()) return;
  const ExcessSums sums(context);
  for (const ComputeRule& rule : kRules) {
    const LeafRule leaf{rule.kind, leafText(rule.leaf), minShareOf(context, rule),
                        confidenceOf(context, rule, sums)};
    std::vector<RankCost> costs = sums.costsOf(rule.leaf);
    if (rule.kind == FindingKind::SlowClock) keepTimeOnly(context, costs);
    context.addForRanks(leaf, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
      describe(context, rule, sums, finding, part);
    });
  }
  findKernelFindings(context);
}

} // namespace rankscope

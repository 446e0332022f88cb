// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about inference: iterations of a server or of generate(), and what the devices wait for or move in
// them.
#include "core/analysis/efficiency/iterations.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/base/statistics.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kLeastIterations = 3;
constexpr double kLeastShare = 0.01; // of the step
constexpr double kManyGaps = 0.1;    // of the time from the first to the last iteration
constexpr double kRoofPct = 50;      // of the memory's peak: above, decode is as fast as memory lets it
constexpr double kReachablePct = 80; // that good kernels reach
constexpr double kSlowDecode = 2;    // of the time per token without prefill
constexpr std::int64_t kManyLaunches = 50;
constexpr double kMuchPadding = 0.05; // of the requests that graphs compute

using OfRank = std::vector<Iteration>;

bool decodes(const Iteration& of) {
  return of.label.phase == IterationPhase::Decode && !of.device.empty();
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

// What a rule says of one rank.
struct Found {
  double time = 0; // ns of the recording
  double low = 0;
  double high = 0;
  LeafUse use;
};

RankCost costOf(const FindingContext& context, RankIndex rank, const Found& found) {
  const auto perStep = [&](double time) { return context.perStep(rank, std::llround(time)); };
  RankCost cost;
  cost.rank = rank;
  cost.time = perStep(found.time);
  cost.avoidable = cost.time;
  cost.low = perStep(found.low);
  cost.high = perStep(found.high);
  cost.use = found.use;
  return cost;
}

template <class Finds>
std::vector<RankCost> costsOf(const FindingContext& context, const JobIterations& iterations, Finds&& finds) {
  std::vector<RankCost> costs;
  for (const RankIndex rank : context.ranks()) {
    if (iterations[rank.value].empty()) continue;
    if (const std::optional<Found> found = finds(rank, iterations[rank.value]))
      costs.push_back(costOf(context, rank, *found));
  }
  return costs;
}

// The iteration that stands for a finding.
void addWorst(const Iteration& of, TimeRange range, LeafUse& use) {
  use.addWorst(range, of.event, Step::kUnknownNumber);
}

// Idle time between iterations, by leaf.
std::map<Leaf, double> gapsByLeaf(const JobIterations& iterations) {
  std::map<Leaf, double> times;
  for (const OfRank& rank : iterations)
    for (const Iteration& of : rank)
      if (of.gapBefore && of.gapLeaf) times[*of.gapLeaf] += static_cast<double>(*of.gapBefore);
  return times;
}

const char* fixOfGaps(Leaf leaf) {
  switch (leaf) {
  case Leaf::HostSync:
  case Leaf::CopyD2h:
    return "Sampling and detokenization wait for the device: overlap them with the next iteration (vLLM "
           "--async-scheduling, SGLang's overlap scheduler), and copy tokens with non_blocking=True.";
  case Leaf::HostDescheduled:
    return "The server waits for requests, or its thread was not scheduled: raise the load before judging "
           "throughput, and give the process cores of its own.";
  case Leaf::HostInput:
    return "Iterations wait for their input: load and prepare it on other threads while the device computes.";
  case Leaf::HostComm:
  case Leaf::WaitRank:
    return "A tensor-parallel rank is late: see Distributed for which, and its host.";
  default:
    return "Scheduler and Python between iterations: asynchronous scheduling, CUDA graphs for the whole "
           "iteration, fewer Python hooks and logs per token.";
  }
}

void findGaps(FindingContext& context, const JobIterations& iterations) {
  const std::map<Leaf, double> leaves = gapsByLeaf(iterations);
  if (leaves.empty()) return;
  const Leaf leaf = std::ranges::max_element(leaves, {}, [](const auto& of) { return of.second; })->first;
  const bool waitsForRequests = leaf == Leaf::HostDescheduled;
  LeafRule rule{FindingKind::InferenceGaps, leafText(leaf), kLeastShare,
                waitsForRequests ? Confidence::Hint : Confidence::Likely};
  double window = 0;
  double gaps = 0;
  std::vector<RankCost> costs = costsOf(context, iterations, [&](RankIndex, const OfRank& of) {
    Found found;
    TimeRange whole;
    for (const Iteration& one : of) {
      whole = whole.unitedWith(one.device);
      if (!one.gapBefore || *one.gapBefore <= 0) continue;
      gaps += static_cast<double>(*one.gapBefore);
      if (one.gapLeaf != leaf) continue;
      found.time += static_cast<double>(*one.gapBefore);
      ++found.use.count;
      addWorst(one, {one.device.begin - *one.gapBefore, one.device.begin}, found.use);
    }
    window += static_cast<double>(whole.length());
    // A host that is twice as fast, at least; without requests nothing is won.
    found.low = waitsForRequests ? 0 : found.time / 2;
    found.high = found.time;
    return of.size() >= kLeastIterations ? std::optional(found) : std::nullopt;
  });
  if (window <= 0 || gaps < kManyGaps * window) return;
  // Another finding about the same idle time has its gain.
  const auto told = std::ranges::find_if(
      context.soFar(), [&](const Finding& of) { return of.gain && of.leaf == leafText(leaf); });
  const std::string owner = told == context.soFar().end() ? std::string() : headOf(*told);
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    if (!owner.empty()) {
      finding.gain.reset();
      finding.cost.reset();
    }
    finding.title =
        fmt::format("Gaps between iterations: {}, {}", context.ranksText(finding), percent(gaps / window));
    finding.evidence =
        fmt::format("{} of the time lies between inference iterations, mostly {} ({}, max {}).",
                    percent(gaps / window), leafText(leaf), countedText(sumOf(part, &LeafUse::count), "gap"),
                    durationText(part.front().use.worst.length()));
    if (!owner.empty()) finding.evidence += fmt::format(" Its gain is in \"{}\".", owner);
    finding.fix = fixOfGaps(leaf);
  });
}

// Over the decode iterations of all ranks, weighted by device time.
struct DecodeBandwidth {
  double time = 0;
  double pct = 0;          // of the memory's peak
  double productShare = 0; // of the bytes
  double requests = 0;
};

DecodeBandwidth decodeBandwidth(const JobIterations& iterations) {
  DecodeBandwidth all;
  for (const OfRank& rank : iterations) {
    for (const Iteration& of : rank) {
      if (!decodes(of) || !of.bandwidthPct) continue;
      const auto time = static_cast<double>(of.deviceTime);
      all.time += time;
      all.pct += time * *of.bandwidthPct;
      all.productShare += time * of.productShare;
      all.requests += time * static_cast<double>(std::max<std::int64_t>(of.label.requests(), 0));
    }
  }
  if (all.time <= 0) return all;
  for (double* sum : {&all.pct, &all.productShare, &all.requests}) *sum /= all.time;
  return all;
}

void findBandwidth(FindingContext& context, const JobIterations& iterations) {
  const DecodeBandwidth all = decodeBandwidth(iterations);
  if (all.time <= 0) return;
  const bool low = all.pct < kRoofPct;
  const LeafRule rule{low ? FindingKind::DecodeBandwidthLow : FindingKind::MemoryBoundDecode, "ideal",
                      kLeastShare, low ? Confidence::Likely : Confidence::Hint, 0};
  std::vector<RankCost> costs = costsOf(context, iterations, [&](RankIndex, const OfRank& of) {
    Found found;
    for (const Iteration& one : of) {
      if (!decodes(one) || !one.bandwidthPct) continue;
      const auto time = static_cast<double>(one.deviceTime);
      found.time += time;
      ++found.use.count;
      found.high += time * std::max(0.0, 1 - *one.bandwidthPct / kReachablePct);
      addWorst(one, one.device, found.use);
    }
    if (!low) found.high = 0;
    return found.time > 0 ? std::optional(found) : std::nullopt;
  });
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>&) {
    // No leaf of the account: its kernels are in many.
    finding.leaf.clear();
    if (!low) {
      finding.gain.reset();
      finding.cost.reset();
    }
    finding.title = fmt::format("{}: {}, {:.0f} % of the peak",
                                low ? "Decode below the memory bandwidth" : "Decode at the memory bandwidth",
                                context.ranksText(finding), all.pct);
    finding.evidence = fmt::format(
        "Decode iterations move weights and KV cache at {:.0f} % of the memory's peak; {} of the bytes are "
        "weights.",
        all.pct, percent(all.productShare));
    finding.fix =
        low ? std::string("CUDA graphs, fused kernels and attention made for decode (FlashDecoding, "
                          "FlashInfer); a larger batch. The bytes are the least traffic: what kernels read "
                          "twice lowers the share.")
        : all.productShare > 0.5
            ? fmt::format("Weights are read once for all requests: twice the batch{} costs {} more time, for "
                          "twice the tokens. Then weights of 8 or 4 bits, speculative decoding.",
                          all.requests >= 1 ? fmt::format(" of {:.0f}", all.requests) : std::string(),
                          percent(1 - all.productShare))
            : std::string("The KV cache dominates: 8-bit KV cache, grouped-query attention, shorter "
                          "contexts. A larger batch adds as many bytes as tokens.");
  });
}

// From the end of the iteration before, as a request sees it.
std::vector<double> perToken(const OfRank& iterations, IterationPhase phase) {
  std::vector<double> times;
  for (const Iteration& of : iterations)
    if (of.label.phase == phase && of.perToken) times.push_back(static_cast<double>(*of.perToken));
  return times;
}

void findBlockedDecode(FindingContext& context, const JobIterations& iterations) {
  double pure = 0;
  double mixed = 0;
  std::vector<RankCost> costs = costsOf(context, iterations, [&](RankIndex, const OfRank& of) {
    const std::vector<double> decode = perToken(of, IterationPhase::Decode);
    const std::vector<double> both = perToken(of, IterationPhase::Mixed);
    std::optional<Found> found;
    if (decode.size() < kLeastIterations || both.empty()) return found;
    const double usual = median(decode);
    if (median(both) < kSlowDecode * usual) return found;
    pure = usual;
    mixed = median(both);
    found.emplace();
    for (const Iteration& one : of) {
      if (one.label.phase != IterationPhase::Mixed || !one.perToken) continue;
      found->time += std::max(0.0, static_cast<double>(*one.perToken) - usual);
      ++found->use.count;
      addWorst(one, one.range(), found->use);
    }
    return found;
  });
  const LeafRule rule{FindingKind::PrefillBlocksDecode, "ideal", kLeastShare, Confidence::Likely, 0};
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.leaf.clear();
    // Prefill must be done anyway: throughput gains nothing, latency does.
    finding.gain.reset();
    finding.cost.reset();
    finding.title = fmt::format("Prefill delays decode: {}, {:.1f} times the time per token",
                                context.ranksText(finding), mixed / pure);
    finding.evidence =
        fmt::format("A token takes {} in iterations with prefill, {} in those without ({} with prefill).",
                    durationText(std::llround(mixed)), durationText(std::llround(pure)),
                    countedText(sumOf(part, &LeafUse::count), "iteration"));
    finding.fix =
        "Smaller chunks of prefill (vLLM --max-num-batched-tokens, SGLang --chunked-prefill-size), or "
        "prefill on GPUs of its own (disaggregated serving).";
  });
}

void findMissingGraphs(FindingContext& context, const JobIterations& iterations) {
  std::int64_t launches = 0;
  std::vector<RankCost> costs = costsOf(context, iterations, [&](RankIndex, const OfRank& of) {
    std::vector<double> counts;
    Found found;
    for (const Iteration& one : of) {
      if (!decodes(one)) continue;
      counts.push_back(static_cast<double>(one.launches));
      found.time += static_cast<double>(one.dispatch);
      ++found.use.count;
      addWorst(one, one.device, found.use);
    }
    if (counts.empty() || median(counts) <= static_cast<double>(kManyLaunches)) return std::optional<Found>();
    launches = std::max<std::int64_t>(launches, std::llround(median(counts)));
    found.low = found.time / 2;
    found.high = found.time;
    return std::optional(found);
  });
  const LeafRule rule{FindingKind::NoCudaGraph, "host.dispatch", 0, Confidence::Likely};
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.title = fmt::format("Decode without CUDA graphs: {}, {} launches an iteration",
                                context.ranksText(finding), groupedText(launches));
    const auto count = sumOf(part, &LeafUse::count);
    finding.evidence = fmt::format("{} {} kernels one by one; the device waits {} for them.",
                                   countedText(count, "decode iteration"), count == 1 ? "launches" : "launch",
                                   context.timeText(part.front().time));
    finding.fix =
        "Capture decode into CUDA graphs: vLLM without --enforce-eager, SGLang without "
        "--disable-cuda-graph, Hugging Face with a static cache and torch.compile(mode=\"reduce-overhead\").";
  });
}

void findPadding(FindingContext& context, const JobIterations& iterations) {
  std::int64_t asked = 0;
  std::int64_t computed = 0;
  std::vector<RankCost> costs = costsOf(context, iterations, [&](RankIndex, const OfRank& of) {
    Found found;
    for (const Iteration& one : of) {
      const std::int64_t requests = one.label.requests();
      if (one.label.padded <= 0 || requests <= 0) continue;
      asked += requests;
      computed += std::max(requests, one.label.padded);
      if (one.label.padded <= requests) continue;
      const double share = 1 - static_cast<double>(requests) / static_cast<double>(one.label.padded);
      found.time += share * static_cast<double>(one.deviceTime);
      ++found.use.count;
      addWorst(one, one.device, found.use);
    }
    found.high = found.time;
    return found.use.count > 0 ? std::optional(found) : std::nullopt;
  });
  if (computed <= 0) return;
  const double padding = static_cast<double>(computed - asked) / static_cast<double>(computed);
  if (padding < kMuchPadding) return;
  // What a smaller batch takes less is not known: decode reads all weights in any case.
  const LeafRule rule{FindingKind::PaddedBatch, "ideal", kLeastShare, Confidence::Hint, 0};
  context.addForRanks(rule, std::move(costs), [&](Finding& finding, const std::vector<RankCost>& part) {
    finding.leaf.clear();
    finding.title =
        fmt::format("Padded decode batches: {}, {}", context.ranksText(finding), percent(padding));
    finding.evidence =
        fmt::format("Graphs compute {} requests for {}: {} padded.", groupedText(computed),
                    groupedText(asked), countedText(sumOf(part, &LeafUse::count), "iteration"));
    finding.fix = "Capture graphs for more batch sizes (vLLM cudagraph_capture_sizes, SGLang "
                  "--cuda-graph-bs), or limit the batch to a captured size.";
  });
}

} // namespace

void findServingFindings(FindingContext& context, const JobIterations& iterations) {
  if (iterations.size() != context.analysis().trace().ranks().size()) return;
  findGaps(context, iterations);
  findBandwidth(context, iterations);
  findBlockedDecode(context, iterations);
  findMissingGraphs(context, iterations);
  findPadding(context, iterations);
}

} // namespace rankscope

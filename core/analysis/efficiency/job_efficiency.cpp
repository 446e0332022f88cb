// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/efficiency/job_efficiency.h"

#include "core/analysis/classify/name_traits.h"
#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/efficiency/graph_join.h"
#include "core/base/parallel_for.h"
#include "core/model/rank_digest.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

bool capturesGraphs(const StringTable& names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[NameId(i)].find("StreamBeginCapture") != std::string_view::npos) return true;
  return false;
}

// Replays of graphs have the operators of their capture, in this or another recording of the rank.
void joinGraphs(const Analysis& analysis, JobFlops& job) {
  if (!capturesGraphs(analysis.trace().names())) return;
  std::vector<CaptureSource> sources;
  for (const RankIndex rank : analysis.ranks()) {
    if (digestOf(analysis.trace(), rank) != nullptr) continue;
    CaptureSource source = captureSource(analysis, rank, job.ranks[rank.value].flops);
    if (!source.graphs.empty()) sources.push_back(std::move(source));
  }
  std::vector<std::pair<RankIndex, ReplayedCalls>> joined;
  for (const RankIndex rank : analysis.ranks()) {
    std::vector<const CaptureSource*> ofRank;
    for (const CaptureSource& source : sources)
      if (analysis.trace().rank(source.rank).rank == analysis.trace().rank(rank).rank)
        ofRank.push_back(&source);
    if (!ofRank.empty() && digestOf(analysis.trace(), rank) == nullptr)
      joined.emplace_back(rank, replayedCalls(analysis, rank, ofRank));
  }
  // Sources point into what is added to.
  for (auto& [rank, calls] : joined)
    addReplayed(*analysis.trace().rank(rank).trace, std::move(calls), job.ranks[rank.value].flops);
}

// A job whose operators were recorded and of which none is of a backward pass only infers.
ModelUse useOfModel(const Analysis& analysis) {
  bool operators = false;
  for (const RankIndex rank : analysis.ranks()) {
    const RankTrace& trace = *analysis.trace().rank(rank).trace;
    const StringTable& names = analysis.trace().names();
    NameMemory<std::uint8_t (*)(std::string_view)> isBackward(
        names, [](std::string_view name) -> std::uint8_t {
          return operatorPhaseOf(name) == Phase::Backward || phaseOf(name) == Phase::Backward ? 1 : 0;
        });
    for (const Track& track : trace.tracks) {
      if (track.kind != TrackKind::Annotations && track.kind != TrackKind::Thread) continue;
      for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
        const EventKind kind = trace.events.kind[event];
        if (kind != EventKind::CpuOp && kind != EventKind::Annotation) continue;
        if (isBackward[trace.events.name[event]] != 0) return ModelUse::Training;
        operators = operators || kind == EventKind::CpuOp;
      }
    }
  }
  return operators ? ModelUse::Inference : ModelUse::Training;
}

} // namespace

JobFlops jobFlops(const Analysis& analysis, const EfficiencySettings& settings, unsigned threadCount,
                  const Progress* progress) {
  JobFlops job;
  job.ranks.resize(analysis.trace().ranks().size());
  const std::vector<RankIndex>& ranks = analysis.ranks();
  parallelFor(ranks.size(), threadCount, [&](std::size_t i) {
    if (progress != nullptr && progress->cancelled()) return;
    JobFlops::Rank& rank = job.ranks[ranks[i].value];
    rank.flops = rankFlops(analysis, ranks[i], progress);
    rank.peaks = rankPeaks(*analysis.trace().rank(ranks[i]).trace, settings.peaks);
  });
  if (progress == nullptr || !progress->cancelled()) joinGraphs(analysis, job);
  return job;
}

template <class Archive, Described<StepEfficiency> T> void describe(Archive& archive, T& of) {
  auto& [number, range, flops, recomputed, flopsOf, calls, format, compute, covered, peak, parts] = of;
  archive(number, range, flops, recomputed, flopsOf, calls, format, compute, covered, peak, parts);
}
template <class Archive, Described<PhaseCounts> T> void describe(Archive& archive, T& counts) {
  auto& [requests, tokens, context, squares, pairs] = counts;
  archive(requests, tokens, context, squares, pairs);
}
template <class Archive, Described<IterationLabel> T> void describe(Archive& archive, T& label) {
  auto& [phase, tokens, prefill, decode, padded] = label;
  archive(phase, tokens, prefill, decode, padded);
}
template <class Archive, Described<Iteration> T> void describe(Archive& archive, T& of) {
  auto& [event, label, host, device, deviceTime, gapBefore, gapLeaf, launches, graphs, dispatch, coverage,
         productShare, tflops, gigabytes, bandwidthPct, perToken] = of;
  archive(event, label, host, device, deviceTime, gapBefore, gapLeaf, launches, graphs, dispatch, coverage,
          productShare, tflops, gigabytes, bandwidthPct, perToken);
}

JobEfficiency jobEfficiency(const Analysis& analysis, const JobAccount& account, const JobFlops& flops,
                            const EfficiencySettings& settings) {
  JobEfficiency job;
  job.steps.resize(analysis.trace().ranks().size());
  job.peaks.resize(job.steps.size());
  for (const RankIndex rank : analysis.ranks()) {
    RankPeaks& peaks = job.peaks[rank.value];
    peaks = rankPeaks(*analysis.trace().rank(rank).trace, settings.peaks);
    // A digest was asked by the nominal peaks.
    const bool asDigested = analysis.window(rank) == kWholeRecording && settings == EfficiencySettings();
    job.steps[rank.value] = argumentAnswer<std::vector<StepEfficiency>>(
        analysis.trace(), rank, asDigested, "efficiency of steps",
        [&] { return stepEfficiency(analysis, rank, account.of(rank), flops.of(rank).flops, peaks); });
  }
  // Asked only where the user says something of the model: it is a pass over the host's events.
  if (modelFlopsPerStep(settings.model)) job.use = useOfModel(analysis);
  if (const auto perStep = modelFlopsPerStep(settings.model, job.use))
    job.modelFlops = *perStep / static_cast<double>(gpusOfJob(analysis, settings.model));
  return job;
}

JobIterations jobIterations(const Analysis& analysis, const JobAccount& account,
                            const std::function<const JobFlops&()>& flops) {
  JobIterations iterations;
  for (const RankIndex rank : analysis.ranks()) {
    auto of = rankAnswer<std::vector<Iteration>>(analysis.trace(), rank, "iterations of inference", [&] {
      if (hostIterations(analysis, rank).empty()) return std::vector<Iteration>();
      const JobFlops::Rank& known = flops().of(rank);
      return iterationsOf(analysis, rank, account.of(rank), known.flops, known.peaks);
    });
    if (of.empty()) continue;
    iterations.resize(analysis.trace().ranks().size());
    iterations[rank.value] = std::move(of);
  }
  return iterations;
}

std::int64_t gpusOfJob(const Analysis& analysis, const ModelSettings& model) {
  if (model.gpus && *model.gpus > 0) return *model.gpus;
  const std::int64_t recorded =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(countRanks(analysis).ranks));
  return std::max(recorded, analysis.trace().worldSize().value_or(1));
}

} // namespace rankscope

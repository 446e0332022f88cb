// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/model_guesses.h"

#include "core/analysis/classify/kernel_dtype.h"
#include "core/analysis/operators/operator_inputs.h"
#include "core/analysis/parallel/ddp_buckets.h"
#include "core/analysis/parallel/fsdp_units.h"
#include "core/analysis/parallel/job_parallel.h"
#include "core/base/unit_text.h"
#include "core/model/rank_digest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// More operators of one step are not read.
constexpr std::size_t kMostOperators = 2'000;
// A table with fewer rows holds positions or token types, no words.
constexpr std::int64_t kLeastVocabulary = 1'000;

// Sharded parameters: what one forward pass gathers.
std::optional<double> gatheredParameters(const FsdpUnits& units) {
  std::map<std::size_t, double> bySteps;
  for (const FsdpUnit& unit : units.units)
    if (unit.gathers > 0) bySteps[unit.step] += static_cast<double>(unit.elements);
  const auto most = std::ranges::max_element(bySteps, {}, [](const auto& of) { return of.second; });
  return most == bySteps.end() || most->second <= 0 ? std::nullopt : std::optional(most->second);
}

// Parts of a model that its tensor-parallel and pipeline ranks hold are taken as equal.
std::string timesDivided(const LayoutDegrees& degrees, double& parameters) {
  std::string text;
  for (const LayoutAxis axis : {LayoutAxis::Tensor, LayoutAxis::Pipeline}) {
    if (degrees[axis] <= 1) continue;
    parameters *= static_cast<double>(degrees[axis]);
    text += " × " + std::string(axisText(axis)) + " " + std::to_string(degrees[axis]);
  }
  return text.empty() ? text : text + ", an estimate";
}

std::optional<ModelGuess> parametersOfJob(const JobReport& report) {
  const Analysis& analysis = report.analysis();
  for (const RankIndex rank : analysis.ranks()) {
    std::string source = "elements of one step's gradient buckets";
    std::optional<double> found;
    if (const auto buckets = parametersOf(ddpBuckets(analysis, rank))) {
      found = static_cast<double>(*buckets);
    } else if (!analysis.collectiveCalls(rank).empty()) {
      const JobParallel& parallel = report.parallel();
      found = gatheredParameters(
          fsdpUnits(analysis, rank, parallel.uses[rank.value], parallel.dimensions.ofCall[rank.value]));
      source = "elements that FSDP gathers for one forward pass, with padding";
    }
    if (!found) continue;
    source += timesDivided(report.parallel().layout.degrees, *found);
    return ModelGuess{*found, std::move(source)};
  }
  return std::nullopt;
}

// What the first step that counts was called with.
class StepInputs {
 public:
  StepInputs(const Analysis& analysis, RankIndex rank)
      : m_trace(*analysis.trace().rank(rank).trace), m_names(analysis.trace().names()),
        m_mostProducts(formatOfProducts(analysis, rank)),
        m_trains(!analysis.wholePhases(rank).backward.empty()) {
    const StepWindows& windows = analysis.wholeStepWindows(rank);
    const TimeRange all = kAllTime;
    TimeRange host = all;
    if (windows.areSteps()) {
      const std::vector<std::size_t> counted = analysis.countedSteps(rank);
      const StepWindows& asked = analysis.stepWindows(rank);
      host = !counted.empty() && counted.front() < asked.steps.size() ? asked.steps[counted.front()].host
                                                                      : windows.steps.front().host;
    }
    for (const Track& track : m_trace.tracks) {
      if (track.kind != TrackKind::Thread) continue;
      for (EventIndex event = track.firstEvent; event < track.endEvent; ++event.value) {
        if (m_trace.events.kind[event] != EventKind::CpuOp || !host.contains(m_trace.events.begin[event]))
          continue;
        const std::string_view name = m_names[m_trace.events.name[event]];
        if (name == "aten::embedding" && m_embeddings.size() < kMostOperators) m_embeddings.push_back(event);
        if (name == "aten::conv2d" && m_convolutions.empty()) m_convolutions.push_back(event);
      }
    }
    std::vector<EventIndex> wanted = m_embeddings;
    wanted.insert(wanted.end(), m_convolutions.begin(), m_convolutions.end());
    m_inputs.emplace(analysis.trace().rank(rank), std::move(wanted));
  }

  // copies: of the model that get tokens of their own.
  void addTo(ModelGuesses& guesses, double copies) const {
    TensorShape table;
    TensorShape indices;
    NumberFormat format = NumberFormat::Unknown; // of the table
    double calls = 0;
    for (const EventIndex event : m_embeddings) {
      const OperatorInputs* const of = m_inputs->of(event);
      if (!isOfWords(of)) continue;
      const bool another = of->shapes[0] != table;
      if (another && !table.empty() && of->shapes[0][0] <= table[0]) continue;
      if (another) {
        table = of->shapes[0];
        indices = of->shapes[1];
        format = of->types.empty() ? NumberFormat::Unknown : numberFormatOfType(of->types[0]);
        calls = 0;
      }
      ++calls;
    }
    // Of a model of texts and images neither is what a token is.
    if (!table.empty() && takesImages()) return;
    if (!table.empty()) {
      double tokens = calls * copies;
      for (const std::int64_t side : indices) tokens *= static_cast<double>(side);
      if (tokens > 0)
        guesses.tokensPerStep =
            ModelGuess{tokens, "indices of the embedding in one step" + timesText(copies)};
      guesses.vocabulary = ModelGuess{static_cast<double>(table[0]), "rows of the embedding"};
      guesses.hidden = ModelGuess{static_cast<double>(table[1]), "columns of the embedding"};
      if (indices.size() == 2 && indices[0] > 0 && indices[1] > 0) {
        guesses.batch = ModelGuess{static_cast<double>(indices[0]), "rows of the embedding's indices"};
        guesses.sequence = ModelGuess{static_cast<double>(indices[1]), "columns of the embedding's indices"};
      }
      addPrecision(format, guesses);
      return;
    }
    for (const EventIndex event : m_convolutions) {
      const OperatorInputs* const of = m_inputs->of(event);
      if (of == nullptr || of->shapes.empty() || of->shapes[0].size() != 4 || of->shapes[0][0] <= 0) continue;
      guesses.tokensPerStep =
          ModelGuess{static_cast<double>(of->shapes[0][0]) * copies,
                     "images: the batch of the first convolution" + timesText(copies), false};
    }
  }

 private:
  // Weights of 32 bits in products of 16: autocast. Weights of 16 bits: in training the optimizer may keep
  // others, which is another precision.
  void addPrecision(NumberFormat weights, ModelGuesses& guesses) const {
    if (weights == NumberFormat::Float32 && is16Bit(m_mostProducts)) {
      guesses.precision = "amp";
      guesses.precisionFrom = "products in 16 bits, weights of the embedding in 32";
    } else if (is16Bit(weights) && !m_trains) {
      guesses.precision = numberFormatText(weights);
      guesses.precisionFrom = "weights of the embedding";
    }
  }
  // Of the kernels of products, by time.
  static NumberFormat formatOfProducts(const Analysis& analysis, RankIndex rank) {
    std::map<NumberFormat, double> times;
    for (const KernelStatistics& kernel : analysis.kernels(rank)) {
      if (!kernel.name.valid()) continue;
      const KernelDtype type = kernelDtype(analysis.trace().names()[kernel.name]);
      if (type.product) times[type.format] += static_cast<double>(std::int64_t{kernel.total});
    }
    const auto most = std::ranges::max_element(times, {}, [](const auto& of) { return of.second; });
    return most == times.end() ? NumberFormat::Unknown : most->first;
  }
  // Not of positions, of which each row is looked up.
  static bool isOfWords(const OperatorInputs* of) {
    return of != nullptr && of->shapes.size() >= 2 && of->shapes[0].size() == 2 && !of->shapes[1].empty() &&
           of->shapes[0][0] >= kLeastVocabulary && of->shapes[1].back() != of->shapes[0][0];
  }
  // Pictures have few channels.
  [[nodiscard]] bool takesImages() const {
    constexpr std::int64_t kMostChannels = 4;
    return std::ranges::any_of(m_convolutions, [&](EventIndex event) {
      const OperatorInputs* const of = m_inputs->of(event);
      return of != nullptr && !of->shapes.empty() && of->shapes[0].size() == 4 &&
             of->shapes[0][1] <= kMostChannels;
    });
  }
  static std::string timesText(double copies) {
    return copies > 1 ? " × " + groupedText(std::llround(copies)) + " data-parallel ranks" : std::string();
  }

  const RankTrace& m_trace;
  const StringTable& m_names;
  NumberFormat m_mostProducts;
  bool m_trains;
  std::vector<EventIndex> m_embeddings;
  std::vector<EventIndex> m_convolutions;
  std::optional<OperatorInputsOf> m_inputs;
};

} // namespace

ModelGuesses modelGuesses(const JobReport& report) {
  ModelGuesses guesses;
  const Analysis& analysis = report.analysis();
  if (analysis.ranks().empty() || hasDigests(analysis.trace())) return guesses;
  guesses.parameters = parametersOfJob(report);
  const LayoutDegrees& degrees = report.parallel().layout.degrees;
  const std::int64_t gpus = gpusOfJob(analysis, {});
  const std::int64_t together =
      degrees[LayoutAxis::Tensor] * degrees[LayoutAxis::Pipeline] * degrees[LayoutAxis::Context];
  const double copies =
      static_cast<double>(std::max<std::int64_t>(1, gpus / std::max<std::int64_t>(1, together)));
  StepInputs(analysis, analysis.ranks().front()).addTo(guesses, copies);
  if (gpus > 1) guesses.gpus = ModelGuess{static_cast<double>(gpus), "ranks of the job"};
  return guesses;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Findings about experts that are spread over ranks: unequal load, traffic between hosts, products with too
// few rows.
#include "core/analysis/efficiency/flop_rules.h"
#include "core/analysis/findings/dimension_costs.h"
#include "core/analysis/findings/finding_answers.h"
#include "core/analysis/findings/finding_rules.h"
#include "core/analysis/operators/operator_inputs.h"
#include "core/analysis/parallel/dimension_times.h"
#include "core/analysis/parallel/expert_traffic.h"
#include "core/base/statistics.h"
#include "core/base/unit_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr double kUnequalExperts = 1.2; // most over mean
constexpr double kBetweenHosts = 0.5;   // of the bytes of experts
constexpr double kFewRows = 64;         // of a product of one expert
constexpr std::size_t kMostProducts = 4096;

// Rows that one expert has in a product, by the shapes that it was called with; nothing if they do not say
// it.
std::optional<double> rowsOf(const FlopRule& rule, const std::vector<TensorShape>& shapes) {
  const std::size_t first = rule.first;
  if (shapes.size() < first + 2) return std::nullopt;
  const TensorShape& left = shapes[first];
  const TensorShape& right = shapes[first + 1];
  switch (rule.formula) {
  case FlopFormula::GroupedMm: // all rows of all experts, and the weights of each
    if (left.size() != 2 || right.size() != 3 || right[0] <= 0) return std::nullopt;
    return static_cast<double>(left[0]) / static_cast<double>(right[0]);
  case FlopFormula::Bmm:
    if (left.size() != 3) return std::nullopt;
    return static_cast<double>(left[1]);
  case FlopFormula::Mm:
  case FlopFormula::Linear:
    if (left.size() != 2) return std::nullopt;
    return static_cast<double>(left[0]);
  default:
    return std::nullopt;
  }
}

class ExpertRules {
 public:
  ExpertRules(FindingContext& context, const JobParallel& parallel)
      : m_context(context), m_analysis(context.analysis()), m_parallel(parallel), m_costs(context, parallel) {
  }

  void find() {
    findUnequal();
    if (m_costs.of(RankDimension::Expert) == nullptr) return;
    findTrafficBetweenHosts();
    findSmallProducts();
  }

 private:
  void findUnequal() {
    std::map<std::size_t, double> largest; // by step of the job
    double wait = 0;
    double steps = 0;
    RankIndex fullest;
    double most = 0;
    for (const ExpertRankStep& of : expertRankSteps(m_analysis, m_parallel.uses, m_parallel.dimensions)) {
      if (!isKeptInScope(m_analysis, of.rank, of.of.step)) continue;
      double& step = largest[of.of.step];
      step = std::max(step, of.imbalance.value_or(1));
      wait += static_cast<double>(of.of.wait.value_or(0));
      ++steps;
      if (of.imbalance.value_or(0) > most) {
        most = *of.imbalance;
        fullest = of.rank;
      }
    }
    if (steps <= 0) return;
    wait /= steps;
    double imbalance = 0;
    for (const auto& [step, of] : largest) imbalance += of / static_cast<double>(largest.size());
    if (imbalance >= kUnequalExperts)
      addParallelFinding(
          m_context,
          {.kind = FindingKind::ExpertImbalance,
           .leaf = "wait.rank",
           .time = wait,
           .high = wait,
           .title = fmt::format("Unequal experts: {:.1f} times the mean", imbalance),
           .evidence = fmt::format("The most loaded rank of a step has {:.1f} times the mean load on "
                                   "average, at most {:.1f} times on {}; ranks wait {} in combines.",
                                   imbalance, most, m_context.rankText(fullest), m_context.timeText(wait)),
           .fix =
               "Balance the router: auxiliary loss or bias, capacity factor, expert placement, replicas of "
               "full experts."});
  }

  void findTrafficBetweenHosts() {
    if (m_costs.hostsOf(RankDimension::Expert) < 2) return;
    double all = 0;
    double leaving = 0;
    for (const RankIndex rank : m_context.ranks()) {
      const std::string& own = m_analysis.trace().rank(rank).host;
      const RankExperts experts =
          rankExperts(m_analysis, rank, m_parallel.uses[rank.value], m_parallel.dimensions);
      for (const ExpertCall& call : experts.calls) {
        if (!isKeptInScope(m_analysis, rank, call.step) || call.sent.size() > experts.members.size())
          continue;
        for (std::size_t to = 0; to < call.sent.size(); ++to) {
          const std::string host = m_costs.hostOf(experts.members[to]);
          if (own.empty() || host.empty()) continue;
          all += static_cast<double>(call.sent[to]);
          if (host != own) leaving += static_cast<double>(call.sent[to]);
        }
      }
    }
    const double time = m_costs.exposed(RankDimension::Expert);
    if (all <= 0 || leaving < kBetweenHosts * all) return;
    addParallelFinding(
        m_context,
        {.kind = FindingKind::ExpertAcrossHosts,
         .leaf = "comm.transfer",
         .time = time,
         .high = time * leaving / all,
         .title = "Expert traffic between hosts",
         .evidence = fmt::format("{} of what ranks send to experts leaves their host.",
                                 percentText(100 * leaving / all)),
         .fix = "Group-limited routing, experts of a group on one host, or dispatch in two levels (DeepEP, "
                "hierarchical all-to-all)."});
  }

  // Host time between the dispatch and the combine of each layer, of one kept step.
  [[nodiscard]] std::vector<TimeRange> hostOfExperts(RankIndex rank, const RankExperts& experts) const {
    std::map<std::int64_t, TimeNs> dispatched;
    std::vector<TimeRange> ranges;
    std::optional<std::size_t> step;
    for (const ExpertCall& call : experts.calls) {
      if (!isKeptInScope(m_analysis, rank, call.step) || call.step != step.value_or(call.step)) continue;
      step = call.step;
      const TimeNs issued = m_parallel.uses[rank.value][call.call].issued;
      if (call.direction == ExpertDirection::Dispatch) dispatched[call.layer] = issued;
      const auto from = dispatched.find(call.layer);
      if (call.direction == ExpertDirection::Combine && from != dispatched.end())
        ranges.push_back({from->second, issued});
    }
    return ranges;
  }

  // Rows of the products of experts on a rank.
  [[nodiscard]] std::vector<double> rowsOfProducts(RankIndex rank, const RankExperts& experts) const {
    const std::vector<TimeRange> ranges = hostOfExperts(rank, experts);
    const RankTrace& trace = *m_analysis.trace().rank(rank).trace;
    const StringTable& names = m_analysis.trace().names();
    std::map<EventIndex, const FlopRule*> products;
    for (const Track& track : trace.tracks) {
      if (track.kind != TrackKind::Thread || ranges.empty()) continue;
      for (EventIndex e = track.firstEvent; e < track.endEvent && products.size() < kMostProducts;
           ++e.value) {
        if (trace.events.kind[e] != EventKind::CpuOp || !trace.events.name[e].valid()) continue;
        const TimeNs begin = trace.events.begin[e];
        if (std::ranges::none_of(ranges, [&](const TimeRange& range) { return range.contains(begin); }))
          continue;
        const FlopRule* const rule = flopRuleOf(names[trace.events.name[e]]);
        if (rule != nullptr && rule->role == FlopRole::Counted) products.emplace(e, rule);
      }
    }
    std::vector<EventIndex> operators;
    operators.reserve(products.size());
    for (const auto& [event, rule] : products) operators.push_back(event);
    if (operators.empty()) return {};
    const OperatorShapes shapes(m_analysis.trace().rank(rank), std::move(operators));
    std::vector<double> rows;
    for (const auto& [event, rule] : products) {
      const std::vector<TensorShape>* const of = shapes.of(event);
      const auto found = of == nullptr ? std::nullopt : rowsOf(*rule, *of);
      if (found && *found > 0) rows.push_back(*found);
    }
    return rows;
  }

  // The weights of an expert are read once for however few rows.
  void findSmallProducts() {
    std::vector<double> rows;
    double time = 0;
    double steps = 0;
    for (const RankIndex rank : m_context.ranks()) {
      if (!m_context.hasDevices(rank)) continue;
      const RankExperts experts =
          rankExperts(m_analysis, rank, m_parallel.uses[rank.value], m_parallel.dimensions);
      const auto of = m_context.ofRank<std::vector<double>>(rank, "rows of the products of experts",
                                                            [&] { return rowsOfProducts(rank, experts); });
      rows.insert(rows.end(), of.begin(), of.end());
      for (const ExpertStep& step : experts.steps) {
        if (!isKeptInScope(m_analysis, rank, step.step)) continue;
        time += static_cast<double>(step.experts);
        ++steps;
      }
    }
    if (rows.empty() || steps <= 0) return;
    const double middle = median(rows);
    if (middle >= kFewRows) return;
    time /= steps;
    addParallelFinding(
        m_context,
        {.kind = FindingKind::ExpertTiny,
         .leaf = "compute",
         .time = time,
         .high = time * (1 - middle / kFewRows),
         .title = fmt::format("Small GEMMs of experts: {}", countedText(std::llround(middle), "row")),
         .evidence = fmt::format(
             "GEMMs of one expert have {}, the median of {}; below {:.0f} rows they take as "
             "long as reading the weights of the expert. Experts compute for {}.",
             countedText(std::llround(middle), "row"), countText(static_cast<std::int64_t>(rows.size())),
             kFewRows, m_context.timeText(time)),
         .fix = "More tokens for each expert: larger microbatches, fewer and larger experts, fewer ranks of "
                "expert parallelism with more experts on each, grouped GEMMs instead of one per expert."});
  }

  FindingContext& m_context;
  const Analysis& m_analysis;
  const JobParallel& m_parallel;
  DimensionCosts m_costs;
};

} // namespace

void findExpertFindings(FindingContext& context, const JobParallel& parallel) {
  ExpertRules(context, parallel).find();
}

} // namespace rankscope

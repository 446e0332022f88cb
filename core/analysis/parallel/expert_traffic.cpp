// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/parallel/expert_traffic.h"

#include "core/analysis/digest/rank_answers.h"
#include "core/analysis/operators/operator_inputs.h"
#include "core/analysis/parallel/dimension_times.h"
#include "core/base/exact_sum.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kMaxRanks = 1 << 12; // of a split; longer lists are cut in recordings

bool isIntegers(std::string_view dtype) {
  return dtype.find("nt") != std::string_view::npos || dtype.find("ong") != std::string_view::npos ||
         dtype.find("yte") != std::string_view::npos;
}

// The operator that lists the splits: c10d::alltoall_base_ or record_param_comms around a launch.
EventIndex splittingOperator(const RankTrace& trace, const StringTable& names, EventIndex issuer) {
  EventIndex found;
  for (int level = 0; level < 8 && issuer.valid(); ++level) {
    const std::string_view name = names[trace.events.name[issuer]];
    if (name.starts_with("c10d::alltoall_base_")) return issuer;
    if (name == "record_param_comms" && !found.valid()) found = issuer;
    issuer = trace.parentOf(issuer);
  }
  return found;
}

enum class ExchangeKind : std::uint8_t { Unknown, Dispatch, Combine, Other };

// What a kernel of DeepEP or PPLX does. Its notifications and layouts move no tokens.
ExchangeKind exchangeOf(std::string_view kernel) {
  const auto has = [&](std::string_view part) { return kernel.find(part) != kernel.npos; };
  const bool dispatches = has("dispatch") || has("Dispatch");
  const bool combines = has("combine") || has("Combine");
  if (!dispatches && !combines) return ExchangeKind::Unknown;
  if (has("notify") || has("layout") || has("clean")) return ExchangeKind::Other;
  return dispatches ? ExchangeKind::Dispatch : ExchangeKind::Combine;
}

struct Splits {
  std::vector<std::int64_t> sent; // rows
  std::vector<std::int64_t> received;
  std::int64_t sentElements = 0;
  std::int64_t receivedElements = 0;
  bool known = false;
};

std::vector<std::int64_t> rowsIn(const OperatorInputs& inputs, std::size_t argument) {
  if (argument >= inputs.values.size()) return {};
  std::vector<std::int64_t> rows =
      integersInText(inputs.values[argument]).value_or(std::vector<std::int64_t>());
  const bool bad = rows.size() > kMaxRanks || std::ranges::any_of(rows, [](std::int64_t n) { return n < 0; });
  return bad ? std::vector<std::int64_t>() : rows;
}

std::int64_t elementsIn(const OperatorInputs& inputs, std::size_t argument) {
  if (argument >= inputs.shapes.size()) return 0;
  return elementsOf(inputs.shapes[argument]).value_or(0);
}

Splits splitsOf(const OperatorInputs& inputs, bool isBase, const CollectiveCall& call) {
  Splits splits;
  if (isBase) {
    splits.received = rowsIn(inputs, 3);
    splits.sent = rowsIn(inputs, 4);
    splits.receivedElements = elementsIn(inputs, 0);
    splits.sentElements = elementsIn(inputs, 1);
    splits.known = inputs.values.size() > 4;
  } else {
    splits.sent = rowsIn(inputs, 5);
    splits.received = rowsIn(inputs, 6);
    splits.known = inputs.values.size() > 6;
  }
  if (splits.sentElements == 0) splits.sentElements = std::max<std::int64_t>(call.inElements, 0);
  if (splits.receivedElements == 0) splits.receivedElements = std::max<std::int64_t>(call.outElements, 0);
  return splits;
}

// Elements to or from each rank: rows times the elements of a row; equal parts without a list.
std::vector<std::int64_t> elementsOfRows(const std::vector<std::int64_t>& rows, std::int64_t elements,
                                         std::size_t ranks) {
  std::vector<std::int64_t> result;
  if (rows.empty()) {
    if (ranks > 0 && ranks <= kMaxRanks) result.assign(ranks, elements / static_cast<std::int64_t>(ranks));
    return result;
  }
  ExactSum sum;
  for (const std::int64_t n : rows) sum += n;
  const std::int64_t total = sum;
  const std::int64_t perRow = total > 0 ? elements / total : 0;
  result.reserve(rows.size());
  for (const std::int64_t n : rows)
    result.push_back(perRow > 0 && n > INT64_MAX / 4 / perRow ? 0 : n * perRow);
  return result;
}

class ExpertReader {
 public:
  ExpertReader(const Analysis& analysis, RankIndex rank, const std::vector<CallUse>& uses,
               const GroupDimensions& dimensions)
      : m_analysis(analysis), m_rank(rank), m_trace(*analysis.trace().rank(rank).trace),
        m_names(analysis.trace().names()), m_calls(analysis.collectiveCalls(rank)), m_uses(uses),
        m_dimensions(dimensions), m_steps(analysis.wholeStepWindows(rank)) {}

  [[nodiscard]] RankExperts read() {
    std::map<std::size_t, std::vector<std::size_t>> ofStep;
    for (std::size_t i = 0; i < m_calls.size(); ++i) {
      if (m_dimensions.ofCall[m_rank.value][i] != RankDimension::Expert) continue;
      const NameId dtype = m_calls[i].dtype;
      if (dtype.valid() && isIntegers(m_names[dtype])) continue;
      const std::size_t step = stepOfTime(m_steps, m_calls[i].range.begin.ns());
      if (step < m_steps.steps.size()) ofStep[step].push_back(i);
    }
    if (ofStep.empty()) return {};
    findMembers();
    for (const auto& [step, calls] : ofStep) addStep(step, calls);
    readSplits();
    sumSteps();
    return std::move(m_result);
  }

 private:
  void findMembers() {
    const int rank = m_analysis.trace().rank(m_rank).rank;
    for (const ParallelGroup& group : m_dimensions.groups) {
      if (group.dimension == RankDimension::Expert && std::ranges::binary_search(group.members, rank))
        m_result.members = group.members;
    }
  }

  // Two calls a layer: tokens go to the experts and back; backward the other way round.
  void addStep(std::size_t step, const std::vector<std::size_t>& calls) {
    std::vector<std::size_t> forward;
    std::vector<std::size_t> backward;
    for (const std::size_t i : calls) (m_uses[i].phase == Phase::Backward ? backward : forward).push_back(i);
    const auto byIssue = [&](std::size_t i) { return m_uses[i].issued; };
    std::ranges::stable_sort(forward, {}, byIssue);
    std::ranges::stable_sort(backward, {}, byIssue);
    const std::vector<Exchange> there = exchangesOf(forward);
    const std::vector<Exchange> back = exchangesOf(backward);
    const auto layersOf = [](const std::vector<Exchange>& of) {
      return of.empty() ? 0 : of.back().layer + 1;
    };
    const std::size_t layers = std::max(layersOf(there), layersOf(back));
    for (const Exchange& of : there)
      add(step, of.call, of.layer, of.first ? ExpertDirection::Dispatch : ExpertDirection::Combine);
    for (const Exchange& of : back)
      add(step, of.call, layers - 1 - of.layer,
          of.first ? ExpertDirection::CombineBackward : ExpertDirection::DispatchBackward);
  }

  struct Exchange {
    std::size_t call = 0;
    std::size_t layer = 0; // in the order of the calls
    bool first = false;    // of the two of a layer
  };

  // By the names of kernels where they say it, else in turn.
  [[nodiscard]] std::vector<Exchange> exchangesOf(const std::vector<std::size_t>& calls) const {
    std::vector<Exchange> result;
    result.reserve(calls.size());
    const auto kindOf = [&](std::size_t i) {
      return exchangeOf(m_names[m_trace.events.name[m_calls[i].event]]);
    };
    const bool named =
        std::ranges::any_of(calls, [&](std::size_t i) { return kindOf(i) != ExchangeKind::Unknown; });
    if (!named) {
      for (std::size_t k = 0; k < calls.size(); ++k) result.push_back({calls[k], k / 2, k % 2 == 0});
      return result;
    }
    for (const std::size_t i : calls) {
      const ExchangeKind kind = kindOf(i);
      if (kind != ExchangeKind::Dispatch && kind != ExchangeKind::Combine) continue;
      const bool first = kind == ExchangeKind::Dispatch;
      const bool another = result.empty() || (first && !result.back().first);
      const std::size_t layer = result.empty() ? 0 : result.back().layer + (another ? 1 : 0);
      result.push_back({i, layer, first});
    }
    return result;
  }

  void add(std::size_t step, std::size_t call, std::size_t layer, ExpertDirection direction) {
    ExpertCall added;
    added.step = step;
    added.call = call;
    added.layer = static_cast<std::int64_t>(layer);
    added.direction = direction;
    m_result.calls.push_back(std::move(added));
  }

  void readSplits() {
    std::vector<EventIndex> operators;
    operators.reserve(m_result.calls.size());
    for (const ExpertCall& call : m_result.calls)
      operators.push_back(splittingOperator(m_trace, m_names, m_uses[call.call].issuer));
    std::vector<EventIndex> asked = operators;
    std::erase_if(asked, [](EventIndex e) { return !e.valid(); });
    if (asked.empty()) return;
    const OperatorInputsOf inputs(m_analysis.trace().rank(m_rank), std::move(asked));
    for (std::size_t i = 0; i < operators.size(); ++i) {
      ExpertCall& call = m_result.calls[i];
      const OperatorInputs* const of = operators[i].valid() ? inputs.of(operators[i]) : nullptr;
      if (of == nullptr) continue;
      const bool isBase = m_names[m_trace.events.name[operators[i]]].starts_with("c10d::");
      const Splits splits = splitsOf(*of, isBase, m_calls[call.call]);
      if (!splits.known) continue;
      const std::size_t ranks =
          std::max({splits.sent.size(), splits.received.size(), m_result.members.size()});
      call.sent = elementsOfRows(splits.sent, splits.sentElements, ranks);
      call.received = elementsOfRows(splits.received, splits.receivedElements, ranks);
    }
  }

  void sumSteps() {
    std::map<std::size_t, ExpertStep> steps;
    std::map<std::pair<std::size_t, std::int64_t>, TimeNs> dispatched; // end, by step and layer
    for (const ExpertCall& call : m_result.calls) {
      ExpertStep& of = steps[call.step];
      of.step = call.step;
      const TimeRange range = m_calls[call.call].range.ns();
      if (call.direction == ExpertDirection::Dispatch) {
        dispatched[{call.step, call.layer}] = range.end;
        addElements(of.sent, call.sent);
        addElements(of.received, call.received);
      } else if (call.direction == ExpertDirection::Combine) {
        if (const auto parts = callParts(m_analysis, m_rank, call.call))
          of.wait = movedTime(of.wait.value_or(0), parts->wait);
        const auto from = dispatched.find({call.step, call.layer});
        if (from != dispatched.end()) of.experts = movedTime(of.experts, computeIn(from->second, call));
      }
    }
    m_result.steps.reserve(steps.size());
    for (const auto& [step, of] : steps) m_result.steps.push_back(of);
  }

  [[nodiscard]] TimeNs computeIn(TimeNs from, const ExpertCall& combine) const {
    const bool onDevice = m_trace.hasDeviceEvents();
    const TimeNs to = onDevice ? m_calls[combine.call].range.begin.ns() : m_uses[combine.call].issued;
    if (to <= from) return 0;
    return onDevice ? m_analysis.wholeActivity(m_rank).compute.coveredWithin({from, to}) : to - from;
  }

  static void addElements(std::optional<std::int64_t>& sum, const std::vector<std::int64_t>& elements) {
    if (elements.empty()) return;
    ExactSum all(sum.value_or(0));
    for (const std::int64_t n : elements) all += n;
    sum = static_cast<std::int64_t>(all);
  }

  const Analysis& m_analysis;
  RankIndex m_rank;
  const RankTrace& m_trace;
  const StringTable& m_names;
  const std::vector<CollectiveCall>& m_calls;
  const std::vector<CallUse>& m_uses;
  const GroupDimensions& m_dimensions;
  const StepWindows& m_steps;
  RankExperts m_result;
};

} // namespace

std::string_view expertDirectionText(ExpertDirection direction) {
  constexpr std::array<std::string_view, 4> kTexts{"dispatch", "combine", "combine_backward",
                                                   "dispatch_backward"};
  return kTexts[static_cast<std::size_t>(direction)];
}

template <class Archive, Described<ExpertCall> T> void describe(Archive& archive, T& of) {
  auto& [step, call, layer, direction, sent, received] = of;
  archive(step, call, layer, direction, sent, received);
}
template <class Archive, Described<ExpertStep> T> void describe(Archive& archive, T& of) {
  auto& [step, received, sent, experts, wait] = of;
  archive(step, received, sent, experts, wait);
}
template <class Archive, Described<RankExperts> T> void describe(Archive& archive, T& of) {
  auto& [calls, steps, members] = of;
  archive(calls, steps, members);
}

namespace {

// Whether the indices are of steps and calls that there are.
bool areOfRank(const Analysis& analysis, RankIndex rank, const RankExperts& found) {
  const std::size_t steps = analysis.wholeStepWindows(rank).steps.size();
  const std::size_t calls = analysis.collectiveCalls(rank).size();
  return std::ranges::all_of(found.calls,
                             [&](const ExpertCall& of) { return of.step < steps && of.call < calls; }) &&
         std::ranges::all_of(found.steps, [&](const ExpertStep& of) { return of.step < steps; });
}

} // namespace

RankExperts rankExperts(const Analysis& analysis, RankIndex rank, const std::vector<CallUse>& uses,
                        const GroupDimensions& dimensions) {
  return rankAnswer<RankExperts>(
      analysis.trace(), rank, "traffic of experts",
      [&] { return ExpertReader(analysis, rank, uses, dimensions).read(); },
      [&](const RankExperts& found) { return areOfRank(analysis, rank, found); });
}

std::vector<ExpertRankStep> expertRankSteps(const Analysis& analysis,
                                            const std::vector<std::vector<CallUse>>& uses,
                                            const GroupDimensions& dimensions) {
  struct Load {
    double elements = 0;
    double time = 0;
    std::int64_t ranks = 0;
    bool known = true;
  };
  using Key = std::tuple<int, std::vector<std::int32_t>, std::size_t>; // capture, group, step
  std::map<Key, Load> loads;
  std::vector<std::pair<Key, ExpertRankStep>> found;
  for (const RankIndex rank : analysis.ranks()) {
    const RankExperts experts = rankExperts(analysis, rank, uses[rank.value], dimensions);
    for (const ExpertStep& step : experts.steps) {
      if (!isInScope(analysis, rank, step.step)) continue;
      Key key{analysis.trace().rank(rank).capture, experts.members, step.step};
      Load& load = loads[key];
      ++load.ranks;
      load.known &= step.received.has_value();
      load.elements += static_cast<double>(step.received.value_or(0));
      load.time += static_cast<double>(step.experts);
      found.emplace_back(std::move(key), ExpertRankStep{rank, step, {}});
    }
  }
  std::vector<ExpertRankStep> result;
  result.reserve(found.size());
  for (auto& [key, of] : found) {
    const Load& load = loads[key];
    const double own =
        load.known ? static_cast<double>(of.of.received.value_or(0)) : static_cast<double>(of.of.experts);
    const double all = load.known ? load.elements : load.time;
    if (load.ranks > 1 && all > 0) of.imbalance = own * static_cast<double>(load.ranks) / all;
    result.push_back(of);
  }
  return result;
}

} // namespace rankscope

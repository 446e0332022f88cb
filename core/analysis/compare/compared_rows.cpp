// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/compare/compared_rows.h"

#include "core/analysis/classify/normal_name.h"
#include "core/analysis/compare/significance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace rankscope {

namespace {

// Rows of both sides that wait for a partner, by position.
template <class Row> class Matcher {
 public:
  Matcher(const std::vector<Row>& a, const std::vector<Row>& b)
      : m_a(a), m_b(b), m_freeA(a.size(), true), m_freeB(b.size(), true) {}

  // Pairs what is still free and has equal keys, in order. mayMatch(a, b) has the last word.
  template <class KeyOf, class MayMatch> void match(RowMatch by, KeyOf&& keyOf, MayMatch&& mayMatch) {
    std::map<decltype(keyOf(std::declval<const Row&>())), std::vector<std::size_t>> free;
    for (std::size_t i = m_b.size(); i-- > 0;) {
      if (m_freeB[i]) free[keyOf(m_b[i])].push_back(i);
    }
    for (std::size_t i = 0; i < m_a.size(); ++i) {
      if (!m_freeA[i]) continue;
      const auto found = free.find(keyOf(m_a[i]));
      if (found == free.end() || found->second.empty()) continue;
      const std::size_t partner = found->second.back();
      if (!mayMatch(m_a[i], m_b[partner])) continue;
      found->second.pop_back();
      m_freeA[i] = m_freeB[partner] = false;
      m_pairs.push_back({by, m_a[i], m_b[partner]});
    }
  }
  template <class KeyOf> void match(RowMatch by, KeyOf&& keyOf) {
    match(by, std::forward<KeyOf>(keyOf), [](const Row&, const Row&) { return true; });
  }

  std::vector<ComparedRow<Row>> take() {
    for (std::size_t i = 0; i < m_a.size(); ++i) {
      if (m_freeA[i]) m_pairs.push_back({RowMatch::OnlyA, m_a[i], std::nullopt});
    }
    for (std::size_t i = 0; i < m_b.size(); ++i) {
      if (m_freeB[i]) m_pairs.push_back({RowMatch::OnlyB, std::nullopt, m_b[i]});
    }
    return std::move(m_pairs);
  }

 private:
  const std::vector<Row>& m_a;
  const std::vector<Row>& m_b;
  std::vector<bool> m_freeA;
  std::vector<bool> m_freeB;
  std::vector<ComparedRow<Row>> m_pairs;
};

// The largest contribution first; where rows contribute nothing, by the next figure.
template <class Row, class WeightOf> void sortRows(std::vector<Row>& rows, WeightOf&& weightOf) {
  std::ranges::stable_sort(rows, std::greater<>(), weightOf);
}

bool equalCalls(const SideOperator& a, const SideOperator& b) {
  return std::abs(a.calls - b.calls) < 1e-9 * std::max(a.calls, b.calls) + 1e-12;
}

// Classes that wrap a model without changing what is in it.
bool isWrapper(std::string_view part) {
  constexpr std::array<std::string_view, 6> kWrappers = {
      "DistributedDataParallel", "FullyShardedDataParallel", "DataParallel",
      "OptimizedModule",         "CheckpointWrapper",        "FlattenParamsWrapper"};
  return std::ranges::any_of(kWrappers, [&](std::string_view name) {
    const std::size_t at = part.find(name);
    return at != std::string_view::npos && part.substr(at + name.size()).starts_with('_');
  });
}

// A path without wrappers, so that a model and the wrapped one have the same modules. Where each layer is
// wrapped, the layer has the ordinal of its wrapper.
std::string withoutWrappers(std::string_view path) {
  constexpr std::string_view kBetween = " / ";
  std::string result;
  std::string_view ordinal; // of the wrapper around what comes
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(kBetween, at), path.size());
    const std::string_view part = path.substr(at, end - at);
    at = end + kBetween.size();
    if (isWrapper(part)) {
      ordinal = part.substr(part.rfind('_'));
      continue;
    }
    if (!result.empty()) result += kBetween;
    result += !ordinal.empty() && part.ends_with("_0") ? part.substr(0, part.size() - 2) : part;
    if (!ordinal.empty() && part.ends_with("_0")) result += ordinal;
    ordinal = {};
  }
  return result;
}

// Without what the other side does not know: rows that differ in nothing else are one.
std::vector<SideOperator> collapsed(const std::vector<SideOperator>& rows, bool shapes, bool modules) {
  if (shapes && modules) return rows;
  std::vector<SideOperator> result;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::size_t> places;
  for (SideOperator row : rows) {
    if (!shapes) row.shapes.clear();
    if (!modules) row.module.clear();
    const auto [at, isNew] =
        places.try_emplace(std::tuple(row.name, row.shapes, row.phase, row.module), result.size());
    if (isNew) {
      result.push_back(std::move(row));
      continue;
    }
    SideOperator& sum = result[at->second];
    sum.calls += row.calls;
    sum.hostSelf += row.hostSelf;
    sum.device += row.device;
    sum.owned += row.owned;
    sum.ownedBySample.resize(std::max(sum.ownedBySample.size(), row.ownedBySample.size()));
    for (std::size_t i = 0; i < row.ownedBySample.size(); ++i) sum.ownedBySample[i] += row.ownedBySample[i];
  }
  return result;
}

std::vector<ComparedOperator> operatorsOf(const SideFacts& a, const SideFacts& b) {
  const auto both = [&](Recorded SideIdentity::*what) {
    return a.identity.*what == Recorded::Yes && b.identity.*what == Recorded::Yes;
  };
  const bool shapes = both(&SideIdentity::shapes);
  const bool modules = both(&SideIdentity::stacks);
  const std::vector<SideOperator> ofA = collapsed(a.operators, shapes, modules);
  const std::vector<SideOperator> ofB = collapsed(b.operators, shapes, modules);
  Matcher<SideOperator> matcher(ofA, ofB);
  if (shapes)
    matcher.match(RowMatch::NameShapes, [](const SideOperator& row) {
      return std::tuple(row.name, row.phase, row.module, row.shapes);
    });
  const auto inPlace = [](const SideOperator& row) { return std::tuple(row.name, row.phase, row.module); };
  if (shapes && modules)
    matcher.match(RowMatch::NameShapes, [](const SideOperator& row) {
      return std::tuple(row.name, row.phase, withoutWrappers(row.module), row.shapes);
    });
  if (shapes)
    matcher.match(RowMatch::ShapeChanged, inPlace, equalCalls);
  else
    matcher.match(RowMatch::Name, inPlace);
  if (modules)
    matcher.match(RowMatch::Name, [](const SideOperator& row) {
      return std::tuple(row.name, row.phase, withoutWrappers(row.module));
    });
  // The poorer side decides: without stacks there are no modules, without shapes none to compare.
  matcher.match(RowMatch::NameOnly, [](const SideOperator& row) { return std::tuple(row.name, row.phase); });
  matcher.match(RowMatch::NameOnly, [](const SideOperator& row) { return row.name; });
  std::vector<ComparedOperator> rows;
  for (ComparedRow<SideOperator>& row : matcher.take()) {
    ComparedOperator& one = rows.emplace_back();
    static_cast<ComparedRow<SideOperator>&>(one) = std::move(row);
  }
  sortRows(rows, [](const ComparedOperator& row) {
    return std::tuple(std::abs(row.delta(&SideOperator::owned)), std::abs(row.delta(&SideOperator::hostSelf)),
                      row.ofA(&SideOperator::owned));
  });
  return rows;
}

// The false discovery rates of rows that explain at least 1 % of the step's difference.
void addRates(std::vector<ComparedOperator>& rows, double delta) {
  std::vector<std::size_t> tested;
  std::vector<double> p;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ComparedOperator& row = rows[i];
    if (!row.a || !row.b || std::abs(row.delta(&SideOperator::owned)) < 0.01 * std::abs(delta)) continue;
    const auto test = welchTest(row.a->ownedBySample, row.b->ownedBySample);
    if (!test) continue;
    tested.push_back(i);
    p.push_back(test->p);
  }
  const std::vector<double> rates = falseDiscoveryRates(p);
  for (std::size_t i = 0; i < tested.size(); ++i) rows[tested[i]].q = rates[i];
}

std::vector<ComparedKernel> kernelsOf(const SideFacts& a, const SideFacts& b) {
  // The longest first, so that what is matched by order are those that matter.
  const auto sorted = [](std::vector<SideKernel> rows) {
    std::ranges::stable_sort(rows, std::greater<>(), &SideKernel::time);
    return rows;
  };
  const std::vector<SideKernel> ofA = sorted(a.kernels);
  const std::vector<SideKernel> ofB = sorted(b.kernels);
  Matcher<SideKernel> matcher(ofA, ofB);
  const auto named = [](const SideKernel& row) { return std::tuple(row.operatorName, row.name); };
  const auto bare = [](const SideKernel& row) {
    return std::tuple(row.operatorName, withoutTemplateArguments(row.name), row.computes);
  };
  const auto family = [](const SideKernel& row) {
    return std::tuple(row.operatorName, kernelFamily(row.name), row.computes);
  };
  const auto launcher = [](const SideKernel& row) { return std::tuple(row.operatorName, row.computes); };
  const auto hasLauncher = [](const SideKernel& row, const SideKernel&) { return !row.operatorName.empty(); };
  const auto hasFamily = [&](const SideKernel& row, const SideKernel&) {
    return kernelFamily(row.name) != "other";
  };
  matcher.match(RowMatch::Exact, named);
  // A recording without operators on one side: names alone.
  matcher.match(RowMatch::Exact, [](const SideKernel& row) { return row.name; });
  matcher.match(RowMatch::NoTemplate, bare);
  matcher.match(RowMatch::Family, family, hasFamily);
  matcher.match(RowMatch::Operator, launcher, hasLauncher);
  std::vector<ComparedKernel> rows = matcher.take();
  sortRows(rows, [](const ComparedKernel& row) {
    return std::tuple(std::abs(row.delta(&SideKernel::owned)), std::abs(row.delta(&SideKernel::time)),
                      row.ofA(&SideKernel::time));
  });
  return rows;
}

std::vector<ComparedModule> modulesOf(const SideFacts& a, const SideFacts& b) {
  Matcher<SideModule> matcher(a.modules, b.modules);
  matcher.match(RowMatch::Path, [](const SideModule& row) { return row.path; });
  matcher.match(RowMatch::NameOnly, [](const SideModule& row) { return withoutWrappers(row.path); });
  std::vector<ComparedModule> rows = matcher.take();
  sortRows(rows, [](const ComparedModule& row) {
    return std::tuple(std::abs(row.delta(&SideModule::owned)), std::abs(row.delta(&SideModule::host)));
  });
  return rows;
}

// Only with both recordings: a baseline does not have them.
std::vector<ComparedLayoutFigure> layoutFiguresOf(const SideFacts& a, const SideFacts& b) {
  if (a.fromBaseline || b.fromBaseline) return {};
  Matcher<SideFigure> matcher(a.parallel, b.parallel);
  matcher.match(RowMatch::Name,
                [](const SideFigure& row) { return std::tuple(row.table, row.row, row.figure); });
  std::vector<ComparedLayoutFigure> rows = matcher.take();
  // By the share of A that it changed by; what only one side has comes last.
  sortRows(rows, [](const ComparedLayoutFigure& row) {
    const double delta = std::abs(row.delta(&SideFigure::value));
    if (!row.a || !row.b) return -1.0;
    if (delta == 0) return 0.0;
    return row.a->value != 0 ? delta / std::abs(row.a->value) : std::numeric_limits<double>::infinity();
  });
  return rows;
}

std::vector<ComparedRank> ranksOf(const SideFacts& a, const SideFacts& b) {
  // Ranks of hosts, or one rank and another: in their order.
  const bool byNumber = std::ranges::any_of(a.ranks, [&](const SideRank& row) {
    return std::ranges::find(b.ranks, row.rank, &SideRank::rank) != b.ranks.end();
  });
  Matcher<SideRank> matcher(a.ranks, b.ranks);
  if (byNumber)
    matcher.match(RowMatch::Name, [](const SideRank& row) { return row.rank; });
  else if (a.ranks.size() == b.ranks.size())
    matcher.match(RowMatch::NameOnly, [](const SideRank&) { return 0; });
  std::vector<ComparedRank> rows = matcher.take();
  std::ranges::stable_sort(rows, {}, [](const ComparedRank& row) { return row.any().rank; });
  return rows;
}

std::vector<ComparedFinding> findingsOfBoth(const SideFacts& a, const SideFacts& b) {
  std::vector<ComparedFinding> rows;
  rows.reserve(a.findings.size() + b.findings.size());
  std::vector<bool> taken(a.findings.size(), false);
  const auto partnerOf = [&](const SideFinding& finding, bool sameRank) {
    for (std::size_t i = 0; i < a.findings.size(); ++i) {
      const SideFinding& other = a.findings[i];
      if (!taken[i] && other.kind == finding.kind && other.leaf == finding.leaf &&
          (!sameRank || other.rank == finding.rank))
        return i;
    }
    return a.findings.size();
  };
  for (const SideFinding& finding : b.findings) {
    std::size_t partner = partnerOf(finding, true);
    if (partner == a.findings.size()) partner = partnerOf(finding, false);
    ComparedFinding row{FindingState::New, std::nullopt, finding};
    if (partner < a.findings.size()) {
      taken[partner] = true;
      row.a = a.findings[partner];
      // Within a tenth they cost the same.
      const double base = std::max(row.a->gainLow.value_or(0), finding.gainLow.value_or(0));
      const double delta = row.delta();
      row.state = std::abs(delta) <= 0.1 * base ? FindingState::Same
                  : delta > 0                   ? FindingState::More
                                                : FindingState::Less;
    }
    rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < a.findings.size(); ++i) {
    if (!taken[i]) rows.push_back({FindingState::Gone, a.findings[i], std::nullopt});
  }
  std::ranges::stable_sort(rows, std::greater<>(), [](const ComparedFinding& row) {
    return std::pair(row.state != FindingState::Same, std::abs(row.delta()));
  });
  return rows;
}

} // namespace

std::string_view findingStateText(FindingState state) {
  constexpr std::array<std::string_view, 5> kTexts = {"new", "gone", "more", "less", "same"};
  return kTexts[static_cast<std::size_t>(state)];
}

EffectSplit effectsOf(double callsA, double timeA, double callsB, double timeB) {
  if (callsA <= 0 || callsB <= 0) return {timeB - timeA, 0};
  const double count = (callsB - callsA) * (timeA / callsA);
  return {count, timeB - timeA - count};
}

ComparedRows comparedRows(const SideFacts& a, const SideFacts& b) {
  ComparedRows rows;
  rows.operators = operatorsOf(a, b);
  addRates(rows.operators, b.meanDuration() - a.meanDuration());
  rows.kernels = kernelsOf(a, b);
  rows.modules = modulesOf(a, b);
  rows.collectives = comparedCollectives(a.collectives, b.collectives);
  rows.ranks = ranksOf(a, b);
  rows.findings = findingsOfBoth(a, b);
  rows.parallel = layoutFiguresOf(a, b);
  return rows;
}

} // namespace rankscope

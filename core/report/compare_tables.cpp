// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compare_tables.h"

#include "core/base/whole_number.h"
#include "core/report/compare_figures.h"
#include "core/report/compare_parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <string>
#include <utility>

namespace rankscope {

namespace {

constexpr std::array kSpecs = {
    CompareTableSpec{"compare_summary", "", compareSummaryTable},
    CompareTableSpec{"compare_statistics", "", compareStatisticsTable},
    CompareTableSpec{"compare_classes", "class", compareClassesTable},
    CompareTableSpec{"compare_steps", "", compareStepsTable},
    CompareTableSpec{"compare_modules", "module", compareModulesTable},
    CompareTableSpec{"compare_operators", "operator", compareOperatorsTable},
    CompareTableSpec{"compare_kernels", "kernel", compareKernelsTable},
    CompareTableSpec{"compare_collectives", "collective", compareCollectivesTable},
    CompareTableSpec{"compare_ranks", "rank", compareRanksTable},
    CompareTableSpec{"compare_findings", "", compareFindingsTable},
    CompareTableSpec{"compare_parallel", "", compareParallelTable},
};

std::string rangesText(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += text.empty() ? "" : ", ";
    text += end - i > 1 ? fmt::format("{}-{}", numbers[i], numbers[end - 1]) : fmt::format("{}", numbers[i]);
    i = end;
  }
  return text;
}

Cell timeCell(bool known, double time) {
  return known ? Cell(rounded(time)) : Cell();
}

Cell stepCell(std::int64_t number) {
  return number == Step::kUnknownNumber ? Cell() : Cell(number);
}

// A figure of the row, empty where the side has no such row.
template <class Row, class Value> Cell cellA(const ComparedRow<Row>& row, Value value) {
  return timeCell(row.a.has_value(), row.ofA(value));
}
template <class Row, class Value> Cell cellB(const ComparedRow<Row>& row, Value value) {
  return timeCell(row.b.has_value(), row.ofB(value));
}
template <class Row, class Value> Cell callsA(const ComparedRow<Row>& row, Value value) {
  return row.a ? Cell(row.ofA(value)) : Cell();
}
template <class Row, class Value> Cell callsB(const ComparedRow<Row>& row, Value value) {
  return row.b ? Cell(row.ofB(value)) : Cell();
}
template <class Row, class Value> Cell deltaCell(const ComparedRow<Row>& row, Value value) {
  return Cell(rounded(row.delta(value)));
}

// What each row contributes to the difference of the class compute, in nanoseconds that add up to it.
template <class Rows, class Owned>
std::vector<TimeNs> contributions(const Comparison& comparison, const Rows& rows, Owned owned) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const auto& row : rows) values.push_back(row.delta(owned));
  const WholeClasses whole = wholeClasses(comparison);
  const bool add = std::ranges::any_of(values, [](double value) { return value != 0; });
  const TimeNs compute = add ? whole.b.front() - whole.a.front() : 0;
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  const bool fits = std::abs(sum - static_cast<double>(compute)) <= 2.0 + static_cast<double>(values.size());
  return wholeParts(values, fits ? compute : rounded(sum));
}

// Of a pair of operators whose shapes differ, both.
std::string shapesText(const ComparedOperator& row) {
  if (!row.a || !row.b || row.a->shapes == row.b->shapes) return row.any().shapes;
  const auto text = [](const SideOperator& one) { return one.shapes.empty() ? "none" : one.shapes.c_str(); };
  return fmt::format("{} -> {}", text(*row.a), text(*row.b));
}

// Ranks have numbers, not names.
std::string_view rankMatchText(RowMatch match) {
  if (match == RowMatch::Name) return "number";
  return match == RowMatch::NameOnly ? "order" : rowMatchText(match);
}

} // namespace

std::span<const CompareTableSpec> compareTableSpecs() {
  return kSpecs;
}

const CompareTableSpec* compareTableSpec(std::string_view name) {
  const auto found = std::ranges::find(kSpecs, name, &CompareTableSpec::name);
  return found == kSpecs.end() ? nullptr : &*found;
}

std::vector<TimeNs> wholeParts(std::span<const double> values, TimeNs total) {
  std::vector<TimeNs> whole;
  whole.reserve(values.size());
  std::vector<std::pair<double, std::size_t>> rests;
  rests.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double low = std::floor(values[i]);
    whole.push_back(rounded(low));
    rests.emplace_back(values[i] - low, i);
  }
  TimeNs missing = total - std::accumulate(whole.begin(), whole.end(), TimeNs{0});
  std::ranges::sort(rests, std::greater<>());
  // What is a whole number already stays one.
  for (std::size_t i = 0; i < rests.size() && missing > 0 && rests[i].first > 0; ++i, --missing)
    ++whole[rests[i].second];
  if (missing != 0 && !whole.empty()) whole[rests.front().second] += missing;
  return whole;
}

WholeClasses wholeClasses(const Comparison& comparison) {
  WholeClasses whole;
  whole.stepA = rounded(comparison.a.meanDuration());
  whole.stepB = rounded(comparison.b.meanDuration());
  const std::vector<ComparedClass>& rows = comparison.classes;
  const auto side = [&](double ComparedClass::*value, TimeNs step) {
    std::vector<TimeNs> times(rows.size(), 0);
    std::vector<std::size_t> classes;
    std::vector<double> values;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].leaf) continue;
      classes.push_back(i);
      values.push_back(rows[i].*value);
    }
    const std::vector<TimeNs> ofClasses = wholeParts(values, step);
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const std::size_t first = classes[c];
      times[first] = ofClasses[c];
      std::vector<double> leaves;
      for (std::size_t i = first + 1; i < rows.size() && rows[i].leaf; ++i) leaves.push_back(rows[i].*value);
      const std::vector<TimeNs> ofLeaves = wholeParts(leaves, ofClasses[c]);
      std::ranges::copy(ofLeaves, times.begin() + static_cast<std::ptrdiff_t>(first) + 1);
    }
    return times;
  };
  whole.a = side(&ComparedClass::a, whole.stepA);
  whole.b = side(&ComparedClass::b, whole.stepB);
  return whole;
}

ResultTable compareSummaryTable(const Comparison& comparison) {
  ResultTable table("compare_summary", {{"side", Unit::Text},
                                        {"job", Unit::Text},
                                        {"ranks", Unit::Text},
                                        {"steps", Unit::Count},
                                        {"kept_steps", Unit::Count},
                                        {"captures", Unit::Count},
                                        {"device", Unit::Text},
                                        {"torch", Unit::Text},
                                        {"step_mean_us", Unit::Nanoseconds},
                                        {"step_median_us", Unit::Nanoseconds},
                                        {"step_stddev_us", Unit::Nanoseconds}});
  for (const auto& [name, side] : {std::pair("A", &comparison.a), std::pair("B", &comparison.b)}) {
    const SampleSummary summary = summaryOf(side->durations());
    const bool any = summary.count > 0;
    table.addRow({Cell(std::string_view(name)), textCell(side->identity.job),
                  textCell(rangesText(side->identity.ranks)),
                  Cell(static_cast<std::int64_t>(side->areSteps ? side->samples.size() : 0)),
                  Cell(static_cast<std::int64_t>(side->areSteps ? side->keptCount() : 0)),
                  Cell(static_cast<std::int64_t>(side->identity.cycles)), textCell(side->identity.devices),
                  Cell(), timeCell(any, summary.mean), timeCell(any, summary.median),
                  timeCell(summary.stddev.has_value(), summary.stddev.value_or(0))});
  }
  return table;
}

ResultTable compareClassesTable(const Comparison& comparison) {
  ResultTable table("compare_classes", {{"class", Unit::Text},
                                        {"leaf", Unit::Text},
                                        {"a_us", Unit::Nanoseconds},
                                        {"b_us", Unit::Nanoseconds},
                                        {"delta_us", Unit::Nanoseconds},
                                        {"delta_pct", Unit::Percent},
                                        {"share_of_delta_pct", Unit::Percent},
                                        {"ci_low_us", Unit::Nanoseconds},
                                        {"ci_high_us", Unit::Nanoseconds}});
  const WholeClasses whole = wholeClasses(comparison);
  const auto step = static_cast<double>(whole.stepB - whole.stepA);
  for (std::size_t i = 0; i < comparison.classes.size(); ++i) {
    const ComparedClass& row = comparison.classes[i];
    const TimeNs delta = whole.b[i] - whole.a[i];
    const auto percentOf = [&](double of) {
      return of != 0 ? Cell(100 * static_cast<double>(delta) / of) : Cell();
    };
    table.addRow({Cell(timeClassText(row.timeClass)), row.leaf ? Cell(leafText(*row.leaf)) : Cell(),
                  Cell(whole.a[i]), Cell(whole.b[i]), Cell(delta), percentOf(static_cast<double>(whole.a[i])),
                  percentOf(step), timeCell(row.low.has_value(), row.low.value_or(0)),
                  timeCell(row.high.has_value(), row.high.value_or(0))});
  }
  return table;
}

ResultTable compareStepsTable(const Comparison& comparison) {
  ResultTable table("compare_steps", {{"side", Unit::Text},
                                      {"rank", Unit::Identity},
                                      {"capture", Unit::Identity},
                                      {"step", Unit::Identity},
                                      {"position", Unit::Identity},
                                      {"kept", Unit::Identity},
                                      {"duration_us", Unit::Nanoseconds},
                                      {"compute_us", Unit::Nanoseconds},
                                      {"exposed_communication_us", Unit::Nanoseconds},
                                      {"exposed_memory_us", Unit::Nanoseconds},
                                      {"idle_us", Unit::Nanoseconds}});
  for (const auto& [name, side] : {std::pair("A", &comparison.a), std::pair("B", &comparison.b)}) {
    for (const SideStep& step : side->steps) {
      const SideSample& sample = side->samples[step.sample];
      table.addRow({Cell(std::string_view(name)), Cell(std::int64_t{step.rank}),
                    Cell(std::int64_t{step.capture}), stepCell(step.number),
                    sample.kept() ? Cell(static_cast<std::int64_t>(sample.position)) : Cell(),
                    Cell(std::int64_t{sample.kept() ? 1 : 0}), Cell(step.duration), Cell(step.classes[0]),
                    Cell(step.classes[1]), Cell(step.classes[2]), Cell(step.classes[3])});
    }
  }
  return table;
}

ResultTable compareStatisticsTable(const Comparison& comparison) {
  ResultTable table("compare_statistics", {{"figure", Unit::Text}, {"value", Unit::Text}});
  for (const CompareFigure& figure : compareFigures(comparison))
    table.addRow({Cell(std::string_view(figure.name)), textCell(figure.value)});
  return table;
}

ResultTable compareModulesTable(const Comparison& comparison) {
  ResultTable table("compare_modules", {{"path", Unit::Text},
                                        {"matched_by", Unit::Text},
                                        {"a_calls", Unit::Ratio},
                                        {"b_calls", Unit::Ratio},
                                        {"a_host_us", Unit::Nanoseconds},
                                        {"b_host_us", Unit::Nanoseconds},
                                        {"a_device_us", Unit::Nanoseconds},
                                        {"b_device_us", Unit::Nanoseconds},
                                        {"delta_device_us", Unit::Nanoseconds},
                                        {"contribution_us", Unit::Nanoseconds},
                                        {"count_effect_us", Unit::Nanoseconds},
                                        {"speed_effect_us", Unit::Nanoseconds}});
  const auto& rows = comparison.rows.modules;
  const std::vector<TimeNs> parts = contributions(comparison, rows, &SideModule::owned);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ComparedModule& row = rows[i];
    const EffectSplit split = effectsOf(row.ofA(&SideModule::calls), row.ofA(&SideModule::owned),
                                        row.ofB(&SideModule::calls), row.ofB(&SideModule::owned));
    const TimeNs count = rounded(split.count);
    const std::string_view path = row.any().path.empty() ? "(no module)" : std::string_view(row.any().path);
    table.addRow({Cell(path), Cell(rowMatchText(row.match)), callsA(row, &SideModule::calls),
                  callsB(row, &SideModule::calls), cellA(row, &SideModule::host),
                  cellB(row, &SideModule::host), cellA(row, &SideModule::device),
                  cellB(row, &SideModule::device), deltaCell(row, &SideModule::device), Cell(parts[i]),
                  Cell(count), Cell(parts[i] - count)});
  }
  return table;
}

ResultTable compareOperatorsTable(const Comparison& comparison) {
  ResultTable table("compare_operators", {{"operator", Unit::Text},
                                          {"shapes", Unit::Text},
                                          {"phase", Unit::Text},
                                          {"module", Unit::Text},
                                          {"matched_by", Unit::Text},
                                          {"a_calls", Unit::Ratio},
                                          {"b_calls", Unit::Ratio},
                                          {"a_host_self_us", Unit::Nanoseconds},
                                          {"b_host_self_us", Unit::Nanoseconds},
                                          {"delta_host_self_us", Unit::Nanoseconds},
                                          {"a_device_us", Unit::Nanoseconds},
                                          {"b_device_us", Unit::Nanoseconds},
                                          {"delta_device_us", Unit::Nanoseconds},
                                          {"contribution_us", Unit::Nanoseconds},
                                          {"count_effect_us", Unit::Nanoseconds},
                                          {"speed_effect_us", Unit::Nanoseconds},
                                          {"q", Unit::Ratio}});
  const auto& rows = comparison.rows.operators;
  const std::vector<TimeNs> parts = contributions(comparison, rows, &SideOperator::owned);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ComparedOperator& row = rows[i];
    const SideOperator& any = row.any();
    const EffectSplit split = effectsOf(row.ofA(&SideOperator::calls), row.ofA(&SideOperator::owned),
                                        row.ofB(&SideOperator::calls), row.ofB(&SideOperator::owned));
    const TimeNs count = rounded(split.count);
    table.addRow({textCell(any.name), textCell(shapesText(row)), textCell(any.phase), textCell(any.module),
                  Cell(rowMatchText(row.match)), callsA(row, &SideOperator::calls),
                  callsB(row, &SideOperator::calls), cellA(row, &SideOperator::hostSelf),
                  cellB(row, &SideOperator::hostSelf), deltaCell(row, &SideOperator::hostSelf),
                  cellA(row, &SideOperator::device), cellB(row, &SideOperator::device),
                  deltaCell(row, &SideOperator::device), Cell(parts[i]), Cell(count), Cell(parts[i] - count),
                  cellOf(row.q)});
  }
  return table;
}

ResultTable compareKernelsTable(const Comparison& comparison) {
  ResultTable table("compare_kernels", {{"kernel_a", Unit::Text},
                                        {"kernel_b", Unit::Text},
                                        {"matched_by", Unit::Text},
                                        {"operator", Unit::Text},
                                        {"a_calls", Unit::Ratio},
                                        {"b_calls", Unit::Ratio},
                                        {"a_us", Unit::Nanoseconds},
                                        {"b_us", Unit::Nanoseconds},
                                        {"delta_us", Unit::Nanoseconds},
                                        {"a_mean_us", Unit::Nanoseconds},
                                        {"b_mean_us", Unit::Nanoseconds},
                                        {"contribution_us", Unit::Nanoseconds}});
  const auto& rows = comparison.rows.kernels;
  const std::vector<TimeNs> parts = contributions(comparison, rows, &SideKernel::owned);
  const auto mean = [](const std::optional<SideKernel>& side) {
    return side && side->calls > 0 ? Cell(rounded(side->time / side->calls)) : Cell();
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ComparedKernel& row = rows[i];
    table.addRow({row.a ? textCell(row.a->name) : Cell(), row.b ? textCell(row.b->name) : Cell(),
                  Cell(rowMatchText(row.match)), textCell(row.any().operatorName),
                  callsA(row, &SideKernel::calls), callsB(row, &SideKernel::calls),
                  cellA(row, &SideKernel::time), cellB(row, &SideKernel::time),
                  deltaCell(row, &SideKernel::time), mean(row.a), mean(row.b), Cell(parts[i])});
  }
  return table;
}

ResultTable compareCollectivesTable(const Comparison& comparison) {
  ResultTable table("compare_collectives", {{"group", Unit::Text},
                                            {"operation", Unit::Text},
                                            {"bytes", Unit::Bytes},
                                            {"a_calls", Unit::Ratio},
                                            {"b_calls", Unit::Ratio},
                                            {"a_wait_us", Unit::Nanoseconds},
                                            {"b_wait_us", Unit::Nanoseconds},
                                            {"a_transfer_us", Unit::Nanoseconds},
                                            {"b_transfer_us", Unit::Nanoseconds},
                                            {"a_exposed_us", Unit::Nanoseconds},
                                            {"b_exposed_us", Unit::Nanoseconds},
                                            {"a_busbw_gb_s", Unit::GigabytesPerSecond},
                                            {"b_busbw_gb_s", Unit::GigabytesPerSecond},
                                            {"matched_by", Unit::Text},
                                            {"delta_exposed_us", Unit::Nanoseconds}});
  const auto speed = [](const std::optional<SideCollective>& side) {
    return side && side->busTime > 0 && side->busBytes > 0 ? Cell(side->busBytes / side->busTime) : Cell();
  };
  for (const ComparedCollective& row : comparison.rows.collectives) {
    const SideCollective& any = row.any();
    table.addRow({textCell(any.group), textCell(any.operation), any.bytes >= 0 ? Cell(any.bytes) : Cell(),
                  callsA(row, &SideCollective::calls), callsB(row, &SideCollective::calls),
                  cellA(row, &SideCollective::wait), cellB(row, &SideCollective::wait),
                  cellA(row, &SideCollective::transfer), cellB(row, &SideCollective::transfer),
                  cellA(row, &SideCollective::exposed), cellB(row, &SideCollective::exposed), speed(row.a),
                  speed(row.b), Cell(rowMatchText(row.match)), deltaCell(row, &SideCollective::exposed)});
  }
  return table;
}

ResultTable compareRanksTable(const Comparison& comparison) {
  ResultTable table("compare_ranks", {{"rank", Unit::Identity},
                                      {"a_step_us", Unit::Nanoseconds},
                                      {"b_step_us", Unit::Nanoseconds},
                                      {"delta_us", Unit::Nanoseconds},
                                      {"a_wait_us", Unit::Nanoseconds},
                                      {"b_wait_us", Unit::Nanoseconds},
                                      {"delta_excluding_communication_us", Unit::Nanoseconds},
                                      {"b_rank", Unit::Identity},
                                      {"matched_by", Unit::Text}});
  for (const ComparedRank& row : comparison.rows.ranks) {
    const bool both = row.a && row.b;
    const double excluding = row.delta(&SideRank::step) - row.delta(&SideRank::exposed);
    table.addRow({Cell(std::int64_t{row.any().rank}), cellA(row, &SideRank::step),
                  cellB(row, &SideRank::step), timeCell(both, row.delta(&SideRank::step)),
                  cellA(row, &SideRank::wait), cellB(row, &SideRank::wait), timeCell(both, excluding),
                  row.b ? Cell(std::int64_t{row.b->rank}) : Cell(), Cell(rankMatchText(row.match))});
  }
  return table;
}

ResultTable compareFindingsTable(const Comparison& comparison) {
  ResultTable table("compare_findings", {{"state", Unit::Text},
                                         {"kind", Unit::Text},
                                         {"leaf", Unit::Text},
                                         {"rank", Unit::Identity},
                                         {"a_gain_low_us", Unit::Nanoseconds},
                                         {"b_gain_low_us", Unit::Nanoseconds},
                                         {"delta_us", Unit::Nanoseconds},
                                         {"title", Unit::Text}});
  const auto gain = [](const std::optional<SideFinding>& side) {
    return side && side->gainLow ? Cell(rounded(*side->gainLow)) : Cell();
  };
  for (const ComparedFinding& row : comparison.rows.findings) {
    const SideFinding& any = row.any();
    const bool known = (row.a && row.a->gainLow) || (row.b && row.b->gainLow);
    table.addRow({Cell(findingStateText(row.state)), textCell(any.kind), textCell(any.leaf),
                  any.rank ? Cell(std::int64_t{*any.rank}) : Cell(), gain(row.a), gain(row.b),
                  known ? Cell(rounded(row.delta())) : Cell(), textCell(any.title)});
  }
  return table;
}

} // namespace rankscope

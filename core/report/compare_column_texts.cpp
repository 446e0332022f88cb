// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compare_column_texts.h"

#include "core/analysis/findings/finding_kinds.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace rankscope {

namespace {

struct ColumnText {
  std::string_view table; // empty: every table of a comparison
  std::string_view column;
  std::string_view title;
  std::string_view definition;
};

// What is said of one table stands before what is said of all.
constexpr std::array<ColumnText, 90> kColumns{{
    {"compare_classes", "class", "Category",
     "compute, exposed communication, memcpy, idle: together the step"},
    {"compare_classes", "leaf", "Cause", "part of the category; –: all of the category"},
    {"compare_classes", "a_us", "A", "mean over ranks and kept steps of side A"},
    {"compare_classes", "b_us", "B", "mean over ranks and kept steps of side B"},
    {"", "share_of_delta_pct", "Share of difference",
     "part of the difference of the steps; more than 100 % where other parts have the opposite sign"},
    {"", "ci_low_us", "95 % CI low",
     "lower end of the 95 % confidence interval of the difference of the means"},
    {"", "ci_high_us", "95 % CI high",
     "upper end of the 95 % confidence interval of the difference of the means"},
    {"compare_collectives", "delta_exposed_us", "Change of exposed time", "of the exposed time, B − A"},
    {"compare_collectives", "a_calls", "Calls A", "calls of the collective in a step of side A"},
    {"compare_collectives", "b_calls", "Calls B", "calls of the collective in a step of side B"},
    {"compare_collectives", "group", "Group", "process group"},
    {"compare_collectives", "operation", "Operation", "collective, send or receive"},
    {"compare_collectives", "bytes", "Bytes", "message size of a call"},
    {"compare_collectives", "a_wait_us", "Wait A",
     "time in a step of side A until the last rank began the collective"},
    {"compare_collectives", "b_wait_us", "Wait B",
     "time in a step of side B until the last rank began the collective"},
    {"", "a_transfer_us", "Transfer A", "time after the last rank began, in a step of side A"},
    {"", "b_transfer_us", "Transfer B", "time after the last rank began, in a step of side B"},
    {"", "a_exposed_us", "Exposed A", "time not overlapped by compute, in a step of side A"},
    {"", "b_exposed_us", "Exposed B", "time not overlapped by compute, in a step of side B"},
    {"", "a_busbw_gb_s", "Bus bandwidth A", "bus bandwidth of the transfers of side A, as in nccl-tests"},
    {"", "b_busbw_gb_s", "Bus bandwidth B", "bus bandwidth of the transfers of side B, as in nccl-tests"},
    {"compare_findings", "state", "State",
     "new: only in B; gone: only in A; more, less: the possible gain is larger or smaller in B, so the "
     "problem grew or shrank"},
    {"compare_findings", "kind", "Kind", "what the rule checks"},
    {"compare_findings", "leaf", "Cause", "part of the step time that the finding is about"},
    {"compare_findings", "rank", "Rank", "rank with the problem; –: several or all"},
    {"compare_findings", "title", "Finding", "title of the finding; of B where both sides have it"},
    {"compare_findings", "delta_us", "Change of gain", "of the gain, B − A"},
    {"", "a_gain_low_us", "Gain A", "what a fix would win at least per step of side A"},
    {"", "b_gain_low_us", "Gain B", "what a fix would win at least per step of side B"},
    {"", "kernel_a", "Kernel A", "kernel of A; –: A has none for this row"},
    {"", "kernel_b", "Kernel B", "kernel of B that is compared with it; –: B has none"},
    {"compare_kernels", "operator", "Operator", "operator that launched it"},
    {"compare_kernels", "a_calls", "Calls A", "calls of the kernel in a step of side A"},
    {"compare_kernels", "b_calls", "Calls B", "calls of the kernel in a step of side B"},
    {"compare_kernels", "a_us", "Time A", "sum of durations in a step of side A"},
    {"compare_kernels", "b_us", "Time B", "sum of durations in a step of side B"},
    {"", "a_mean_us", "Mean A", "mean duration of a call of side A"},
    {"", "b_mean_us", "Mean B", "mean duration of a call of side B"},
    {"compare_modules", "path", "Module", "module with those around it; #: which of several of one class"},
    {"compare_modules", "a_calls", "Calls A", "calls of the module in a step of side A"},
    {"compare_modules", "b_calls", "Calls B", "calls of the module in a step of side B"},
    {"", "a_host_us", "CPU time A", "sum of durations of its calls on the CPU, in a step of side A"},
    {"", "b_host_us", "CPU time B", "sum of durations of its calls on the CPU, in a step of side B"},
    {"compare_operators", "operator", "Operator", "name of the operator"},
    {"compare_operators", "shapes", "Input shapes",
     "shapes of its input tensors; of A and of B where they differ"},
    {"compare_operators", "phase", "Phase", "forward, backward, optimizer or another phase that calls it"},
    {"compare_operators", "module", "Module", "module that calls it"},
    {"compare_operators", "a_calls", "Calls A", "calls of the operator in a step of side A"},
    {"compare_operators", "b_calls", "Calls B", "calls of the operator in a step of side B"},
    {"", "a_host_self_us", "Self CPU A", "time on the CPU excluding nested operators, in a step of side A"},
    {"", "b_host_self_us", "Self CPU B", "time on the CPU excluding nested operators, in a step of side B"},
    {"", "delta_host_self_us", "Change of self CPU", "time on the CPU excluding nested operators, B − A"},
    {"", "a_device_us", "GPU time A", "sum of durations of what was launched, in a step of side A"},
    {"", "b_device_us", "GPU time B", "sum of durations of what was launched, in a step of side B"},
    {"", "delta_device_us", "Change of GPU time", "sum of durations of what was launched, B − A"},
    {"", "contribution_us", "Contribution",
     "part of the difference in compute time; all rows add up to that difference"},
    {"", "count_effect_us", "Count effect",
     "what more or fewer calls cost: (calls B − calls A) × mean time in A"},
    {"", "speed_effect_us", "Speed effect",
     "what slower or faster calls cost: calls B × (mean time B − mean time A)"},
    {"", "q", "q", "false discovery rate of the rows that explain 1 % or more of the difference"},
    {"compare_parallel", "table", "Table", "table of parallelism that has the figure"},
    {"compare_parallel", "row", "Row", "row of that table: a dimension, bucket, unit, layer, stage or rank"},
    {"compare_parallel", "figure", "Figure", "mean over ranks and kept steps"},
    {"compare_parallel", "a", "A", "side A, in the unit that the figure names"},
    {"compare_parallel", "b", "B", "side B, in the unit that the figure names"},
    {"compare_parallel", "delta", "Change", "B − A, in the unit that the figure names"},
    {"compare_ranks", "rank", "Rank", "rank of A; of B where A has none"},
    {"compare_ranks", "b_rank", "Rank B", "rank of B that it is compared with"},
    {"compare_ranks", "a_wait_us", "Wait A",
     "time in collectives until the last rank began, in a step of side A"},
    {"compare_ranks", "b_wait_us", "Wait B",
     "time in collectives until the last rank began, in a step of side B"},
    {"", "a_step_us", "Step A", "mean time of the kept steps of the rank on side A"},
    {"", "b_step_us", "Step B", "mean time of the kept steps of the rank on side B"},
    {"", "delta_excluding_communication_us", "Change excluding communication",
     "change of the step time without exposed communication, B − A"},
    {"compare_statistics", "figure", "Figure", "result of a test of the steps, or of what it is made of"},
    {"compare_statistics", "value", "Value", "in the unit that the figure names"},
    {"", "side", "Side", "A or B"},
    {"compare_steps", "position", "Position", "place among the kept steps of its side"},
    {"compare_steps", "exposed_memory_us", "Exposed memcpy",
     "time of memcpy and memset with neither compute nor communication beside"},
    {"compare_summary", "job", "Job", "name of the job"},
    {"compare_summary", "ranks", "Ranks", "ranks that are compared"},
    {"compare_summary", "steps", "Steps", "steps that were recorded"},
    {"compare_summary", "kept_steps", "Kept steps", "steps that means are of"},
    {"compare_summary", "captures", "Captures", "profiling cycles"},
    {"compare_summary", "device", "Device", "devices of the ranks"},
    {"compare_summary", "torch", "PyTorch", "version of PyTorch"},
    {"compare_summary", "step_mean_us", "Mean step", "mean of the kept steps"},
    {"compare_summary", "step_median_us", "Median step", "median of the kept steps"},
    {"compare_summary", "step_stddev_us", "Std dev of steps", "standard deviation of the kept steps"},
    {"", "delta_us", "Change", "B − A, in a kept step"},
    {"", "delta_pct", "Change in %", "B − A, relative to A"},
    {"", "matched_by", "Matched by",
     "what the row of A has in common with the row of B; only in A, only in B: the other side has no such "
     "row"},
}};

using NameAndText = std::pair<std::string_view, std::string_view>;

constexpr std::array<NameAndText, 9> kMatches{{{"only_a", "only in A"},
                                               {"only_b", "only in B"},
                                               {"name_shapes", "name and shapes"},
                                               {"shape_changed", "name, other shapes"},
                                               {"name_only", "name elsewhere"},
                                               {"exact", "full name"},
                                               {"no_template", "name without template"},
                                               {"family", "kind of kernel"},
                                               {"group_ranks", "ranks of the group"}}};

constexpr std::array<NameAndText, 8> kLayoutTitles{{{"parallel_groups", "Dimensions of process groups"},
                                                    {"parallel_summary", "Communication by dimension"},
                                                    {"ddp_buckets", "DDP buckets"},
                                                    {"fsdp_units", "Units of FSDP"},
                                                    {"zero_stages", "Memory and communication by ZeRO stage"},
                                                    {"tp_layers", "Tensor-parallel layers"},
                                                    {"pipeline_stages", "Pipeline stages"},
                                                    {"expert_ranks", "Expert ranks"}}};

constexpr std::array<NameAndText, 34> kStatistics{
    {{"unit", "Unit of a sample"},
     {"n_a", "Samples of A"},
     {"n_b", "Samples of B"},
     {"mean_a_us", "Mean of A, µs"},
     {"mean_b_us", "Mean of B, µs"},
     {"median_a_us", "Median of A, µs"},
     {"median_b_us", "Median of B, µs"},
     {"stddev_a_us", "Std dev of A, µs"},
     {"stddev_b_us", "Std dev of B, µs"},
     {"diff_mean_us", "Difference of the means, µs"},
     {"diff_pct", "Difference of the means, %"},
     {"welch_t", "Welch's t"},
     {"welch_df", "Welch's degrees of freedom"},
     {"welch_p", "Welch's p"},
     {"diff_lo95_us", "Difference of the means, 95 % CI low, µs"},
     {"diff_hi95_us", "Difference of the means, 95 % CI high, µs"},
     {"mann_whitney_u_b", "Mann-Whitney U of B"},
     {"mann_whitney_p", "Mann-Whitney p"},
     {"prob_b_slower", "Probability that a sample of B is slower"},
     {"hodges_lehmann_us", "Hodges-Lehmann shift, µs"},
     {"hl_lo_us", "Hodges-Lehmann shift, 95 % CI low, µs"},
     {"hl_hi_us", "Hodges-Lehmann shift, 95 % CI high, µs"},
     {"cliffs_delta", "Cliff's delta"},
     {"hedges_g", "Hedges' g"},
     {"paired_diff_us", "Mean difference of pairs, µs"},
     {"paired_t", "Paired t"},
     {"paired_p", "Paired p"},
     {"paired_lo95_us", "Difference of pairs, 95 % CI low, µs"},
     {"paired_hi95_us", "Difference of pairs, 95 % CI high, µs"},
     {"noise_a_us", "Noise between runs of A, µs"},
     {"autocorrelation_a", "Autocorrelation of A"},
     {"autocorrelation_b", "Autocorrelation of B"},
     {"alpha", "Significance level"},
     {"tolerance_pct", "Tolerance, %"}}};

constexpr std::array<NameAndText, 4> kFigureUnits{
    {{"_us", ", µs"}, {"_pct", ", %"}, {"_gb_s", ", GB/s"}, {"_bytes", ", bytes"}}};

const ColumnText* comparedTextOf(std::string_view table, std::string_view column) {
  if (!table.starts_with("compare_")) return nullptr;
  const auto* const found = std::ranges::find_if(kColumns, [&](const ColumnText& text) {
    return text.column == column && (text.table.empty() || text.table == table);
  });
  return found == kColumns.end() ? nullptr : found;
}

template <std::size_t N> std::string wordsIn(const std::array<NameAndText, N>& words, std::string_view id) {
  const auto* const known = std::ranges::find(words, id, &NameAndText::first);
  return known == words.end() ? std::string() : std::string(known->second);
}

// "exposed_us" as "Exposed, µs".
std::string figureTitle(std::string_view name) {
  std::string_view unit;
  for (const auto& [end, words] : kFigureUnits) {
    if (!name.ends_with(end)) continue;
    name.remove_suffix(end.size());
    unit = words;
  }
  std::string text(name == "busbw" ? "bus bandwidth" : name);
  std::ranges::replace(text, '_', ' ');
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + std::string(unit);
}

std::string comparedKindWords(std::string_view id) {
  for (int i = 0; i < kFindingKindCount; ++i) {
    const auto kind = static_cast<FindingKind>(i);
    if (findingKindText(kind) == id) return std::string(findingKindTitle(kind));
  }
  return {};
}

} // namespace

std::string_view compareTableTitle(std::string_view table) {
  constexpr std::array<NameAndText, 11> kTitles{{{"compare_summary", "Summary"},
                                                 {"compare_classes", "Categories of step time"},
                                                 {"compare_modules", "Modules"},
                                                 {"compare_operators", "Operators"},
                                                 {"compare_kernels", "Kernels"},
                                                 {"compare_collectives", "Collectives"},
                                                 {"compare_ranks", "Ranks"},
                                                 {"compare_parallel", "Parallelism"},
                                                 {"compare_findings", "Findings"},
                                                 {"compare_statistics", "Statistics"},
                                                 {"compare_steps", "Steps"}}};
  const auto* const known = std::ranges::find(kTitles, table, &NameAndText::first);
  return known == kTitles.end() ? std::string_view() : known->second;
}

std::string_view compareColumnTitle(std::string_view table, std::string_view column) {
  const ColumnText* const text = comparedTextOf(table, column);
  return text == nullptr ? std::string_view() : text->title;
}

std::string_view compareColumnDefinition(std::string_view table, std::string_view column) {
  const ColumnText* const text = comparedTextOf(table, column);
  return text == nullptr ? std::string_view() : text->definition;
}

std::string compareValueWords(std::string_view table, std::string_view column, std::string_view text) {
  if (!table.starts_with("compare_")) return {};
  if (column == "matched_by") return wordsIn(kMatches, text);
  if (column == "table") return wordsIn(kLayoutTitles, text);
  if (column == "kind") return comparedKindWords(text);
  if (column != "figure") return {};
  return table == "compare_statistics" ? wordsIn(kStatistics, text) : figureTitle(text);
}

} // namespace rankscope

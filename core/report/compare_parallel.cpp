// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/compare_parallel.h"

#include "core/model/rank_digest.h"
#include "core/report/parallel_parts_tables.h"
#include "core/report/parallel_tables.h"
#include "core/report/pipeline_tables.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

using ColumnNames = std::span<const std::string_view>;

// A table: what its rows are of, and the figures that can be compared.
struct LayoutTable {
  ResultTable (*make)(const JobReport&);
  ColumnNames keys;
  ColumnNames figures;
};

constexpr std::array<std::string_view, 1> kKeyOfDimension = {"dimension"};
constexpr std::array<std::string_view, 1> kKeyOfBucket = {"bucket"};
constexpr std::array<std::string_view, 1> kKeyOfUnit = {"unit"};
constexpr std::array<std::string_view, 1> kKeyOfZeroStage = {"stage"};
constexpr std::array<std::string_view, 3> kKeyOfLayer = {"layer", "direction", "operation"};
constexpr std::array<std::string_view, 1> kKeyOfStage = {"stage"};
constexpr std::array<std::string_view, 1> kKeyOfRank = {"rank"};

constexpr std::array<std::string_view, 2> kOfGroups = {"size", "stride"};
constexpr std::array<std::string_view, 9> kOfDimensions = {
    "calls",       "bytes",     "total_us",        "exposed_us",         "wait_us",
    "transfer_us", "share_pct", "exposed_wait_us", "exposed_transfer_us"};
constexpr std::array<std::string_view, 7> kOfBuckets = {"elements",    "bytes",      "duration_us", "wait_us",
                                                        "transfer_us", "exposed_us", "overlap_pct"};
constexpr std::array<std::string_view, 10> kOfUnits = {
    "elements",         "gathers",    "forward_gather_us", "backward_gather_us", "exposed_us",
    "prefetch_lead_us", "copy_in_us", "copy_out_us",       "reduce_scatter_us",  "recompute_us"};
constexpr std::array<std::string_view, 6> kOfZeroStages = {"ranks",    "parameters",        "state_bytes",
                                                           "elements", "measured_elements", "measured_bytes"};
constexpr std::array<std::string_view, 5> kOfLayers = {"bytes", "duration_us", "exposed_us", "wait_us",
                                                       "busbw_gb_s"};
constexpr std::array<std::string_view, 8> kOfStages = {"microbatches", "warmup_us",    "steady_us",
                                                       "cooldown_us",  "bubble_pct",   "ideal_pct",
                                                       "replay_pct",   "imbalance_pct"};
constexpr std::array<std::string_view, 5> kOfExperts = {"received_elements", "sent_elements", "expert_us",
                                                        "wait_us", "imbalance"};

constexpr std::array kLayoutTables = {LayoutTable{parallelGroupsTable, kKeyOfDimension, kOfGroups},
                                      LayoutTable{parallelSummaryTable, kKeyOfDimension, kOfDimensions},
                                      LayoutTable{ddpBucketsTable, kKeyOfBucket, kOfBuckets},
                                      LayoutTable{fsdpUnitsTable, kKeyOfUnit, kOfUnits},
                                      LayoutTable{zeroStagesTable, kKeyOfZeroStage, kOfZeroStages},
                                      LayoutTable{tpLayersTable, kKeyOfLayer, kOfLayers},
                                      LayoutTable{pipelineStagesTable, kKeyOfStage, kOfStages},
                                      LayoutTable{expertRanksTable, kKeyOfRank, kOfExperts}};

std::optional<double> numberAt(const ResultTable& table, std::size_t row, std::size_t column) {
  const Cell cell = table.at(row, column);
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    const bool time = table.columns()[column].unit == Unit::Nanoseconds;
    return static_cast<double>(*whole) / (time ? 1000.0 : 1.0);
  }
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  return std::nullopt;
}

// "tp"; "layer 3, backward, AllReduce".
std::string keyText(const ResultTable& table, std::size_t row, ColumnNames keys) {
  std::string text;
  for (const std::string_view key : keys) {
    const auto column = table.columnNamed(key);
    if (!column || table.isEmpty(row, *column)) continue;
    if (!text.empty()) text += ", ";
    const bool named = table.columns()[*column].unit == Unit::Text;
    text +=
        named ? exactText(table, row, *column) : fmt::format("{} {}", key, exactText(table, row, *column));
  }
  return text;
}

class FigureCollector {
 public:
  explicit FigureCollector(const SideFacts& side) : m_steps(side.areSteps) {
    for (const SideSample& sample : side.samples) {
      if (sample.kept()) m_kept.insert(sample.number);
    }
  }

  void add(const ResultTable& table, const LayoutTable& layout) {
    const auto step = table.columnNamed("step");
    std::map<std::string, std::size_t> places; // rows by key
    std::vector<std::pair<std::string, std::vector<Mean>>> rows;
    for (std::size_t row = 0; row < table.rowCount(); ++row) {
      if (step && m_steps && !isKept(table.at(row, *step))) continue;
      std::string key = keyText(table, row, layout.keys);
      const auto [at, isNew] = places.try_emplace(key, rows.size());
      if (isNew) rows.emplace_back(std::move(key), std::vector<Mean>(layout.figures.size()));
      addRow(table, row, layout.figures, rows[at->second].second);
    }
    for (const auto& [key, means] : rows) {
      for (std::size_t i = 0; i < means.size(); ++i) {
        if (means[i].count == 0) continue;
        m_figures.push_back({table.name(), key, std::string(layout.figures[i]),
                             means[i].sum / static_cast<double>(means[i].count)});
      }
    }
  }

  std::vector<SideFigure> take() { return std::move(m_figures); }

 private:
  struct Mean {
    double sum = 0;
    std::size_t count = 0;
  };

  [[nodiscard]] bool isKept(const Cell& step) const {
    const auto* number = std::get_if<std::int64_t>(&step);
    return number != nullptr && m_kept.contains(*number);
  }

  static void addRow(const ResultTable& table, std::size_t row, ColumnNames figures,
                     std::vector<Mean>& means) {
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const auto column = table.columnNamed(figures[i]);
      const auto value = column ? numberAt(table, row, *column) : std::nullopt;
      if (!value) continue;
      means[i].sum += *value;
      ++means[i].count;
    }
  }

  bool m_steps;
  std::set<std::int64_t> m_kept;
  std::vector<SideFigure> m_figures;
};

} // namespace

std::vector<SideFigure> layoutFigures(const JobReport& report, const SideFacts& side) {
  if (hasDigests(report.analysis().trace(), report.analysis().ranks())) return {};
  FigureCollector collector(side);
  for (const LayoutTable& layout : kLayoutTables) collector.add(layout.make(report), layout);
  return collector.take();
}

ResultTable compareParallelTable(const Comparison& comparison) {
  ResultTable table("compare_parallel", {{"table", Unit::Text},
                                         {"row", Unit::Text},
                                         {"figure", Unit::Text},
                                         {"matched_by", Unit::Text},
                                         {"a", Unit::Ratio},
                                         {"b", Unit::Ratio},
                                         {"delta", Unit::Ratio},
                                         {"delta_pct", Unit::Percent}});
  for (const ComparedLayoutFigure& figure : comparison.rows.parallel) {
    const SideFigure& any = figure.any();
    const bool both = figure.a && figure.b;
    const double delta = figure.delta(&SideFigure::value);
    const double a = figure.ofA(&SideFigure::value);
    table.addRow({textCell(any.table), textCell(any.row), textCell(any.figure),
                  Cell(rowMatchText(figure.match)), figure.a ? Cell(a) : Cell(),
                  figure.b ? Cell(figure.b->value) : Cell(), both ? Cell(delta) : Cell(),
                  both && a != 0 ? Cell(100 * delta / a) : Cell()});
  }
  return table;
}

} // namespace rankscope

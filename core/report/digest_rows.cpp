// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/digest_rows.h"

#include "core/base/byte_pack.h"
#include "core/model/rank_digest.h"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

constexpr std::array<std::string_view, 3> kTables = {"memory_roles", "modules", "frames"};

struct CellImage {
  bool known = false;
  std::uint64_t number = 0; // an integer, or the bits of a double
  std::string text;
};

struct TableImage {
  std::string name;
  std::vector<std::string> columns;
  std::vector<Unit> units;
  std::vector<CellImage> cells; // row by row
};

} // namespace

template <class Archive, Described<CellImage> T> void describe(Archive& archive, T& cell) {
  auto& [known, number, text] = cell;
  archive(known, number, text);
}

template <class Archive, Described<TableImage> T> void describe(Archive& archive, T& table) {
  auto& [name, columns, units, cells] = table;
  archive(name, columns, units, cells);
}

namespace {

CellImage imageOf(const Cell& cell) {
  if (const auto* const whole = std::get_if<std::int64_t>(&cell))
    return {true, static_cast<std::uint64_t>(*whole), {}};
  if (const auto* const number = std::get_if<double>(&cell))
    return {true, std::bit_cast<std::uint64_t>(*number), {}};
  if (const auto* const text = std::get_if<std::string_view>(&cell)) return {true, 0, std::string(*text)};
  return {};
}

Cell cellOf(const CellImage& image, Unit unit) {
  if (!image.known) return {};
  if (unit == Unit::Text) return std::string_view(image.text);
  if (isWhole(unit)) return static_cast<std::int64_t>(image.number);
  return std::bit_cast<double>(image.number);
}

TableImage imageOf(const ResultTable& table, std::size_t rows) {
  TableImage image;
  image.name = table.name();
  for (const TableColumn& column : table.columns()) {
    image.columns.push_back(column.name);
    image.units.push_back(column.unit);
  }
  image.cells.reserve(rows * table.columns().size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < table.columns().size(); ++column)
      image.cells.push_back(imageOf(table.at(row, column)));
  return image;
}

// Of one rank; empty if the bytes are something else.
std::optional<TableImage> imageIn(const RankDigest& digest, std::string_view name) {
  std::vector<TableImage> images;
  Unpacker unpacker(digest.section(DigestSection::Rows));
  unpacker(images);
  const auto found = std::ranges::find(images, name, &TableImage::name);
  if (!unpacker.ok() || !unpacker.atEnd() || found == images.end() || found->columns.empty() ||
      found->units.size() != found->columns.size() || found->cells.size() % found->columns.size() != 0 ||
      std::ranges::any_of(found->units, [](Unit unit) { return unit > Unit::Ratio; }))
    return std::nullopt;
  return std::move(*found);
}

void addRows(const TableImage& image, ResultTable& table) {
  std::vector<TableColumn> columns;
  columns.reserve(image.columns.size());
  for (std::size_t i = 0; i < image.columns.size(); ++i)
    columns.push_back({image.columns[i], image.units[i]});
  if (columns != table.columns()) return;
  std::vector<Cell> cells(columns.size());
  for (std::size_t at = 0; at < image.cells.size(); at += columns.size()) {
    for (std::size_t i = 0; i < columns.size(); ++i) cells[i] = cellOf(image.cells[at + i], image.units[i]);
    table.addRow(cells);
  }
}

} // namespace

DigestedRows digestedRows(const Analysis& analysis, RankIndex rank, std::size_t most) {
  const JobReport alone(
      std::make_shared<const Analysis>(analysis, AnalysisScope{{rank}, {analysis.window(rank)}}));
  DigestedRows rows;
  std::vector<TableImage> images;
  images.reserve(kTables.size());
  for (const std::string_view name : kTables) {
    const ResultTable table = tableSpec(name)->make(alone);
    images.push_back(imageOf(table, std::min(most, table.rowCount())));
    if (table.rowCount() > most) rows.shortened.emplace_back(name);
  }
  Packer packer;
  packer(images);
  rows.bytes = packer.takeBytes();
  return rows;
}

ResultTable tableOf(const JobReport& report, const TableSpec& spec) {
  const Analysis& analysis = report.analysis();
  const bool carried = std::ranges::find(kTables, spec.name) != kTables.end();
  if (!carried || !hasDigests(analysis.trace())) return spec.make(report);
  // Without ranks it has the columns only.
  ResultTable table = spec.make(JobReport(std::make_shared<const Analysis>(analysis, AnalysisScope())));
  for (const RankIndex rank : analysis.ranks()) {
    const RankDigest* const digest = digestOf(analysis.trace(), rank);
    if (digest == nullptr) { // its events were read since
      const AnalysisScope alone{{rank}, {analysis.window(rank)}};
      const JobReport own(std::make_shared<const Analysis>(analysis, alone));
      const ResultTable rows = spec.make(own);
      addRows(imageOf(rows, rows.rowCount()), table);
      continue;
    }
    if (const auto image = imageIn(*digest, spec.name)) addRows(*image, table);
  }
  return table;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/digest_rows.h"

#include "core/analysis/digest/digested_results.h"
#include "core/base/byte_pack.h"
#include "core/io/load/rank_events.h"
#include "core/model/rank_digest.h"
#include "core/model/side_files.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

constexpr std::array<std::string_view, 5> kTables = {"memory_roles", "memory_expected", "modules", "frames",
                                                     "compiled_regions"};
constexpr std::array<std::string_view, 5> kJudgedTables = {"flops", "gemms", "mfu", "efficiency",
                                                           "iterations"};
// Of files beside the traces: those, and the last rows of one that is about ranks.
constexpr std::string_view kExpected = "memory_expected";
constexpr std::array<std::string_view, 5> kSideTables = {"snapshots", "snapshot_blocks", "snapshot_segments",
                                                         "flight_recorder", kExpected};
constexpr std::string_view kTimed = "iterations"; // has a time of the job, kept on the rank's own clock
constexpr std::string_view kBegin = "begin_us";

template <class Names> bool isOneOf(const Names& names, std::string_view table) {
  return std::ranges::find(names, table) != names.end();
}

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

// Whether a digest has the rows of the table.
bool isCarried(std::string_view table) {
  return isOneOf(kTables, table) || isOneOf(kJudgedTables, table) || isOneOf(kSideTables, table);
}

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

// Empty if the bytes are something else. counted: names of shortened tables come first.
std::optional<TableImage> imageIn(std::string_view bytes, bool counted, std::string_view name) {
  std::vector<TableImage> images;
  std::vector<std::string> shortened;
  Unpacker unpacker(bytes);
  if (counted) unpacker(shortened);
  unpacker(images);
  const auto found = std::ranges::find(images, name, &TableImage::name);
  if (!unpacker.ok() || !unpacker.atEnd() || found == images.end() || found->columns.empty() ||
      found->units.size() != found->columns.size() || found->cells.size() % found->columns.size() != 0 ||
      std::ranges::any_of(found->units, [](Unit unit) { return unit > Unit::Ratio; }))
    return std::nullopt;
  return std::move(*found);
}

// Of one rank.
std::optional<TableImage> imageIn(const RankDigest& digest, std::string_view name) {
  const bool judged = isOneOf(kJudgedTables, name);
  return imageIn(digest.section(judged ? DigestSection::JudgedRows : DigestSection::Rows), judged, name);
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

namespace {

// The begins on the clock of the rank, which any process knows.
TableImage onRankClock(TableImage image, const Analysis& analysis, RankIndex rank) {
  // Without alignment a time of the job is that of the rank.
  const Analysis unaligned(analysis.sharedTrace(), &analysis, AnalysisOptions{false});
  const JobReport alone(
      std::make_shared<const Analysis>(unaligned, AnalysisScope{{rank}, {kWholeRecording}}));
  const ResultTable table = tableSpec(image.name)->make(alone);
  const auto column = std::ranges::find(image.columns, kBegin) - image.columns.begin();
  const std::size_t width = image.columns.size();
  for (std::size_t row = 0; row * width < image.cells.size(); ++row) {
    CellImage begin = imageOf(table.at(row, static_cast<std::size_t>(column)));
    begin.number += static_cast<std::uint64_t>(unaligned.extent().begin.ns());
    image.cells[row * width + static_cast<std::size_t>(column)] = std::move(begin);
  }
  return image;
}

TableImage onJobClock(TableImage image, const Analysis& analysis, RankIndex rank) {
  const auto column =
      static_cast<std::size_t>(std::ranges::find(image.columns, kBegin) - image.columns.begin());
  for (std::size_t at = column; at < image.cells.size(); at += image.columns.size()) {
    std::uint64_t& number = image.cells[at].number;
    const RankTime begin(static_cast<TimeNs>(number));
    number = static_cast<std::uint64_t>(sinceJobBegin(analysis, rank, begin));
  }
  return image;
}

} // namespace

std::string judgedRows(const Analysis& analysis, RankIndex rank, std::size_t most) {
  const JobReport alone(
      std::make_shared<const Analysis>(analysis, AnalysisScope{{rank}, {analysis.window(rank)}}));
  std::vector<std::string> shortened;
  std::vector<TableImage> images;
  images.reserve(kJudgedTables.size());
  for (const std::string_view name : kJudgedTables) {
    const ResultTable table = tableSpec(name)->make(alone);
    images.push_back(imageOf(table, std::min(most, table.rowCount())));
    if (table.rowCount() > most) shortened.emplace_back(name);
    if (name == kTimed && table.rowCount() > 0)
      images.back() = onRankClock(std::move(images.back()), analysis, rank);
  }
  Packer packer;
  packer(shortened, images);
  return packer.takeBytes();
}

std::string sideRows(const JobReport& side, std::size_t most) {
  std::vector<std::string> shortened;
  std::vector<TableImage> images;
  images.reserve(kSideTables.size());
  for (const std::string_view name : kSideTables) {
    const ResultTable table = tableSpec(name)->make(side);
    images.push_back(imageOf(table, std::min(most, table.rowCount())));
    if (table.rowCount() > most) shortened.emplace_back(name);
  }
  Packer packer;
  packer(shortened, images);
  return packer.takeBytes();
}

namespace {

// Rows of what is expected are of one snapshot for each rank: of several that with the highest peak.
std::vector<CellImage> expectedCells(std::span<const std::string> parts) {
  std::map<std::int64_t, std::pair<std::int64_t, std::vector<CellImage>>> best; // by rank: peak, cells
  for (const std::string& part : parts) {
    auto expected = imageIn(part, true, kExpected);
    const auto summary = imageIn(part, true, kSideTables.front());
    if (!expected || expected->cells.empty() || !summary) continue;
    const auto column = std::ranges::find(summary->columns, "peak_requested_bytes");
    if (column == summary->columns.end()) continue;
    std::int64_t peak = 0;
    const auto first = static_cast<std::size_t>(column - summary->columns.begin());
    for (std::size_t at = first; at < summary->cells.size(); at += summary->columns.size())
      peak = std::max(peak, static_cast<std::int64_t>(summary->cells[at].number));
    const CellImage& rank = expected->cells.front();
    const std::int64_t key = rank.known ? static_cast<std::int64_t>(rank.number) : -1;
    const auto [known, isNew] = best.try_emplace(key, peak, expected->cells);
    if (!isNew && peak > known->second.first) known->second = {peak, std::move(expected->cells)};
  }
  std::vector<CellImage> cells;
  for (auto& [rank, of] : best) cells.insert(cells.end(), of.second.begin(), of.second.end());
  return cells;
}

} // namespace

void boundSideRows(std::span<std::string> parts, std::size_t most) {
  std::map<std::string, std::size_t> used; // rows by table
  for (std::string& part : parts) {
    std::vector<std::string> shortened;
    std::vector<TableImage> images;
    Unpacker unpacker(part);
    unpacker(shortened, images);
    for (TableImage& image : images) {
      const std::size_t width = std::max<std::size_t>(image.columns.size(), 1);
      const std::size_t rows = std::min(image.cells.size() / width, most - used[image.name]);
      const bool isCut = rows * width < image.cells.size();
      if (isCut && std::ranges::find(shortened, image.name) == shortened.end())
        shortened.push_back(image.name);
      image.cells.resize(rows * width);
      used[image.name] += rows;
    }
    Packer packer;
    packer(shortened, images);
    part = packer.takeBytes();
  }
}

std::string joinedSideRows(std::span<const std::string> parts, std::size_t most) {
  std::vector<std::string> shortened;
  std::vector<TableImage> images;
  for (const std::string_view name : kSideTables) {
    std::optional<TableImage> all;
    bool isCut = false;
    for (const std::string& part : parts) {
      auto image = imageIn(part, true, name);
      if (!image) continue;
      const std::vector<std::string> cut = shortenedRows(part);
      isCut = isCut || std::ranges::find(cut, name) != cut.end();
      if (!all)
        all = std::move(image);
      else
        all->cells.insert(all->cells.end(), image->cells.begin(), image->cells.end());
    }
    if (!all) continue;
    if (name == kExpected) all->cells = expectedCells(parts);
    isCut = isCut || all->cells.size() > most * all->columns.size();
    all->cells.resize(std::min(all->cells.size(), most * all->columns.size()));
    if (isCut) shortened.emplace_back(name);
    images.push_back(*std::move(all));
  }
  Packer packer;
  packer(shortened, images);
  return packer.takeBytes();
}

std::vector<std::string> shortenedRows(std::string_view rows) {
  std::vector<std::string> shortened;
  Unpacker unpacker(rows);
  unpacker(shortened);
  return unpacker.ok() ? shortened : std::vector<std::string>();
}

bool readsArguments(std::string_view table) {
  return isOneOf(kJudgedTables, table);
}

namespace {

// Whether all rows can be made of events.
bool isMadeOfEvents(const Analysis& analysis, std::string_view table) {
  const TraceSet& trace = analysis.trace();
  return !hasDigests(trace) &&
         (!readsArguments(table) ||
          std::ranges::all_of(analysis.ranks(), [&](RankIndex rank) { return hasArguments(trace, rank); }));
}

} // namespace

void prepareRows(const JobReport& report, const TableSpec& spec, unsigned threadCount) {
  if (isMadeOfEvents(report.analysis(), spec.name) || !isCarried(spec.name))
    prepareTable(report, spec, threadCount);
}

bool dependsOnSettings(std::string_view table) {
  return isOneOf(kJudgedTables, table) || table == kExpected;
}

namespace {

// Of ranks that the table does not have yet.
void addSideRows(std::string_view bytes, std::string_view name, ResultTable& table) {
  auto image = isOneOf(kSideTables, name) ? imageIn(bytes, true, name) : std::nullopt;
  if (!image) return;
  if (name == kExpected) {
    std::set<std::uint64_t> known;
    for (std::size_t row = 0; row < table.rowCount(); ++row)
      if (const CellImage rank = imageOf(table.at(row, 0)); rank.known) known.insert(rank.number);
    std::vector<CellImage> others;
    const std::size_t width = image->columns.size();
    for (std::size_t at = 0; at < image->cells.size(); at += width) {
      const CellImage& rank = image->cells[at];
      if (rank.known ? known.contains(rank.number) : !known.empty()) continue;
      const auto first = image->cells.begin() + static_cast<std::ptrdiff_t>(at);
      others.insert(others.end(), first, first + static_cast<std::ptrdiff_t>(width));
    }
    image->cells = std::move(others);
  }
  addRows(*image, table);
}

} // namespace

namespace {

bool isCut(const RankDigest& digest, std::string_view table) {
  const std::vector<std::string> cut = readsArguments(table)
                                           ? shortenedRows(digest.section(DigestSection::JudgedRows))
                                           : shortenedTables(digest);
  return isOneOf(cut, table);
}

// The digest of the rank, also where its events were read since: its rows are the same, and some need the
// trace, which may not be at hand. Null where they are others.
const RankDigest* rowsOf(const JobReport& report, RankIndex rank, std::string_view table) {
  const Analysis& analysis = report.analysis();
  const TraceSet& trace = analysis.trace();
  const auto& since = trace.side().readSince;
  if (const RankDigest* const digest = digestOf(trace, rank)) return digest;
  const RankDigest* const read = rank.value < since.size() ? since[rank.value].get() : nullptr;
  const bool others = analysis.window(rank) != kWholeRecording ||
                      (dependsOnSettings(table) && report.efficiencySettings() != EfficiencySettings());
  if (read == nullptr || others) return nullptr;
  const bool canBeMade = !readsArguments(table) || hasArguments(trace, rank);
  return canBeMade && isCut(*read, table) ? nullptr : read;
}

} // namespace

ResultTable tableOf(const JobReport& report, const TableSpec& spec) {
  const Analysis& analysis = report.analysis();
  const bool carried = isCarried(spec.name);
  if (!carried || !isDigest(analysis.trace())) return spec.make(report);
  if (isMadeOfEvents(analysis, spec.name)) {
    ResultTable table = spec.make(report);
    addSideRows(analysis.trace().side().digestedRows, spec.name, table);
    return table;
  }
  // Without ranks it has the columns only, and the rows of dumps that the digest has.
  ResultTable table = spec.make(JobReport(std::make_shared<const Analysis>(analysis, AnalysisScope())));
  const bool ofRanks = !isOneOf(kSideTables, spec.name) || spec.name == kExpected;
  for (const RankIndex rank : analysis.ranks()) {
    if (!ofRanks) break;
    const RankDigest* const digest = rowsOf(report, rank, spec.name);
    if (digest == nullptr) {
      const AnalysisScope alone{{rank}, {analysis.window(rank)}};
      const JobReport own(std::make_shared<const Analysis>(analysis, alone), report.efficiencySettings());
      const ResultTable rows = spec.make(own);
      addRows(imageOf(rows, rows.rowCount()), table);
      continue;
    }
    auto image = imageIn(*digest, spec.name);
    if (image && spec.name == kTimed) image = onJobClock(*std::move(image), analysis, rank);
    if (image) addRows(*image, table);
  }
  addSideRows(analysis.trace().side().digestedRows, spec.name, table);
  return table;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_details.h"

#include "core/io/nsys/nsys_export.h"
#include "core/io/nsys/nsys_graph_origins.h"
#include "core/io/nsys/nsys_tables.h"
#include "core/io/nsys/nsys_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <utility>

namespace rankscope {

namespace {

// Columns whose numbers are ids of strings.
bool isStringId(std::string_view column) {
  static constexpr std::array<std::string_view, 7> kColumns{
      "nameId", "textId", "demangledName", "shortName", "mangledName", "jsonTextId", "argumentsId"};
  return std::ranges::find(kColumns, column) != kColumns.end();
}

FieldMeaning meaningOf(std::string_view column) {
  static constexpr std::array<std::string_view, 8> kBytes{
      "bytes", "staticSharedMemory", "dynamicSharedMemory", "sharedMemoryExecuted",
      "size",  "recvSize",           "localMemoryTotal",    "sourceBytes"};
  return std::ranges::find(kBytes, column) != kBytes.end() ? FieldMeaning::Bytes : FieldMeaning::Plain;
}

std::string hexOf(std::string_view bytes) {
  constexpr std::size_t kMostBytes = 64;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (const char c : bytes.substr(0, kMostBytes)) {
    text += kHex[static_cast<unsigned char>(c) >> 4];
    text += kHex[static_cast<unsigned char>(c) & 15];
  }
  if (bytes.size() > kMostBytes) text.append("... (").append(std::to_string(bytes.size())).append(" bytes)");
  return text;
}

std::string valueText(const SqliteRows& rows, int column) {
  if (rows.isBlob(column)) return hexOf(rows.bytes(column));
  return displayText(rows.bytes(column));
}

// "[2, 1, 1]" of three columns from the first.
std::string triple(const SqliteRows& rows, int first) {
  std::string text = "[";
  for (int i = 0; i < 3; ++i) text.append(i == 0 ? "" : ", ").append(std::to_string(rows.integer(first + i)));
  return text += ']';
}

class NsysDetails final : public DetailSource {
 public:
  explicit NsysDetails(std::string path) : m_path(std::move(path)) {}

  [[nodiscard]] Result<std::vector<EventField>> fields(SourceRef event) const override;
  [[nodiscard]] std::optional<Error> arguments(std::span<const SourceRef> events, EventArgument wanted,
                                               const std::function<void(std::size_t, std::string_view)>& take,
                                               const Progress* progress) const override;

 private:
  std::string m_path;
};

// What a launch was made with, and what an operator's text says, under Kineto's keys.
void addKinetoFields(const SqliteFile& file, NsysTable table, std::int64_t row, NsysStrings& strings,
                     std::vector<EventField>& fields) {
  const NsysTableSpec& spec = nsysTable(table);
  SqliteRows rows(file, *file.table(spec.name), spec.columns);
  if (!rows.readable()) return;
  rows.restrictTo({row, row});
  if (rows.next() != SqliteRows::Step::Row) return;
  if (table == NsysTable::Kernel) {
    fields.push_back({"grid", triple(rows, kGridX), FieldMeaning::Shape, false});
    fields.push_back({"block", triple(rows, kBlockX), FieldMeaning::Shape, false});
  }
  if (table == NsysTable::Runtime && isCudaFailure(rows.integer(kReturned)))
    fields.push_back({"error", cudaErrorText(rows.integer(kReturned), rows.integer(kClass) == 1)});
  if (table != NsysTable::Nvtx) return;
  std::string text(rows.bytes(kText));
  if (rows.isNull(kText) && !rows.isNull(kTextId)) text = strings.text(rows.integer(kTextId)).value_or("");
  const OperatorText parts = operatorText(text);
  if (parts.sequence) fields.push_back({"Sequence number", std::to_string(*parts.sequence)});
  if (parts.id) fields.push_back({"Record function id", std::to_string(*parts.id)});
  if (!parts.sizes.empty())
    fields.push_back({"Input Dims", displayText(parts.sizes), FieldMeaning::Shapes, false});
  if (!parts.inputs.empty()) fields.push_back({"Input op ids", displayText(parts.inputs)});
}

// Where a kernel, copy or set in a CUDA graph was captured.
void addGraphOrigin(const SqliteFile& file, const SqliteTable& table, std::int64_t row, NsysStrings& strings,
                    std::vector<EventField>& fields) {
  static constexpr std::array<std::string_view, 2> kColumns{"globalPid", "graphNodeId"};
  if (!table.has(kColumns[1])) return;
  SqliteRows rows(file, table, kColumns);
  if (!rows.readable()) return;
  rows.restrictTo({row, row});
  if (rows.next() != SqliteRows::Step::Row || rows.isNull(1)) return;
  const auto origin = originOfGraphNode(file, strings, rows.integer(0), rows.integer(1));
  if (!origin) return;
  if (!origin->call.empty()) fields.push_back({"captured call", origin->call});
  std::string ranges;
  for (const std::string& range : origin->ranges) ranges.append(ranges.empty() ? "" : " < ").append(range);
  if (!ranges.empty()) fields.push_back({"captured in", std::move(ranges)});
}

Result<std::vector<EventField>> NsysDetails::fields(SourceRef event) const {
  const auto file = SqliteFile::open(m_path);
  if (!file) return file.error();
  const NsysTable of = tableOf(event);
  const SqliteTable* const table = file->table(nsysTable(of).name);
  const auto gone = [&] {
    return Error{ErrorKind::Format, "no event stands in this row: the file has changed", m_path,
                 std::nullopt};
  };
  if (table == nullptr) return gone();
  std::vector<std::string_view> columns(table->columns.begin(), table->columns.end());
  SqliteRows rows(*file, *table, columns);
  if (!rows.readable()) return gone();
  rows.restrictTo({rowidOf(event), rowidOf(event)});
  if (rows.next() != SqliteRows::Step::Row) return gone();
  NsysStrings strings(*file);
  std::vector<EventField> fields;
  fields.push_back({"table", table->name});
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const int column = static_cast<int>(i);
    if (rows.isNull(column)) continue;
    std::string value;
    if (isStringId(columns[i])) {
      const auto text = strings.text(rows.integer(column));
      value = text ? displayText(*text) : "#" + std::to_string(rows.integer(column));
    } else {
      value = valueText(rows, column);
    }
    const bool known = columns[i] == "start" || columns[i] == "end";
    fields.push_back({displayText(columns[i]), std::move(value), meaningOf(columns[i]), known});
  }
  addKinetoFields(*file, of, rowidOf(event), strings, fields);
  addGraphOrigin(*file, *table, rowidOf(event), strings, fields);
  return fields;
}

// The argument of one row; empty if it has none.
std::string argumentOf(const SqliteRows& rows, NsysTable table, EventArgument wanted, NsysStrings& strings) {
  if (wanted == EventArgument::LaunchShape)
    return table == NsysTable::Kernel ? triple(rows, kGridX).append(" · ").append(triple(rows, kBlockX))
                                      : std::string();
  if (table != NsysTable::Nvtx || wanted == EventArgument::CallStack) return {};
  std::string text(rows.bytes(kText));
  if (rows.isNull(kText) && !rows.isNull(kTextId)) text = strings.text(rows.integer(kTextId)).value_or("");
  return argumentOfRange(text, wanted);
}

std::optional<Error> NsysDetails::arguments(std::span<const SourceRef> events, EventArgument wanted,
                                            const std::function<void(std::size_t, std::string_view)>& take,
                                            const Progress* progress) const {
  const auto file = SqliteFile::open(m_path, progress == nullptr ? nullptr : &progress->cancel);
  if (!file) return file.error();
  NsysStrings strings(*file);
  std::optional<SqliteRows> rows;
  std::optional<NsysTable> current;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (progress != nullptr && progress->cancelled()) return std::nullopt;
    const NsysTable of = tableOf(events[i]);
    if (current != of) {
      current = of;
      rows.reset();
      const NsysTableSpec& spec = nsysTable(of);
      if (const SqliteTable* const table = file->table(spec.name)) rows.emplace(*file, *table, spec.columns);
      if (rows && !rows->readable()) rows.reset();
    }
    if (!rows) continue;
    rows->restrictTo({rowidOf(events[i]), rowidOf(events[i])});
    if (rows->next() != SqliteRows::Step::Row) continue;
    const std::string text = argumentOf(*rows, of, wanted, strings);
    if (!text.empty()) take(i, text);
  }
  return std::nullopt;
}

} // namespace

std::string argumentOfRange(std::string_view text, EventArgument wanted) {
  const OperatorText parts = operatorText(text);
  if (wanted == EventArgument::InputShapes) return displayText(parts.sizes);
  if (parts.sizes.empty() && !parts.sequence) return {};
  // Of shapes, types, concrete inputs, sequence number, FLOPs and bytes, two are recorded.
  std::string all = displayText(parts.sizes);
  all.append(3, kFieldEnd);
  if (parts.sequence) all += std::to_string(*parts.sequence);
  all.append(2, kFieldEnd);
  return all;
}

std::shared_ptr<const DetailSource> nsysDetails(const std::string& path) {
  return std::make_shared<const NsysDetails>(path);
}

} // namespace rankscope

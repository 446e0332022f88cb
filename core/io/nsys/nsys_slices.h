// SPDX-License-Identifier: GPL-3.0-or-later
// Reads all tables of an export on the threads of a load, a range of rows at a time, and gives every process
// its events in the order of tables and rows. The result does not depend on which thread reads which range.
#pragma once

#include "core/base/result.h"
#include "core/io/nsys/nsys_joins.h"
#include "core/io/nsys/nsys_rows.h"
#include "core/io/reader/trace_reader.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace rankscope {

struct NsysTables {
  std::vector<std::unique_ptr<NsysRowReader>> readers;
  std::vector<NsysPieceResult> pieces; // in order
  std::vector<std::size_t> readerOf;   // by piece
  std::map<NsysTable, NsysRowCounts> counts;
  std::map<NsysTable, std::vector<SqliteFile::RowRange>> damaged; // rows that cannot be read
  std::map<NsysTable, std::set<std::int64_t>> unknownNames;       // ids that are not in StringIds

  // The parts of each process, in order.
  [[nodiscard]] std::map<std::int64_t, std::vector<NsysProcessPart>> byProcess();
};

// The ranges of rows of all tables.
[[nodiscard]] std::vector<NsysPiece> nsysPieces(const SqliteFile& file, std::uint64_t fileBytes,
                                                std::int64_t rowsAtOnce);

// Rethrows exceptions of any thread.
[[nodiscard]] Result<NsysTables> readNsysTables(const std::string& path, const NsysExport& facts,
                                                const std::vector<NsysPiece>& pieces,
                                                const NsysFilter& filter, std::uint64_t fileBytes,
                                                ReadContext& context);

} // namespace rankscope

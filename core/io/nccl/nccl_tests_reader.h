// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the table that nccl-tests prints, also where the lines of a debug log stand within its rows. The
// operation comes from the program's name in the text or the file's name, else from the ratio of bus to
// algorithm bandwidth, which also gives the number of ranks if the header does not. Rows that cannot be used
// and rows with wrong results are counted and named by their lines. For any bytes; for one thread.
#pragma once

#include "core/model/nccl_tests.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

class NcclTestsReader {
 public:
  // What is wrong with a row, and the number of the line in which it begins.
  using Tell = std::function<void(std::uint64_t line, std::string what)>;

  explicit NcclTestsReader(std::string path, Tell tell = {});

  // text: a line, or what stands in it before the head of a log line. number: of the line in its file. cut: a
  // log line follows in the same line, so the row goes on later.
  void line(std::string_view text, std::uint64_t number = 0, bool cut = false);
  // Tables with rows. REQUIRES: called once.
  [[nodiscard]] std::vector<NcclTestTable> finish();
  // Rows whose results were not as expected, of all tables.
  [[nodiscard]] std::uint64_t wrongRows() const { return m_wrongRows; }

 private:
  void header(std::string_view text);
  void nameOperation(std::string_view text);
  [[nodiscard]] std::size_t timeColumn(const std::vector<std::string_view>& words) const;
  void row(const std::vector<std::string_view>& words, std::uint64_t number);
  void afterBandwidth(const std::vector<std::string_view>& words, std::size_t wrongAt, std::uint64_t number,
                      NcclTestRow& row);
  void skip(std::uint64_t number, std::string what);
  void dropPartial();
  void beginRun();
  void endTable();

  Tell m_tell;
  NcclTestTable m_table;
  std::set<std::string> m_hosts;
  std::int64_t m_headerRanks = 0;
  std::string m_partial; // a row that a log line has cut
  std::uint64_t m_partialLine = 0;
  std::uint64_t m_wrongRows = 0;
  bool m_hasHeader = false;
  bool m_hasRoot = false;      // a column of the table
  bool m_hasCheck = false;     // columns of wrong results
  std::string m_nextOperation; // named after the header of this table
  std::vector<NcclTestTable> m_tables;
};

// The line without a launcher's "[1,0]<stdout>:" or "12: " before it.
[[nodiscard]] std::string_view withoutLauncher(std::string_view text);

// "AllReduce" of "all_reduce_perf", "alltoall" and the like; empty for other texts.
[[nodiscard]] std::string operationInName(std::string_view text);

} // namespace rankscope

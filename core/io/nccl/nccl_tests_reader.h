// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the table that nccl-tests prints, also where the lines of a debug log stand within its rows. The
// operation comes from the program's name in the text or the file's name, else from the ratio of bus to
// algorithm bandwidth, which also gives the number of ranks if the header does not. For any bytes; for one
// thread.
#pragma once

#include "core/model/nccl_tests.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

class NcclTestsReader {
 public:
  explicit NcclTestsReader(std::string path);

  // text: a line, or what stands in it before the head of a log line. cut: a log line follows in the same
  // line, so the row goes on later.
  void line(std::string_view text, bool cut = false);
  // Tables with rows. REQUIRES: called once.
  [[nodiscard]] std::vector<NcclTestTable> finish();

 private:
  void header(std::string_view text);
  void row(const std::vector<std::string_view>& words);
  void endTable();

  NcclTestTable m_table;
  std::set<std::string> m_hosts;
  std::int64_t m_headerRanks = 0;
  std::string m_partial; // a row that a log line has cut
  bool m_hasHeader = false;
  std::vector<NcclTestTable> m_tables;
};

// "AllReduce" of "all_reduce_perf", "alltoall" and the like; empty for other texts.
[[nodiscard]] std::string operationInName(std::string_view text);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the log files of a job, one after the other, in blocks: one pass, memory bounded by what is distinct
// plus 24 bytes per call. Lines without a communicator belong to the one that the same thread is creating
// (NCCL before 2.22); from then on to the one of the process in which the named rank is the process's own.
// What cannot be told stays unassigned. Damaged lines are counted and listed with their number. For any
// bytes. For one thread; about 300 MB/s.
#pragma once

#include "core/base/progress.h"
#include "core/model/nccl_log.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace rankscope {

class NcclLogReader {
 public:
  NcclLogReader();
  ~NcclLogReader();
  NcclLogReader(const NcclLogReader&) = delete;
  NcclLogReader& operator=(const NcclLogReader&) = delete;

  // Lines of the next file follow.
  void beginFile(const std::string& path);
  // A line without its end.
  void line(std::string_view text);
  // Number of the last line.
  [[nodiscard]] std::uint64_t lineNumber() const;
  // What else is damaged in the file: a row of a table.
  void damaged(std::uint64_t line, std::string what);
  void endFile(std::string problem);
  // What the files say. REQUIRES: called once, after the last file.
  [[nodiscard]] NcclLog finish();

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

} // namespace rankscope

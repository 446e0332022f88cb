// SPDX-License-Identifier: GPL-3.0-or-later
// Finds and reads what NCCL and nccl-tests wrote beside a job: debug logs and tables. A file of a folder is
// one of them if its name ends in .log, .txt, .out or .err or begins with nccl or rccl (also with .gz), and
// its first 4 MiB have a line of NCCL or the header of a table; a file that is named is looked at whatever
// its name. Files are read in blocks, never as a whole.
#pragma once

#include "core/base/progress.h"
#include "core/model/nccl_records.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

class NcclLogReader;

// Whether a file of a folder is worth a look, by its name.
[[nodiscard]] bool mayBeNcclName(const std::string& path);
// Whether the file has lines of NCCL or a table of nccl-tests.
[[nodiscard]] bool isNcclFile(const std::string& path);
// Files of NCCL that the paths refer to, in natural order.
[[nodiscard]] std::vector<std::string> findNcclFiles(std::span<const std::string> paths);
// Paths without the files among them that are of NCCL, which no trace reader opens. Folders stay.
[[nodiscard]] std::vector<std::string> withoutNcclFiles(std::span<const std::string> paths);

// The text of a file, decompressed, part by part. For one thread.
class NcclText {
 public:
  explicit NcclText(const std::string& path);
  ~NcclText();
  NcclText(const NcclText&) = delete;
  NcclText& operator=(const NcclText&) = delete;

  // Less than asked at the end, or where the rest cannot be read.
  [[nodiscard]] std::size_t read(std::span<char> to);
  // Why; empty if it can.
  [[nodiscard]] const std::string& problem() const;

 private:
  class Blocks;
  std::unique_ptr<Blocks> m_blocks;
};

// Takes the text of files, one file after the other, from wherever they lie. For one thread.
class NcclIntake {
 public:
  NcclIntake();
  ~NcclIntake();
  NcclIntake(const NcclIntake&) = delete;
  NcclIntake& operator=(const NcclIntake&) = delete;

  void begin(const std::string& path);
  void block(std::string_view text);
  void end(std::string problem);
  // What they say. REQUIRES: called once, after the last file.
  [[nodiscard]] NcclRecords finish();

 private:
  class File;
  NcclRecords m_records;
  std::unique_ptr<NcclLogReader> m_log;
  std::unique_ptr<File> m_file; // between begin and end
};

// Reads them. A file that cannot be read is listed with the reason.
[[nodiscard]] NcclRecords readNcclFiles(const std::vector<std::string>& files,
                                        const Progress* progress = nullptr);
// Of one text, as if it were the content of a file.
[[nodiscard]] NcclRecords readNcclText(const std::string& path, std::string_view text);

} // namespace rankscope

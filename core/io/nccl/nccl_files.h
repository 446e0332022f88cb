// SPDX-License-Identifier: GPL-3.0-or-later
// Finds and reads what NCCL and nccl-tests wrote beside a job: debug logs and tables. A file of a folder is
// one of them if its name ends in .log, .txt, .out or .err or begins with nccl or rccl (also with .gz), and
// its first 4 MiB have a line of NCCL or the header of a table; a file that is named is looked at whatever
// its name. Files are read in blocks, never as a whole.
#pragma once

#include "core/base/progress.h"
#include "core/model/nccl_records.h"

#include <span>
#include <string>
#include <vector>

namespace rankscope {

// Whether a file of a folder is worth a look, by its name.
[[nodiscard]] bool mayBeNcclName(const std::string& path);
// Whether the file has lines of NCCL or a table of nccl-tests.
[[nodiscard]] bool isNcclFile(const std::string& path);
// Files of NCCL that the paths refer to, in natural order.
[[nodiscard]] std::vector<std::string> findNcclFiles(std::span<const std::string> paths);
// Paths without the files among them that are of NCCL, which no trace reader opens. Folders stay.
[[nodiscard]] std::vector<std::string> withoutNcclFiles(std::span<const std::string> paths);
// Reads them. A file that cannot be read is listed with the reason.
[[nodiscard]] NcclRecords readNcclFiles(const std::vector<std::string>& files,
                                        const Progress* progress = nullptr);
// Of one text, as if it were the content of a file.
[[nodiscard]] NcclRecords readNcclText(const std::string& path, std::string_view text);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// A table that a program of nccl-tests printed: how long a collective took, by size, with nothing else on the
// machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope {

struct NcclTestRow {
  std::int64_t bytes = 0; // S
  double timeUs = 0;      // out of place
  double algbwGbS = 0, busbwGbS = 0;
  std::optional<double> inPlaceUs;
  bool wrong = false; // results were not as expected
};

struct NcclTestTable {
  std::string path;
  std::string name;      // of the file, without folder
  std::string operation; // "AllReduce"; empty if it cannot be told
  std::int64_t ranks = -1;
  std::int64_t hosts = -1;
  std::string gpu;
  std::vector<NcclTestRow> rows; // as printed
  std::uint64_t skippedRows = 0;
};

} // namespace rankscope

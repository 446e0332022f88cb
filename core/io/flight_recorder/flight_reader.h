// SPDX-License-Identifier: GPL-3.0-or-later
// Reads dumps of PyTorch's Flight Recorder: pickles and JSON, of all versions, by fields and never by
// version. The rank is not in the file but in its name: the last digits in which the names of a folder
// differ. Thread-safe.
#pragma once

#include "core/base/result.h"
#include "core/io/pickle/plain_data.h"
#include "core/model/flight_record.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope {

[[nodiscard]] Result<FlightRecord> readFlightRecord(const std::string& path);
// Of data that was read. Without a rank.
[[nodiscard]] FlightRecord flightRecordOf(const PlainFile& file);

// The rank of each of these files of one folder, by name: the digits where names differ; of a single file its
// last digits. Empty for names without digits.
[[nodiscard]] std::vector<std::optional<int>> ranksOfDumpNames(std::span<const std::string> names);

} // namespace rankscope

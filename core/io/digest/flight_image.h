// SPDX-License-Identifier: GPL-3.0-or-later
// A Flight Recorder dump as compressed bytes of a digest, whole. Pure functions, thread-safe.
#pragma once

#include "core/model/flight_record.h"

#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

[[nodiscard]] std::string packedFlight(const FlightRecord& record);

// Empty if the bytes are something else: every index is checked.
[[nodiscard]] std::optional<FlightRecord> unpackedFlight(std::string_view bytes);

} // namespace rankscope

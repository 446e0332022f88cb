// SPDX-License-Identifier: GPL-3.0-or-later
// Identifies JSON files that contain no trace events, by the keys of the root object or by the beginning of
// the array: execution traces, memory timelines, snapshots, dumps, others. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rankscope {

// keys: of the root object, in file order.
[[nodiscard]] std::string kindOfObject(std::span<const std::string> keys);
// start: beginning of the text, including the array's bracket. Empty if the array may contain trace events.
[[nodiscard]] std::optional<std::string> kindOfArray(std::string_view start);

} // namespace rankscope

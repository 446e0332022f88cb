// SPDX-License-Identifier: GPL-3.0-or-later
// What JSON text is that holds no trace events, by the keys of its root or by how its array begins: execution
// traces, memory timelines, snapshots, dumps, or any other. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rankscope {

// keys: of the root object, in the order of the file.
[[nodiscard]] std::string kindOfObject(std::span<const std::string> keys);
// start: how the text begins, with the array's bracket. Nothing when the array may hold trace events.
[[nodiscard]] std::optional<std::string> kindOfArray(std::string_view start);

} // namespace rankscope

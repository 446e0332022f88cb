// SPDX-License-Identifier: GPL-3.0-or-later
// JSON text as plain data. For dumps that are small: it takes about ten times the text. Thread-safe.
#pragma once

#include "core/base/result.h"
#include "core/io/pickle/value_tree.h"

#include <string>

namespace rankscope {

struct JsonValues {
  ValueTree values;
  ValueId root = kNoValue;
};

// Readable bytes that a text needs after its end.
inline constexpr std::size_t kJsonPadding = 64;

// text: with kJsonPadding readable bytes after `length`. Nested at most 32 deep. Texts of the
// result refer to it.
[[nodiscard]] Result<JsonValues> readJsonValues(const char* text, std::size_t length);

} // namespace rankscope

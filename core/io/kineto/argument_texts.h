// SPDX-License-Identifier: GPL-3.0-or-later
// Reads one argument of many events from the file again, in one pass. Used for arguments too large to store
// for every event, such as input shapes and call stacks. About a microsecond per event, plus decompression of
// the whole file; do not call it on the UI thread.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/source_ref.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rankscope {

// What to return if an event has several of the keys.
enum class SeveralKeys : std::uint8_t {
  FirstWritten, // the one that is written first
  Joined,       // all, in the order of the keys, with " · " between them
  Each,         // one for each key, in their order, with kFieldEnd between them; empty where it is missing
};

// Calls take(i, text) for each event sources[i] that has one of the keys in its arguments. Strings are
// unescaped; other values have no white space except one space after commas. Skips events that cannot be
// read. Stops early without an error if progress is cancelled. REQUIRES: sources are sorted.
[[nodiscard]] std::optional<Error>
readArguments(const std::string& path, std::span<const SourceRef> sources,
              std::span<const std::string_view> keys,
              const std::function<void(std::size_t, std::string_view)>& take,
              const Progress* progress = nullptr, SeveralKeys several = SeveralKeys::FirstWritten);

// Keys of input shapes and call stacks of operators in all versions of the format.
[[nodiscard]] std::span<const std::string_view> inputShapeKeys();
[[nodiscard]] std::span<const std::string_view> callStackKeys();
// What an operator's work is counted from: EventArgument::OperatorInputs.
[[nodiscard]] std::span<const std::string_view> operatorInputKeys();
// How many blocks of how many threads a kernel was launched with.
[[nodiscard]] std::span<const std::string_view> gridAndBlockKeys();

} // namespace rankscope

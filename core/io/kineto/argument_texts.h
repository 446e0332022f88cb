// SPDX-License-Identifier: GPL-3.0-or-later
// One argument of many events, read again from the file in a single pass from its front: what is too large to
// keep for every event, as input shapes and call stacks. About a microsecond an event, and once through the
// inflater for a compressed file: not for a UI thread.
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

// What is returned for an event that has several of the keys.
enum class SeveralKeys : std::uint8_t {
  FirstWritten, // the one that is written first
  Joined,       // all, in the order of the keys, with " · " between them
  Each,         // one for each key, in their order, with kFieldEnd between them; empty where it is missing
};

// Calls take(i, text) for each event sources[i] that has one of the keys among its arguments. Strings come
// unescaped, other values without white space but one space after a comma. REQUIRES: sources ascend. An event
// that cannot be read is passed over. Returns early, with what was found so far, when progress is cancelled.
// Nothing is wrong when nothing is returned.
[[nodiscard]] std::optional<Error>
readArguments(const std::string& path, std::span<const SourceRef> sources,
              std::span<const std::string_view> keys,
              const std::function<void(std::size_t, std::string_view)>& take,
              const Progress* progress = nullptr, SeveralKeys several = SeveralKeys::FirstWritten);

// The keys under which the versions of the format wrote what an operator was called with, and from where.
[[nodiscard]] std::span<const std::string_view> inputShapeKeys();
[[nodiscard]] std::span<const std::string_view> callStackKeys();
// What an operator's work is counted from: EventArgument::OperatorInputs.
[[nodiscard]] std::span<const std::string_view> operatorInputKeys();
// How many blocks of how many threads a kernel was launched with.
[[nodiscard]] std::span<const std::string_view> gridAndBlockKeys();

} // namespace rankscope

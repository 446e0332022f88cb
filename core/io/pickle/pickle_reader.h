// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a Python pickle of plain data: numbers, texts, lists, dictionaries. Never executes or looks up
// anything: a file with an instruction that names code is refused as a whole. Reads protocols 2 to 5 as
// written by Python's pickler and by that of torch (C++). Bounded: every limit is an Error with its byte, and
// the tree never takes more than 64 times the file. Cost: 10 ns per instruction. Thread-safe.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/io/pickle/value_tree.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope {

struct PickleReading {
  ValueTree values;
  ValueId root = kNoValue;
  int protocol = 0;
  std::uint64_t instructions = 0;
  std::uint64_t bytesAfterEnd = 0;
  // The file ends before its last instruction. The tree holds what came before.
  bool truncated = false;
};

// Whether the bytes begin like a pickle of protocol 2 to 5.
[[nodiscard]] bool beginsLikePickle(std::string_view bytes);

// Texts of the result refer to `bytes`. If `progress` is given, its cancel flag is checked.
[[nodiscard]] Result<PickleReading> readPickle(std::string_view bytes, const Progress* progress = nullptr);

// The same for the first bytes of a longer file: a text that goes beyond them ends the reading there.
[[nodiscard]] Result<PickleReading> readPickleStart(std::string_view start);

} // namespace rankscope

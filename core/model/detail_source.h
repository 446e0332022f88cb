// SPDX-License-Identifier: GPL-3.0-or-later
// What a recording's file holds of its events beyond their columns, read again on demand. The reader that
// read the file made it, so nothing right of io knows formats: an event is asked for by its SourceRef. Any
// thread, several at once. It reads files, milliseconds to seconds: not for a UI thread.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/source_ref.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

// What the text of a value means, so that people can be shown it in their units.
enum class FieldMeaning : std::uint8_t {
  Plain,
  Bytes,
  Count,
  GigabytesPerSecond,
  Percent, // 0 to 100
  Shape,   // "[128, 1, 1]"
  Shapes,  // "[[64, 3], []]"
};

struct EventField {
  std::string key;   // arguments are listed by their own keys
  std::string value; // strings as they read, everything else as written
  FieldMeaning meaning = FieldMeaning::Plain;
  bool inColumns = false; // the event's columns say it as well
};

// What is too large to keep for every event and is asked of many at once.
enum class EventArgument : std::uint8_t {
  InputShapes, // of an operator: "[[2, 3], [3, 4]]"
  CallStack,   // of an operator, as recordings of 2021 wrote it: "a.py(1): f;\nb.py(2): g"
  LaunchShape, // of a kernel, its grid and block: "[264, 1, 1] · [128, 1, 1]"
  // Of an operator, all that its work can be counted from: shapes, types, concrete inputs, sequence number,
  // FLOPs and 10^9 bytes that a compiler noted, with kFieldEnd between them. What was not recorded is empty.
  OperatorInputs,
};

inline constexpr char kFieldEnd = '\x1f'; // stands in no text of a recording

class DetailSource {
 public:
  virtual ~DetailSource() = default;

  // All of them, in the order of the file.
  [[nodiscard]] virtual Result<std::vector<EventField>> fields(SourceRef event) const = 0;

  // Calls take(i, text) for each of the events, in their order, that has the argument. An event that cannot
  // be read is passed over. Returns early, with what was found so far, when progress is cancelled; nothing is
  // wrong when nothing is returned. REQUIRES: events ascend. One pass over the file.
  [[nodiscard]] virtual std::optional<Error>
  arguments(std::span<const SourceRef> events, EventArgument wanted,
            const std::function<void(std::size_t, std::string_view)>& take,
            const Progress* progress = nullptr) const = 0;
};

// Of a recording that came from no file: an Error for whatever is asked.
[[nodiscard]] std::shared_ptr<const DetailSource> noDetails();

} // namespace rankscope

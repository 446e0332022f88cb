// SPDX-License-Identifier: GPL-3.0-or-later
// Reads details of events that are not stored in columns from the file, on demand. The reader of the file
// creates it, so that other modules do not depend on file formats. Events are identified by their SourceRef.
// Thread-safe. A call reads files and takes milliseconds to seconds; do not call it on the UI thread.
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

// Unit or meaning of a value, for formatting.
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
  std::string key;   // key as recorded
  std::string value; // strings unescaped, everything else as written
  FieldMeaning meaning = FieldMeaning::Plain;
  bool inColumns = false; // also stored in the event's columns
};

// Arguments that are too large to store for every event, but are read for many events at once.
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

  // All fields of an event, in file order.
  [[nodiscard]] virtual Result<std::vector<EventField>> fields(SourceRef event) const = 0;

  // Calls take(i, text) in ascending order for each event that has the argument. Skips events that cannot be
  // read. Stops early without an error if progress is cancelled. REQUIRES: events are sorted. One pass over
  // the file.
  [[nodiscard]] virtual std::optional<Error>
  arguments(std::span<const SourceRef> events, EventArgument wanted,
            const std::function<void(std::size_t, std::string_view)>& take,
            const Progress* progress = nullptr) const = 0;
};

// For recordings without a file: every request returns an Error.
[[nodiscard]] std::shared_ptr<const DetailSource> noDetails();

} // namespace rankscope

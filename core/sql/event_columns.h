// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of events, kernel_events and operator_events with their meanings.
#pragma once

#include "core/sql/sql_column.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace rankscope {

enum class EventColumn : std::uint8_t {
  Id,
  Rank,
  Capture,
  Track,
  Depth,
  Begin,
  End,
  Duration,
  Self,
  NameNumber,
  Name,
  Kind,
  Step,
  Phase,
  Parent,
  Launch,
  Link,
  Device,
  Stream,
  Args,
  LaunchDelay,
  Operator,
  Module,
  Layer,
  BlocksPerSm,
  Occupancy,
  Bytes,
  IsCommunication,
  Exposed,
  OperatorSelf,
  DeviceTotal,
  DeviceSelf,
  Shapes,
  Source,
  Sequence,
};

// What a table has rows for.
enum class EventRows : std::uint8_t { All, Device, Operators };

struct EventColumnText {
  EventColumn column;
  const char* name;
  Unit unit;
  std::string_view meaning; // one sentence
};

[[nodiscard]] std::span<const EventColumnText> eventColumns(EventRows rows);

} // namespace rankscope

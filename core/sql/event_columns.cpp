// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sql/event_columns.h"

#include <array>

namespace rankscope {

namespace {

constexpr EventColumnText kIdColumn{EventColumn::Id, "id", Unit::Identity,
                                    "number of the event in every table"};
constexpr EventColumnText kRank{EventColumn::Rank, "rank", Unit::Identity, "rank that recorded it"};
constexpr EventColumnText kCapture{EventColumn::Capture, "capture", Unit::Identity,
                                   "profiling cycle of the rank"};
constexpr EventColumnText kBegin{EventColumn::Begin, "begin_ns", Unit::Nanoseconds,
                                 "begin on the job's clock, from the job's first event"};
constexpr EventColumnText kEnd{EventColumn::End, "end_ns", Unit::Nanoseconds, "end on the job's clock"};
constexpr EventColumnText kDuration{EventColumn::Duration, "duration_ns", Unit::Nanoseconds,
                                    "duration as recorded"};
constexpr EventColumnText kName{EventColumn::Name, "name", Unit::Text, "name as recorded"};
constexpr EventColumnText kStep{
    EventColumn::Step, "step", Unit::Identity,
    "step whose window contains the begin; NULL outside of steps; 0 where the recording has no "
    "steps and counts as one"};
constexpr EventColumnText kPhase{EventColumn::Phase, "phase", Unit::Text,
                                 "phase of the host, of a device event when it was launched"};
constexpr EventColumnText kDevice{EventColumn::Device, "device", Unit::Identity, "device; NULL on the host"};
constexpr EventColumnText kStream{EventColumn::Stream, "stream", Unit::Identity, "stream; NULL on the host"};
constexpr EventColumnText kLaunch{EventColumn::Launch, "launch_id", Unit::Identity,
                                  "id of the runtime call that launched it"};
constexpr EventColumnText kModule{EventColumn::Module, "module", Unit::Text,
                                  "path of the module that called or launched it"};
constexpr EventColumnText kLayer{EventColumn::Layer, "layer", Unit::Text,
                                 "repeating module that it lies in, numbered in order of first calls"};
constexpr EventColumnText kKind{
    EventColumn::Kind, "kind", Unit::Text,
    "kernel, collective, memcpy, memset, operator, runtime call, annotation, ..."};

constexpr std::array kEventColumns{
    kIdColumn,
    kRank,
    kCapture,
    EventColumnText{EventColumn::Track, "track_id", Unit::Identity, "thread or stream, see tracks"},
    EventColumnText{EventColumn::Depth, "depth", Unit::Count, "row within the track, 0 at the top"},
    kBegin,
    kEnd,
    kDuration,
    EventColumnText{EventColumn::Self, "self_ns", Unit::Nanoseconds, "duration without nested events"},
    EventColumnText{EventColumn::NameNumber, "name_id", Unit::Identity, "number of the name, see names"},
    kName,
    kKind,
    kStep,
    kPhase,
    EventColumnText{EventColumn::Parent, "parent_id", Unit::Identity,
                    "id of the enclosing event of the track"},
    kLaunch,
    EventColumnText{EventColumn::Link, "link", Unit::Identity, "correlation or External id as recorded"},
    kDevice,
    kStream,
    EventColumnText{EventColumn::Args, "args", Unit::Text, "all fields as JSON; read from the file, slow"}};

constexpr std::array kKernelColumns{
    kIdColumn,
    kRank,
    kCapture,
    kBegin,
    kEnd,
    kDuration,
    kName,
    kStream,
    kDevice,
    kLaunch,
    EventColumnText{EventColumn::LaunchDelay, "launch_delay_ns", Unit::Nanoseconds,
                    "begin minus end of the launch call, at least 0"},
    EventColumnText{EventColumn::Operator, "operator_id", Unit::Identity,
                    "id of the operator that launched it"},
    kModule,
    EventColumnText{EventColumn::Link, "correlation", Unit::Identity, "correlation id as recorded"},
    EventColumnText{EventColumn::BlocksPerSm, "blocks_per_sm", Unit::Ratio, "blocks per SM"},
    EventColumnText{EventColumn::Occupancy, "occupancy_pct", Unit::Percent, "estimated achieved occupancy"},
    EventColumnText{EventColumn::Bytes, "bytes", Unit::Bytes, "size of a memory copy or set"},
    EventColumnText{EventColumn::IsCommunication, "is_communication", Unit::Count,
                    "1 for collectives, else 0"},
    EventColumnText{EventColumn::Exposed, "exposed_ns", Unit::Nanoseconds,
                    "time of a collective in which no kernel computed"},
    kStep,
    kKind,
    kPhase,
    kLayer};

constexpr std::array kOperatorColumns{
    kIdColumn,
    kRank,
    kCapture,
    kName,
    kBegin,
    kDuration,
    EventColumnText{EventColumn::OperatorSelf, "self_ns", Unit::Nanoseconds,
                    "duration without the operators it called"},
    EventColumnText{EventColumn::DeviceTotal, "device_ns", Unit::Nanoseconds,
                    "summed durations of what it and the operators it called launched"},
    EventColumnText{EventColumn::DeviceSelf, "device_self_ns", Unit::Nanoseconds,
                    "summed durations of what it launched itself"},
    EventColumnText{EventColumn::Shapes, "shapes", Unit::Text, "input shapes; read from the file, slow"},
    kModule,
    EventColumnText{EventColumn::Source, "source", Unit::Text, "line of Python that called it"},
    kStep,
    kPhase,
    EventColumnText{EventColumn::Sequence, "sequence", Unit::Identity,
                    "autograd's sequence number; read from the file, slow"},
    kLayer};

} // namespace

std::span<const EventColumnText> eventColumns(EventRows rows) {
  switch (rows) {
  case EventRows::Device:
    return kKernelColumns;
  case EventRows::Operators:
    return kOperatorColumns;
  case EventRows::All:
    break;
  }
  return kEventColumns;
}

} // namespace rankscope

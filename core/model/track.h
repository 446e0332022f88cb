// SPDX-License-Identifier: GPL-3.0-or-later
// A track is one thread or one stream of one rank; its rows are the depths it needs so that no two events of
// a row overlap. Tracks of a rank are in the order in which a person reads them: annotations, operators and
// Python of the main thread, other threads, streams with computation, with communication, with copies, then
// the rest.
#pragma once

#include "core/base/strong_index.h"

#include <cstdint>
#include <string>

namespace rankscope {

enum class TrackKind : std::uint8_t {
  Annotations,    // record_function and ProfilerStep of a thread
  Thread,         // operators and runtime calls of a thread
  Python,         // the Python stack of a thread
  Stream,         // device activity of a stream
  GpuAnnotations, // annotations' shadows on a stream
  Sync,           // synchronization rows of a stream
  Instants,       // markers and memory events of a thread
  Overhead,       // the profiler's own
  Other,
};

enum class StreamRole : std::uint8_t { None, Compute, Communication, Copy };

struct Track {
  TrackKind kind = TrackKind::Other;
  StreamRole role = StreamRole::None; // of a Stream: by what most of its time is spent on
  std::string process;                // pid as written
  std::string thread;                 // tid as written: thread or stream id
  std::string processName;            // from metadata, may be empty
  std::string threadName;             // from metadata, may be empty
  int device = -1;                    // device index of device tracks
  bool mainThread = false;            // of the thread that runs the training loop
  RowIndex firstRow;
  std::uint32_t rowCount = 0;
  EventIndex firstEvent;
  EventIndex endEvent;
};

struct Row {
  TrackIndex track;
  EventIndex firstEvent;
  EventIndex endEvent; // one past the last

  [[nodiscard]] std::uint32_t size() const { return endEvent.value - firstEvent.value; }
};

} // namespace rankscope

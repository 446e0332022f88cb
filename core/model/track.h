// SPDX-License-Identifier: GPL-3.0-or-later
// A track is one thread or stream of one rank. Its rows are needed because events of a row must not overlap.
// Tracks of a rank are ordered for reading: annotations, operators and Python of the main thread; other
// threads; streams with computation, communication, copies; the rest.
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
  GpuAnnotations, // annotations shown on a stream
  Sync,           // synchronization rows of a stream
  Instants,       // markers and memory events of a thread
  Overhead,       // overhead of the profiler
  Other,
};

enum class StreamRole : std::uint8_t { None, Compute, Communication, Copy };

struct Track {
  TrackKind kind = TrackKind::Other;
  StreamRole role = StreamRole::None; // of a Stream: what it spends most time on
  std::string process;                // pid as written
  std::string thread;                 // tid as written: thread or stream id
  std::string processName;            // from metadata, may be empty
  std::string threadName;             // from metadata, may be empty
  int device = -1;                    // device index of device tracks
  bool mainThread = false;            // whether the thread runs the training loop
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

// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs for tests, an event at a time, without a file: recordings go through the same builder as read ones do.
// Times in nanoseconds.
#pragma once

#include "core/model/slice_events.h"
#include "core/model/trace_builder.h"
#include "core/model/trace_set.h"

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace rankscope {

class HandMadeRank {
 public:
  HandMadeRank();

  // Device activity on a stream; detail.stream is set from stream.
  HandMadeRank& device(EventKind kind, int stream, TimeNs begin, TimeNs duration, const std::string& name,
                       RawDevice detail = {});
  HandMadeRank& kernel(int stream, TimeNs begin, TimeNs duration, const std::string& name) {
    return device(EventKind::Kernel, stream, begin, duration, name);
  }
  HandMadeRank& collective(int stream, TimeNs begin, TimeNs duration, const std::string& name) {
    return device(EventKind::Collective, stream, begin, duration, name);
  }
  HandMadeRank& annotation(TimeNs begin, TimeNs duration, const std::string& name,
                           const std::string& thread = "1");
  HandMadeRank& gpuAnnotation(int stream, TimeNs begin, TimeNs duration, const std::string& name);
  HandMadeRank& op(TimeNs begin, TimeNs duration, const std::string& name, const std::string& thread = "1",
                   std::uint32_t externalId = 0);
  HandMadeRank& hostCollective(TimeNs begin, TimeNs duration, const std::string& name,
                               const std::string& thread = "1");
  // A call of the device's runtime; device activity of the same correlation was launched by it.
  HandMadeRank& runtime(TimeNs begin, TimeNs duration, const std::string& name, std::uint32_t correlation = 0,
                        const std::string& thread = "1");
  HandMadeRank& python(TimeNs begin, TimeNs duration, const std::string& name,
                       const std::string& thread = "1");
  // From a forward operator to its backward one, by times within them.
  HandMadeRank& arrow(TimeNs from, const std::string& fromThread, TimeNs to, const std::string& toThread);
  HandMadeRank& memory(TimeNs time, RawMemory record, const std::string& thread = "1");
  // A runtime call of 2 us and the kernel that it launched.
  HandMadeRank& launched(TimeNs call, int stream, TimeNs begin, TimeNs duration, const std::string& name,
                         const std::string& thread = "1");

  // Consumes the events.
  [[nodiscard]] std::shared_ptr<const RankTrace> build(StringInterner& names, TraceMetadata metadata = {});

 private:
  void add(EventKind kind, std::uint32_t track, TimeNs begin, TimeNs duration, const std::string& name,
           std::uint32_t link);
  std::uint32_t track(const std::string& process, const std::string& thread, TrackKind kind, int device = -1);

  SliceEvents m_slice;
  std::uint32_t m_correlation = 1'000'000;
  std::unique_ptr<ReaderTables> m_tables;
  std::map<std::tuple<std::string, std::string, TrackKind>, std::uint32_t> m_tracks;
};

class HandMadeJob {
 public:
  // One file and one recording.
  HandMadeJob& add(int rank, HandMadeRank events, int capture = 1, const std::string& host = "node0");
  // A file that was found and not read.
  HandMadeJob& leaveOut(const std::string& path, const std::string& note);
  void setWorldSize(std::int64_t size) { m_worldSize = size; }

  [[nodiscard]] std::shared_ptr<const TraceSet> build() const;
  [[nodiscard]] const StringInterner& names() const { return m_names; }

 private:
  StringInterner m_names;
  std::optional<std::int64_t> m_worldSize;
  std::vector<RankEntry> m_ranks;
  std::vector<FileRecord> m_files;
};

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Builds small traces for tests: each call adds one event to a Kineto document, in call order. Times are
// int64 nanoseconds from the base, written as microseconds with three decimals. Names are escaped; addRaw()
// and metadata() copy their text unchanged, so that invalid text can be created. Host events are on process
// 100 by default; device rows are (device, stream).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope::test {

class TraceText {
 public:
  // Begins and durations in nanoseconds; a correlation of -1 is omitted.
  TraceText& addKernel(int device, std::int64_t stream, std::int64_t begin, std::int64_t duration,
                       std::string_view name, std::int64_t correlation = -1, std::string_view moreArgs = {});
  TraceText& addCopy(int device, std::int64_t stream, std::int64_t begin, std::int64_t duration,
                     std::string_view name, std::int64_t bytes, std::int64_t correlation = -1);
  TraceText& addSet(int device, std::int64_t stream, std::int64_t begin, std::int64_t duration,
                    std::int64_t bytes, std::int64_t correlation = -1);
  // A kernel with the arguments of a collective in group "0" with `groupSize` ranks.
  TraceText& addCollective(int device, std::int64_t stream, std::int64_t begin, std::int64_t duration,
                           std::string_view collective, std::int64_t elements, int groupSize,
                           std::int64_t correlation = -1);
  TraceText& addCpuOp(std::int64_t tid, std::int64_t begin, std::int64_t duration, std::string_view name,
                      std::string_view moreArgs = {});
  TraceText& addRuntime(std::int64_t tid, std::int64_t begin, std::int64_t duration, std::string_view name,
                        std::int64_t correlation = -1);
  TraceText& addAnnotation(std::int64_t tid, std::int64_t begin, std::int64_t duration,
                           std::string_view name);
  TraceText& addGpuAnnotation(int device, std::int64_t stream, std::int64_t begin, std::int64_t duration,
                              std::string_view name);
  TraceText& addStep(int number, std::int64_t begin, std::int64_t duration);
  // `id` and `parent` are the profiler's Python ids; parent -1 is written as null.
  TraceText& addPython(std::int64_t tid, std::int64_t begin, std::int64_t duration, std::string_view name,
                       std::int64_t id, std::int64_t parent = -1);
  TraceText& addMemory(std::int64_t tid, std::int64_t time, std::int64_t bytes, std::int64_t allocated,
                       std::int64_t reserved, int device = 0, std::int64_t address = 0x1000);
  TraceText& addInstant(std::int64_t tid, std::int64_t time, std::string_view name);
  // Phase 's' or 'f'; the row is (pid, tid).
  TraceText& addFlow(char phase, std::int64_t id, std::int64_t pid, std::int64_t tid, std::int64_t time,
                     std::string_view category = "ac2g");
  TraceText& addSlice(std::string_view category, std::int64_t pid, std::int64_t tid, std::int64_t begin,
                      std::int64_t duration, std::string_view name, std::string_view args = {});
  TraceText& addThreadName(std::int64_t pid, std::int64_t tid, std::string_view name);
  TraceText& addProcessLabel(std::int64_t pid, std::string_view label);
  // Text of an event without the comma.
  TraceText& addRaw(std::string_view event);
  // A root key before the events, with any JSON value.
  TraceText& metadata(std::string_view key, std::string_view json);
  TraceText& distributedInfo(int rank, int worldSize);
  TraceText& baseTime(std::int64_t ns);
  TraceText& hostProcess(std::int64_t pid);

  [[nodiscard]] int events() const { return m_count; }
  [[nodiscard]] std::string text() const;

 private:
  std::string m_metadata, m_events;
  std::int64_t m_base = 0, m_process = 100;
  int m_count = 0;
};

// `text` as a quoted JSON string.
[[nodiscard]] std::string jsonString(std::string_view text);
// Nanoseconds as microseconds with three decimals.
[[nodiscard]] std::string microseconds(std::int64_t ns);

// Writes a file and creates its folder; compressed if the name ends in .gz.
void writeTraceFile(const std::string& path, std::string_view text);

} // namespace rankscope::test

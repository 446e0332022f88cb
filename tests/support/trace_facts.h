// SPDX-License-Identifier: GPL-3.0-or-later
// Contents of a trace file read by a strict JSON parser, as a reference for tests. Slow and simple; it shares
// no code with the product, repairs nothing, and throws std::runtime_error on the first error.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::test {

struct ReadEvent {
  std::string phase, category, name, process, thread; // pid and tid as text, for any JSON type
  std::int64_t begin = 0, end = 0;                    // nanoseconds since the epoch
  std::int64_t correlation = -1;
  std::int64_t sequence = -1;                             // Sequence number
  std::int64_t bytes = 0, allocated = 0, deviceType = -1; // of [memory]
  std::string dims;                                       // Input Dims as written
  // Of collectives.
  std::string collective, dtype, groupName, groupRanks;
  std::int64_t inElements = -1, outElements = -1, peer = -1;
  // Of kernels; -1 if not recorded.
  std::array<std::int64_t, 3> grid{-1, -1, -1}, block{-1, -1, -1};
  std::int64_t registers = -1, sharedBytes = -1;
  // Of synchronization.
  std::int64_t stream = -1, waitedStream = -1, recordCorrelation = -1, waitedEvent = -1;
};

// All of traceEvents in file order. Plain or gzip.
[[nodiscard]] std::vector<ReadEvent> readStrictly(const std::filesystem::path& path);

// An entry of deviceProperties; 0 for what it does not say.
struct ReadDevice {
  std::int64_t id = 0;
  std::string name;
  std::int64_t memoryBytes = 0, multiprocessors = 0, computeMajor = 0, computeMinor = 0;
  std::int64_t registers = 0, sharedBytes = 0, threads = 0; // of a multiprocessor
};

// Where a trace says that it was recorded.
struct ReadOrigin {
  std::int64_t rank = -1; // of distributedInfo
  std::string host;       // host_name; empty if it does not say
  std::vector<ReadDevice> devices;
};

[[nodiscard]] ReadOrigin readOrigin(const std::filesystem::path& path);

// An event as a plain parser has it.
struct PlainEvent {
  std::string phase, text;         // text: the event itself, without white space
  std::int64_t begin = 0, end = 0; // nanoseconds since the epoch; rounded where the file is finer
};

// All of traceEvents in file order, with members of any type. Plain or gzip.
[[nodiscard]] std::vector<PlainEvent> readPlainly(const std::filesystem::path& path);

// The bytes of a file, decompressed if compressed.
[[nodiscard]] std::string readText(const std::filesystem::path& path);

// Whether a strict parser accepts the text.
[[nodiscard]] bool isStrictJson(const std::string& text);

} // namespace rankscope::test

// SPDX-License-Identifier: GPL-3.0-or-later
// A memory timeline that PyTorch wrote (export_memory_timeline): bytes by category over time, of one device.
// The reference for what Rankscope derives from a trace. Immutable once read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

inline constexpr std::size_t kTimelineCategories = 8;
// By the index that files have.
inline constexpr std::array<std::string_view, kTimelineCategories> kTimelineCategoryNames{
    "parameter",  "optimizer_state", "input",           "temporary",
    "activation", "gradient",        "autograd_detail", "unknown"};

using TimelineBytes = std::array<std::int64_t, kTimelineCategories>;

struct TimelinePoint {
  std::int64_t time = 0; // ns since 1970
  TimelineBytes bytes{}; // after everything that happened at this time

  [[nodiscard]] std::int64_t total() const;
};

struct MemoryTimeline {
  std::string path;
  std::optional<int> rank; // from the name
  bool raw = false;        // .raw.json.gz: every change; else .json: sizes
  std::uint64_t rows = 0;
  std::uint64_t stepsBack = 0;            // rows that are earlier than the one before
  std::array<std::uint64_t, 4> actions{}; // raw: pre-existing, created, new version, destroyed
  std::int64_t preexisting = 0;           // raw: bytes
  std::uint64_t timesWithNegative = 0;    // times at which a category is below 0: the file contradicts itself
  std::vector<TimelinePoint> points;      // by time
  std::size_t peak = 0;                   // index of the largest total
  TimelineBytes largest{};                // of each category
};

} // namespace rankscope

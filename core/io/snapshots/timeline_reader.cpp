// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/snapshots/timeline_reader.h"

#include "core/base/exact_sum.h"
#include "core/io/pickle/plain_data.h"
#include "core/io/placement/rank_names.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace rankscope {

namespace {

using Levels = std::array<ExactSum, kTimelineCategories>;

Error damaged(const std::string& path, std::string reason) {
  return {ErrorKind::Format, std::move(reason), path, std::nullopt};
}

TimelineBytes bytesOf(const Levels& levels) {
  TimelineBytes bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = levels[i];
  return bytes;
}

struct RawRow {
  std::int64_t time = 0;
  std::int64_t bytes = 0;
  std::uint8_t action = 0; // 0 to 3
  std::uint8_t category = 0;
};

// Empty for rows that are no change.
std::optional<RawRow> rawRow(const ValueTree& values, ValueId item) {
  if (!values.isList(item) || values.size(item) != 4) return std::nullopt;
  const auto time = values.integer(values.item(item, 0));
  const auto action = values.integer(values.item(item, 1));
  const auto bytes = values.integer(values.item(item, 2));
  const auto category = values.integer(values.item(item, 3));
  if (!time || !bytes || !action || *action < 1 || *action > 4 || !category || *category < 0 ||
      *category >= static_cast<std::int64_t>(kTimelineCategories))
    return std::nullopt;
  return RawRow{*time, *bytes, static_cast<std::uint8_t>(*action - 1), static_cast<std::uint8_t>(*category)};
}

// What exists already has time -1; it is shown at the first real time.
void readRaw(const ValueTree& values, ValueId root, MemoryTimeline& to) {
  std::vector<RawRow> rows;
  rows.reserve(values.size(root));
  ExactSum preexisting;
  values.eachItem(root, [&](ValueId item) {
    const auto row = rawRow(values, item);
    if (!row) return;
    if (!rows.empty() && row->time < rows.back().time) ++to.stepsBack;
    ++to.actions[row->action];
    if (row->action == 0) preexisting += row->bytes;
    rows.push_back(*row);
  });
  to.rows = rows.size();
  to.preexisting = preexisting;
  std::ranges::stable_sort(rows, {}, &RawRow::time);
  const auto real = std::ranges::find_if(rows, [](const RawRow& row) { return row.time >= 0; });
  const std::int64_t first = real == rows.end() ? 0 : real->time;
  Levels levels{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    levels[rows[i].category] += rows[i].bytes;
    if (i + 1 < rows.size() && rows[i + 1].time == rows[i].time) continue;
    to.points.push_back({rows[i].time < 0 ? first : rows[i].time, bytesOf(levels)});
  }
}

// [times in µs, sizes]: each a 0, then the categories.
void readCoalesced(const ValueTree& values, ValueId root, MemoryTimeline& to) {
  std::vector<std::int64_t> times;
  values.eachItem(values.item(root, 0), [&](ValueId item) {
    const std::int64_t time = values.integer(item).value_or(0);
    times.push_back(std::clamp<std::int64_t>(time, INT64_MIN / 1000, INT64_MAX / 1000) * 1000);
  });
  std::size_t i = 0;
  values.eachItem(values.item(root, 1), [&](ValueId item) {
    if (i >= times.size()) return;
    if (i > 0 && times[i] < times[i - 1]) ++to.stepsBack;
    TimelinePoint point{times[i++], {}};
    std::size_t category = 0;
    values.eachItem(item, [&](ValueId number) {
      if (category > 0 && category <= kTimelineCategories)
        point.bytes[category - 1] =
            std::clamp(values.integer(number).value_or(0), -ExactSum::kMax, ExactSum::kMax);
      ++category;
    });
    to.points.push_back(point);
  });
  to.rows = to.points.size();
  std::ranges::stable_sort(to.points, {}, &TimelinePoint::time);
}

void takeFigures(MemoryTimeline& to) {
  for (std::size_t i = 0; i < to.points.size(); ++i) {
    const TimelinePoint& point = to.points[i];
    bool negative = false;
    for (std::size_t c = 0; c < kTimelineCategories; ++c) {
      to.largest[c] = std::max(to.largest[c], point.bytes[c]);
      negative = negative || point.bytes[c] < 0;
    }
    if (negative) ++to.timesWithNegative;
    if (point.total() > to.points[to.peak].total()) to.peak = i;
  }
}

} // namespace

std::int64_t TimelinePoint::total() const {
  ExactSum sum;
  for (const std::int64_t one : bytes) sum += one;
  return sum;
}

Result<MemoryTimeline> readMemoryTimeline(const std::string& path) {
  const auto file = readPlainFile(path);
  if (!file) return file.error();
  const ValueTree& values = file->values;
  const ValueId first = values.item(file->root, 0);
  if (!values.isList(file->root) || !values.isList(first)) return damaged(path, "no memory timeline");
  const ValueId sizes = values.item(file->root, 1);
  const bool coalesced = values.size(file->root) == 2 && values.isList(values.item(sizes, 0));
  MemoryTimeline timeline;
  timeline.path = path;
  timeline.raw = !coalesced;
  timeline.rank = factsFromName(std::filesystem::path(path).filename().string()).rank;
  if (coalesced)
    readCoalesced(values, file->root, timeline);
  else
    readRaw(values, file->root, timeline);
  if (timeline.points.empty()) return damaged(path, "a memory timeline without points");
  takeFigures(timeline);
  return timeline;
}

} // namespace rankscope

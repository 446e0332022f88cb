// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/lanes/memory_lane.h"

#include "core/base/unit_text.h"
#include "ui/base/ui_text.h"
#include "ui/timeline/lanes/lane_picture.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {
namespace {

QString bytes(std::int64_t size) {
  return QString::fromStdString(bytesText(size));
}

std::size_t indexAt(const MemoryCurve& memory, TimeNs t) {
  return static_cast<std::size_t>(std::ranges::lower_bound(memory.times, t) - memory.times.begin());
}

// Value of a memory counter just before a time.
std::int64_t lastBefore(const MemoryCurve& memory, const std::vector<std::int64_t>& values, TimeNs end) {
  const std::size_t after = indexAt(memory, end);
  return after == 0 ? 0 : values[after - 1];
}

// What is allocated is not known after the recording.
TimeNs endOf(const RankTrace& trace, const MemoryCurve& memory) {
  return std::max(trace.extent.end, memory.times.empty() ? 0 : memory.times.back() + 1);
}

// The largest allocated and reserved size of each column until a time, as a fraction of the peak.
void fillColumns(LanePicture& picture, const MemoryCurve& memory, TimeNs end) {
  const auto full = static_cast<double>(std::max(memory.peak, memory.peakReserved));
  const auto part = [&](std::int64_t size) {
    const double share = static_cast<double>(std::max<std::int64_t>(size, 0)) / full;
    return static_cast<std::uint8_t>(std::lround(share * 255));
  };
  const bool reserves = !memory.reserved.empty();
  picture.clearValues();
  std::size_t from = indexAt(memory, picture.scale.columnBegin(0));
  const std::size_t columns = picture.columnsUntil(end);
  for (std::size_t x = 0; x < columns; ++x) {
    const TimeNs columnEnd = picture.scale.columnBegin(static_cast<std::int32_t>(x) + 1);
    std::size_t to = from;
    if (to < memory.times.size() && memory.times[to] < columnEnd) to = indexAt(memory, columnEnd);
    const std::size_t first = from > 0 && to == from ? from - 1 : from;
    if (to > from || from > 0) {
      const std::size_t last = std::max(to, first + 1);
      picture.buffers.values[x] = part(memory.pyramid.over(memory.allocated, first, last).max);
      if (reserves)
        picture.buffers.lowValues[x] = part(memory.reservedPyramid.over(memory.reserved, first, last).max);
    }
    from = to;
  }
}

bool allocatesOnDevice(const RankTrace& trace) {
  return std::ranges::any_of(trace.memory, [](const MemoryEvent& event) { return event.deviceType > 0; });
}

class MemoryLanes : public LaneKind {
 public:
  MemoryLanes() : LaneKind({.id = "memory"}) {}

  void addItems(const TraceSet& traces, RankIndex rank, std::vector<LaneItem>& items) const override {
    if (!rank.valid() || traces.rank(rank).trace->memory.empty()) return;
    items.push_back(
        {.kind = this,
         .place = LanePlace::Counters,
         .key = keyOf(traces, rank, "memory"),
         .label = nameOf(allocatesOnDevice(*traces.rank(rank).trace)),
         .hint = tr("Memory allocated by PyTorch's caching allocator; the line above is reserved memory"),
         .track = {}});
  }

  static QString nameOf(bool ofDevice) { return ofDevice ? tr("memory") : tr("CPU memory"); }

  int height() const override { return 24; }

  void paint(LanePicture& picture, const Lane& lane) const override {
    const RankSummary* const summary = picture.summaries.of(lane.rank);
    if (!summary || summary->memory.peak <= 0) return;
    const auto [top, bottom] = picture.linesOf(lane);
    const Theme& theme = picture.theme();
    const QRgb ground = theme.background.rgb();
    fillColumns(picture, summary->memory, endOf(picture.trace(lane.rank), summary->memory));
    if (!summary->memory.reserved.empty())
      picture.raster.drawArea(top, bottom - top, picture.buffers.lowValues, withAlpha(theme.muted, 26).rgba(),
                              mixed(ground, theme.muted.rgb(), 130));
    picture.raster.drawArea(top, bottom - top, picture.buffers.values, withAlpha(theme.accent, 56).rgba(),
                            mixed(ground, theme.accent.rgb(), 150));
  }

  QString textAt(const LaneFacts& facts, const Lane& lane, TimeRange column) const override {
    const RankSummary* const summary = facts.summaries.of(lane.rank);
    if (!summary || summary->memory.times.empty()) return {};
    const MemoryCurve& memory = summary->memory;
    const QString name = nameOf(memory.onDevice);
    if (column.begin >= endOf(facts.trace(lane.rank), memory)) return name;
    QStringList lines{name, tr("allocated %1").arg(bytes(lastBefore(memory, memory.allocated, column.end)))};
    if (!memory.reserved.empty())
      lines += tr("reserved %1").arg(bytes(lastBefore(memory, memory.reserved, column.end)));
    return lines.join('\n');
  }

  LaneNote note(const LaneFacts& facts, const Section& section) const override {
    const RankSummary* const summary = facts.summaries.of(section.rank);
    if (!summary || summary->memory.peak <= 0) return {};
    QString text = tr("peak %1").arg(bytes(summary->memory.peak));
    if (!summary->memory.reserved.empty())
      text += QStringLiteral("  ·  ") + tr("reserved %1").arg(bytes(summary->memory.peakReserved));
    return {text};
  }
};

} // namespace

const LaneKind& memoryLanes() {
  static const MemoryLanes kind;
  return kind;
}

} // namespace rankscope::ui

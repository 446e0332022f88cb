// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/memory/memory_data.h"
#include "ui/tables/table_figures.h"

#include "core/analysis/classify/own_code.h"
#include "core/analysis/job/analysis.h"
#include "core/base/unit_text.h"
#include "ui/base/ui_text.h"
#include "ui/widgets/call_stack.h"
#include "ui/widgets/rank_names.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

namespace rankscope::ui {

namespace {

constexpr std::size_t kBuckets = 600; // of a curve: about two pixels each
constexpr std::size_t kMaxMarks = 400;

QString nameOf(const Analysis& analysis, MemoryPlace place) {
  const RankEntry& entry = analysis.trace().rank(place.rank);
  QString text = tr("rank %1").arg(entry.rank);
  if (analysis.trace().severalCaptures()) text += tr(" · capture %1").arg(entry.capture);
  const DeviceMemory& device = analysis.memory(place.rank).devices[place.device];
  return text + QStringLiteral(" · ") + QString::fromStdString(device.device.name());
}

// Levels hold until the next one: a step curve.
template <class Of> QList<QPointF> stairs(const std::vector<MemoryLevel>& levels, double end, Of of) {
  QList<QPointF> points;
  for (const MemoryLevel& level : levels) {
    const double value = of(level);
    if (!points.isEmpty()) points << QPointF(static_cast<double>(level.time), points.back().y());
    points << QPointF(static_cast<double>(level.time), value);
  }
  if (!points.isEmpty()) points << QPointF(end, points.back().y());
  return points;
}

void addSteps(const Analysis& analysis, MemoryPlace place, Curves& curve) {
  const StepWindows& steps = analysis.wholeStepWindows(place.rank);
  if (!steps.areSteps() || steps.steps.size() > kMaxMarks) return;
  for (const StepWindow& step : steps.steps) {
    const auto x = static_cast<double>(sinceJobBegin(analysis, place.rank, RankTime(step.range.begin)));
    if (curve.xBegin <= x && x <= curve.xEnd) curve.marks.push_back({x, tr("Step %1").arg(step.number)});
  }
}

Curves curveOf(const Analysis& analysis, MemoryPlace place, const DeviceMemory& device) {
  Curves curve;
  curve.xUnit = Unit::Nanoseconds;
  curve.yUnit = Unit::Bytes;
  if (device.levels.empty()) return curve;
  const TimeRange all{device.levels.front().time, device.levels.back().time + 1};
  std::vector<MemoryLevel> levels = thinnedLevels(device.levels, all, kBuckets);
  for (MemoryLevel& level : levels) level.time = sinceJobBegin(analysis, place.rank, RankTime(level.time));
  curve.xBegin = static_cast<double>(levels.front().time);
  curve.xEnd = std::max(curve.xBegin + 1, static_cast<double>(levels.back().time));
  const auto allocated = [](const MemoryLevel& level) { return static_cast<double>(level.allocated); };
  curve.curves.push_back(
      {tr("allocated"), stairs(levels, curve.xEnd, allocated), &Theme::accent, false, true});
  if (device.reservedIsKnown) {
    std::erase_if(levels, [](const MemoryLevel& level) { return level.reserved < 0; });
    const auto reserved = [](const MemoryLevel& level) { return static_cast<double>(level.reserved); };
    curve.curves.push_back({tr("reserved"), stairs(levels, curve.xEnd, reserved), &Theme::warn, true});
  }
  addSteps(analysis, place, curve);
  return curve;
}

// Of each rank the fullest device, in whichever of its captures. places: by peak, descending.
void addPeaks(const Analysis& analysis, std::span<const MemoryPlace> places, MemoryData& memory) {
  std::vector<MemoryPlace>& fullest = memory.peakPlaces;
  const auto numberOf = [&](const MemoryPlace& place) { return analysis.trace().rank(place.rank).rank; };
  std::set<int> seen;
  for (const MemoryPlace& place : places) {
    const bool onHost = analysis.memory(place.rank).devices[place.device].device.onHost;
    if (!onHost && seen.insert(numberOf(place)).second) fullest.push_back(place);
  }
  if (fullest.size() < 2) return fullest.clear();
  std::ranges::sort(fullest, {}, numberOf);
  Curve allocated{tr("peak allocated")};
  Curve reserved{tr("peak reserved"), {}, &Theme::warn, true};
  for (std::size_t i = 0; i < fullest.size(); ++i) {
    const auto x = static_cast<double>(i);
    const DeviceMemory& device = analysis.memory(fullest[i].rank).devices[fullest[i].device];
    allocated.points << QPointF(x, static_cast<double>(device.peakAllocated->allocated));
    if (device.peakReserved)
      reserved.points << QPointF(x, static_cast<double>(device.peakReserved->reserved));
    memory.peaks.xTexts << rankName(analysis, fullest[i].rank, true);
  }
  memory.peaks.yUnit = Unit::Bytes;
  memory.peaks.xEnd = static_cast<double>(fullest.size() - 1);
  memory.peaks.curves.push_back(std::move(allocated));
  if (!reserved.points.isEmpty()) memory.peaks.curves.push_back(std::move(reserved));
}

void addBlocks(const Analysis& analysis, MemoryPlace place, MemoryData& memory) {
  const RankTrace& trace = *analysis.trace().rank(place.rank).trace;
  memory.blocks = memoryBlocks(trace, analysis.memoryOwners(place.rank));
  const RankRange window = analysis.window(place.rank);
  for (const MemoryBlock& block : memory.blocks.blocks) {
    const bool known = block.allocation != MemoryBlock::kNoRecord;
    if (block.device == memory.device && known && window.contains(RankTime(block.life.begin)))
      memory.shownBlocks.push_back(block);
  }
  memory.blockRows = std::make_shared<const ResultTable>(
      blocksTable(analysis, place.rank, memory.shownBlocks,
                  [&](const MemoryBlock& block) { return sourceOf(analysis.trace(), place.rank, block); }));
}

} // namespace

MemoryData memoryData(const Analysis& analysis, std::optional<MemoryPlace> wanted) {
  MemoryData memory;
  const std::vector<MemoryPlace> places = memoryPlaces(analysis);
  if (places.empty()) return memory;
  for (const MemoryPlace& place : places) {
    const auto peak = analysis.memory(place.rank).devices[place.device].peakAllocated->allocated;
    memory.places.push_back(
        {place, nameOf(analysis, place) + tr(" · peak %1").arg(QString::fromStdString(bytesText(peak)))});
  }
  addPeaks(analysis, places, memory);
  const bool there = wanted && std::ranges::find(places, *wanted) != places.end();
  memory.place = there ? *wanted : places.front();
  memory.where = nameOf(analysis, *memory.place);
  const DeviceMemory& device = analysis.memory(memory.place->rank).devices[memory.place->device];
  memory.device = device.device;
  memory.onlyHost = lacksDeviceMemory(analysis, memory.place->rank);
  memory.allocatedIsSum = device.allocatedIsSum;
  memory.figures = memoryFigures(analysis, *memory.place);
  memory.curve = curveOf(analysis, *memory.place, device);
  if (memory.figures.peakAllocated)
    memory.peakAt = sinceJobBegin(analysis, memory.place->rank, RankTime(memory.figures.peakAllocated->time));
  memory.operators = std::make_shared<const ResultTable>(memoryOperatorsTable(analysis, *memory.place));
  addBlocks(analysis, *memory.place, memory);
  return memory;
}

MemoryData memoryDataOf(const JobReport& report, std::optional<MemoryPlace> wanted,
                        const EfficiencySettings& settings, bool perStep) {
  MemoryData memory = memoryData(report.analysis(), wanted);
  const std::shared_ptr<const Analysis> sums = analysisOfSums(report.sharedAnalysis(), perStep);
  if (memory.place && sums != report.sharedAnalysis())
    memory.operators = std::make_shared<const ResultTable>(memoryOperatorsTable(*sums, *memory.place));
  memory.settings = settings;
  memory.roles = rolesData(report, memory.place, memory.where, settings);
  if (memory.roles.expected) memory.guesses = modelGuesses(report);
  memory.snapshots = std::make_shared<const SnapshotsData>(snapshotsData(report, settings));
  return memory;
}

std::string sourceOf(const TraceSet& traces, RankIndex rank, const MemoryBlock& block) {
  const RankTrace& trace = *traces.rank(rank).trace;
  if (block.allocation == MemoryBlock::kNoRecord || !hasPythonStacks(trace)) return {};
  const EventIndex event = trace.memory[block.allocation].event;
  if (!event.valid()) return {};
  for (const StackFrame& frame : callStackOf(traces, {rank, event})) {
    if (!frame.place || !isOwnPath(frame.place->file)) continue;
    const std::string& file = frame.place->file;
    return file.substr(file.rfind('/') + 1) + ":" + std::to_string(frame.place->line);
  }
  return {};
}

RankTime rankTimeOf(const Analysis& analysis, const MemoryData& memory, double x) {
  return analysis.clocks().of(memory.place->rank).fromJob(analysis.extent().begin + std::llround(x));
}

std::vector<MemoryBlock> blocksAt(const Analysis& analysis, const MemoryData& memory, double x) {
  return liveBlocks(memory.blocks, memory.device, rankTimeOf(analysis, memory, x).ns());
}

const MemoryEvent* recordAt(const Analysis& analysis, const MemoryData& memory, double x) {
  const RankTrace& trace = *analysis.trace().rank(memory.place->rank).trace;
  const TimeNs time = rankTimeOf(analysis, memory, x).ns();
  const auto& records = trace.memory;
  auto at = std::upper_bound(records.begin(), records.end(), time,
                             [](TimeNs t, const MemoryEvent& record) { return t < record.time; });
  while (at != records.begin()) {
    --at;
    if (MemoryDevice::of(*at) == memory.device) return &*at;
  }
  return nullptr;
}

} // namespace rankscope::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// Data of the memory tab for one device, made on a worker: metrics, curve, operators and blocks. Times of
// curves are job time since the job's first event. Constant once made.
#pragma once

#include "core/report/memory_view.h"
#include "core/report/model_guesses.h"
#include "ui/charts/line_plot.h"
#include "ui/tabs/memory/roles_section.h"
#include "ui/tabs/memory/snapshot_data.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace rankscope::ui {

struct MemoryDeviceName {
  MemoryPlace place;
  QString text; // "rank 5 · GPU0 · 53.3 GB"
};

struct MemoryData {
  std::vector<MemoryDeviceName> places; // to choose from
  Curves peaks;                         // of each rank's GPU with the highest peak; empty for a single rank
  std::vector<MemoryPlace> peakPlaces;  // by point of it, one per rank
  std::optional<MemoryPlace> place;     // the device of all below; empty: no memory recorded
  QString where;                        // "rank 5 · GPU0"
  MemoryDevice device;
  bool onlyHost = false; // the rank has a GPU, of which no allocation was recorded
  MemoryFigures figures;
  Curves curve;
  TimeNs peakAt = 0; // on the axis of the curve
  bool allocatedIsSum = false;
  std::shared_ptr<const ResultTable> operators;
  MemoryBlocks blocks;                          // of the whole recording, all devices
  std::vector<MemoryBlock> shownBlocks;         // of the device, allocated in the selection
  std::shared_ptr<const ResultTable> blockRows; // the same as rows
  EfficiencySettings settings;                  // what the user says of the model
  ModelGuesses guesses;                         // what the recording says of it
  RolesData roles;
  std::shared_ptr<const SnapshotsData> snapshots;
};

// wanted: used if it exists; otherwise the first of memoryPlaces.
[[nodiscard]] MemoryData memoryData(const Analysis& analysis, std::optional<MemoryPlace> wanted);
// With roles, and with the snapshots that lie beside the recordings. perStep: sums of operators are over kept
// steps.
[[nodiscard]] MemoryData memoryDataOf(const JobReport& report, std::optional<MemoryPlace> wanted,
                                      const EfficiencySettings& settings, bool perStep);

// "attention.py:88": the innermost user frame of an allocation; empty without Python frames.
[[nodiscard]] std::string sourceOf(const TraceSet& traces, RankIndex rank, const MemoryBlock& block);

// The rank's time at a position on the curve's axis. REQUIRES: memory.place.
[[nodiscard]] RankTime rankTimeOf(const Analysis& analysis, const MemoryData& memory, double x);
// The live blocks at a time of the curve, the largest first.
[[nodiscard]] std::vector<MemoryBlock> blocksAt(const Analysis& analysis, const MemoryData& memory, double x);
// The last allocation or free of the device up to this time; null before the first.
[[nodiscard]] const MemoryEvent* recordAt(const Analysis& analysis, const MemoryData& memory, double x);

} // namespace rankscope::ui

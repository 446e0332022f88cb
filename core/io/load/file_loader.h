// SPDX-License-Identifier: GPL-3.0-or-later
// Reads one file into a RankTrace: slices are produced in order and handed to whoever has time, then put
// together in the file's order. The steps of several files overlap; the only thing they share is the job's
// interner, which each file enters in its turn so that name ids are the same on every run.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/io/kineto/event_slicer.h"
#include "core/io/kineto/load_filter.h"
#include "core/io/load/work_queue.h"
#include "core/model/trace_builder.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace rankscope {

struct LoadedFile {
  std::shared_ptr<const RankTrace> trace;
  std::uint64_t textBytes = 0; // of the inflated JSON
};

// What the loads of one job share.
struct LoadContext {
  Progress& progress;
  WorkQueue& slices;
  NameTurns& names;
  // How many threads one file may take for its own parallel steps, asked when each begins: at the end of a
  // load few files have all threads to themselves.
  std::function<unsigned()> threadCount;
  const LoadFilter& filter;
  std::size_t sliceBytes = EventSlicer::kSliceBytes;
};

// turn: the file's place in the order of the job. Takes the turn exactly once, whatever happens.
[[nodiscard]] Result<LoadedFile> loadFile(const std::string& path, std::size_t turn, LoadContext& context);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Reads one file into the RankTraces of its recordings with the reader of its format. The steps of several
// files overlap; the only thing they share is the job's interner, which each file enters in its turn so that
// name ids are the same on every run.
#pragma once

#include "core/base/result.h"
#include "core/io/load/name_sequencer.h"
#include "core/io/load/trace_readers.h"
#include "core/io/reader/trace_reader.h"
#include "core/model/rank_trace.h"
#include "core/model/trace_builder.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rankscope {

struct LoadedRecording {
  std::shared_ptr<const RankTrace> trace;
  std::shared_ptr<const DetailSource> details;
};

struct LoadedFile {
  std::string format;
  std::vector<LoadedRecording> recordings; // in the reader's order, at least one
  std::uint64_t textBytes = 0;             // decompressed
};

// What the loads of one job share.
struct LoadContext {
  ReadContext read;
  NameSequencer& names;
  const TraceReaders& readers;
  std::uint64_t mostEvents = kMostEvents; // of a recording
};

// turn: the file's place in the order of the job. Takes the turn exactly once, whatever happens.
[[nodiscard]] Result<LoadedFile> loadFile(const std::string& path, std::size_t turn, LoadContext& context);

} // namespace rankscope

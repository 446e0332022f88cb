// SPDX-License-Identifier: GPL-3.0-or-later
// Loads one file: reads it with the reader of its format and builds the RankTraces of its recordings. Several
// files are loaded in parallel. They share only the job's interner, which each file uses in its turn, so that
// name ids are the same in every run with the same turns.
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
  RecordingOrigin origin = {};
};

struct LoadedFile {
  std::string format;
  std::vector<LoadedRecording> recordings; // in the reader's order, at least one
  std::uint64_t textBytes = 0;             // decompressed size
  std::vector<NameId> names; // ids in the job of its names, in the order of their first appearance
};

// Shared by all files of a load.
struct LoadContext {
  ReadContext read;
  NameSequencer& names;
  const TraceReaders& readers;
  std::uint64_t mostEvents = kMostEvents; // limit per recording
};

// turn: of the file among those of the job. It is taken exactly once, also on errors.
[[nodiscard]] Result<LoadedFile> loadFile(const std::string& path, std::size_t turn, LoadContext& context);

} // namespace rankscope

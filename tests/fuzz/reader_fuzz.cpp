// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a whole trace file: it is read or refused with a reason, every index of what was read leads
// somewhere, every repair lies inside of the text, a file that needs no repair gives the same events however
// it is sliced, and each event's fields can be read again.
#include "core/io/cache/trace_image.h"
#include "core/io/kineto/kineto_reader.h"
#include "core/io/load/file_loader.h"
#include "tests/fuzz/memory_file.h"

#include <algorithm>
#include <vector>

using namespace rankscope;

namespace {

struct Read {
  Result<LoadedFile> file;
  StringTable names;
};

Read readWhole(const std::string& path, std::size_t sliceBytes) {
  Progress progress;
  WorkQueue queue;
  NameSequencer names(queue);
  const LoadFilter filter;
  const KinetoReader kineto(sliceBytes);
  const TraceReaders readers{&kineto};
  LoadContext context{{progress, queue, [] { return 1U; }, filter}, names, readers};
  Result<LoadedFile> file = loadFile(path, 0, context);
  return {std::move(file), names.snapshot()};
}

void look(const Read& read) {
  const auto& recording = read.file->recordings.front();
  const RankTrace& trace = *recording.trace;
  test::require(isSound(trace, read.names.size()));
  for (const Diagnostic& told : trace.diagnostics.items())
    test::require(told.at.readerBits() <= read.file->textBytes && !told.text.empty());
  std::vector<SourceRef> places(trace.events.source.begin(), trace.events.source.end());
  std::ranges::sort(places);
  constexpr std::size_t kMax = 4;
  for (std::size_t i = 0; i < std::min(kMax, places.size()); ++i)
    static_cast<void>(recording.details->fields(places[i]));
  static_cast<void>(
      recording.details->arguments(places, EventArgument::InputShapes, [](std::size_t, std::string_view) {}));
}

} // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name is of libFuzzer
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const test::MemoryFile memory;
  if (size == 0) return 0;
  memory.fill({data, size});
  const Read whole = readWhole(memory.path(), EventSlicer::kSliceBytes);
  if (!whole.file) {
    test::require(!whole.file.error().message.empty() && !whole.file.error().file.empty());
    return 0;
  }
  look(whole);
  const Read sliced = readWhole(memory.path(), 200);
  test::require(static_cast<bool>(sliced.file));
  look(sliced);
  const RankTrace& one = *whole.file->recordings.front().trace;
  const RankTrace& many = *sliced.file->recordings.front().trace;
  if (one.diagnostics.items().empty()) {
    test::require(one.fileEvents == many.fileEvents);
    test::require(one.events.size() == many.events.size());
  }
  return 0;
}

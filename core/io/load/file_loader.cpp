// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/file_loader.h"

#include "core/base/caught.h"
#include "core/base/unit_text.h"
#include "core/io/files/file_bytes.h"
#include "core/io/files/file_kind.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

// A file and what its reader returned.
struct ReadFile {
  const TraceReader* reader = nullptr;
  FileReading reading;
};

Result<ReadFile> readFile(const std::string& path, LoadContext& context) {
  const auto file = FileBytes::open(path);
  if (!file) return file.error();
  const TraceReader* const reader = readerOf(*file, context.readers);
  const bool sure = reader != nullptr && reader->match(*file) == FormatMatch::Yes;
  // Check before reading: inside an archive, a reader would find a trace and report it as damaged.
  if (const auto other = sure ? std::nullopt : otherKindOfStart(startOf(*file))) {
    context.read.progress.bytesDone += file->bytes().size();
    return Error{ErrorKind::NotATrace, "not a trace but " + std::string(*other), path, std::nullopt};
  }
  if (reader == nullptr)
    return Error{ErrorKind::NotATrace, "not a trace of a known format", path, std::nullopt};
  Result<FileReading> reading = reader->read(*file, context.read);
  if (!reading) return reading.error();
  return ReadFile{reader, std::move(reading).value()};
}

std::optional<Error> tooMany(const FileReading& reading, std::uint64_t maximum) {
  for (const FileEvents& recording : reading.recordings) {
    const std::uint64_t events = eventCount(recording);
    if (events <= maximum) continue;
    return Error{ErrorKind::Unsupported,
                 groupedText(static_cast<std::int64_t>(events)) + " events of one rank, of which at most " +
                     groupedText(static_cast<std::int64_t>(maximum)) +
                     " can be shown: open some of its steps, or leave out its Python stack",
                 {},
                 std::nullopt};
  }
  return std::nullopt;
}

// The names of a file, in the order of their first appearance.
struct OwnNames {
  StringInterner names;
  std::vector<NameMaps> maps; // of each recording, to these names
};

OwnNames ownNames(const FileReading& reading) {
  OwnNames own;
  own.maps.reserve(reading.recordings.size());
  for (const FileEvents& events : reading.recordings)
    own.maps.push_back(mergeNames(events.tables, own.names));
  return own;
}

std::vector<NameId> addedTo(StringInterner& job, const StringInterner& own) {
  std::vector<NameId> ids;
  ids.reserve(own.size());
  for (NameId name(0); name.value < own.size(); ++name.value)
    ids.push_back(job.internHashed(own[name], own.hashAt(name)));
  return ids;
}

void useIdsOfJob(NameMaps& maps, const std::vector<NameId>& ids) {
  for (std::vector<NameId>& map : maps)
    for (NameId& name : map) name = ids[name.value];
}

} // namespace

Result<LoadedFile> loadFile(const std::string& path, std::size_t turn, LoadContext& context) {
  constexpr std::string_view kToDo = "to read this file";
  Result<ReadFile> read = attempt([&] { return readFile(path, context); }, kToDo);
  // Nothing may fail here before the turn is taken: all later files would wait forever.
  std::optional<OwnNames> own;
  std::optional<Error> problem;
  if (read) problem = attempt([&] { own.emplace(ownNames(read->reading)); }, kToDo);
  LoadedFile loaded;
  StringTable names;
  const auto merge = [&](StringInterner& interner) {
    if (!own) return;
    loaded.names = addedTo(interner, own->names);
    names = interner.snapshot();
  };
  auto notMerged = attempt([&] { context.names.take(turn, std::ref(merge)); }, kToDo); // a reference is small
  if (!problem) problem = std::move(notMerged);
  if (!read) problem = read.error();
  if (!problem) problem = tooMany(read->reading, context.mostEvents);
  const auto build = [&] {
    std::vector<NameMaps>& maps = own->maps;
    for (NameMaps& map : maps) useIdsOfJob(map, loaded.names);
    loaded.format = read->reader->format();
    loaded.textBytes = read->reading.textBytes;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      RecordingOrigin origin = std::move(read->reading.recordings[i].origin);
      loaded.recordings.push_back(
          {buildRankTrace(std::move(read->reading.recordings[i]), maps[i], names, context.read.threadCount()),
           read->reader->details(path, i), std::move(origin)});
    }
  };
  if (!problem) problem = attempt(build, kToDo);
  if (!problem) return loaded;
  if (problem->file.empty()) problem->file = path;
  return *std::move(problem);
}

} // namespace rankscope

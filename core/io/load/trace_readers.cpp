// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/trace_readers.h"

#include "core/io/files/file_bytes.h"
#include "core/io/folded/folded_reader.h"
#include "core/io/kineto/kineto_reader.h"
#include "core/io/load/side_loader.h"
#include "core/io/nsys/nsys_json_reader.h"
#include "core/io/nsys/nsys_reader.h"
#include "core/io/reader/trace_reader.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace rankscope {

const TraceReaders& traceReaders() {
  static const KinetoReader kineto;
  static const NsysReader nsys;
  static const NsysJsonReader nsysJson;
  static const FoldedReader folded;
  static const TraceReaders kReaders{&nsysJson, &kineto, &nsys,
                                     &folded}; // JSON lines are JSON to kineto, too
  return kReaders;
}

const TraceReader* readerOf(const FileBytes& file, const TraceReaders& readers) {
  const TraceReader* best = nullptr;
  for (const TraceReader* reader : readers) {
    const FormatMatch match = reader->match(file);
    if (match == FormatMatch::Yes) return reader;
    if (match == FormatMatch::Maybe && best == nullptr) best = reader;
  }
  return best;
}

std::shared_ptr<const DetailSource> detailsOf(const FileRecord& file, const TraceReaders& readers) {
  const auto reader = std::ranges::find(readers, file.format, &TraceReader::format);
  return reader == readers.end() ? nullptr : (*reader)->details(file.path, file.recording);
}

namespace {

// Programs write logs as JSON lines beside traces. In folders, only those that are exports are of use.
void leaveLogs(std::span<const std::string> given, Discovery& found) {
  constexpr std::string_view kEnding = ".jsonl";
  const NsysJsonReader reader;
  OtherFiles logs;
  std::erase_if(found.files, [&](const DiscoveredFile& candidate) {
    if (!candidate.path.ends_with(kEnding) || std::ranges::find(given, candidate.path) != given.end())
      return false;
    std::error_code failed;
    const bool empty = std::filesystem::file_size(candidate.path, failed) == 0 && !failed;
    if (!empty) {
      const auto file = FileBytes::open(candidate.path);
      if (!file || reader.match(*file) == FormatMatch::Yes) return false;
    }
    ++logs.count;
    logs.paths.push_back(candidate.path);
    return true;
  });
  found.others.add(std::move(logs));
}

} // namespace

Discovery discoverTraceFiles(std::span<const std::string> paths, const TraceReaders& readers) {
  std::vector<std::string_view> endings;
  for (const TraceReader* reader : readers) {
    const std::span<const std::string_view> own = reader->nameEndings();
    endings.insert(endings.end(), own.begin(), own.end());
  }
  Discovery found = searchForFiles(paths, endings, mayBeSideFile);
  leaveLogs(paths, found);
  return found;
}

std::string searchedNames(const TraceReaders& readers) {
  std::string names;
  for (const TraceReader* reader : readers) {
    for (const std::string_view ending : reader->nameEndings())
      names.append(names.empty() ? "*" : ", *").append(ending);
  }
  return names;
}

std::optional<LoadFilter::Steps> stepNumbers(const std::string& path, const std::atomic<bool>& cancel,
                                             const TraceReaders& readers) {
  const auto file = FileBytes::open(path);
  const TraceReader* const reader = file ? readerOf(*file, readers) : nullptr;
  return reader == nullptr ? std::nullopt : reader->stepNumbers(*file, cancel);
}

} // namespace rankscope

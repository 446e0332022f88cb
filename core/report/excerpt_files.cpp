// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/excerpt_files.h"

#include "core/export/gzip.h"
#include "core/export/json.h"
#include "core/export/whole_file.h"
#include "core/io/files/file_bytes.h"
#include "core/io/load/rank_events.h"
#include "core/io/load/trace_readers.h"
#include "core/io/reader/trace_reader.h"
#include "core/model/rank_digest.h"

#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace rankscope {

std::vector<ExcerptFile> excerptFiles(const Analysis& analysis, const std::string& out) {
  std::string_view stem = out;
  std::string_view ending;
  for (const std::string_view known : {".json.gz", ".json"}) {
    if (!ending.empty() || !stem.ends_with(known)) continue;
    ending = known;
    stem.remove_suffix(known.size());
  }
  std::vector<RankIndex> recorded; // in the part
  for (const RankIndex rank : analysis.ranks()) {
    const TimeRange extent = analysis.trace().rank(rank).trace->extent; // empty where events take no time
    const TimeRange window = analysis.window(rank).ns();
    if (extent.overlaps(window) || window.contains(extent.begin)) recorded.push_back(rank);
  }
  std::map<int, int> recordings;
  for (const RankIndex rank : recorded) ++recordings[analysis.trace().rank(rank).rank];
  std::vector<ExcerptFile> files;
  files.reserve(recorded.size());
  for (const RankIndex rank : recorded) {
    const RankEntry& entry = analysis.trace().rank(rank);
    std::string name = fmt::format("rank{}", entry.rank);
    if (recordings[entry.rank] > 1) name += fmt::format("_capture{}", entry.capture);
    std::string path = ending.empty()         ? (std::filesystem::path(out) / (name + ".json.gz")).string()
                       : recorded.size() == 1 ? out
                                              : fmt::format("{}_{}{}", stem, name, ending);
    files.push_back({.rank = rank, .path = std::move(path)});
  }
  return files;
}

std::optional<Error> writeExcerpt(const Analysis& analysis, ExcerptFile& file) {
  const RankEntry& entry = analysis.trace().rank(file.rank);
  std::string path = analysis.trace().file(entry.file).path;
  if (isDigest(analysis.trace())) path = reachableTrace(analysis.trace(), file.rank).value_or(path);
  const auto bytes = FileBytes::open(path);
  if (!bytes) return bytes.error();
  const TraceReader* const reader = readerOf(*bytes);
  if (reader == nullptr)
    return Error{ErrorKind::Format, "the file is of no known format", path, std::nullopt};
  const TraceMetadata& metadata = entry.trace->metadata;
  ExcerptRequest request;
  const TimeRange window = analysis.window(file.rank).ns();
  request.window = {stoppingSum(window.begin, -metadata.baseTime),
                    stoppingSum(window.end, -metadata.baseTime)};
  request.rank = entry.rank;
  request.worldSize = metadata.worldSize;
  if (!entry.host.empty()) request.hostJson = jsonString(entry.host);
  const auto excerpt = reader->excerpt(*bytes, request);
  if (!excerpt) return excerpt.error();
  file.events = excerpt->events;
  file.damaged = excerpt->damaged;
  if (file.events == 0) return std::nullopt;
  const bool compressed = std::string_view(file.path).ends_with(".gz");
  return writeWholeFile(file.path, compressed ? gzipped(excerpt->text) : excerpt->text);
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/rank_choice.h"

#include "core/base/parallel_for.h"
#include "core/io/files/file_bytes.h"
#include "core/io/placement/rank_files.h"
#include "core/io/placement/rank_names.h"
#include "core/io/reader/trace_reader.h"

#include <algorithm>

namespace rankscope {

namespace {

std::optional<int> rankInFront(const DiscoveredFile& file, const TraceReaders& readers) {
  const auto bytes = FileBytes::open(file.path);
  const TraceReader* const reader = bytes ? readerOf(*bytes, readers) : nullptr;
  return reader == nullptr ? std::nullopt : reader->rankInFront(*bytes);
}

} // namespace

std::vector<std::optional<int>> ranksBeforeReading(std::span<const DiscoveredFile> files,
                                                   unsigned threadCount, const TraceReaders& readers) {
  std::vector<FileFacts> facts(files.size());
  parallelFor(files.size(), threadCount, [&](std::size_t i) {
    facts[i].path = files[i].path;
    facts[i].relativePath = files[i].relativePath;
    facts[i].name = factsFromName(files[i].relativePath);
    facts[i].events = files[i].bytes; // the larger file counts more
    facts[i].metadataRank = rankInFront(files[i], readers);
  });
  const std::vector<FilePlacement> placements = placeFiles(facts);
  std::vector<std::optional<int>> ranks;
  ranks.reserve(files.size());
  for (const FilePlacement& placement : placements)
    ranks.push_back(placement.from == RankSource::Guess ? std::nullopt : placement.rank);
  return ranks;
}

std::vector<DiscoveredFile> filesOfRanks(std::span<const DiscoveredFile> files, std::span<const int> ranks,
                                         unsigned threadCount, const TraceReaders& readers,
                                         std::set<int>& leftOut) {
  const std::vector<std::optional<int>> known = ranksBeforeReading(files, threadCount, readers);
  std::vector<DiscoveredFile> chosen;
  chosen.reserve(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!known[i]) continue;
    if (!std::ranges::binary_search(ranks, *known[i])) {
      leftOut.insert(*known[i]);
      continue;
    }
    chosen.push_back(files[i]);
    chosen.back().rank = known[i];
  }
  return chosen;
}

} // namespace rankscope

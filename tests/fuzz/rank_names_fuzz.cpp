// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as names of files, one a line: each says something or nothing, and all of them are placed so that
// no two are the same capture of the same rank of a job, in whatever order they come.
#include "core/io/placement/rank_files.h"
#include "core/io/placement/rank_names.h"
#include "tests/fuzz/memory_file.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

using namespace rankscope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxFiles = 24;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<FileFacts> files;
  for (std::size_t at = 0; at <= text.size() && files.size() < kMaxFiles;) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string name(text.substr(at, end - at));
    at = end + 1;
    static_cast<void>(factsFromFolder(name));
    static_cast<void>(namePattern(name));
    FileFacts& facts = files.emplace_back();
    facts.path = "/job/" + name;
    facts.relativePath = name;
    facts.name = factsFromName(name);
    if (facts.name.stamp) static_cast<void>(stampIsWallTime(*facts.name.stamp));
    // What is inside is not of the name; let it differ from file to file.
    facts.events = name.size();
    facts.beginNs = static_cast<TimeNs>(files.size()) * 1000;
    facts.endNs = facts.beginNs + 500;
  }
  std::vector<FilePlacement> placed = placeFiles(files);
  test::require(placed.size() == files.size());
  std::set<std::tuple<int, int, int>> seen;
  for (const FilePlacement& place : placed) {
    if (place.job < 0) continue;
    test::require(place.rank.has_value() && place.capture >= 1);
    test::require(seen.emplace(place.job, *place.rank, place.capture).second);
  }
  return 0;
}

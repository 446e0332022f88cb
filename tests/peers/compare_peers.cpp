// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/peers/compare_peers.h"

#include "core/io/load/trace_loader.h"
#include "tests/peers/peer_set.h"

#include <algorithm>

namespace rankscope::peers {

std::vector<std::string> comparableSets(const std::filesystem::path& folder) {
  std::vector<std::string> sets;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "oracles", error)) {
    if (entry.is_directory() && std::filesystem::exists(folder / "traces" / entry.path().filename()))
      sets.push_back(entry.path().filename().string());
  }
  std::ranges::sort(sets);
  return sets;
}

SetComparison comparePeers(const std::filesystem::path& folder, const std::string& name,
                           const std::string& table) {
  SetComparison result;
  Progress progress;
  auto loaded = loadTraces({(folder / "traces" / name).string()}, {}, progress);
  if (!loaded.ok()) {
    result.faults.push_back(loaded.error().text());
    return result;
  }
  PeerSet set;
  set.name = name;
  set.oracles = folder / "oracles" / name;
  set.job = *loaded;
  set.analysis = std::make_unique<const Analysis>(set.job);
  set.onlyTable = table;
  for (std::size_t r = 0; r < set.job->ranks().size(); ++r)
    set.files.push_back(readPeerFile(*set.job, RankIndex(r)));
  for (const PeerFile& file : set.files)
    result.faults.insert(result.faults.end(), file.faults.begin(), file.faults.end());
  compareHta(set, result.figures);
  compareTensorBoard(set, result.figures);
  return result;
}

} // namespace rankscope::peers

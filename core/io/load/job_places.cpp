// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/load/job_places.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

namespace rankscope {

namespace {

struct Places {
  std::mutex mutex;
  std::map<std::string, std::set<std::string>, std::less<>> byPath;
};

Places& places() {
  static Places all;
  return all;
}

} // namespace

void rememberPlaces(std::span<const std::string> paths, std::span<const std::string> found) {
  if (found.empty()) return;
  Places& all = places();
  const std::lock_guard lock(all.mutex);
  for (const std::string& path : paths) all.byPath[path].insert(found.begin(), found.end());
}

std::vector<std::string> withPlaces(std::span<const std::string> paths) {
  std::vector<std::string> whole;
  const auto add = [&](const std::string& path) {
    if (std::ranges::find(whole, path) == whole.end()) whole.push_back(path);
  };
  std::ranges::for_each(paths, add);
  Places& all = places();
  const std::lock_guard lock(all.mutex);
  for (const std::string& path : paths) {
    const auto found = all.byPath.find(path);
    if (found != all.byPath.end()) std::ranges::for_each(found->second, add);
  }
  return whole;
}

} // namespace rankscope

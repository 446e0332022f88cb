// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/remote/remote_credentials.h"

#include <map>
#include <mutex>
#include <utility>

namespace rankscope {

namespace {

struct Kept {
  std::mutex mutex;
  std::map<std::string, EnvironmentEntries> byName;
};

Kept& kept() {
  static Kept all;
  return all;
}

} // namespace

std::string keepingCredentials(const std::string& typed) {
  if (!looksRemote(typed)) return typed;
  std::string shown = withoutCredentials(typed);
  auto name = remoteNameOf(typed, {});
  if (!name || name->secrets.empty()) return shown;
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  all.byName[shown] = std::move(name->secrets);
  return shown;
}

EnvironmentEntries keptCredentials(const std::string& shown) {
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  const auto found = all.byName.find(shown);
  return found == all.byName.end() ? EnvironmentEntries() : found->second;
}

} // namespace rankscope

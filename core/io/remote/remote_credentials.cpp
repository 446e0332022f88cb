// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/remote/remote_credentials.h"

#include "core/io/remote/redacted_text.h"

#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
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
  std::error_code failed;
  if (std::filesystem::exists(std::filesystem::symlink_status(typed, failed))) return typed;
  if (!looksRemote(typed)) {
    // A text with spaces is a query rather than a path, unless it begins as connections of rclone do.
    const bool path = typed.find(' ') == std::string::npos || typed.starts_with(':');
    return path ? redactedName(typed) : typed;
  }
  std::string shown = withoutCredentials(typed);
  auto name = remoteNameOf(typed, {});
  if (!name || name->secrets.empty()) return shown;
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  all.byName[shown] = std::move(name->secrets);
  return shown;
}

std::string keepingCredentialsOfArgument(const std::string& argument) {
  if (!argument.starts_with('-')) return keepingCredentials(argument);
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos) return argument;
  std::string kept = argument.substr(0, equals + 1);
  kept += keepingCredentials(argument.substr(equals + 1));
  return kept;
}

EnvironmentEntries keptCredentials(const std::string& shown) {
  Kept& all = kept();
  const std::lock_guard lock(all.mutex);
  const auto found = all.byName.find(shown);
  return found == all.byName.end() ? EnvironmentEntries() : found->second;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/shown_paths.h"

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>

namespace rankscope {

namespace {

struct Shown {
  std::mutex mutex;
  // Longer paths first, so that a file comes before its folder.
  struct Longer {
    bool operator()(const std::string& a, const std::string& b) const {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    }
  };
  std::map<std::string, std::string, Longer> byPath;
};

Shown& shownPaths() {
  static Shown all;
  return all;
}

bool endsAt(std::string_view text, std::size_t at) {
  return at >= text.size() || std::string_view("/: ,;)\"'\n").find(text[at]) != std::string_view::npos;
}

} // namespace

void showPathAs(const std::string& path, const std::string& shown) {
  if (path.empty() || path == shown) return;
  std::string known = shownPath(shown);
  Shown& all = shownPaths();
  const std::lock_guard lock(all.mutex);
  all.byPath[path] = std::move(known);
}

std::string shownPath(const std::string& path) {
  Shown& all = shownPaths();
  const std::lock_guard lock(all.mutex);
  for (const auto& [known, shown] : all.byPath)
    if (path.starts_with(known) && (path.size() == known.size() || path[known.size()] == '/'))
      return shown + path.substr(known.size());
  return path;
}

std::string withShownPaths(std::string text) {
  Shown& all = shownPaths();
  const std::lock_guard lock(all.mutex);
  for (const auto& [known, shown] : all.byPath) {
    for (std::size_t at = text.find(known); at != std::string::npos; at = text.find(known, at)) {
      if (endsAt(text, at + known.size())) {
        text.replace(at, known.size(), shown);
        at += shown.size();
      } else {
        at += known.size();
      }
    }
  }
  return text;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/archive/member_names.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

constexpr std::size_t kLongestName = 255;
constexpr std::size_t kDeepest = 32;
constexpr int kLongestChain = 16; // of links

} // namespace

MemberName memberName(std::string_view stored, bool upwards) {
  constexpr std::string_view kOutside = "its name leads out of the archive";
  std::vector<std::string_view> parts;
  for (std::string_view rest = stored; !rest.empty();) {
    const std::size_t slash = rest.find_first_of("/\\");
    const std::string_view part = rest.substr(0, slash);
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == ".." && (!upwards || parts.empty())) return {{}, kOutside};
    if (part.size() > kLongestName) return {{}, "its name is too long"};
    if (part == "..")
      parts.pop_back();
    else
      parts.push_back(part);
    if (parts.size() > kDeepest) return {{}, "it lies in too many folders"};
  }
  std::string path;
  for (const std::string_view part : parts) {
    if (!path.empty()) path += '/';
    path += part;
  }
  return {std::move(path), parts.empty() ? "it has no name" : std::string_view()};
}

std::string_view lastPartOfMember(std::string_view name) {
  while (name.ends_with('/')) name.remove_suffix(1);
  const std::size_t slash = name.find_last_of("/\\");
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

ArchiveLink hardLink(std::string_view target) {
  MemberName to = memberName(target);
  return {std::move(to.path), true, to.problem.empty() ? "" : "a link that leads out of the archive"};
}

ArchiveLink symbolicLink(const std::string& name, std::string_view target) {
  const std::size_t slash = name.rfind('/');
  std::string whole = slash == std::string::npos ? std::string() : name.substr(0, slash + 1);
  whole += target;
  MemberName to = memberName(whole, true);
  const bool inside = to.problem.empty() && !target.starts_with('/');
  return {std::move(to.path), false, inside ? "" : "a link that leads out of the archive"};
}

std::set<std::string> missingTargets(const ArchiveLinks& links, const std::set<std::string>& files) {
  std::set<std::string> missing;
  for (const auto& [name, link] : links)
    if (!links.contains(link.target) && !files.contains(link.target)) missing.insert(link.target);
  return missing;
}

std::optional<std::string> finalTarget(const ArchiveLinks& links, const std::set<std::string>& files,
                                       const std::string& link) {
  std::string at = link;
  for (int i = 0; i < kLongestChain; ++i) {
    const auto next = links.find(at);
    if (next == links.end()) break;
    at = next->second.target;
  }
  if (!files.contains(at)) return std::nullopt;
  return at;
}

} // namespace rankscope

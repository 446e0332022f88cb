// SPDX-License-Identifier: GPL-3.0-or-later
// Names of members of archives, and links between them. An archive is not trusted: no name leads out of the
// folder that it is unpacked into. Pure functions; thread-safe.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace rankscope {

// Where a member goes, with '/', or why it goes nowhere.
struct MemberName {
  std::string path;
  std::string_view problem;
};

// upwards: whether ".." may be in it, as in the target of a link.
[[nodiscard]] MemberName memberName(std::string_view stored, bool upwards = false);
[[nodiscard]] std::string_view lastPartOfMember(std::string_view stored);

struct ArchiveLink {
  std::string target; // a member
  bool hard = false;
  std::string_view problem; // why it leads to none
};
using ArchiveLinks = std::map<std::string, ArchiveLink>; // by the member's name

[[nodiscard]] ArchiveLink hardLink(std::string_view target);
[[nodiscard]] ArchiveLink symbolicLink(const std::string& name, std::string_view target);

// Targets that are neither links nor among the files.
[[nodiscard]] std::set<std::string> missingTargets(const ArchiveLinks& links,
                                                   const std::set<std::string>& files);
// The file that a link leads to in the end; empty if it leads to none.
[[nodiscard]] std::optional<std::string>
finalTarget(const ArchiveLinks& links, const std::set<std::string>& files, const std::string& link);

} // namespace rankscope

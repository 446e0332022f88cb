// SPDX-License-Identifier: GPL-3.0-or-later
// Writes archives and compressed files for tests.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::test {

struct ArchiveMember {
  std::string name;
  std::string text;
  std::string linkTo;    // not empty: a symbolic link
  bool hardLink = false; // to the member named by `text`
};

// The name of the archive says how: .tar, .tar.gz, .tar.zst, .tar.xz, .tar.bz2, .zip, .7z. Throws if it
// cannot be written.
void writeArchive(const std::filesystem::path& to, const std::vector<ArchiveMember>& members);

// All files of a folder, by their paths in it.
[[nodiscard]] std::vector<ArchiveMember> membersOf(const std::filesystem::path& folder);

// One compressed file: .zst, .xz, .bz2.
void writeCompressed(const std::filesystem::path& to, const std::string& text);

} // namespace rankscope::test

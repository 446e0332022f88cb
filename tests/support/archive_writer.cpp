// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/archive_writer.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

namespace rankscope::test {

namespace {

namespace fs = std::filesystem;

struct FreeArchive {
  void operator()(archive* of) const { archive_write_free(of); }
};
struct FreeEntry {
  void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};
using Archive = std::unique_ptr<archive, FreeArchive>;

void check(archive* of, int status) {
  if (status < ARCHIVE_WARN) throw std::runtime_error(archive_error_string(of));
}

void setFilter(archive* of, const std::string& ending) {
  if (ending == ".zst" || ending == ".tzst") check(of, archive_write_add_filter_zstd(of));
  if (ending == ".xz" || ending == ".txz") check(of, archive_write_add_filter_xz(of));
  if (ending == ".bz2") check(of, archive_write_add_filter_bzip2(of));
  if (ending == ".gz" || ending == ".tgz") check(of, archive_write_add_filter_gzip(of));
}

void setFormat(archive* of, const std::string& ending) {
  if (ending == ".zip")
    check(of, archive_write_set_format_zip(of));
  else if (ending == ".7z")
    check(of, archive_write_set_format_7zip(of));
  else
    check(of, archive_write_set_format_pax_restricted(of));
}

void add(archive* of, const ArchiveMember& member) {
  const std::unique_ptr<archive_entry, FreeEntry> entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), member.name.c_str());
  archive_entry_set_perm(entry.get(), 0644);
  if (!member.linkTo.empty()) {
    archive_entry_set_filetype(entry.get(), AE_IFLNK);
    archive_entry_set_symlink(entry.get(), member.linkTo.c_str());
    check(of, archive_write_header(of, entry.get()));
    return;
  }
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  if (member.hardLink) {
    archive_entry_set_size(entry.get(), 0);
    archive_entry_set_hardlink(entry.get(), member.text.c_str());
    check(of, archive_write_header(of, entry.get()));
    return;
  }
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(member.text.size()));
  check(of, archive_write_header(of, entry.get()));
  if (archive_write_data(of, member.text.data(), member.text.size()) !=
      static_cast<la_ssize_t>(member.text.size()))
    throw std::runtime_error(archive_error_string(of));
}

} // namespace

void writeArchive(const fs::path& to, const std::vector<ArchiveMember>& members) {
  const Archive of(archive_write_new());
  setFilter(of.get(), to.extension().string());
  setFormat(of.get(), to.extension().string());
  check(of.get(), archive_write_open_filename(of.get(), to.c_str()));
  for (const ArchiveMember& member : members) add(of.get(), member);
  check(of.get(), archive_write_close(of.get()));
}

std::vector<ArchiveMember> membersOf(const fs::path& folder) {
  std::vector<ArchiveMember> members;
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(folder)) {
    if (!file.is_regular_file()) continue;
    std::ostringstream text;
    text << std::ifstream(file.path(), std::ios::binary).rdbuf();
    members.push_back({file.path().lexically_relative(folder).generic_string(), text.str(), {}, false});
  }
  std::ranges::sort(members, {}, &ArchiveMember::name);
  return members;
}

void writeCompressed(const fs::path& to, const std::string& text) {
  const Archive of(archive_write_new());
  setFilter(of.get(), to.extension().string());
  check(of.get(), archive_write_set_format_raw(of.get()));
  check(of.get(), archive_write_open_filename(of.get(), to.c_str()));
  add(of.get(), {"data", text, {}});
  check(of.get(), archive_write_close(of.get()));
}

} // namespace rankscope::test

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/archive/archive_unpack.h"

#include "core/io/archive/member_names.h"

#ifdef RANKSCOPE_ARCHIVES
#include "core/base/unit_text.h"
#include "core/io/files/file_bytes.h"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <array>
#include <cctype>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = std::size_t{256} << 10;
constexpr std::uint64_t kMostNamed = 100;
constexpr const char* kAgain = ".unpacking"; // for a member of a name that is there

// Compressed files that are no archives of several.
constexpr std::array<std::string_view, 4> kCompressed{".json.zst", ".json.xz", ".json.bz2", ".json.lz4"};

bool isCompressedFile(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(kCompressed, [&](std::string_view ending) { return name.ends_with(ending); });
}

struct CloseArchive {
  void operator()(archive* of) const { archive_read_free(of); }
};
using Archive = std::unique_ptr<archive, CloseArchive>;

// Names of members are UTF-8, whatever the locale: the library drops those that it cannot write in it. Of
// this thread, while it lives.
class Utf8Names {
 public:
  Utf8Names() : m_utf8(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (m_utf8 != nullptr) m_before = uselocale(m_utf8);
  }
  ~Utf8Names() {
    if (m_utf8 == nullptr) return;
    uselocale(m_before);
    freelocale(m_utf8);
  }
  Utf8Names(const Utf8Names&) = delete;
  Utf8Names& operator=(const Utf8Names&) = delete;

 private:
  locale_t m_utf8;
  locale_t m_before = nullptr;
};

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string problemOf(archive& of) {
  const char* const text = archive_error_string(&of);
  return text != nullptr ? text : "damaged";
}

// Text of gzip for the library, which would drop the last block before damage.
class GzipText {
 public:
  // Null if the file is not compressed by gzip.
  static std::unique_ptr<GzipText> open(const std::string& path) {
    auto file = FileBytes::open(path);
    if (!file || !file->compressed()) return nullptr;
    return std::unique_ptr<GzipText>(new GzipText(std::move(*file)));
  }
  static la_ssize_t read(archive* /*of*/, void* self, const void** block) {
    auto& text = *static_cast<GzipText*>(self);
    *block = text.m_block.data();
    return static_cast<la_ssize_t>(text.m_inflater.read(text.m_block));
  }
  [[nodiscard]] const Inflater& inflater() const { return m_inflater; }

 private:
  explicit GzipText(FileBytes file) : m_file(std::move(file)), m_inflater(m_file.bytes()) {}

  FileBytes m_file;
  Inflater m_inflater;
  std::vector<char> m_block = std::vector<char>(kBlock);
};

// gzip: outlives the archive; null for files that the library reads itself.
Archive opened(const std::string& path, bool compressedFile, GzipText* gzip, std::string& problem) {
  Archive of(archive_read_new());
  if (of == nullptr) throw std::bad_alloc();
  // Only those that the library has itself: for others it would start programs.
  archive_read_support_filter_bzip2(of.get());
  archive_read_support_filter_xz(of.get());
  archive_read_support_filter_lzma(of.get());
  archive_read_support_filter_zstd(of.get());
  archive_read_support_filter_lz4(of.get());
  if (compressedFile) {
    archive_read_support_format_raw(of.get());
  } else {
    archive_read_support_format_tar(of.get());
    archive_read_support_format_zip(of.get());
    archive_read_support_format_7zip(of.get());
    archive_read_support_format_rar(of.get());
    archive_read_support_format_rar5(of.get());
  }
  const int status = gzip != nullptr ? archive_read_open(of.get(), gzip, nullptr, &GzipText::read, nullptr)
                                     : archive_read_open_filename(of.get(), path.c_str(), kBlock);
  if (status == ARCHIVE_OK) return of;
  problem = problemOf(*of);
  return nullptr;
}

// A file that is being written. It gets its name when it is whole, if another one has that already.
struct Writing {
  fs::path at;
  bool again = false;
  std::unique_ptr<std::FILE, CloseFile> file;
  std::uint64_t bytes = 0;
};

class Unpacking {
 public:
  Unpacking(std::string path, std::string folder, const std::function<bool(std::string_view)>& wanted,
            Progress& progress, const UnpackLimits& limits)
      : m_path(std::move(path)), m_folder(std::move(folder)), m_wanted(wanted), m_progress(progress),
        m_limits(limits), m_alreadyDone(progress.bytesDone), m_compressedFile(isCompressedFile(m_path)) {}

  Result<Unpacked> run() {
    const Utf8Names utf8;
    if (auto error = readThrough()) return std::move(*error);
    // What links lead to, under names that say nothing of a trace.
    if (m_targets = missingTargets(m_links, m_names); !m_stopped && !m_targets.empty())
      if (auto error = readThrough()) return std::move(*error);
    placeLinks();
    return std::move(m_result);
  }

 private:
  std::optional<Error> readThrough() {
    m_gzip = GzipText::open(m_path);
    std::string problem;
    const Archive of = opened(m_path, m_compressedFile, m_gzip.get(), problem);
    if (of == nullptr) return failed("cannot be opened as an archive: " + problem);
    m_archive = of.get();
    while (!m_stopped) {
      if (cancelled()) return Error{ErrorKind::Cancelled, "cancelled", m_path, std::nullopt};
      archive_entry* entry = nullptr;
      const int status = archive_read_next_header(m_archive, &entry);
      if (status == ARCHIVE_EOF) break;
      if (status == ARCHIVE_WARN || status == ARCHIVE_OK) {
        if (auto error = take(*entry)) return error;
        continue;
      }
      if (m_result.files.empty()) return failed(damage());
      noteDamage(damage());
      m_stopped = true;
    }
    if (!m_stopped && m_gzip != nullptr && !m_gzip->inflater().problem().empty()) noteDamage(damage());
    tellProgress();
    m_archive = nullptr;
    return std::nullopt;
  }

  Error failed(const std::string& reason) const {
    return {ErrorKind::Format, reason, m_path,
            m_archive != nullptr ? std::optional(packedBytes()) : std::nullopt};
  }

  // Of the system.
  Error notWritten(const std::string& name, int reason) const {
    return {ErrorKind::Io,
            fmt::format("{} cannot be unpacked: {}", name, std::generic_category().message(reason)), m_path,
            std::nullopt};
  }

  // Of the compressed text, if that is damaged, or of the archive in it.
  [[nodiscard]] std::string damage() const {
    const bool text = m_gzip != nullptr && !m_gzip->inflater().problem().empty();
    return text ? m_gzip->inflater().problem() : problemOf(*m_archive);
  }

  [[nodiscard]] std::uint64_t packedBytes() const {
    if (m_gzip != nullptr) return m_gzip->inflater().compressedBytesRead();
    return static_cast<std::uint64_t>(std::max<std::int64_t>(archive_filter_bytes(m_archive, -1), 0));
  }

  // Where reading stands is as near as a compressed file tells. The first problem counts.
  void noteDamage(const std::string& reason) {
    if (m_result.problem.empty())
      m_result.problem = fmt::format("the archive is not whole: byte {}: {}", packedBytes(), reason);
  }

  // advice: what to do instead.
  void stopAtLimit(const std::string& limit, std::string_view advice) {
    if (m_result.problem.empty())
      m_result.problem = fmt::format("too large when unpacked: {}; {}", limit, advice);
    m_stopped = true;
  }

  void leaveOut(std::string name, std::string reason) {
    constexpr std::size_t kLongestShown = 120;
    if (name.size() > kLongestShown) {
      name.resize(kLongestShown);
      name += "...";
    }
    if (++m_leftOut <= kMostNamed)
      m_result.leftOut.push_back({std::move(name), std::move(reason)});
    else
      m_result.leftOutMore = m_leftOut - kMostNamed;
  }

  [[nodiscard]] bool cancelled() const {
    return m_progress.cancelled() || (m_limits.cancel != nullptr && *m_limits.cancel);
  }

  void tellProgress() { m_progress.bytesDone = m_alreadyDone + packedBytes(); }

  // An Error ends everything; damage and limits are a problem of the result.
  std::optional<Error> take(archive_entry& entry) {
    if (m_compressedFile) {
      const std::string name = fs::path(m_path).filename().string();
      return write(name.substr(0, name.find_last_of('.')));
    }
    const char* const stored = archive_entry_pathname(&entry);
    const bool isLink = archive_entry_hardlink(&entry) != nullptr || archive_entry_symlink(&entry) != nullptr;
    const auto type = archive_entry_filetype(&entry);
    if (stored == nullptr) {
      if (type == AE_IFREG && m_targets.empty()) leaveOut("a file", "its name cannot be read");
      return std::nullopt;
    }
    const MemberName name = memberName(stored);
    if (!m_targets.empty())
      return type == AE_IFREG && !isLink && m_targets.erase(name.path) > 0 ? takeFile(name.path)
                                                                           : std::nullopt;
    if (type == AE_IFDIR || !m_wanted(lastPartOfMember(stored))) return std::nullopt;
    if (!name.problem.empty()) {
      leaveOut(stored, std::string(name.problem));
      return std::nullopt;
    }
    if (isLink) return takeLink(entry, name.path);
    if (type == AE_IFREG) return takeFile(name.path);
    leaveOut(stored, "it is not a file but a pipe, a socket or a device");
    return std::nullopt;
  }

  // Whether one more is within the limits.
  bool countFile() {
    if (m_names.size() + m_links.size() < m_limits.files) return true;
    stopAtLimit(fmt::format("more than {} files", m_limits.files),
                "unpack those that are needed and open their folder");
    return false;
  }

  std::optional<Error> takeLink(archive_entry& entry, const std::string& name) {
    const char* const target = archive_entry_hardlink(&entry);
    const bool hard = target != nullptr;
    ArchiveLink link = hard ? hardLink(target) : symbolicLink(name, archive_entry_symlink(&entry));
    if (link.problem.empty() && link.target == name) return std::nullopt;
    if (m_names.contains(name) || m_links.contains(name)) {
      leaveOut(name, "a link of the name of another member");
    } else if (!link.problem.empty()) {
      leaveOut(name, std::string(link.problem));
    } else if (countFile()) {
      m_links.emplace(name, std::move(link));
    }
    return std::nullopt;
  }

  std::optional<Error> takeFile(const std::string& name) {
    const bool again = m_names.contains(name) || m_links.erase(name) > 0;
    if (again && m_twice.insert(name).second)
      leaveOut(name, "an earlier file of this name; the last one is opened");
    return again || countFile() ? write(name) : std::nullopt;
  }

  // The file of a member, or why there can be none: an Error, or a reason to leave it out.
  std::optional<Error> create(const std::string& name, Writing& writing, std::string& conflict) {
    const fs::path to = fs::path(m_folder) / name;
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    conflict = conflictOf(name);
    if (!conflict.empty()) return std::nullopt;
    if (error && error != std::errc::filename_too_long) return notWritten(name, error.value());
    writing.again = fs::exists(to, error);
    writing.at = writing.again ? fs::path(m_folder) / kAgain : to;
    writing.file.reset(std::fopen(writing.at.c_str(), "wb"));
    if (writing.file != nullptr) return std::nullopt;
    if (errno != ENAMETOOLONG) return notWritten(name, errno);
    conflict = "its name is too long";
    return std::nullopt;
  }

  [[nodiscard]] std::string conflictOf(const std::string& name) const {
    std::error_code error;
    if (fs::is_directory(fs::path(m_folder) / name, error))
      return "the archive has a folder of the same name";
    for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
      const std::string folder = name.substr(0, slash);
      const fs::file_status status = fs::symlink_status(fs::path(m_folder) / folder, error);
      if (fs::exists(status) && !fs::is_directory(status))
        return fmt::format("'{}' is a file in this archive and cannot be its folder", folder);
    }
    return {};
  }

  std::optional<Error> write(const std::string& name) {
    Writing writing;
    std::string conflict;
    if (auto error = create(name, writing, conflict)) return error;
    if (!conflict.empty()) {
      leaveOut(name, std::move(conflict));
      return std::nullopt;
    }
    la_ssize_t got = 0;
    if (auto error = copyData(name, writing, got)) return error;
    writing.file.reset();
    // What was read of a damaged trace is worth showing; but not of one that cannot be read at all.
    const bool limit = m_stopped && got > 0;
    const bool whole = got == 0;
    std::error_code ignored;
    if (limit || (!whole && (writing.bytes == 0 || got == ARCHIVE_FAILED || writing.again))) {
      fs::remove(writing.at, ignored);
      return std::nullopt;
    }
    if (writing.again) {
      fs::rename(writing.at, fs::path(m_folder) / name, ignored);
    } else {
      m_result.files.push_back(name);
      m_names.insert(name);
    }
    m_result.bytes += writing.bytes;
    return std::nullopt;
  }

  // got: as the library returned last: 0 at the end of the member.
  std::optional<Error> copyData(const std::string& name, Writing& writing, la_ssize_t& got) {
    while (true) {
      if (cancelled()) return Error{ErrorKind::Cancelled, "cancelled", m_path, std::nullopt};
      got = archive_read_data(m_archive, m_block.data(), m_block.size());
      tellProgress();
      if (got <= 0) break;
      writing.bytes += static_cast<std::uint64_t>(got);
      if (!withinLimits(m_result.bytes + writing.bytes)) return std::nullopt;
      if (std::fwrite(m_block.data(), 1, static_cast<std::size_t>(got), writing.file.get()) !=
          static_cast<std::size_t>(got))
        return notWritten(name, errno);
    }
    if (got == ARCHIVE_FAILED) {
      const std::string problem = damage();
      const bool encrypted =
          problem.find("assphrase") != std::string::npos || problem.find("ncrypt") != std::string::npos;
      leaveOut(name, encrypted ? "it is encrypted: unpack it and open the folder" : problem);
    } else if (got < 0) {
      noteDamage(fmt::format("{}: {}", name, damage()));
      m_stopped = m_stopped || got != ARCHIVE_WARN;
    }
    return std::fflush(writing.file.get()) == 0 ? std::nullopt : std::optional(notWritten(name, errno));
  }

  bool withinLimits(std::uint64_t bytes) {
    if (bytes > m_limits.bytes)
      stopAtLimit(
          fmt::format("more than {}, what the disk has room for",
                      bytesText(static_cast<std::int64_t>(m_limits.bytes))),
          "set RANKSCOPE_CACHE_DIR to a folder on a larger disk, or unpack it there and open the folder");
    else if (bytes > m_limits.ratioFrom && bytes / m_limits.ratio > packedBytes())
      stopAtLimit(fmt::format("more than {} times its size, as traces never are", m_limits.ratio),
                  "if it is to be trusted, unpack it and open the folder");
    return !m_stopped;
  }

  // Links to members of the archive, as a folder would have them.
  void placeLinks() {
    for (const auto& [name, link] : m_links) {
      const auto target = finalTarget(m_links, m_names, name);
      std::string reason = target
                               ? conflictOf(name)
                               : fmt::format("a link to '{}', which is no file of this archive", link.target);
      const fs::path at = fs::path(m_folder) / name;
      std::error_code error;
      if (reason.empty()) {
        fs::create_directories(at.parent_path(), error);
        const fs::path to = fs::path(m_folder) / *target;
        if (link.hard)
          fs::create_hard_link(to, at, error);
        else
          fs::create_symlink(to.lexically_relative(at.parent_path()), at, error);
        if (error) reason = error.message();
      }
      if (reason.empty())
        m_result.files.push_back(name);
      else
        leaveOut(name, std::move(reason));
    }
  }

  const std::string m_path;
  const std::string m_folder;
  const std::function<bool(std::string_view)>& m_wanted;
  Progress& m_progress;
  const UnpackLimits& m_limits;
  const std::uint64_t m_alreadyDone;
  const bool m_compressedFile;
  std::unique_ptr<GzipText> m_gzip; // of the file that is read; null if that is none of gzip
  archive* m_archive = nullptr;
  bool m_stopped = false;
  std::vector<char> m_block = std::vector<char>(kBlock);
  std::set<std::string> m_names; // of files that were written
  std::set<std::string> m_twice;
  ArchiveLinks m_links;
  std::set<std::string> m_targets; // of links, in the second pass: only these are read
  std::uint64_t m_leftOut = 0;
  Unpacked m_result;
};

} // namespace

} // namespace rankscope
#endif

namespace rankscope {

Result<Unpacked> unpackArchive(const std::string& path, const std::string& folder,
                               const std::function<bool(std::string_view fileName)>& wanted,
                               Progress& progress, const UnpackLimits& limits) {
#ifdef RANKSCOPE_ARCHIVES
  return Unpacking(path, folder, wanted, progress, limits).run();
#else
  static_cast<void>(folder), static_cast<void>(wanted), static_cast<void>(progress),
      static_cast<void>(limits);
  return Error{ErrorKind::Unsupported, "this build opens no archives: unpack it and open the folder", path,
               std::nullopt};
#endif
}

} // namespace rankscope

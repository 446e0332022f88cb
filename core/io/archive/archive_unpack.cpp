// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/archive/archive_unpack.h"

#ifdef RANKSCOPE_ARCHIVES
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
constexpr std::size_t kLongestName = 255;
constexpr std::size_t kDeepest = 32;

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

// Where a member goes, with '/'; empty for a name that leaves the folder or is none.
std::string safePath(const char* name) {
  if (name == nullptr) return {};
  std::string path;
  std::size_t parts = 0;
  std::string_view rest = name;
  while (!rest.empty()) {
    const std::size_t slash = rest.find_first_of("/\\");
    const std::string_view part = rest.substr(0, slash);
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    if (part.empty() || part == ".") continue;
    if (part == ".." || part.size() > kLongestName || ++parts > kDeepest) return {};
    if (part.find('\0') != std::string_view::npos) return {};
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

Archive opened(const std::string& path, bool compressedFile) {
  Archive of(archive_read_new());
  if (of == nullptr) throw std::bad_alloc();
  // Only those that the library has itself: for others it would start programs.
  archive_read_support_filter_gzip(of.get());
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
  if (archive_read_open_filename(of.get(), path.c_str(), kBlock) != ARCHIVE_OK) return nullptr;
  return of;
}

class Unpacking {
 public:
  Unpacking(std::string path, std::string folder, const std::function<bool(std::string_view)>& wanted,
            Progress& progress, const UnpackLimits& limits)
      : m_path(std::move(path)), m_folder(std::move(folder)), m_wanted(wanted), m_progress(progress),
        m_limits(limits), m_alreadyDone(progress.bytesDone) {}

  Result<Unpacked> run() {
    const bool compressedFile = isCompressedFile(m_path);
    const Utf8Names utf8;
    const Archive of = opened(m_path, compressedFile);
    if (of == nullptr) return failed("cannot be opened as an archive");
    m_archive = of.get();
    while (m_result.problem.empty()) {
      if (m_progress.cancelled()) return Error{ErrorKind::Cancelled, "cancelled", m_path, std::nullopt};
      archive_entry* entry = nullptr;
      const int status = archive_read_next_header(m_archive, &entry);
      if (status == ARCHIVE_EOF) break;
      if (status == ARCHIVE_WARN || status == ARCHIVE_OK) {
        if (auto error = take(*entry, compressedFile)) return std::move(*error);
        continue;
      }
      if (m_result.files.empty()) return failed(problemOf(*m_archive));
      stopAt(problemOf(*m_archive));
    }
    tellProgress();
    return std::move(m_result);
  }

 private:
  Error failed(const std::string& reason) const {
    return {ErrorKind::Format, reason, m_path,
            m_archive != nullptr ? std::optional(packedBytes()) : std::nullopt};
  }

  [[nodiscard]] std::uint64_t packedBytes() const {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(archive_filter_bytes(m_archive, -1), 0));
  }

  // Where reading stands is as near as a compressed file tells.
  void stopAt(const std::string& reason) {
    m_result.problem = fmt::format("byte {}: {}", packedBytes(), reason);
  }

  void tellProgress() { m_progress.bytesDone = m_alreadyDone + packedBytes(); }

  std::string nameOf(archive_entry& entry, bool compressedFile) const {
    if (!compressedFile) return safePath(archive_entry_pathname(&entry));
    const std::string name = fs::path(m_path).filename().string();
    return name.substr(0, name.find_last_of('.'));
  }

  // An Error ends everything; damage and limits are a problem of the result.
  std::optional<Error> take(archive_entry& entry, bool compressedFile) {
    const bool regular = compressedFile || (archive_entry_filetype(&entry) == AE_IFREG &&
                                            archive_entry_hardlink(&entry) == nullptr);
    const std::string name = nameOf(entry, compressedFile);
    if (!regular || name.empty()) return std::nullopt;
    const std::size_t slash = name.find_last_of('/');
    if (!m_wanted(slash == std::string::npos ? std::string_view(name)
                                             : std::string_view(name).substr(slash + 1)))
      return std::nullopt;
    if (!m_names.insert(name).second) return std::nullopt; // the first of several with one name
    if (m_result.files.size() >= m_limits.files) {
      stopAt(fmt::format("it has more than {} files", m_limits.files));
      return std::nullopt;
    }
    return write(name);
  }

  std::optional<Error> write(const std::string& name) {
    const fs::path to = fs::path(m_folder) / name;
    std::error_code error;
    fs::create_directories(to.parent_path(), error);
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(to.c_str(), "wbx"));
    if (file == nullptr)
      return Error{ErrorKind::Io, "cannot be written: " + std::system_category().message(errno), to.string(),
                   std::nullopt};
    std::uint64_t written = 0;
    while (true) {
      if (m_progress.cancelled()) return Error{ErrorKind::Cancelled, "cancelled", m_path, std::nullopt};
      const la_ssize_t got = archive_read_data(m_archive, m_block.data(), m_block.size());
      tellProgress();
      if (got == 0) break;
      if (got < 0) {
        stopAt(fmt::format("{}: {}", name, problemOf(*m_archive)));
        break;
      }
      written += static_cast<std::uint64_t>(got);
      if (!withinLimits(m_result.bytes + written)) {
        std::error_code ignored;
        fs::remove(to, ignored);
        return std::nullopt;
      }
      if (std::fwrite(m_block.data(), 1, static_cast<std::size_t>(got), file.get()) !=
          static_cast<std::size_t>(got))
        return Error{ErrorKind::Io, "cannot be written: " + std::system_category().message(errno),
                     to.string(), std::nullopt};
    }
    if (std::fflush(file.get()) != 0)
      return Error{ErrorKind::Io, "cannot be written: " + std::system_category().message(errno), to.string(),
                   std::nullopt};
    // What was read of a damaged trace is worth showing.
    if (written == 0 && !m_result.problem.empty()) {
      std::error_code ignored;
      fs::remove(to, ignored);
      return std::nullopt;
    }
    m_result.bytes += written;
    m_result.files.push_back(name);
    return std::nullopt;
  }

  bool withinLimits(std::uint64_t bytes) {
    if (bytes > m_limits.bytes)
      stopAt(fmt::format("it unpacks to more than {} bytes", m_limits.bytes));
    else if (bytes > m_limits.ratioFrom && bytes / m_limits.ratio > packedBytes())
      stopAt(fmt::format("it unpacks to more than {} times its size", m_limits.ratio));
    return m_result.problem.empty();
  }

  const std::string m_path;
  const std::string m_folder;
  const std::function<bool(std::string_view)>& m_wanted;
  Progress& m_progress;
  const UnpackLimits& m_limits;
  const std::uint64_t m_alreadyDone;
  archive* m_archive = nullptr;
  std::vector<char> m_block = std::vector<char>(kBlock);
  std::set<std::string> m_names;
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

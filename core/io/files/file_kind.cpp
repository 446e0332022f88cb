// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/files/file_kind.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace rankscope {

namespace {

constexpr std::string_view kTar = "a tar archive; unpack it (tar -xf) and open the folder";
constexpr std::string_view kZip = "a ZIP archive; unpack it (unzip) and open the folder";
constexpr std::string_view k7z = "a 7-Zip archive; unpack it (7z x) and open the folder";
constexpr std::string_view kRar = "a RAR archive; unpack it (unrar x) and open the folder";
constexpr std::string_view kZstd = "compressed with Zstandard; decompress it (zstd -d) and open the result";
constexpr std::string_view kXz = "compressed with XZ; decompress it (xz -d) and open the result";
constexpr std::string_view kBzip2 = "compressed with bzip2; decompress it (bzip2 -d) and open the result";
constexpr std::string_view kLz4 = "compressed with LZ4; decompress it (lz4 -d) and open the result";
constexpr std::string_view kGzip = "compressed with gzip; decompress it (gunzip) and open the folder again";
constexpr std::string_view kArrow =
    "tables in Apache Arrow; if nsys exported them, export as SQLite instead (nsys export --type=sqlite)";
constexpr std::string_view kParquet =
    "a table in Parquet; if nsys exported it, export as SQLite instead (nsys export --type=sqlite)";
constexpr std::string_view kHdf =
    "tables in HDF5; if nsys exported them, export as SQLite instead (nsys export --type=sqlite)";
constexpr std::string_view kGitLfs =
    "a Git LFS pointer, not the file itself; fetch it (git lfs pull) and open the folder again";
constexpr std::string_view kNsys = "an Nsight Systems report; open it with Nsight Systems (nsys-ui)";
constexpr std::string_view kNcu = "an Nsight Compute report; open it with Nsight Compute (ncu-ui)";
constexpr std::string_view kPerfetto = "a Perfetto trace; open it at https://ui.perfetto.dev";
constexpr std::string_view kSnapshot =
    "a PyTorch memory snapshot (pickle); open it at https://pytorch.org/memory_viz";
constexpr std::string_view kFlightRecorder =
    "a Flight Recorder dump (pickle); open it with torchfrtrace, which comes with PyTorch";

constexpr std::string_view kDatabase = "SQLite format 3";

struct NameKind {
  std::string_view ending; // lower case
  std::string_view kind;
  bool unpack;
};

constexpr std::array kNames{
    NameKind{".tar", kTar, true},
    NameKind{".tar.gz", kTar, true},
    NameKind{".tgz", kTar, true},
    NameKind{".tar.xz", kTar, true},
    NameKind{".txz", kTar, true},
    NameKind{".tar.bz2", kTar, true},
    NameKind{".tbz2", kTar, true},
    NameKind{".tar.zst", kTar, true},
    NameKind{".tzst", kTar, true},
    NameKind{".zip", kZip, true},
    NameKind{".7z", k7z, true},
    NameKind{".rar", kRar, true},
    NameKind{".json.zst", kZstd, true},
    NameKind{".json.xz", kXz, true},
    NameKind{".json.bz2", kBzip2, true},
    NameKind{".json.lz4", kLz4, true},
    NameKind{".sqlite.gz", kGzip, false},
    NameKind{".sqlite3.gz", kGzip, false},
    NameKind{".nsys-rep.gz", kGzip, false},
    NameKind{".sqlite.zst", kZstd, false},
    NameKind{".sqlite.xz", kXz, false},
    NameKind{".sqlite.bz2", kBzip2, false},
    NameKind{".arrow", kArrow, false},
    NameKind{".h5", kHdf, false},
    NameKind{".hdf", kHdf, false},
    NameKind{".ncu-rep", kNcu, false},
    NameKind{".pftrace", kPerfetto, false},
    NameKind{".perfetto-trace", kPerfetto, false},
};

const NameKind* kindOfName(std::string_view fileName) {
  const auto ends = [&](const NameKind& known) {
    if (fileName.size() <= known.ending.size()) return false;
    const std::string_view end = fileName.substr(fileName.size() - known.ending.size());
    return std::ranges::equal(
        end, known.ending, [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
  };
  const auto found = std::ranges::find_if(kNames, ends);
  return found == kNames.end() ? nullptr : &*found;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The magic follows name, permissions and times of the first file.
bool isTar(std::string_view start) {
  constexpr std::size_t kMagicAt = 257;
  return start.size() >= kMagicAt + 5 && start.substr(kMagicAt, 5) == "ustar";
}

std::string_view kindOfDatabase(std::string_view start) {
  if (contains(start, "CUPTI_ACTIVITY") || contains(start, "TARGET_INFO") || contains(start, "StringIds") ||
      contains(start, "NVTX_EVENTS"))
    return "a compressed export of Nsight Systems (SQLite); decompress it (gunzip) and open the result";
  return "an SQLite database; open it with sqlite3";
}

std::string_view kindOfPickle(std::string_view start) {
  if (contains(start, "device_traces") || contains(start, "segments") || contains(start, "total_size"))
    return kSnapshot;
  if (contains(start, "pg_config") || contains(start, "pg_status")) return kFlightRecorder;
  return "a Python pickle; open it with pickle.load";
}

std::string_view withoutSpace(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

bool isPage(std::string_view start) {
  std::string head(withoutSpace(start).substr(0, 16));
  std::ranges::transform(head, head.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return head.starts_with("<!doctype html") || head.starts_with("<html");
}

} // namespace

std::optional<std::string_view> otherKindOfName(std::string_view fileName) {
  const NameKind* const known = kindOfName(fileName);
  return known == nullptr ? std::nullopt : std::optional(known->kind);
}

std::optional<std::string_view> otherKindOfFolder(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kEndings{"_pqtdir", ".pqtdir", ".parquetdir", "_arwdir"};
  const bool exported = std::ranges::any_of(kEndings, [&](std::string_view ending) {
    return name.size() > ending.size() && name.ends_with(ending);
  });
  if (!exported) return std::nullopt;
  return "an Nsight Systems export as one file per table; export as SQLite instead (nsys export "
         "--type=sqlite)";
}

bool isArchiveName(std::string_view fileName) {
  const NameKind* const known = kindOfName(fileName);
  return known != nullptr && known->unpack;
}

std::optional<std::string_view> otherKindOfStart(std::string_view start) {
  using namespace std::string_view_literals;
  struct Magic {
    std::string_view bytes;
    std::string_view kind;
  };
  static constexpr std::array kMagics{
      Magic{"PK\x03\x04"sv, kZip},
      Magic{"PK\x05\x06"sv, kZip},
      Magic{"7z\xbc\xaf\x27\x1c"sv, k7z},
      Magic{"Rar!\x1a\x07"sv, kRar},
      Magic{"\xfd"
            "7zXZ\0"sv,
            kXz},
      Magic{"\x28\xb5\x2f\xfd"sv, kZstd},
      Magic{"\x04\x22\x4d\x18"sv, kLz4},
      Magic{"BZh"sv, kBzip2},
      Magic{"\x1f\x8b"sv, "compressed twice with gzip; decompress it once (gzip -d) and open the result"},
      Magic{"NVIDIA Tegra Profiler Report"sv, kNsys},
      Magic{"NVR\0"sv, kNcu},
      Magic{"ARROW1"sv, kArrow},
      Magic{"PAR1"sv, kParquet},
      Magic{"\x89HDF\r\n\x1a\n"sv, kHdf},
      Magic{"version https://git-lfs.github.com/spec/"sv, kGitLfs},
  };
  if (start.starts_with("PK\x03\x04") && contains(start.substr(0, 512), "data.pkl"))
    return "a PyTorch checkpoint; open it with torch.load";
  for (const Magic& magic : kMagics) {
    if (start.starts_with(magic.bytes)) return magic.kind;
  }
  if (start.starts_with(kDatabase)) return kindOfDatabase(start);
  if (start.size() > 2 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5) return kindOfPickle(start);
  if (isTar(start)) return kTar;
  if (isPage(start)) return "an HTML page; open it in a browser";
  return std::nullopt;
}

bool isArchiveStart(std::string_view start) {
  const auto kind = otherKindOfStart(start);
  return kind && (*kind == kTar || *kind == kZip || *kind == k7z || *kind == kRar);
}

std::string startOf(const FileBytes& file) {
  constexpr std::size_t kLength = std::size_t{16} << 10;
  std::string start(kLength, '\0');
  if (file.compressed()) {
    start.resize(Inflater(file.bytes()).read({start.data(), start.size()}));
  } else {
    // The table names of a database may be anywhere in its first pages.
    constexpr std::size_t kDatabaseLength = std::size_t{256} << 10;
    const bool database = std::string_view(file.bytes().data(), file.bytes().size()).starts_with(kDatabase);
    start.resize(std::min(database ? kDatabaseLength : kLength, file.bytes().size()));
    std::copy_n(file.bytes().begin(), start.size(), start.begin());
  }
  return start;
}

std::string kindOfText(std::string_view start) {
  const std::string_view text = withoutSpace(start);
  if (text.empty()) return "white space alone";
  if (contains(text, std::string_view("\0", 1))) return "binary data of an unknown kind";
  if (text.front() == '<') return "XML text; open it in a browser or an editor";
  // A printed table of key_averages().
  if (contains(text, "Self CPU") && contains(text, "# of Calls"))
    return "a printed table of the profiler; export a trace instead (export_chrome_trace)";
  return "text; open it in an editor";
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/cache/trace_image.h"

#include "core/base/byte_pack.h"
#include "core/base/parallel_for.h"
#include "core/io/cache/record_bytes.h"
#include "core/io/cache/trace_members.h"
#include "core/model/trace_pages.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace rankscope {

// Structured bindings list all members, so a new member that is not described is a compile error.

namespace {

// Position of an array in the file.
struct Place {
  std::uint64_t at = 0;
  std::uint64_t count = 0;
};

// A RankEntry whose recording is stored as an index.
struct EntryImage {
  int rank = 0;
  int capture = 1;
  std::string host;
  std::string gpu;
  FileIndex file;
  std::uint64_t trace = 0;
};

// Visits all columns of a recording in file order. The pyramid's columns are passed separately.
template <class Trace, class Busy, class Longest, class Visit>
void eachColumn(Trace& trace, Busy& busyBeforeBlock, Longest& longest, Visit&& visit) {
  auto& [begin, duration, name, kind, link, source] = trace.events;
  visit(begin);
  visit(duration);
  visit(name);
  visit(kind);
  visit(link);
  visit(source);
  visit(busyBeforeBlock);
  visit(longest);
  visit(trace.deviceDetails);
  visit(trace.byLaunch);
  visit(trace.forwardBackward);
  visit(trace.waits);
  visit(trace.collectives);
  visit(trace.memory);
}

} // namespace

template <class Archive, Described<Place> T> void describe(Archive& archive, T& place) {
  auto& [at, count] = place;
  archive(at, count);
}

template <class Archive, Described<EntryImage> T> void describe(Archive& archive, T& entry) {
  auto& [rank, capture, host, gpu, file, trace] = entry;
  archive(rank, capture, host, gpu, file, trace);
}

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

class ImageWriter {
 public:
  ImageWriter(CheckedFileWriter& file, const std::atomic<bool>& cancel) : m_file(file), m_cancel(cancel) {}

  std::string write(const TraceSet& traces) {
    writeNames(traces.names());
    std::vector<const RankTrace*> distinct;
    std::vector<EntryImage> entries;
    std::map<const RankTrace*, std::uint64_t> numbers;
    for (const RankEntry& entry : traces.ranks()) {
      const auto [number, isNew] = numbers.try_emplace(entry.trace.get(), distinct.size());
      if (isNew) distinct.push_back(entry.trace.get());
      entries.push_back({entry.rank, entry.capture, entry.host, entry.gpu, entry.file, number->second});
    }
    m_directory(traces.jobName(), traces.files(), entries, std::uint64_t{distinct.size()});
    for (const RankTrace* const trace : distinct) {
      if (stopped()) break;
      writeTrace(*trace);
    }
    return m_directory.bytes();
  }

 private:
  [[nodiscard]] bool stopped() const { return !m_file.good() || m_cancel; }

  void writeNames(const StringTable& names) {
    std::vector<std::uint64_t> ends;
    std::string bytes;
    for (std::size_t i = 0; i < names.size(); ++i) {
      bytes += names[NameId(i)];
      ends.push_back(bytes.size());
    }
    m_directory(placed(std::span<const std::uint64_t>(ends)), placed(std::span<const char>(bytes)));
  }

  void writeTrace(const RankTrace& trace) {
    m_directory(trace);
    eachColumn(trace, trace.pyramid.busyBeforeBlock(), trace.pyramid.longest(),
               [this](const auto& column) { m_directory(placed(column.span())); });
  }

  template <PlainRecord T> Place placed(std::span<const T> records) {
    const Place place{m_file.beginData(), records.size()};
    constexpr std::size_t kPiece = kPieceBytes / sizeof(T);
    m_piece.resize(kPiece * sizeof(T));
    while (!records.empty() && !stopped()) {
      const std::span<const T> piece = records.first(std::min(kPiece, records.size()));
      const std::span<std::byte> bytes = std::span(m_piece).first(piece.size_bytes());
      copyRecordBytes(piece, bytes);
      m_file.append(bytes);
      records = records.subspan(piece.size());
    }
    return place;
  }

  CheckedFileWriter& m_file;
  const std::atomic<bool>& m_cancel;
  Packer m_directory;
  std::vector<std::byte> m_piece;
};

class ImageReader {
 public:
  ImageReader(const CheckedFile& file, std::string_view directory) : m_file(file), m_directory(directory) {}

  std::shared_ptr<const TraceSet> read(TraceOrigin origin, unsigned threadCount, const DetailsOf& detailsOf) {
    StringTable names;
    if (!readNames(names)) return nullptr;
    std::string jobName;
    std::vector<FileRecord> files;
    std::vector<EntryImage> entries;
    std::vector<RankTrace> traces;
    std::uint64_t count = 0;
    m_directory(jobName, files, entries, count);
    while (m_directory.ok() && traces.size() < count) {
      if (!readTrace(traces.emplace_back())) return nullptr;
    }
    if (!m_directory.ok() || !m_directory.atEnd() ||
        std::ranges::any_of(files, [](const FileRecord& file) { return file.status > FileStatus::Beside; }))
      return nullptr;
    std::atomic<bool> sound{true};
    parallelFor(traces.size(), threadCount, [&](std::size_t i) {
      if (sound && !isSound(traces[i], names.size())) sound = false;
      giveBackPages(traces[i]);
    });
    if (!sound) return nullptr;
    std::vector<std::shared_ptr<const RankTrace>> shared;
    shared.reserve(traces.size());
    for (RankTrace& trace : traces) shared.push_back(std::make_shared<const RankTrace>(std::move(trace)));
    std::vector<RankEntry> ranks;
    for (EntryImage& entry : entries) {
      if (entry.file.value >= files.size() || entry.trace >= shared.size()) return nullptr;
      auto details = detailsOf ? detailsOf(files[entry.file.value]) : noDetails();
      if (details == nullptr) return nullptr;
      ranks.push_back({entry.rank, entry.capture, std::move(entry.host), std::move(entry.gpu), entry.file,
                       shared[entry.trace], std::move(details)});
    }
    return std::make_shared<const TraceSet>(std::move(jobName), std::move(names), std::move(ranks),
                                            std::move(files), std::move(origin));
  }

 private:
  template <PlainRecord T> bool readColumn(Column<T>& column) {
    Place place;
    m_directory(place);
    if (!m_directory.ok()) return false;
    if (place.count == 0) return true;
    if (place.count > m_file.size() / sizeof(T)) return false;
    const std::span<const std::byte> bytes = m_file.data(place.at, place.count * sizeof(T));
    if (bytes.empty()) return false;
    column = Column<T>({reinterpret_cast<const T*>(bytes.data()), place.count}, m_file.owner());
    return true;
  }

  bool readNames(StringTable& names) {
    Column<std::uint64_t> ends;
    Column<char> bytes;
    if (!readColumn(ends) || !readColumn(bytes) || ends.size() >= NameId::kNone ||
        !std::ranges::is_sorted(ends) || (!ends.empty() && ends.back() > bytes.size()))
      return false;
    names = StringTable(ends.span(), {bytes.data(), bytes.size()}, m_file.owner());
    return true;
  }

  bool readTrace(RankTrace& trace) {
    m_directory(trace);
    Column<std::uint64_t> busyBeforeBlock;
    Column<std::uint32_t> longest;
    bool fits = true;
    eachColumn(trace, busyBeforeBlock, longest, [&](auto& column) { fits = fits && readColumn(column); });
    trace.pyramid = LongestPyramid(std::move(busyBeforeBlock), std::move(longest));
    return fits;
  }

  const CheckedFile& m_file;
  Unpacker m_directory;
};

} // namespace

std::string writeTraceImage(const TraceSet& traces, CheckedFileWriter& file,
                            const std::atomic<bool>& cancel) {
  return ImageWriter(file, cancel).write(traces);
}

std::uint64_t traceImageBytes(const TraceSet& traces) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < traces.names().size(); ++i)
    bytes += traces.names()[NameId(i)].size() + sizeof(std::uint64_t);
  for (const RankEntry& entry : traces.ranks()) {
    eachColumn(*entry.trace, entry.trace->pyramid.busyBeforeBlock(), entry.trace->pyramid.longest(),
               [&](const auto& column) { bytes += column.span().size_bytes(); });
  }
  return bytes;
}

std::shared_ptr<const TraceSet> readTraceImage(const CheckedFile& file, TraceOrigin origin,
                                               unsigned threadCount, const DetailsOf& detailsOf,
                                               std::optional<std::string_view> directory) {
  return ImageReader(file, directory.value_or(file.directory()))
      .read(std::move(origin), threadCount, detailsOf);
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_slices.h"

#include "core/base/chunk_store.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <utility>

namespace rankscope {

namespace {

class TableFlow {
 public:
  TableFlow(const std::string& path, const NsysExport& facts, const std::vector<NsysPiece>& pieces,
            const NsysFilter& filter, std::uint64_t fileBytes, ReadContext& context)
      : m_path(path), m_facts(facts), m_pieces(pieces), m_filter(filter), m_fileBytes(fileBytes),
        m_context(context) {
    m_tables.pieces.resize(pieces.size());
    m_tables.readerOf.resize(pieces.size());
  }

  Result<NsysTables> run() {
    std::atomic<std::size_t> pending{0};
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
      ++pending;
      // Once the last piece is counted, the waiting thread may destroy this object.
      m_context.pieces.push([this, i, &pending, &queue = m_context.pieces] {
        read(i);
        if (--pending == 0) queue.wake();
      });
    }
    m_context.pieces.workUntil([&] { return pending == 0; });
    for (const auto& reader : m_tables.readers) reader->dropSpare();
    if (m_failure) std::rethrow_exception(m_failure);
    if (m_context.progress.cancelled()) return Error{ErrorKind::Cancelled, "cancelled", m_path, std::nullopt};
    if (m_error) return *m_error;
    for (const NsysPieceResult& piece : m_tables.pieces) {
      m_tables.counts[piece.table] += piece.counts;
      auto& damaged = m_tables.damaged[piece.table];
      damaged.insert(damaged.end(), piece.damaged.begin(), piece.damaged.end());
      m_tables.unknownNames[piece.table].insert(piece.unknownNames.begin(), piece.unknownNames.end());
    }
    for (auto& [table, ranges] : m_tables.damaged) joinRows(ranges);
    return std::move(m_tables);
  }

 private:
  // The number of a reader that no other thread uses now.
  [[nodiscard]] std::size_t acquire() {
    {
      const std::lock_guard lock(m_mutex);
      if (!m_free.empty()) {
        const std::size_t index = m_free.back();
        m_free.pop_back();
        return index;
      }
    }
    auto file = SqliteFile::open(m_path, &m_context.progress.cancel);
    const std::lock_guard lock(m_mutex);
    if (!file) {
      m_error = file.error();
      return m_pieces.size();
    }
    m_tables.readers.push_back(std::make_unique<NsysRowReader>(m_facts, std::move(file).value(), m_filter));
    m_free.reserve(m_tables.readers.size()); // so that releasing does not allocate
    return m_tables.readers.size() - 1;
  }

  void read(std::size_t index) noexcept {
    if (m_context.progress.cancelled() || m_failed) return;
    try {
      const std::size_t own = acquire();
      NsysRowReader* reader = nullptr;
      {
        const std::lock_guard lock(m_mutex);
        if (own >= m_tables.readers.size()) {
          m_failed = true;
          return;
        }
        reader = m_tables.readers[own].get();
      }
      NsysPieceResult& result = m_tables.pieces[index];
      result = reader->read(m_pieces[index], m_context.progress.cancel);
      m_tables.readerOf[index] = own;
      for (NsysPart& part : result.parts) store(part, *reader);
      m_context.progress.eventsDone += result.counts.rows;
      m_context.progress.bytesDone +=
          m_fileBytes * (index + 1) / m_pieces.size() - m_fileBytes * index / m_pieces.size();
      const std::lock_guard lock(m_mutex);
      m_free.push_back(own);
    } catch (...) {
      const std::lock_guard lock(m_mutex);
      if (!m_failure) m_failure = std::current_exception();
      m_failed = true;
    }
  }

  struct Store {
    ChunkStore<RawEvent> events;
    ChunkStore<RawDevice> device;
    ChunkStore<RawMemory> memory;
    ChunkStore<SequenceNumber> sequences;
  };

  // One for each process, so that its memory is free once its recording is built; of many processes, the
  // others share one.
  [[nodiscard]] Store& storeOf(std::int64_t process) {
    constexpr std::size_t kMostStores = 64;
    const std::lock_guard lock(m_mutex);
    if (const auto known = m_stores.find(process); known != m_stores.end()) return known->second;
    return m_stores[m_stores.size() < kMostStores ? process : kNoProcess];
  }

  void store(NsysPart& part, NsysRowReader& reader) {
    SliceEvents& slice = part.slice;
    Store& store = storeOf(part.process);
    for (const RawEvent& event : slice.events) part.stored.add(event);
    slice.stored = {store.events.store(slice.events), store.device.store(slice.device),
                    store.memory.store(slice.memory)};
    part.pending.storedSequences = store.sequences.store(part.pending.sequences);
    reader.reuse({std::exchange(slice.events, {}), std::exchange(slice.device, {}),
                  std::exchange(part.pending.sequences, {})});
    slice.memory = {};
  }

  const std::string& m_path;
  const NsysExport& m_facts;
  const std::vector<NsysPiece>& m_pieces;
  NsysFilter m_filter;
  std::uint64_t m_fileBytes;
  ReadContext& m_context;
  std::map<std::int64_t, Store> m_stores; // by process, under the mutex; stores stay where they are
  NsysTables m_tables;
  std::mutex m_mutex; // protects readers, the free ones, stores, error and failure
  std::vector<std::size_t> m_free;
  std::optional<Error> m_error;
  std::exception_ptr m_failure;
  std::atomic<bool> m_failed{false};
};

} // namespace

std::map<std::int64_t, std::vector<NsysProcessPart>> NsysTables::byProcess() {
  std::map<std::int64_t, std::vector<NsysProcessPart>> processes;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (NsysPart& part : pieces[i].parts)
      processes[part.process].push_back({&part, &readers[readerOf[i]]->processes()[part.process]});
  }
  return processes;
}

namespace {

// Divides rows into pieces.
void addPieces(NsysTable table, SqliteFile::RowRange rows, std::uint64_t fileBytes, std::int64_t rowsAtOnce,
               std::vector<NsysPiece>& pieces) {
  constexpr std::uint64_t kLeastRowBytes = 4; // a rowid that jumps must not make endless pieces
  const auto first = static_cast<std::uint64_t>(rows.first);
  const std::uint64_t last = static_cast<std::uint64_t>(rows.last) - first; // inclusive
  const auto step = static_cast<std::uint64_t>(std::max<std::int64_t>(rowsAtOnce, 1));
  const std::uint64_t most = fileBytes / kLeastRowBytes / step + 1;
  const std::uint64_t count = std::max<std::uint64_t>(std::min(last / step, most), 1);
  const std::uint64_t length = std::max(last / count, step); // of rows, at least
  for (std::uint64_t at = 0;;) {
    const std::uint64_t end = last - at < length ? last : at + length - 1;
    pieces.push_back(
        {table, {static_cast<std::int64_t>(first + at), static_cast<std::int64_t>(first + end)}});
    if (end == last) break;
    at = end + 1;
  }
}

} // namespace

std::vector<NsysPiece> nsysPieces(const SqliteFile& file, std::uint64_t fileBytes, std::int64_t rowsAtOnce) {
  std::vector<NsysPiece> pieces;
  for (const NsysTableSpec& spec : nsysTables()) {
    const SqliteTable* const table = file.table(spec.name);
    if (table == nullptr || !isReadable(file, spec, *table)) continue;
    SqliteFile::RowRange rows = file.rowsOf(*table);
    if (rows.empty()) continue;
    if (rows.last == SqliteFile::kLastRow) {
      // What is behind the last readable row is one piece, which says that it is damaged.
      const auto last = file.lastReadable(*table);
      if (last && *last >= rows.first && *last < rows.last) {
        addPieces(spec.table, {rows.first, *last}, fileBytes, rowsAtOnce, pieces);
        rows.first = *last + 1;
      }
      pieces.push_back({spec.table, rows});
      continue;
    }
    addPieces(spec.table, rows, fileBytes, rowsAtOnce, pieces);
  }
  return pieces;
}

Result<NsysTables> readNsysTables(const std::string& path, const NsysExport& facts,
                                  const std::vector<NsysPiece>& pieces, const NsysFilter& filter,
                                  std::uint64_t fileBytes, ReadContext& context) {
  return TableFlow(path, facts, pieces, filter, fileBytes, context).run();
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/kineto/slice_flow.h"

#include "core/base/chunk_store.h"
#include "core/io/files/text_source.h"
#include "core/io/kineto/event_reader.h"

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace rankscope {

namespace {

// Pool of readers of one file; one reader for each thread that reads a slice at the same time.
class ReaderPool {
 public:
  explicit ReaderPool(const EventFilter& filter) : m_filter(filter) {}

  struct Entry {
    std::unique_ptr<ReaderTables> tables;
    std::unique_ptr<EventReader> reader;
  };

  [[nodiscard]] std::size_t acquire() {
    const std::lock_guard lock(m_mutex);
    if (!m_free.empty()) {
      const std::size_t index = m_free.back();
      m_free.pop_back();
      return index;
    }
    auto tables = std::make_unique<ReaderTables>();
    auto reader = std::make_unique<EventReader>(*tables, m_filter);
    m_free.reserve(m_entries.size() + 1); // so that release() does not allocate
    m_entries.push_back({std::move(tables), std::move(reader)});
    return m_entries.size() - 1;
  }
  // Not called if reading has thrown.
  void release(std::size_t index) {
    const std::lock_guard lock(m_mutex);
    m_free.push_back(index);
  }
  [[nodiscard]] EventReader& reader(std::size_t index) {
    const std::lock_guard lock(m_mutex);
    return *m_entries[index].reader;
  }
  [[nodiscard]] std::vector<std::unique_ptr<ReaderTables>> takeTables() {
    std::vector<std::unique_ptr<ReaderTables>> tables;
    for (Entry& entry : m_entries) tables.push_back(std::move(entry.tables));
    m_entries.clear();
    return tables;
  }

 private:
  EventFilter m_filter;
  std::mutex m_mutex;
  std::vector<Entry> m_entries;
  std::vector<std::size_t> m_free;
};

struct SliceResult {
  SliceReading reading;
  std::uint64_t endAt = 0; // end of the slice in the text
  bool last = false;
};

// Reads all slices of a file.
class SliceFlow {
 public:
  SliceFlow(const FileBytes& file, EventSlicer& slicer, ReadContext& context, const EventFilter& filter)
      : m_file(file), m_slicer(slicer), m_context(context), m_pool(filter) {}

  // Cuts and reads all slices; false if cancelled. Rethrows exceptions of any thread.
  [[nodiscard]] bool run() {
    std::uint64_t reported = 0;
    const auto report = [&] {
      const std::uint64_t read = m_slicer.fileBytesRead();
      m_context.progress.bytesDone += read - reported;
      reported = read;
    };
    // Limit the number of decompressed slices in memory to what readers can process soon.
    const std::size_t longestWaiting = 2 * m_context.threadCount() + 2;
    while (!m_context.progress.cancelled() && !m_failed && produce()) {
      report();
      while (m_context.pieces.size() > longestWaiting && m_context.pieces.runOne()) {
      }
    }
    // Always wait, also after an exception: queued pieces refer to this object.
    m_context.pieces.workUntil([this] { return m_pending == 0; });
    m_context.progress.bytesDone += m_file.bytes().size() - reported;
    if (m_failure) std::rethrow_exception(m_failure);
    return !m_context.progress.cancelled();
  }

  // Joins a slice that was cut inside an event with the next one. The last slice is never unfinished.
  [[nodiscard]] bool joinWrongCuts() {
    for (std::size_t i = 0; i < m_results.size(); ++i) {
      if (m_context.progress.cancelled()) return false;
      if (m_results[i]->reading.unfinishedAt && !join(i)) return false;
    }
    return true;
  }

  [[nodiscard]] FileEvents takeEvents() {
    FileEvents events;
    for (auto& result : m_results) events.slices.push_back(std::move(result->reading.events));
    events.tables = m_pool.takeTables();
    return events;
  }

 private:
  // Cuts and queues the next slice; false if there is none, or after an exception.
  [[nodiscard]] bool produce() noexcept {
    std::size_t counted = 0;
    try {
      std::optional<TextSlice> slice = m_slicer.next();
      if (!slice) return false;
      SliceResult& result = *m_results.emplace_back(std::make_unique<SliceResult>());
      result.endAt = slice->endAt();
      result.last = slice->last;
      WorkQueue::Work work = [this, &result, piece = std::move(*slice)] { read(piece, result); };
      m_pending += counted = 1; // the piece may be done before push() returns
      m_context.pieces.push(std::move(work));
      return true;
    } catch (...) {
      m_pending -= counted;
      fail();
      return false;
    }
  }

  void read(const TextSlice& slice, SliceResult& result) noexcept {
    // Once the last slice is counted, the waiting thread may destroy this object.
    WorkQueue& queue = m_context.pieces;
    if (!m_context.progress.cancelled() && !m_failed) {
      try {
        const std::size_t index = m_pool.acquire();
        result.reading = m_pool.reader(index).read(slice, m_slicer.boundary());
        store(result.reading.events, index);
        m_context.progress.eventsDone += result.reading.events.objects;
        m_pool.release(index);
      } catch (...) {
        fail();
      }
    }
    if (--m_pending == 0) queue.wake();
  }

  // REQUIRES: called within a catch block.
  void fail() noexcept {
    const std::lock_guard lock(m_failing);
    if (!m_failure) m_failure = std::current_exception();
    m_failed = true;
  }

  // Reads from the unfinished event of slice i through the next slice and replaces that one's results.
  [[nodiscard]] bool join(std::size_t i) {
    SliceResult& open = *m_results[i];
    SliceResult& next = *m_results[i + 1];
    const std::uint64_t from = *open.reading.unfinishedAt;
    const auto text = readText(m_file, from, next.endAt - from);
    if (!text) return false;
    const std::size_t index = m_pool.acquire();
    SliceReading more =
        m_pool.reader(index).readCarefully(*text, from, open.endAt, next.last, m_slicer.boundary());
    store(more.events, index);
    m_pool.release(index);
    m_context.progress.eventsDone += more.events.objects - next.reading.events.objects;
    next.reading = std::move(more);
    return true;
  }

  void store(SliceEvents& slice, std::size_t reader) {
    slice.tables = reader;
    slice.stored = {m_events.store(slice.events), m_device.store(slice.device), m_memory.store(slice.memory)};
    m_pool.reader(reader).recycle(slice);
  }

  const FileBytes& m_file;
  EventSlicer& m_slicer;
  ReadContext& m_context;
  ReaderPool m_pool;
  ChunkStore<RawEvent> m_events;
  ChunkStore<RawDevice> m_device;
  ChunkStore<RawMemory> m_memory;
  std::vector<std::unique_ptr<SliceResult>> m_results;
  std::atomic<std::size_t> m_pending{0};
  std::atomic<bool> m_failed{false};
  std::mutex m_failing;
  std::exception_ptr m_failure; // the first exception; protected by m_failing while pieces are pending
};

} // namespace

Result<FileEvents> readSlices(const FileBytes& file, EventSlicer& slicer, ReadContext& context,
                              const EventFilter& filter) {
  const auto failed = [&](ErrorKind kind, std::string why) {
    return Error{kind, std::move(why), file.path(), std::nullopt};
  };
  SliceFlow flow(file, slicer, context, filter);
  if (!flow.run()) return failed(ErrorKind::Cancelled, "cancelled");
  if (flow.joinWrongCuts()) return flow.takeEvents();
  if (context.progress.cancelled()) return failed(ErrorKind::Cancelled, "cancelled");
  return failed(ErrorKind::Io, "the file could not be read a second time");
}

} // namespace rankscope

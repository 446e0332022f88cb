// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/cache_bench.h"

#include "core/io/trace_loader.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace rankscope::bench {

namespace {

template <class Work> double secondsOf(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void dropPages(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  static_cast<void>(posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED));
  close(file);
}

} // namespace

CacheRow measureCache(const std::string& folder, int runs, unsigned threads) {
  const test::TemporaryFolder cache;
  LoadOptions options{threads, std::nullopt, TraceCacheSettings{cache.path().string(), ~std::uint64_t{0}, 0}};
  const auto load = [&](bool cached) {
    Progress progress;
    auto loaded = loadTraces({folder}, options, progress);
    if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
    if ((*loaded)->origin().cached != cached) throw std::runtime_error(folder + ": not kept");
    return *loaded;
  };
  CacheRow row;
  row.name = folder;
  std::vector<double> read, write, warm, cold;
  std::string path;
  for (int run = 0; run < runs; ++run) {
    if (!path.empty()) std::filesystem::remove(path);
    std::shared_ptr<const TraceSet> traces;
    read.push_back(secondsOf([&] { traces = load(false); }));
    write.push_back(secondsOf([&] { static_cast<void>(writeTraceCache(*traces, *options.cache)); }));
    row.events = traces->eventCount();
    std::vector<std::string> sources;
    row.sourceBytes = 0;
    for (const FileRecord& file : traces->files()) {
      sources.push_back(file.path);
      row.sourceBytes += file.bytes;
    }
    for (const auto& entry : std::filesystem::directory_iterator(cache.path())) path = entry.path().string();
    warm.push_back(secondsOf([&] { traces = load(true); }));
    traces.reset();
    dropPages(path);
    for (const std::string& source : sources) dropPages(source);
    cold.push_back(secondsOf([&] { traces = load(true); }));
  }
  row.cacheBytes = std::filesystem::file_size(path);
  row.read = middle(read);
  row.write = middle(write);
  row.warm = middle(warm);
  row.cold = middle(cold);
  return row;
}

} // namespace rankscope::bench

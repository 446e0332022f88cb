// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/measure.h"

#include "core/analysis/job/analysis.h"
#include "core/base/statistics.h"
#include "core/io/cache/trace_cache.h"
#include "core/io/files/file_bytes.h"
#include "core/io/load/trace_loader.h"
#include "tests/bench/json_floor.h"
#include "tests/bench/memory_use.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <stdexcept>

namespace rankscope::bench {

namespace {

struct Cost {
  double wall = 0;
  double cpu = 0; // of all threads
};

double processSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

template <class Work> Cost costOf(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  const double cpuBegin = processSeconds();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          processSeconds() - cpuBegin};
}

// 0 where nothing was measured.
double typicalOf(const std::vector<double>& values) {
  return values.empty() ? 0 : median(values);
}

std::shared_ptr<const TraceSet> load(const std::vector<std::string>& paths, const LoadOptions& options) {
  Progress progress;
  auto loaded = loadTraces(paths, options, progress);
  if (!loaded) throw std::runtime_error(loaded.error().text());
  return *loaded;
}

LoadOptions onThreads(unsigned threads) {
  LoadOptions options;
  options.threadCount = threads;
  return options;
}

// The text of a trace, decompressed where it is compressed.
std::string textOf(const std::string& path) {
  const auto file = FileBytes::open(path);
  if (!file) throw std::runtime_error(file.error().text());
  const auto bytes = file->bytes();
  if (!file->compressed()) return {bytes.begin(), bytes.end()};
  std::string text;
  Inflater inflater(bytes);
  for (std::size_t read = 1; read > 0;) {
    const std::size_t at = text.size();
    text.resize(at + (std::size_t{4} << 20));
    read = inflater.read({text.data() + at, text.size() - at});
    text.resize(at + read);
  }
  return text;
}

void inflateOnly(const std::string& path) {
  const auto file = FileBytes::open(path);
  if (!file) throw std::runtime_error(file.error().text());
  Inflater inflater(file->bytes());
  std::vector<char> buffer(std::size_t{1} << 20);
  while (inflater.read(buffer) == buffer.size()) {
  }
}

// Every trace of the job as plain text in one folder and compressed in another. Traces that are plain already
// stay where they are.
struct Copies {
  test::TemporaryFolder plainFolder;
  test::TemporaryFolder packedFolder;
  std::vector<std::string> plain;
  std::vector<std::string> packed;

  Copies(const std::vector<std::string>& paths, bool compressed) {
    for (const DiscoveredFile& file : discoverTraceFiles(paths).files) {
      const std::string name = std::filesystem::path(file.path).stem().string();
      const auto bytes = FileBytes::open(file.path);
      if (!bytes) throw std::runtime_error(bytes.error().text());
      const bool isPacked = bytes->compressed();
      plain.push_back(isPacked ? plainFolder / (name + ".json") : file.path);
      if (isPacked) test::writeTraceFile(plain.back(), textOf(file.path));
      if (!compressed) continue;
      packed.push_back(packedFolder / (name + ".json.gz"));
      test::writeTraceFile(packed.back(), textOf(file.path));
    }
    if (plain.empty()) throw std::runtime_error(paths.front() + ": no traces");
  }
};

Cost floorOf(const std::vector<std::string>& files) {
  Cost cost;
  for (const std::string& file : files) {
    const FloorPass pass = floorPass(file, 1);
    cost.wall += pass.seconds;
    cost.cpu += pass.cpuSeconds;
  }
  return cost;
}

void measureLoads(const Copies& copies, const MeasureOptions& options, Figures& figures) {
  std::vector<double> floors, inflates, ones, twos, packed, perFloor, perFloorCpu, faster, gzPerFloor;
  for (int run = 0; run < options.runs; ++run) {
    const Cost floor = options.floor ? floorOf(copies.plain) : Cost{};
    const Cost one = costOf([&] { (void)load(copies.plain, onThreads(1)); });
    const Cost two = costOf([&] { (void)load(copies.plain, onThreads(2)); });
    floors.push_back(floor.wall);
    ones.push_back(one.wall);
    twos.push_back(two.wall);
    faster.push_back(one.wall / two.wall);
    if (options.floor) {
      perFloor.push_back(one.wall / floor.wall);
      perFloorCpu.push_back(one.cpu / floor.cpu);
    }
    if (copies.packed.empty()) continue;
    const Cost inflate = costOf([&] {
      for (const std::string& file : copies.packed) inflateOnly(file);
    });
    const Cost gz = costOf([&] { (void)load(copies.packed, onThreads(1)); });
    inflates.push_back(inflate.wall);
    packed.push_back(gz.wall);
    if (options.floor) gzPerFloor.push_back(gz.wall / (inflate.wall + floor.wall));
  }
  figures.floor = typicalOf(floors);
  figures.inflate = typicalOf(inflates);
  figures.load1 = typicalOf(ones);
  figures.load2 = typicalOf(twos);
  figures.loadGz = typicalOf(packed);
  figures.loadPerFloor = typicalOf(perFloor);
  figures.loadPerFloorCpu = typicalOf(perFloorCpu);
  figures.twoThreads = typicalOf(faster);
  figures.gzPerFloor = typicalOf(gzPerFloor);
}

void measureCache(const Copies& copies, int runs, Figures& figures) {
  const test::TemporaryFolder folder;
  LoadOptions options = onThreads(1);
  options.cache = TraceCacheSettings{folder.path().string(), ~std::uint64_t{0}, 0};
  const auto traces = load(copies.plain, options);
  figures.cacheWrite = costOf([&] { (void)writeTraceCache(*traces, *options.cache); }).wall;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    figures.cacheBytes += std::filesystem::file_size(entry);
  std::vector<double> opens;
  for (int run = 0; run < runs; ++run) {
    opens.push_back(costOf([&] {
                      if (!load(copies.plain, options)->origin().cached)
                        throw std::runtime_error(figures.name + ": not opened from the cache");
                    }).wall);
  }
  figures.cacheOpen = typicalOf(opens);
}

} // namespace

Figures measure(const std::string& name, const std::vector<std::string>& paths,
                const MeasureOptions& options) {
  Figures figures;
  figures.name = name;
  const Copies copies(paths, options.compressed);
  figures.files = copies.plain.size();
  const MemoryUse memory = memoryOf([&] { return load(copies.plain, onThreads(1)); });
  measureLoads(copies, options, figures);
  {
    const auto traces = load(copies.plain, onThreads(1));
    figures.analysis = costOf([&] { Analysis(traces).computeAll(1); }).wall;
    for (const FileRecord& file : traces->files()) {
      figures.events += file.events;
      figures.jsonBytes += file.textBytes;
    }
  }
  if (options.cache) measureCache(copies, options.runs, figures);
  const auto events = static_cast<double>(std::max<std::uint64_t>(figures.events, 1));
  figures.peakBytesPerEvent = static_cast<double>(memory.peakBytes) / events;
  figures.keptBytesPerEvent = static_cast<double>(memory.keptBytes) / events;
  figures.residentBytes = memory.residentBytes;
  return figures;
}

} // namespace rankscope::bench

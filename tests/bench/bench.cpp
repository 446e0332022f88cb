// SPDX-License-Identifier: GPL-3.0-or-later
// Reading, analyzing and keeping jobs against the least that each can cost; see measure.h. Given traces and
// jobs that it generates, as a table and as JSON.
#include "core/io/load/trace_readers.h"
#include "tests/bench/measure.h"
#include "tests/support/crowded_traces.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/os.h>

#include <algorithm>
#include <stdexcept>

namespace rankscope::bench {

namespace {

// A trace of a rank is about this long in practice; larger jobs have more ranks.
constexpr std::int64_t kEventsOfRank = 1'600'000;

double megabytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / 1e6;
}

double perEvent(double seconds, const Figures& figures) {
  return seconds * 1e9 / static_cast<double>(std::max<std::uint64_t>(figures.events, 1));
}

void printStage(const Figures& figures, const char* stage, double seconds, const std::string& remark) {
  if (seconds <= 0) return;
  fmt::print("  {:24} {:>10.1f} {:>9.0f} {:>9.1f}  {}\n", stage, seconds * 1e3,
             megabytes(figures.jsonBytes) / seconds, perEvent(seconds, figures), remark);
}

void print(const Figures& figures) {
  fmt::print("{}: {} file{}, {} events, {:.1f} MB of JSON\n", figures.name, figures.files,
             figures.files == 1 ? "" : "s", figures.events, megabytes(figures.jsonBytes));
  fmt::print("  {:24} {:>10} {:>9} {:>9}\n", "", "ms", "MB/s", "ns/event");
  const bool floor = figures.floor > 0;
  printStage(figures, "bare simdjson", figures.floor, "the floor");
  printStage(figures, "bare inflation", figures.inflate, "");
  printStage(figures, "load, 1 thread", figures.load1,
             floor ? fmt::format("{:.2f} of the floor ({:.2f} of its processor time)", figures.loadPerFloor,
                                 figures.loadPerFloorCpu)
                   : "");
  printStage(figures, "load, 2 threads", figures.load2,
             fmt::format("{:.2f} times faster than 1", figures.twoThreads));
  printStage(figures, "load .gz, 1 thread", figures.loadGz,
             floor ? fmt::format("{:.2f} of inflation + floor", figures.gzPerFloor) : "");
  printStage(figures, "analysis, 1 thread", figures.analysis,
             fmt::format("{:.2f} of the load", figures.analysis / figures.load1));
  printStage(figures, "cache: keep", figures.cacheWrite,
             fmt::format("{:.1f} MB", megabytes(figures.cacheBytes)));
  printStage(figures, "cache: open", figures.cacheOpen,
             fmt::format("{:.0f} times faster than the load", figures.load1 / figures.cacheOpen));
  fmt::print(
      "  memory: {:.1f} bytes an event at most, {:.1f} afterwards; {:.0f} MB resident with the files\n\n",
      figures.peakBytesPerEvent, figures.keptBytesPerEvent, megabytes(figures.residentBytes));
}

void writeJson(const std::vector<Figures>& all, const std::string& path) {
  auto out = fmt::output_file(path);
  out.print("[");
  for (const Figures& f : all) {
    out.print("{}\n  {{\"name\": \"{}\", \"files\": {}, \"json_bytes\": {}, \"events\": {}, ",
              &f == all.data() ? "" : ",", f.name, f.files, f.jsonBytes, f.events);
    out.print("\"floor_s\": {:.6f}, \"inflate_s\": {:.6f}, \"load_1_thread_s\": {:.6f}, "
              "\"load_2_threads_s\": {:.6f}, \"load_gz_s\": {:.6f}, \"analysis_s\": {:.6f}, "
              "\"cache_keep_s\": {:.6f}, \"cache_open_s\": {:.6f}, \"cache_bytes\": {}, ",
              f.floor, f.inflate, f.load1, f.load2, f.loadGz, f.analysis, f.cacheWrite, f.cacheOpen,
              f.cacheBytes);
    out.print("\"load_per_floor\": {:.4f}, \"load_per_floor_cpu\": {:.4f}, \"two_threads_speedup\": {:.4f}, "
              "\"gz_per_inflate_and_floor\": {:.4f}, \"peak_bytes_per_event\": {:.2f}, "
              "\"kept_bytes_per_event\": {:.2f}, \"resident_bytes\": {}}}",
              f.loadPerFloor, f.loadPerFloorCpu, f.twoThreads, f.gzPerFloor, f.peakBytesPerEvent,
              f.keptBytesPerEvent, f.residentBytes);
  }
  out.print("\n]\n");
}

Figures measureGenerated(std::int64_t events, const MeasureOptions& options) {
  const test::TemporaryFolder folder;
  test::JobOptions job;
  job.ranks = static_cast<int>(std::max<std::int64_t>(1, events / kEventsOfRank));
  job.targetEvents = events;
  (void)test::generateJob(job, folder.path());
  return measure(fmt::format("generated, {} ranks", job.ranks), {folder.path().string()}, options);
}

// Nothing of it is compared with its floor: what counts is that none takes much longer than the others.
Figures measureCrowded(const test::CrowdedTrace& crowded, std::size_t events, MeasureOptions options) {
  const test::TemporaryFolder folder;
  test::writeTraceFile(folder / "rank0.json", crowded.text(events));
  options.compressed = options.floor = options.cache = false;
  return measure(fmt::format("crowded: {}", crowded.name), {folder.path().string()}, options);
}

int run(int argc, char** argv) {
  CLI::App app("Rankscope's reading against bare simdjson and bare inflation over the same bytes");
  std::vector<std::string> traces;
  std::vector<std::string> jobs;
  std::vector<std::int64_t> generated;
  std::size_t crowd = 0;
  MeasureOptions options;
  std::string json;
  app.add_option("traces", traces, "Trace files and folders; each file is measured by itself");
  app.add_option("--job", jobs, "A folder that is measured as one job");
  app.add_option("--events", generated, "Generate and measure a job of about this many events")
      ->check(CLI::PositiveNumber);
  app.add_option("--crowded", crowd, "Measure small traces with about this many of one thing each");
  app.add_option("--runs", options.runs, "Runs of each measurement")->check(CLI::PositiveNumber);
  app.add_flag("!--no-gz", options.compressed, "Do not measure compressed copies");
  app.add_flag("!--no-floor", options.floor, "Do not measure the floor");
  app.add_flag("!--no-cache", options.cache, "Do not measure the cache");
  app.add_option("--json", json, "Write the figures to this file as well");
  CLI11_PARSE(app, argc, argv);
  if (traces.empty() && jobs.empty() && generated.empty() && crowd == 0) generated.push_back(1'000'000);

  std::vector<Figures> all;
  const auto take = [&](Figures figures) {
    print(figures);
    all.push_back(std::move(figures));
  };
  if (!traces.empty()) {
    for (const DiscoveredFile& file : discoverTraceFiles(traces).files)
      take(measure(file.relativePath, {file.path}, options));
  }
  for (const std::string& job : jobs) take(measure(job, {job}, options));
  for (const std::int64_t events : generated) take(measureGenerated(events, options));
  if (crowd > 0) {
    for (const test::CrowdedTrace& crowded : test::crowdedTraces())
      take(measureCrowded(crowded, crowd, options));
  }
  if (!json.empty()) writeJson(all, json);
  return 0;
}

} // namespace

} // namespace rankscope::bench

int main(int argc, char** argv) {
  try {
    return rankscope::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

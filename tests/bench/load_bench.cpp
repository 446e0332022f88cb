// SPDX-License-Identifier: GPL-3.0-or-later
// Loading against its floor: for every trace given, the bare JSON pass and the whole load, plain and
// compressed, with one thread and with two, interleaved so that a noisy machine hits all alike. Figures are
// medians; ratios are of medians of the same run.
#include "core/io/file_bytes.h"
#include "core/io/trace_folder.h"
#include "core/io/trace_loader.h"
#include "tests/bench/job_bench.h"
#include "tests/bench/json_floor.h"
#include "tests/support/job_generator.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <fmt/os.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace rankscope::bench {

namespace {

struct Row {
  std::string name;
  std::uint64_t events = 0;
  std::uint64_t bytes = 0; // of JSON
  double floor = 0;        // seconds
  double inflate = 0;
  double one = 0;
  double two = 0;
  double compressed = 0;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

template <class Work> double secondsOf(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::uint64_t load(const std::string& path, unsigned threads) {
  Progress progress;
  const auto loaded = loadTraces({path}, {threads, std::nullopt}, progress);
  if (!loaded) throw std::runtime_error(loaded.error().text());
  return (*loaded)->eventCount();
}

std::string inflated(const std::string& path) {
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

// Inflates without keeping anything, as the load does.
std::uint64_t inflateOnly(const std::string& path) {
  const auto file = FileBytes::open(path);
  if (!file) throw std::runtime_error(file.error().text());
  Inflater inflater(file->bytes());
  std::vector<char> buffer(std::size_t{1} << 20);
  std::uint64_t bytes = 0;
  for (std::size_t read = buffer.size(); read == buffer.size();) bytes += read = inflater.read(buffer);
  return bytes;
}

Row measure(const std::string& path, int runs, const test::TemporaryFolder& folder) {
  const std::string plain = folder / "rank0.json";
  const std::string packed = folder / "rank0.json.gz";
  Row row;
  {
    const std::string text = inflated(path);
    row.bytes = text.size();
    test::writeTraceFile(plain, text);
    test::writeTraceFile(packed, text);
  }
  row.name = path;
  std::vector<double> floor, inflate, one, two, compressed;
  for (int run = 0; run < runs; ++run) {
    floor.push_back(floorPass(plain, 1).seconds);
    one.push_back(secondsOf([&] { row.events = load(plain, 1); }));
    two.push_back(secondsOf([&] { load(plain, 2); }));
    inflate.push_back(secondsOf([&] { (void)inflateOnly(packed); }));
    compressed.push_back(secondsOf([&] { load(packed, 1); }));
  }
  row.floor = median(floor);
  row.one = median(one);
  row.two = median(two);
  row.inflate = median(inflate);
  row.compressed = median(compressed);
  return row;
}

void printTable(const std::vector<Row>& rows) {
  fmt::print("{:44} {:>9} {:>8} {:>9} {:>9} {:>8} {:>8} {:>9} {:>9}\n", "trace", "events", "MB", "floor ms",
             "load ms", "MB/s", "ns/event", "load/floor", "1/2 thr.");
  for (const Row& row : rows) {
    const auto megabytes = static_cast<double>(row.bytes) / 1e6;
    const std::string name = row.name.size() > 44 ? "…" + row.name.substr(row.name.size() - 43) : row.name;
    fmt::print("{:44} {:9} {:8.1f} {:9.2f} {:9.2f} {:8.0f} {:8.0f} {:10.2f} {:9.2f}   gz {:.2f} ms, {:.2f} "
               "of inflate + floor\n",
               name, row.events, megabytes, row.floor * 1e3, row.one * 1e3, megabytes / row.one,
               row.one * 1e9 / static_cast<double>(std::max<std::uint64_t>(row.events, 1)),
               row.one / row.floor, row.one / row.two, row.compressed * 1e3,
               row.compressed / (row.inflate + row.floor));
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("peak memory {} MB, of which the largest text is the benchmark's own\n", usage.ru_maxrss / 1000);
}

void writeJson(const std::vector<Row>& rows, const std::string& path) {
  auto out = fmt::output_file(path);
  out.print("[");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    out.print("{}\n  {{\"trace\": \"{}\", \"events\": {}, \"json_bytes\": {}, \"floor_s\": {:.6f}, "
              "\"inflate_s\": {:.6f}, "
              "\"load_1_thread_s\": {:.6f}, \"load_2_threads_s\": {:.6f}, \"load_gz_s\": {:.6f}}}",
              i == 0 ? "" : ",", row.name, row.events, row.bytes, row.floor, row.inflate, row.one, row.two,
              row.compressed);
  }
  out.print("\n]\n");
}

int run(int argc, char** argv) {
  CLI::App app("Loading times against a bare JSON pass over the same bytes");
  std::vector<std::string> paths;
  int runs = 5;
  std::int64_t generated = 1'000'000;
  std::string json;
  app.add_option("paths", paths, "Trace files and folders; each file is measured by itself");
  app.add_option("--runs", runs, "Runs of each measurement")->check(CLI::PositiveNumber);
  app.add_option("--events", generated, "Size of the generated trace; 0 for none")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--json", json, "Write the figures to this file as well");
  std::vector<std::string> jobs;
  app.add_option("--job", jobs,
                 "Folder of a whole job: its loading and its analysis, on one thread and on two");
  CLI11_PARSE(app, argc, argv);

  const test::TemporaryFolder folder;
  const test::TemporaryFolder jobFolder;
  std::vector<Row> rows;
  if (!paths.empty()) {
    for (const DiscoveredFile& file : discoverTraceFiles(paths).files)
      rows.push_back(measure(file.path, runs, folder));
  }
  if (generated > 0) {
    test::JobOptions options;
    options.ranks = 1;
    options.targetEvents = generated;
    const test::JobTruth truth = test::generateJob(options, jobFolder.path());
    rows.push_back(measure(jobFolder / truth.files.front().file, runs, folder));
    rows.back().name = fmt::format("generated, {} events", rows.back().events);
  }
  for (const std::string& job : jobs) {
    for (const unsigned threads : {1U, 2U}) {
      const JobRow row = measureJob(job, runs, threads);
      fmt::print(
          "{}: {} ranks, {} events, {} thread(s): load {:.1f} ms, analysis {:.1f} ms ({:.0f} ns/event), "
          "{:.2f} of the load\n",
          row.name, row.ranks, row.events, threads, row.load * 1e3, row.analysis * 1e3,
          row.analysis * 1e9 / static_cast<double>(std::max<std::uint64_t>(row.events, 1)),
          row.analysis / row.load);
    }
  }
  if (!rows.empty()) printTable(rows);
  if (!json.empty()) writeJson(rows, json);
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

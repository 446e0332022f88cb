// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/job_bench.h"

#include "core/analysis/analysis.h"
#include "core/io/trace_loader.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <vector>

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

} // namespace

JobRow measureJob(const std::string& folder, int runs, unsigned threads) {
  JobRow row;
  row.name = folder;
  std::vector<double> load, analysis;
  for (int run = 0; run < runs; ++run) {
    std::shared_ptr<const TraceSet> trace;
    load.push_back(secondsOf([&] {
      Progress progress;
      auto loaded = loadTraces({folder}, {threads, std::nullopt}, progress);
      if (!loaded.ok()) throw std::runtime_error(loaded.error().text());
      trace = *loaded;
    }));
    analysis.push_back(secondsOf([&] { Analysis(trace).computeAll(threads); }));
    row.events = trace->eventCount();
    row.ranks = trace->ranks().size();
  }
  row.load = middle(load);
  row.analysis = middle(analysis);
  return row;
}

} // namespace rankscope::bench

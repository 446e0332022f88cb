// SPDX-License-Identifier: GPL-3.0-or-later
// A text written to a file of its own and opened as a job, for tests of what is read of it.
#pragma once

#include "core/io/load/trace_loader.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace rankscope::test {

inline std::shared_ptr<const TraceSet> loadJob(const std::string& path, unsigned threads = 2) {
  Progress progress;
  auto loaded = loadTraces({path}, {threads, std::nullopt}, progress);
  if (!loaded) {
    ADD_FAILURE() << loaded.error().text();
    return nullptr;
  }
  return *loaded;
}

// One file's text, opened as a job.
struct Opened {
  TemporaryFolder folder;
  std::shared_ptr<const TraceSet> set;
  const RankTrace* trace = nullptr;

  explicit Opened(std::string_view text, const std::string& name = "rank0.json", unsigned threads = 2) {
    writeTraceFile(folder / name, text);
    set = loadJob(folder / name, threads);
    if (set) trace = set->ranks().front().trace.get();
  }
  [[nodiscard]] EventIndex named(std::string_view name) const {
    for (std::size_t i = 0; i < trace->events.size(); ++i) {
      if (set->names()[trace->events.name[EventIndex(i)]] == name) return EventIndex(i);
    }
    return {};
  }
  [[nodiscard]] std::uint64_t count(DiagnosticKind kind) const { return trace->diagnostics.count(kind); }
};

// Enough events for several slices, in the layouts that writers use.
inline std::string manyEvents(const char* between, const char* colon, int count) {
  std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [";
  const auto add = [&text, colon](std::string_view key, std::string_view value) {
    text += key;
    text += colon;
    text += value;
  };
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += between;
    add(R"({"ph")", R"("X")");
    add(R"(,"cat")", R"("cpu_op")");
    add(R"(,"name")", R"("aten::op)");
    text += std::to_string(i % 700);
    add(R"(","pid")", "1");
    add(R"(,"tid")", std::to_string(i % 3));
    add(R"(,"ts")", std::to_string(i));
    add(R"(.125,"dur")", "2.5");
    add(R"(,"args")", "");
    add(R"({"External id")", std::to_string(i));
    add(R"(,"Input Dims")", "[[64, 128], [128, 256]]}}");
  }
  return text + "], \"traceName\": \"x\"}";
}

} // namespace rankscope::test

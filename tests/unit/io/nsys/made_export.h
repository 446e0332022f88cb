// SPDX-License-Identifier: GPL-3.0-or-later
// Parts that tests of made exports of Nsight Systems share: an export in a folder of its own, a step with an
// operator, a kernel and a copy, and what is looked up in the opened job.
#pragma once

#include "tests/support/nsys_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/io/opened_trace.h"

#include <map>
#include <string>
#include <string_view>

namespace rankscope::test {

inline constexpr std::int64_t kUtc = 1'700'000'000'000'000'000;
inline constexpr std::int64_t kPid = 100;

// An export in a folder of its own.
class Export {
 public:
  explicit Export(const std::string& name = "trace.sqlite") : m_path(m_folder / name), m_file(m_path) {}

  NsysFile* operator->() { return &m_file; }
  [[nodiscard]] const std::string& path() const { return m_path; }
  [[nodiscard]] std::string folder() const { return m_folder.path().string(); }
  [[nodiscard]] std::shared_ptr<const TraceSet> open() const { return loadJob(m_path); }

 private:
  TemporaryFolder m_folder;
  std::string m_path;
  NsysFile m_file;
};

inline EventIndex named(const TraceSet& set, std::string_view name, std::size_t rank = 0) {
  const RankTrace& trace = *set.ranks().at(rank).trace;
  for (EventIndex e(0); e.value < trace.events.size(); ++e.value) {
    if (set.names()[trace.events.name[e]] == name) return e;
  }
  return {};
}

inline std::map<std::string, std::string> fieldsOf(const RankEntry& rank, EventIndex event) {
  std::map<std::string, std::string> fields;
  const auto read = rank.details->fields(rank.trace->events.source[event]);
  EXPECT_TRUE(read) << (read ? "" : read.error().text());
  if (read) {
    for (const EventField& field : *read) fields[field.key] = field.value;
  }
  return fields;
}

inline bool hasDiagnostic(const RankTrace& trace, std::string_view part) {
  for (const Diagnostic& item : trace.diagnostics.items()) {
    if (item.text.find(part) != std::string::npos) return true;
  }
  return false;
}

// One process that launches a kernel and a copy within an operator of a step.
inline void fillStep(Export& file, std::int64_t pid, std::int64_t device) {
  const std::int64_t thread = NsysFile::thread(pid, pid);
  file->range(thread, 1000, 9000, "ProfilerStep#3");
  file->range(thread, 2000, 5000, "aten::linear, seq = 7, op_id = 12, sizes = [[2, 3], []]");
  file->call(thread, 2500, 2900, "cudaLaunchKernel_v7000", 11);
  file->call(thread, 3000, 3100, "cudaMemcpyAsync_ptsz_v3020", 12);
  file->kernel(NsysFile::process(pid), device, 7, 3000, 4000, "void gemm<float>(int)", 11);
  file->copy(NsysFile::process(pid), device, 7, 4000, 4500, 4096, 12);
}

} // namespace rankscope::test

// In the tests that include this.
namespace rankscope {

using test::Export;
using test::fieldsOf;
using test::fillStep;
using test::hasDiagnostic;
using test::kPid;
using test::kUtc;
using test::loadJob;
using test::named;
using test::NsysFile;
using test::TemporaryFolder;

} // namespace rankscope

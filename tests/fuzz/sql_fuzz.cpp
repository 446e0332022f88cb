// SPDX-License-Identifier: GPL-3.0-or-later
// Any text as SQL over a small job: it is answered or refused within its limits.
#include "core/io/load/trace_loader.h"
#include "core/sql/sql_query.h"
#include "tests/fuzz/memory_file.h"
#include "tests/support/trace_text.h"

#include <chrono>

using namespace rankscope;

namespace {

std::shared_ptr<const TraceSet> smallJob() {
  const std::string text = test::TraceText()
                               .addStep(1, 0, 100'000)
                               .addCpuOp(1, 100, 5000, "aten::mm")
                               .addRuntime(1, 200, 50, "cudaLaunchKernel", 11)
                               .addKernel(0, 7, 1000, 900, "void gemm<float, 128>(float*)", 11)
                               .addCollective(0, 20, 2000, 900, "allreduce", 4096, 2, 12)
                               .addCopy(0, 7, 3000, 10, "Memcpy HtoD (Pinned -> Device)", 4096)
                               .addMemory(1, 400, 512, 1024, 4096)
                               .text();
  const test::MemoryFile memory;
  memory.fill({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  Progress progress;
  LoadOptions options;
  options.threadCount = 1;
  return *loadTraces({memory.path()}, options, progress);
}

} // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const JobReport report(std::make_shared<const Analysis>(smallJob()));
  static const SqlDatabase database(report, 1);
  SqlLimits limits;
  limits.time = std::chrono::milliseconds(20);
  limits.rows = 100;
  limits.memoryBytes = 64 << 20;
  const SqlResult result =
      sqlResult({database, &database}, {reinterpret_cast<const char*>(data), size}, limits);
  test::require(result.table.has_value() != result.answer.problem.has_value());
  if (result.table) test::require(result.table->rowCount() <= limits.rows);
  return 0;
}

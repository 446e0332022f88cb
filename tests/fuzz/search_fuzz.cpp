// SPDX-License-Identifier: GPL-3.0-or-later
// Any line as a search and as a regular expression: it is understood or refused with the place that is not,
// and what it finds in a small job are events of the job.
#include "core/io/load/trace_loader.h"
#include "core/query/event_search.h"
#include "tests/fuzz/memory_file.h"
#include "tests/support/trace_text.h"

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
                               .addThreadName(100, 1, "thread 1 (python)")
                               .text();
  const test::MemoryFile memory;
  memory.fill({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  Progress progress;
  LoadOptions options;
  options.threadCount = 1;
  return *loadTraces({memory.path()}, options, progress);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::shared_ptr<const TraceSet> job = smallJob();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto pattern = TextPattern::parse(text); pattern)
    static_cast<void>(pattern->foundIn("void ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*)"));
  else
    test::require(pattern.error().byteOffset.value_or(0) <= size);
  const auto query = searchQueryFromText(text);
  if (!query) {
    test::require(query.error().byteOffset && *query.error().byteOffset <= size);
    return 0;
  }
  const std::atomic<bool> cancel{false};
  const SearchHits hits = findEvents(*job, *query, 1, cancel);
  const HitSums sums = sumsOf(*job, hits);
  test::require(sums.count <= job->ranks().front().trace->events.size());
  return 0;
}

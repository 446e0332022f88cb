// SPDX-License-Identifier: GPL-3.0-or-later
// rankscope-cli prepares a table on all threads before it makes it (core/report/tables). What the table asks
// for by itself, one result after another, is what it needs: preparing it must not compute more. Measured by
// how often memory is asked for, which is the same on every run of one thread.
#include "core/report/tables.h"
#include "tests/support/failing_memory.h"
#include "tests/unit/two_host_job.h"

#include <gtest/gtest.h>
#include <limits>
#include <memory>

namespace rankscope {

namespace {

// Bookkeeping of the loop over ranks.
constexpr std::int64_t kOfTheLoop = 16;

template <class Work> std::int64_t requestsOf(const TraceSet& traces, Work&& work) {
  const JobReport report(std::make_shared<const Analysis>(std::make_shared<const TraceSet>(traces)));
  test::endMemoryAfter(std::numeric_limits<std::int64_t>::max());
  work(report);
  const std::int64_t requests = test::memoryRequests();
  test::letMemoryLast();
  return requests;
}

} // namespace

TEST(TableNeeds, preparingATableComputesNothingThatItDoesNotAskFor) {
  const TwoHostJob job;
  const TraceSet& traces = job.analysis->trace();
  const std::int64_t everything = requestsOf(traces, [](const JobReport& report) { report.computeAll(1); });
  for (const TableSpec& spec : tableSpecs()) {
    if (spec.everything || spec.whatIf) continue;
    const std::int64_t alone =
        requestsOf(traces, [&](const JobReport& report) { static_cast<void>(spec.make(report)); });
    const std::int64_t prepared = requestsOf(traces, [&](const JobReport& report) {
      prepareTable(report, spec, 1);
      static_cast<void>(spec.make(report));
    });
    EXPECT_LE(prepared, alone + kOfTheLoop) << spec.name;
    EXPECT_LT(prepared, everything) << spec.name;
  }
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Faults of generated jobs whose truth is the same job without the fault: uneven input, fragmented
// collectives, broadcast buffers, collectives of objects. Covers core/analysis/account/object_collectives,
// too.
#include "core/analysis/findings/findings.h"
#include "core/report/findings_table.h"
#include "core/report/job_report.h"
#include "tests/support/job_streams.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/analysis/findings/finding_jobs.h"
#include "tests/unit/io/opened_trace.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>

namespace rankscope {

namespace {

using test::JobOptions;
using test::StreamOptions;

std::unique_ptr<JobReport> reportOf(const JobOptions& options, const StreamOptions& faults) {
  const test::TemporaryFolder folder;
  generateJob(options, faults, folder.path());
  auto report =
      std::make_unique<JobReport>(std::make_shared<const Analysis>(test::loadJob(folder.path().string())));
  static_cast<void>(report->findings()); // reads shapes from the files
  return report;
}

struct Fault {
  const char* name;
  FindingKind kind;
  StreamOptions faults;
  void (*set)(JobOptions&);
  std::string_view leaf;
  bool counted = true; // the lower gain is the truth; else both bounds hold it
};

const std::array kFaults{
    Fault{"uneven", FindingKind::UnevenInput, StreamOptions{.unevenPermille = 250}, [](JobOptions&) {},
          "wait.rank"},
    // All after the backward pass, and so few bytes that a few calls would do.
    Fault{"fragments", FindingKind::FragmentedCollectives, StreamOptions{.fragments = true},
          [](JobOptions& o) { o.overlapPermille = 0, o.communicationPermille = 150; }, "comm.fragmented",
          false},
    Fault{"buffers", FindingKind::DdpBuffersBroadcast, StreamOptions{.buffers = true}, [](JobOptions&) {},
          "host.dispatch.ddp"},
    // The last bucket has been sent before the objects are there.
    Fault{"objects", FindingKind::ObjectCollectives, StreamOptions{.objects = true},
          [](JobOptions& o) { o.communicationPermille = 40; }, "host.comm"},
};

class GeneratedFaults : public testing::TestWithParam<Fault> {};

} // namespace

TEST_P(GeneratedFaults, gainWhatTheTwinTakesLess) {
  for (const std::uint64_t seed : {3U, 4U}) {
    JobOptions options;
    options.seed = seed;
    options.steps = 6;
    GetParam().set(options);
    const auto healthy = reportOf(options, {});
    ASSERT_EQ(findingIn(*healthy, GetParam().kind), nullptr) << findingsText(*healthy);
    const auto faulty = reportOf(options, GetParam().faults);
    const double truth = faulty->keptAccount().stepTime - healthy->keptAccount().stepTime;
    ASSERT_GT(truth, 0.3e6) << "the fault costs something";
    const Finding* const found = findingIn(*faulty, GetParam().kind);
    ASSERT_NE(found, nullptr) << truth << findingsText(*faulty);
    EXPECT_EQ(found->leaf, GetParam().leaf);
    ASSERT_TRUE(found->gain.has_value());
    const double tolerance = std::max(0.05 * truth, 0.15e6);
    const auto low = static_cast<double>(found->gain->low);
    const auto high = static_cast<double>(found->gain->high);
    EXPECT_LE(low, truth + tolerance) << findingsText(*faulty);
    EXPECT_GE(high, truth - tolerance) << findingsText(*faulty);
    EXPECT_EQ(findingIn(*faulty, FindingKind::Throttling), nullptr) << "inputs differ, not clocks";
    if (GetParam().counted) {
      EXPECT_NEAR(low, truth, tolerance) << findingsText(*faulty);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EachKind, GeneratedFaults, testing::ValuesIn(kFaults),
                         [](const auto& fault) { return std::string(fault.param.name); });

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/job_generator.h"
#include "tests/support/job_variants.h"
#include "tests/support/trace_facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <unistd.h>

namespace rankscope::test {
namespace {

namespace fs = std::filesystem;

class JobGenerator : public testing::Test {
 protected:
  JobGenerator() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    m_folder =
        fs::temp_directory_path() / ("rankscope_job_" + std::string(info->name()) + std::to_string(getpid()));
    fs::remove_all(m_folder);
  }
  ~JobGenerator() override { fs::remove_all(m_folder); }

  [[nodiscard]] fs::path folder(const std::string& name = "job") const { return m_folder / name; }

 private:
  fs::path m_folder;
};

using Intervals = std::vector<std::pair<std::int64_t, std::int64_t>>;

Intervals joined(Intervals list) {
  std::sort(list.begin(), list.end());
  Intervals out;
  for (const auto& i : list) {
    if (!out.empty() && i.first <= out.back().second)
      out.back().second = std::max(out.back().second, i.second);
    else
      out.push_back(i);
  }
  return out;
}

std::int64_t lengthOf(const Intervals& list) {
  std::int64_t sum = 0;
  for (const auto& [a, b] : list) sum += b - a;
  return sum;
}

struct Device {
  Intervals all, compute, communication, memory;
};

Device deviceOf(const std::vector<ReadEvent>& events) {
  static const std::set<std::string> kernels{"kernel", "Kernel"},
      copies{"gpu_memcpy", "gpu_memset", "Memcpy", "Memset"};
  Device d;
  for (const ReadEvent& e : events) {
    if (e.phase != "X" || (!kernels.contains(e.category) && !copies.contains(e.category))) continue;
    const bool nccl = e.name.find("nccl") != std::string::npos;
    (copies.contains(e.category) ? d.memory
     : nccl                      ? d.communication
                                 : d.compute)
        .emplace_back(e.begin, e.end);
    d.all.emplace_back(e.begin, e.end);
  }
  return d;
}

void expectFileSaysTheTruth(const fs::path& folder, const FileTruth& truth) {
  SCOPED_TRACE(truth.file);
  const std::vector<ReadEvent> events = readStrictly(folder / truth.file);
  EXPECT_EQ(truth.events, static_cast<std::int64_t>(events.size()));
  const Device d = deviceOf(events);
  EXPECT_EQ(truth.deviceEvents, static_cast<std::int64_t>(d.all.size()));
  const Intervals busy = joined(d.all);
  ASSERT_FALSE(busy.empty());
  EXPECT_EQ(truth.firstNs, busy.front().first);
  EXPECT_EQ(truth.spanNs, busy.back().second - busy.front().first);
  EXPECT_EQ(truth.busyNs, lengthOf(busy));
  EXPECT_EQ(truth.idleNs, truth.spanNs - truth.busyNs);
  const Intervals compute = joined(d.compute), communication = joined(d.communication);
  EXPECT_EQ(truth.computeNs, lengthOf(compute));
  EXPECT_EQ(truth.communicationNs, lengthOf(communication));
  EXPECT_EQ(truth.memoryNs, lengthOf(joined(d.memory)));
  Intervals either = compute;
  either.insert(either.end(), communication.begin(), communication.end());
  EXPECT_EQ(truth.overlapNs, lengthOf(compute) + lengthOf(communication) - lengthOf(joined(either)));
  std::int64_t named = 0, calls = 0;
  for (const NameTruth& n : truth.names) named += n.totalNs, calls += n.calls;
  EXPECT_EQ(named, lengthOf(d.all));
  EXPECT_EQ(calls, truth.deviceEvents);
}

class JobFormatVariant : public JobGenerator, public testing::WithParamInterface<JobVariant> {};

TEST_P(JobFormatVariant, filesSayTheTruthToTheNanosecond) {
  JobOptions o = smallJob();
  GetParam().set(o);
  const fs::path where = folder(GetParam().name);
  const JobTruth truth = generateJob(o, where);
  ASSERT_EQ(truth.files.size(), static_cast<std::size_t>(o.ranks * o.captures));
  for (const FileTruth& f : truth.files) expectFileSaysTheTruth(where, f);
  EXPECT_TRUE(isStrictJson(readText(where / "ground_truth.json")));
}

INSTANTIATE_TEST_SUITE_P(All, JobFormatVariant, testing::ValuesIn(jobVariants()),
                         [](const auto& variant) { return std::string(variant.param.name); });

TEST_F(JobGenerator, truthIsNoTrace) {
  const JobTruth truth = generateJob(smallJob(), folder());
  EXPECT_EQ(readText(folder() / "ground_truth.json").find("traceEvents"), std::string::npos);
  EXPECT_EQ(truth.events(), truth.files[0].events + truth.files[1].events + truth.files[2].events);
}

TEST_F(JobGenerator, sameSeedGivesTheSameBytesOnAnyNumberOfThreads) {
  JobOptions o = smallJob();
  o.straggler = {1, 1'000'000, 1, StragglerKind::Compute};
  o.threads = 1;
  const JobTruth one = generateJob(o, folder("one"));
  o.threads = 3;
  generateJob(o, folder("three"));
  o.seed = 2;
  const JobTruth other = generateJob(o, folder("other"));
  for (const FileTruth& f : one.files)
    EXPECT_EQ(readText(folder("one") / f.file), readText(folder("three") / f.file));
  EXPECT_EQ(readText(folder("one") / "ground_truth.json"), readText(folder("three") / "ground_truth.json"));
  EXPECT_NE(one.files[0].busyNs, other.files[0].busyNs);
}

void expectPhysical(const CollectiveTruth& c) {
  std::int64_t minimum = c.participants[0].waitNs;
  for (const ParticipantTruth& p : c.participants) {
    EXPECT_EQ(p.endNs, c.participants[0].endNs);
    EXPECT_EQ(p.transferNs, c.participants[0].transferNs);
    EXPECT_EQ(p.waitNs + p.transferNs, p.endNs - p.beginNs);
    EXPECT_GE(p.waitNs, 0);
    EXPECT_GT(p.transferNs, 0);
    if (p.rank == c.lastRank) {
      EXPECT_EQ(p.waitNs, 0);
    }
    minimum = std::min(minimum, p.waitNs);
  }
  EXPECT_EQ(minimum, 0);
}

TEST_F(JobGenerator, collectivesEndTogetherOnceTheLastRankHasCome) {
  for (const Parallelism parallelism : {Parallelism::Data, Parallelism::FullySharded, Parallelism::Tensor}) {
    JobOptions o = smallJob();
    o.ranks = 6;
    o.ranksPerNode = 3;
    o.parallelism = parallelism;
    o.clockOffsetNs = {0, 5'000'000};
    const fs::path where = folder(std::to_string(static_cast<int>(parallelism)));
    const JobTruth truth = generateJob(o, where);
    std::vector<Intervals> written(6), expected(6);
    for (const FileTruth& f : truth.files) {
      auto& list = written[static_cast<std::size_t>(f.rank)];
      list = deviceOf(readStrictly(where / f.file)).communication;
      std::sort(list.begin(), list.end());
    }
    for (const CollectiveTruth& c : truth.collectives) {
      expectPhysical(c);
      for (const ParticipantTruth& p : c.participants) {
        const std::int64_t offset = p.rank / o.ranksPerNode == 1 ? 5'000'000 : 0;
        expected[static_cast<std::size_t>(p.rank)].emplace_back(p.beginNs + offset, p.endNs + offset);
      }
    }
    for (Intervals& list : expected) std::sort(list.begin(), list.end());
    EXPECT_EQ(written, expected);
    const std::size_t perStep = parallelism == Parallelism::Data           ? 2
                                : parallelism == Parallelism::FullySharded ? 9
                                                                           : 8;
    EXPECT_EQ(written[0].size(), 3 * perStep);
  }
}

TEST_F(JobGenerator, tensorParallelGroupsAreNeighborsAndDataParallelGroupsCrossThem) {
  JobOptions o = smallJob();
  o.ranks = 6;
  o.parallelism = Parallelism::Tensor;
  std::set<std::vector<int>> tensor, data;
  for (const CollectiveTruth& c : generateJob(o, folder()).collectives) {
    std::vector<int> ranks;
    for (const ParticipantTruth& p : c.participants) ranks.push_back(p.rank);
    (c.group == "mesh_tp" ? tensor : data).insert(ranks);
  }
  EXPECT_EQ(tensor, (std::set<std::vector<int>>{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(data, (std::set<std::vector<int>>{{0, 2, 4}, {1, 3, 5}}));
  o.tensorRanks = 4;
  EXPECT_THROW(generateJob(o, folder("odd")), std::invalid_argument);
}

TEST_F(JobGenerator, lateRecordingLacksWhatCameBeforeAndMissingRanksHaveNoFile) {
  JobOptions o = smallJob();
  o.late = {1, 5'000'000};
  o.missingRanks = {2};
  const JobTruth truth = generateJob(o, folder());
  ASSERT_EQ(truth.files.size(), 2U);
  EXPECT_EQ(truth.files[0].steps.size(), 3U);
  EXPECT_EQ(truth.files[1].steps.size(), 2U);
  EXPECT_GT(truth.files[1].firstNs, truth.files[0].firstNs + 4'000'000);
  EXPECT_EQ(truth.collectives[0].participants.size(), 3U);
}

TEST_F(JobGenerator, stragglerIsTheLastToComeAndCostsWhatItIsSlower) {
  for (const StragglerKind kind : {StragglerKind::Compute, StragglerKind::DataLoader, StragglerKind::Host}) {
    JobOptions o = smallJob();
    o.ranks = 4;
    o.straggler = {2, 8'000'000, 1, kind};
    const JobTruth truth = generateJob(o, folder(std::to_string(static_cast<int>(kind))));
    ASSERT_EQ(truth.straggler.steps, (std::vector<int>{3, 4}));
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_GT(truth.straggler.delayNs[i], 7'000'000);
      EXPECT_LT(truth.straggler.delayNs[i], 8'500'000);
      EXPECT_GT(truth.straggler.exposedWaitNs[i], 6'000'000);
      EXPECT_LE(truth.straggler.exposedWaitNs[i], truth.straggler.waitNs[i]);
    }
    for (const CollectiveTruth& c : truth.collectives) {
      if (c.step >= 3 && c.index == 0) {
        EXPECT_EQ(c.lastRank, 2);
      }
      if (c.step == 2) {
        EXPECT_LT(c.participants[0].waitNs, 3'000'000);
      }
    }
  }
}

TEST_F(JobGenerator, injectedGapsAreIdleAndAsLongAsAsked) {
  JobOptions o = smallJob();
  o.gaps = {{0, 1, 3'000'000, GapCause::Sync},
            {1, 1, 2'000'000, GapCause::CudaMalloc},
            {2, 2, 4'000'000, GapCause::DataLoader},
            {0, 2, 2'500'000, GapCause::Python},
            {1, 2, 1'500'000, GapCause::LaunchBound}};
  const JobTruth truth = generateJob(o, folder());
  std::size_t found = 0;
  for (const FileTruth& f : truth.files) {
    const Intervals busy = joined(deviceOf(readStrictly(folder() / f.file)).all);
    for (const GapTruth& gap : f.gaps) {
      ++found;
      std::int64_t covered = 0;
      for (const auto& [a, b] : busy)
        covered +=
            std::max<std::int64_t>(0, std::min(b, gap.beginNs + gap.durationNs) - std::max(a, gap.beginNs));
      EXPECT_EQ(covered, gap.durationNs - gap.idleNs);
      EXPECT_GE(gap.durationNs, gap.requestedNs);
      if (gap.cause != GapCause::LaunchBound) {
        EXPECT_LT(gap.durationNs, gap.requestedNs + 600'000);
      }
    }
  }
  EXPECT_EQ(found, o.gaps.size());
}

TEST_F(JobGenerator, hostSlicesNestAndKernelsFollowTheirLaunch) {
  JobOptions o = smallJob();
  o.withStack = true;
  const JobTruth truth = generateJob(o, folder());
  for (const FileTruth& f : truth.files) {
    std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>> rows;
    std::map<std::int64_t, std::int64_t> launches;
    const std::vector<ReadEvent> events = readStrictly(folder() / f.file);
    for (const ReadEvent& e : events) {
      if (e.phase == "X" && e.process == std::to_string(f.pid)) rows[e.thread].emplace_back(e.begin, -e.end);
      if (e.category == "cuda_runtime") launches[e.correlation] = e.begin;
    }
    EXPECT_EQ(rows.size(), 2U);
    for (auto& [tid, slices] : rows) {
      std::sort(slices.begin(), slices.end());
      std::vector<std::int64_t> open;
      for (const auto& [begin, minusEnd] : slices) {
        while (!open.empty() && open.back() <= begin) open.pop_back();
        if (!open.empty()) {
          ASSERT_LE(-minusEnd, open.back()) << "in " << tid;
        }
        open.push_back(-minusEnd);
      }
    }
    for (const ReadEvent& e : events) {
      if (e.category != "kernel" && e.category != "gpu_memcpy" && e.category != "gpu_memset") continue;
      ASSERT_TRUE(launches.contains(e.correlation)) << e.name;
      EXPECT_GT(e.begin, launches[e.correlation]);
    }
  }
}

TEST_F(JobGenerator, memoryIsARunningBalanceAndTheLeakIsWhatStays) {
  JobOptions o = smallJob();
  o.leakBytesPerStep = 1 << 20;
  o.leakRank = 1;
  const JobTruth truth = generateJob(o, folder());
  for (const FileTruth& f : truth.files) {
    std::int64_t balance = -1, first = 0, peak = 0;
    for (const ReadEvent& e : readStrictly(folder() / f.file)) {
      if (e.name != "[memory]" || e.deviceType != 1) continue;
      if (balance < 0) balance = first = e.allocated - e.bytes;
      balance += e.bytes;
      ASSERT_EQ(balance, e.allocated);
      peak = std::max(peak, balance);
    }
    EXPECT_EQ(balance - first, f.rank == 1 ? 3 << 20 : 0);
    EXPECT_EQ(balance, f.allocatedAtEnd);
    EXPECT_EQ(peak, f.peakAllocated);
    EXPECT_GE(f.peakReserved, f.peakAllocated);
  }
}

TEST_F(JobGenerator, damageSpoilsOneFileAndLeavesTheOthers) {
  for (int kind = 1; kind <= static_cast<int>(DamageKind::TruncatedGzip); ++kind) {
    JobOptions o = smallJob();
    o.damage = {static_cast<DamageKind>(kind), 1, 600};
    o.gzip = o.damage.kind == DamageKind::TruncatedGzip;
    const JobTruth truth = generateJob(o, folder(std::to_string(kind)));
    const auto path = [&](std::size_t i) { return folder(std::to_string(kind)) / truth.files[i].file; };
    SCOPED_TRACE(kind);
    EXPECT_ANY_THROW(static_cast<void>(readStrictly(path(1))));
    expectFileSaysTheTruth(folder(std::to_string(kind)), truth.files[0]);
    expectFileSaysTheTruth(folder(std::to_string(kind)), truth.files[2]);
    if (o.damage.kind == DamageKind::Truncate) {
      EXPECT_LT(truth.files[1].events, truth.files[0].events * 7 / 10);
    }
  }
}

TEST_F(JobGenerator, targetIsMetWithinAFewPercent) {
  JobOptions o = smallJob();
  o.targetEvents = 60'000;
  const JobTruth truth = generateJob(o, folder());
  EXPECT_GT(truth.events(), 54'000);
  EXPECT_LT(truth.events(), 66'000);
}

TEST_F(JobGenerator, namesThatCollideAreRefused) {
  JobOptions o = smallJob();
  o.namePattern = "trace.json";
  EXPECT_THROW(generateJob(o, folder()), std::invalid_argument);
}

TEST_F(JobGenerator, everyKnownNamingGivesEachRankItsFile) {
  for (const std::string& name : namePatternNames()) {
    JobOptions o = smallJob();
    o.steps = o.layers = 1;
    o.namePattern = name;
    const JobTruth truth = generateJob(o, folder(name));
    for (const FileTruth& f : truth.files) EXPECT_TRUE(fs::exists(folder(name) / f.file)) << f.file;
  }
}

} // namespace
} // namespace rankscope::test

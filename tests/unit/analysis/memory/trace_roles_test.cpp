// SPDX-License-Identifier: GPL-3.0-or-later
// Roles of memory from ordinary recordings against the categories that PyTorch wrote for the same runs, and
// measured beside expected memory. Covers core/analysis/memory/expected_memory,
// core/analysis/memory/snapshot_roles, core/report/memory_role_tables, core/report/role_phases.
#include "core/analysis/memory/trace_roles.h"

#include "core/analysis/memory/expected_memory.h"
#include "core/analysis/memory/snapshot_roles.h"
#include "core/io/load/job_loader.h"
#include "core/io/load/trace_loader.h"
#include "core/io/pickle/plain_data.h"
#include "core/io/snapshots/timeline_reader.h"
#include "core/model/side_files.h"
#include "core/report/job_report.h"
#include "core/report/memory_role_tables.h"
#include "core/report/role_phases.h"
#include "core/report/side_results.h"
#include "core/report/tables.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trace_text.h"

#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace rankscope {

namespace {

namespace fs = std::filesystem;

fs::path timelines() {
  return test::sharedFolder() / "memory" / "timelines";
}

std::shared_ptr<const TraceSet> loaded(const std::string& path) {
  Progress progress;
  auto job = loadTraces({path}, {}, progress);
  EXPECT_TRUE(job.ok()) << (job.ok() ? std::string() : job.error().text());
  return job.ok() ? *job : nullptr;
}

constexpr std::array kCompared = {MemoryRole::OptimizerState, MemoryRole::Input, MemoryRole::Activation,
                                  MemoryRole::Gradient, MemoryRole::AutogradDetail};

std::size_t categoryOf(MemoryRole role) {
  return static_cast<std::size_t>(std::ranges::find(kTimelineCategoryNames, memoryRoleId(role)) -
                                  kTimelineCategoryNames.begin());
}

// Bytes × time of a role: as PyTorch says, as the recording says, and as both say.
struct ByteTime {
  double truth = 0;
  double found = 0;
  double both = 0;
};

std::map<MemoryRole, ByteTime> byteTimes(const MemoryTimeline& truth, const DeviceRoles& found) {
  std::map<MemoryRole, ByteTime> sums;
  RoleBytes level = found.start;
  std::size_t change = 0;
  for (std::size_t i = 0; i + 1 < truth.points.size(); ++i) {
    TimeNs at = truth.points[i].time;
    const TimeNs end = truth.points[i + 1].time;
    while (at < end) {
      while (change < found.changes.size() && found.changes[change].time <= at) {
        level[static_cast<std::size_t>(found.changes[change].role)] += found.changes[change].bytes;
        ++change;
      }
      const TimeNs next = change < found.changes.size() ? std::min(end, found.changes[change].time) : end;
      for (const MemoryRole role : kCompared) {
        const std::int64_t expected = truth.points[i].bytes[categoryOf(role)];
        const std::int64_t own = level[static_cast<std::size_t>(role)];
        const auto time = static_cast<double>(next - at);
        sums[role].truth += static_cast<double>(expected) * time;
        sums[role].found += static_cast<double>(own) * time;
        sums[role].both += static_cast<double>(std::min(expected, own)) * time;
      }
      at = next;
    }
  }
  return sums;
}

} // namespace

TEST(TraceRoles, agreeWithPyTorchOnTheSameRuns) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(timelines()), test::kNoRecordings);
  for (const char* name : {"paired_adam", "paired_sgd", "paired_checkpoint"}) {
    SCOPED_TRACE(name);
    const fs::path folder = timelines() / name;
    const auto job = loaded((folder / "rank0.pt.trace.json.gz").string());
    ASSERT_NE(job, nullptr);
    const auto truth = readMemoryTimeline((folder / "timeline.raw.json.gz").string());
    ASSERT_TRUE(truth.ok());
    const JobReport report(std::make_shared<const Analysis>(job));
    const MemoryRoles& roles = report.memoryRoles().front();
    ASSERT_EQ(roles.devices.size(), 1U);
    const DeviceRoles& device = roles.devices.front();
    EXPECT_EQ(roles.backwards.size(), 3U);
    for (const auto& [role, sums] : byteTimes(*truth, device)) {
      if (sums.truth <= 0) continue;
      EXPECT_GE(sums.both / sums.truth, 0.99) << memoryRoleId(role);
      // PyTorch calls a part of what is recomputed temporary: an independent reading of the same rules has
      // 98.8 % there.
      const bool recomputed = role == MemoryRole::Activation && std::string_view(name) == "paired_checkpoint";
      if (role != MemoryRole::AutogradDetail) {
        EXPECT_GE(sums.both / sums.found, recomputed ? 0.988 : 0.99) << memoryRoleId(role);
      }
      RecordProperty(std::string(name) + "." + std::string(memoryRoleId(role)),
                     fmt::format("{:.4f} {:.4f}", sums.both / sums.truth, sums.both / sums.found));
    }
    // The peak, as an independent reading of the same rules has it.
    const auto oracle = readPlainFile(
        (test::sharedFolder() / "memory" / "oracles" / (std::string(name) + ".derived.json")).string());
    ASSERT_TRUE(oracle.ok());
    const ValueTree& values = oracle->values;
    const ValueId peak = values.member(values.member(oracle->root, "peak"), "derived");
    for (const MemoryRole role : kCompared) {
      std::string key(memoryRoleId(role));
      std::ranges::transform(key, key.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
      EXPECT_EQ(device.atPeak[static_cast<std::size_t>(role)],
                values.integer(values.member(peak, key)).value_or(0))
          << key;
    }
    EXPECT_EQ(roles.optimizer, std::string(name) == "paired_sgd" ? "SGD" : "Adam");
  }
}

TEST(TraceRoles, expectedMemoryMeetsARealRun) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(timelines()), test::kNoRecordings);
  const auto job = loaded((timelines() / "paired_adam" / "rank0.pt.trace.json.gz").string());
  ASSERT_NE(job, nullptr);
  const JobReport report(std::make_shared<const Analysis>(job));
  const auto expected = expectedOf(report, RankIndex(0), {});
  ASSERT_TRUE(expected);
  EXPECT_EQ(expected->parametersFrom, "gradients");
  EXPECT_NEAR(*expected->parameters, 528128, 1);
  const auto& optimizer = expected->items[2];
  EXPECT_EQ(optimizer.item, "optimizer");
  EXPECT_NEAR(*optimizer.ratio(), 1.0, 0.001);
  const ResultTable table = tableSpec("memory_expected")->make(report);
  EXPECT_EQ(table.rowCount(), 6U);
  EXPECT_GT(tableSpec("memory_roles")->make(report).rowCount(), 4U);
  EXPECT_NE(largestRoleSentence(report.memoryRoles().front().devices.front()).find("activations"),
            std::string::npos);
}

TEST(TraceRoles, stepsAndPhasesAddUpToTheirPeaks) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(timelines()), test::kNoRecordings);
  const auto job = loaded((timelines() / "paired_adam" / "rank0.pt.trace.json.gz").string());
  ASSERT_NE(job, nullptr);
  const JobReport report(std::make_shared<const Analysis>(job));
  const DeviceRoles& device = report.memoryRoles().front().devices.front();
  const ResultTable table = rolesByPhaseTable(report.analysis(), RankIndex(0), device);
  std::set<std::string> phases;
  std::int64_t step = -1;
  std::int64_t whole = 0;
  std::int64_t most = 0;
  for (std::size_t row = 0; row < table.rowCount(); ++row) {
    const auto value = [&](std::size_t column) { return std::get<std::int64_t>(table.at(row, column)); };
    std::int64_t sum = 0;
    for (std::size_t column = 3; column < table.columns().size(); ++column) sum += value(column);
    EXPECT_EQ(sum, value(2));
    const std::string phase(std::get<std::string_view>(table.at(row, 1)));
    phases.insert(phase);
    if (phase == "step") {
      EXPECT_GT(value(0), step);
      step = value(0);
      whole = value(2);
    } else {
      EXPECT_EQ(value(0), step);
      EXPECT_LE(value(2), whole) << phase;
    }
    most = std::max(most, value(2));
  }
  std::int64_t peak = 0;
  for (const std::int64_t bytes : device.atPeak) peak += bytes;
  EXPECT_EQ(most, peak);
  EXPECT_TRUE(phases.contains("backward") && phases.contains("optimizer"));
}

TEST(ExpectedMemory, meetsARealSnapshot) {
  const fs::path file = test::sharedFolder() / "memory" / "snapshots" / "gpt_adamw_fullstep.pickle.gz";
  RANKSCOPE_SKIP_UNLESS(fs::exists(file), test::kNoRecordings);
  Progress progress;
  const auto job = loadJob({file.string()}, {}, progress);
  ASSERT_TRUE(job.ok());
  const JobReport report(std::make_shared<const Analysis>(*job));
  const SnapshotResults& result = report.side().snapshots.front();
  const ExpectedMemory expected = expectedOf(result, result.devices.front(), {});
  EXPECT_EQ(expected.optimizer, "adamw");
  // A model in 32 bits with AdamW: 4, 4 and 8 bytes a parameter.
  EXPECT_EQ(*expected.parameters, 3'406'809'600) << "what backward leaves behind for a moment is no gradient";
  EXPECT_EQ(*expected.items[2].ratio(), 1.0);
  EXPECT_EQ(expected.items[0].expected, std::int64_t{4} * 3'406'809'600);
  EXPECT_FALSE(expected.items[0].measured) << "only estimated: there before the recording";
  const ResultTable table = tableSpec("memory_expected")->make(report);
  EXPECT_EQ(table.rowCount(), 6U);
  EXPECT_TRUE(table.isEmpty(0, 0)) << "the rank is not known";
}

TEST(TraceRoles, aRecordingBesideItsFilesHasBoth) {
  RANKSCOPE_SKIP_UNLESS(fs::exists(timelines()), test::kNoRecordings);
  const auto job = loaded((timelines() / "paired_adam").string());
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(job->ranks().size(), 1U);
  EXPECT_EQ(job->side().timelines.size(), 2U);
}

// A stream's first product of matrices allocates a workspace too, which is no gradient of a parameter.
TEST(TraceRoles, workspacesOfCublasAreNoParameters) {
  constexpr std::int64_t kWorkspace = 8'519'680;
  constexpr std::int64_t kGradient = 4'194'304;
  const test::TemporaryFolder folder;
  const auto estimated = [&](bool workspaceFirst) {
    test::TraceText trace;
    trace.addStep(1, 0, 100'000);
    trace.addCpuOp(7, 10'000, 50'000, "autograd::engine::evaluate_function: MmBackward0");
    trace.addCpuOp(7, 20'000, 10'000, "aten::mm");
    std::int64_t sum = 64'000'000;
    const auto allocate = [&](std::int64_t time, std::int64_t bytes, std::int64_t address) {
      sum += bytes;
      trace.addMemory(7, time, bytes, sum, sum, 0, address);
    };
    allocate(21'000, workspaceFirst ? kWorkspace : kGradient, 0x1000);
    allocate(22'000, workspaceFirst ? kGradient : kWorkspace, 0x90000000);
    const std::string path = folder / "rank0.pt.trace.json";
    test::writeTraceFile(path, trace.text());
    const auto job = loaded(path);
    return JobReport(std::make_shared<const Analysis>(job)).memoryRoles().front().devices.front();
  };
  const DeviceRoles device = estimated(false);
  EXPECT_EQ(device.gradientsAfterBackward, kGradient);
  EXPECT_EQ(device.parametersBefore, kGradient);
  EXPECT_EQ(device.largest[static_cast<std::size_t>(MemoryRole::Gradient)], kGradient + kWorkspace);
  // A result that happens to be as large comes first.
  EXPECT_EQ(estimated(true).gradientsAfterBackward, kGradient + kWorkspace);
}

// Buckets are allocated in a forward pass and kept: a copy of the gradients, no activation.
TEST(TraceRoles, bucketsOfDdpAreGradients) {
  const fs::path folder = timelines() / "ddp_timeline_fails";
  RANKSCOPE_SKIP_UNLESS(fs::exists(folder), test::kNoRecordings);
  constexpr std::int64_t kGradients = std::int64_t{4} * 528'128;
  const auto job = loaded(folder.string());
  ASSERT_NE(job, nullptr);
  const JobReport report(std::make_shared<const Analysis>(job));
  const DeviceRoles& device = report.memoryRoles().front().devices.front();
  EXPECT_EQ(device.end[static_cast<std::size_t>(MemoryRole::Activation)], 0);
  EXPECT_EQ(device.gradientsAfterBackward, kGradients);
  EXPECT_EQ(device.bucketCopies, kGradients);
  const ExpectedMemory expected = *expectedOf(report, RankIndex(0), {});
  EXPECT_EQ(expected.parameters, 528'128);
  EXPECT_EQ(expected.items[1].ratio(), 2.0);
  EXPECT_NE(expected.items[1].note.find("gradient_as_bucket_view"), std::string::npos);
}

// In the snapshot of a single step, a workspace of cuBLAS is made in the backward pass.
TEST(ExpectedMemory, countsNoWorkspaceOfASnapshot) {
  const fs::path file = test::sharedFolder() / "memory" / "snapshots" / "small.pickle";
  RANKSCOPE_SKIP_UNLESS(fs::exists(file), test::kNoRecordings);
  Progress progress;
  const auto job = loadJob({file.string()}, {}, progress);
  ASSERT_TRUE(job.ok());
  const JobReport report(std::make_shared<const Analysis>(*job));
  const SnapshotResults& result = report.side().snapshots.front();
  const SnapshotRoleBytes bytes = snapshotRoleBytes(result.snapshot->stacks, result.devices.front());
  EXPECT_EQ(bytes.gradients, 3 * 2'097'152);
  EXPECT_EQ(bytes.largest[static_cast<std::size_t>(MemoryRole::Gradient)], 3 * 2'097'152 + 8'519'680);
  EXPECT_EQ(expectedOf(result, result.devices.front(), {}).items[1].measured, 3 * 2'097'152);
}

// What is estimated from the gradients cannot confirm what is expected from them.
TEST(ExpectedMemory, anEstimateIsNoMeasurement) {
  MeasuredMemory measured;
  measured.weights = measured.gradients = 4'000'000;
  measured.weightsAreEstimate = true;
  measured.optimizer = 8'000'000;
  measured.optimizerIsEstimate = true;
  measured.optimizerName = "Adam";
  const ExpectedMemory expected = expectedMemory(measured, {}, {});
  for (const std::size_t item : {0U, 2U}) {
    EXPECT_FALSE(expected.items[item].measured);
    EXPECT_FALSE(expected.items[item].ratio());
    EXPECT_EQ(expected.items[item].expected, item == 0 ? 4'000'000 : 8'000'000);
    EXPECT_EQ(expected.items[item].note, "Not measured: allocated before the recording. Expected from the "
                                         "gradients: of trainable parameters.");
  }
  EXPECT_TRUE(expected.advice.starts_with("Largest: optimizer state, 7.6 MiB (estimate)."))
      << expected.advice;
  // SGD without momentum keeps nothing.
  MemorySettings sgd;
  sgd.optimizer = "sgd";
  measured.optimizerIsEstimate = false;
  EXPECT_EQ(expectedMemory(measured, {}, sgd).items[2].note,
            "None is expected: another optimizer, or momentum.");
  measured.optimizerIsEstimate = true;
  // Beside a number of parameters that is given, the estimate says something.
  ModelShape model;
  model.parameters = 2e6;
  const ExpectedMemory given = expectedMemory(measured, model, {});
  EXPECT_EQ(given.items[0].ratio(), 0.5);
  EXPECT_EQ(given.items[0].note, "Estimate: as large as the gradients.");
}

TEST(ExpectedMemory, countsBytesPerParameter) {
  const auto sum = [](const char* precision, const char* optimizer) {
    ModelShape model;
    model.parameters = 1e9;
    MemorySettings settings;
    settings.precision = precision;
    settings.optimizer = optimizer;
    double bytes = 0;
    for (const ExpectedItem& item : expectedMemory({}, model, settings).items)
      bytes += static_cast<double>(item.expected.value_or(0));
    return bytes / 1e9;
  };
  EXPECT_EQ(sum("fp32", "sgd"), 8);
  EXPECT_EQ(sum("fp32", "momentum"), 12);
  EXPECT_EQ(sum("amp", "adamw"), 16);
  EXPECT_EQ(sum("bf16", "adam"), 8);
  EXPECT_EQ(sum("mixed", "adam"), 16);
  EXPECT_EQ(sum("megatron", "adam"), 18);
  EXPECT_EQ(sum("fp32", "amsgrad"), 20);
  EXPECT_EQ(sum("fp32", "lion"), 12);
  EXPECT_NEAR(sum("fp32", "adam8bit"), 10.03125, 1e-6);
  EXPECT_EQ(sum("fp32", "adafactor"), 8);
}

TEST(ExpectedMemory, shardsAndActivations) {
  EXPECT_EQ(zeroBytes(1e9, 0, 8), 16e9);
  EXPECT_EQ(zeroBytes(1e9, 1, 8), 5.5e9);
  EXPECT_EQ(zeroBytes(1e9, 2, 8), 3.75e9);
  EXPECT_EQ(zeroBytes(1e9, 3, 8), 2e9);
  // s = 1024, b = 2, h = 4096, a = 32: 34 + 5·32·1024 / 4096 = 74.
  EXPECT_EQ(activationBytes(1024, 2, 4096, 32, 1, false, false), 1024.0 * 2 * 4096 * 74);
  EXPECT_EQ(activationBytes(1024, 2, 4096, 32, 1, false, true), 1024.0 * 2 * 4096 * 34);
  EXPECT_EQ(activationBytes(1024, 2, 4096, 32, 8, false, true), 1024.0 * 2 * 4096 * 13);
  EXPECT_EQ(activationBytes(1024, 2, 4096, 32, 8, true, true), 1024.0 * 2 * 4096 * 34 / 8);
}

TEST(ExpectedMemory, dividesTheModelAsTheJobDoes) {
  ModelShape model;
  model.parameters = 8e9;
  model.layers = 32;
  model.hidden = 4096;
  model.sequence = 1024;
  MemorySettings settings;
  settings.precision = "bf16";
  settings.optimizer = "adam";
  settings.batch = 2;
  MeasuredMemory measured;
  measured.shards = 2;
  measured.tensorParallel = 4;
  measured.pipelineParallel = 8;
  const ExpectedMemory expected = expectedMemory(measured, model, settings);
  EXPECT_EQ(expected.items[0].expected, std::int64_t{8'000'000'000} * 2 / 64);
  EXPECT_EQ(expected.items[0].formula,
            "2 bytes × 8 000 000 000 parameters / (4 tp × 8 pp × 2 shards), if ZeRO-3 "
            "(FULL_SHARD)");
  EXPECT_TRUE(expected.items[2].formula.ends_with(", if ZeRO-2 or 3")) << expected.items[2].formula;
  EXPECT_EQ(expected.items[3].expected, std::int64_t{4} * 1024 * 2 * 4096 * 16);
  EXPECT_EQ(expected.items[3].formula, "4 layers × s·b·h·(10 + 24/4)");
  EXPECT_EQ(expected.advice, "") << "nothing was measured";
}

TEST(ExpectedMemory, advisesAboutTheLargestItem) {
  MeasuredMemory measured;
  measured.gradients = 4 << 20;
  measured.optimizer = 8 << 20;
  measured.activations = 6 << 20;
  measured.other = 64 << 20;
  const std::string advice = expectedMemory(measured, {}, {}).advice;
  EXPECT_TRUE(advice.starts_with("Largest besides other: optimizer state, 8")) << advice;
  EXPECT_NE(advice.find("ZeRO-1"), std::string::npos);
  measured.activations = 9 << 20;
  EXPECT_NE(expectedMemory(measured, {}, {}).advice.find("checkpointing"), std::string::npos);
  measured.gradients = 16 << 20;
  EXPECT_EQ(expectedMemory(measured, {}, {}).advice.find("DDP"), std::string::npos);
  measured.ddp = true;
  EXPECT_NE(expectedMemory(measured, {}, {}).advice.find("gradient_as_bucket_view"), std::string::npos);
}

TEST(ExpectedMemory, saysWhyMeasuredAndExpectedPart) {
  ModelShape model;
  model.parameters = 1e6;
  MeasuredMemory measured;
  measured.gradients = 8'000'000;
  measured.optimizer = 12'000'000;
  measured.optimizerName = "AdamW";
  // No buckets where there is no DDP.
  EXPECT_EQ(expectedMemory(measured, model, {}).items[1].note.find("DDP"), std::string::npos);
  measured.ddp = true;
  const ExpectedMemory expected = expectedMemory(measured, model, {});
  EXPECT_EQ(expected.optimizer, "adamw");
  EXPECT_TRUE(ExpectedMemory::parts(expected.items[1]));
  EXPECT_NE(expected.items[1].note.find("DDP"), std::string::npos);
  EXPECT_NE(expected.items[2].note.find("master weights"), std::string::npos);
  EXPECT_FALSE(expected.items[0].measured);
  EXPECT_EQ(expected.items[0].expected, 4'000'000);
  EXPECT_EQ(expected.items[3].note, "Needs layers, hidden size, sequence and batch");
  EXPECT_NE(expected.items[3].noteWithOptions().find("--batch"), std::string::npos);
}

TEST(ExpectedMemory, hostileFiguresStayUnknown) {
  ModelShape model;
  model.parameters = 1e300;
  model.layers = model.hidden = model.sequence = model.heads = model.vocabulary = 1e30;
  MemorySettings settings;
  settings.batch = 1e30;
  settings.optimizer = "adam";
  MeasuredMemory measured;
  measured.gradients = INT64_MAX;
  for (const ExpectedItem& item : expectedMemory(measured, model, settings).items)
    EXPECT_FALSE(item.expected) << item.item;
  EXPECT_FALSE(precisionNamed("int4"));
  EXPECT_EQ(optimizerNamed("bnb.AdamW8bit"), "adam8bit");
  EXPECT_EQ(optimizerNamed("FusedLAMB"), "adam");
  EXPECT_EQ(optimizerNamed("AdamWFp8"), "adam8bit");
  for (const char* const name : {"Lion8bit", "AdamW4bit", "Adam_mini", "GaLoreAdamW", "DeepSpeedCPUAdam"})
    EXPECT_FALSE(optimizerNamed(name)) << name;
  EXPECT_FALSE(optimizerNamed("Mystery"));
}

} // namespace rankscope

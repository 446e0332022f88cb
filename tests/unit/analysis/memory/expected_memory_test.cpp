// SPDX-License-Identifier: GPL-3.0-or-later
// Activations by number format: autocast keeps them in 16 bits, and masks of dropout have a byte in all.
#include "core/analysis/memory/expected_memory.h"

#include <gtest/gtest.h>
#include <string>

namespace rankscope {

namespace {

constexpr double kTokens = 1024.0 * 2 * 4096;

// Of 2 layers.
ExpectedMemory activationsOf(const std::string& precision, std::optional<double> heads,
                             int tensorParallel = 1) {
  ModelShape model;
  model.layers = 2;
  model.hidden = 4096;
  model.sequence = 1024;
  model.vocabulary = 1000;
  model.heads = heads;
  MemorySettings settings;
  settings.precision = precision;
  settings.batch = 2;
  MeasuredMemory measured;
  measured.tensorParallel = tensorParallel;
  return expectedMemory(measured, model, settings);
}

} // namespace

TEST(ExpectedActivations, of32BitsAreTwiceAsLargeExceptMasks) {
  const ExpectedMemory fused = activationsOf("fp32", {});
  EXPECT_EQ(fused.items[3].expected, static_cast<std::int64_t>(2 * kTokens * 66));
  EXPECT_EQ(fused.items[3].formula, "2 layers × s·b·h·66 in 32 bits");
  // a·s/h is 8.
  const ExpectedMemory whole = activationsOf("fp32", 32);
  EXPECT_EQ(whole.items[3].expected, static_cast<std::int64_t>(2 * kTokens * (66 + 9 * 8)));
  EXPECT_EQ(whole.items[3].formula, "2 layers × s·b·h·(66 + 9·a·s/h) in 32 bits");
  EXPECT_NE(whole.items[3].note.find("4·s·b·h"), std::string::npos);
  const ExpectedMemory divided = activationsOf("fp32", 32, 8);
  EXPECT_EQ(divided.items[3].expected, static_cast<std::int64_t>(2 * kTokens * (18 + 48.0 / 8 + 9)));
  EXPECT_EQ(divided.items[3].formula, "2 layers × s·b·h·(18 + 48/8 + 9·a·s/(8·h)) in 32 bits");
}

TEST(ExpectedActivations, ofAutocastAreIn16Bits) {
  const ExpectedMemory amp = activationsOf("amp", 32);
  EXPECT_EQ(amp.items[3].expected, static_cast<std::int64_t>(2 * kTokens * 74));
  EXPECT_EQ(amp.items[3].formula, "2 layers × s·b·h·(34 + 5·a·s/h)");
  EXPECT_EQ(amp.items[4].expected, 1024 * 2 * 1000 * 10);
  EXPECT_EQ(activationsOf("bf16", 32).items[3].expected, amp.items[3].expected);
  EXPECT_EQ(activationsOf("fp32", 32).items[4].expected, 1024 * 2 * 1000 * 12);
}

TEST(ExpectedMemory, ofInferenceHasNothingOfTraining) {
  MeasuredMemory measured;
  measured.activations = 8 << 20;
  measured.other = 88 << 20;
  measured.peak = 96 << 20;
  measured.trains = false;
  ModelShape model;
  model.parameters = 22e6;
  const ExpectedMemory expected = expectedMemory(measured, model, {});
  ASSERT_EQ(expected.items.size(), 3U);
  EXPECT_EQ(expected.items[0].item, "weights");
  EXPECT_EQ(expected.items[0].expected, 88'000'000);
  EXPECT_EQ(expected.items[0].note, "Within other: allocated before the recording.");
  EXPECT_EQ(expected.items[1].item, "activations");
  EXPECT_EQ(expected.items[2].item, "other");
  EXPECT_EQ(expected.advice, "");
}

TEST(ExpectedMemory, advisesNothingAboutLittleMemoryOrWhatIsInUse) {
  MeasuredMemory measured;
  measured.activations = 8 << 20;
  measured.peak = 96 << 20;
  EXPECT_NE(expectedMemory(measured, {}, {}).advice.find("FlashAttention"), std::string::npos);
  measured.fusedAttention = true;
  const std::string advice = expectedMemory(measured, {}, {}).advice;
  EXPECT_NE(advice.find("checkpointing"), std::string::npos);
  EXPECT_EQ(advice.find("FlashAttention"), std::string::npos);
  measured.peak = 960 << 20;
  EXPECT_EQ(expectedMemory(measured, {}, {}).advice, "");
}

} // namespace rankscope

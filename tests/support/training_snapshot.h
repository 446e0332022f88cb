// SPDX-License-Identifier: GPL-3.0-or-later
// A memory snapshot as PyTorch writes it while a model is trained, with known amounts: parameters from before
// the recording, then steps of forward, backward and optimizer, each with its stacks and annotations.
#pragma once

#include <cstdint>
#include <string>

namespace rankscope::test {

struct TrainingShape {
  int steps = 3;
  int layers = 8;
  std::int64_t parameterBytes = std::int64_t{32} << 20;  // of a layer
  std::int64_t activationBytes = std::int64_t{48} << 20; // of a layer
  bool outOfMemory = false;                              // at the end
  std::int64_t beginMicroseconds = 1'700'000'000'000'000;
};

// The file. At the peak of a later step there are layers × (parameterBytes · (1 + 2) + activationBytes), and
// gradients instead of activations at the end of its backward pass.
[[nodiscard]] std::string trainingSnapshot(const TrainingShape& shape);

} // namespace rankscope::test

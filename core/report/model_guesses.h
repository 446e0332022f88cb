// SPDX-License-Identifier: GPL-3.0-or-later
// What a recording says of its model, for the fields that a user would fill in: parameters from the buckets
// or units in which gradients and weights are communicated, tokens from the indices of the embedding, the
// number format from its table. Each
// with its source; never used unless the user takes it. Pure; reads the arguments of a few operators from one
// file.
#pragma once

#include "core/report/job_report.h"

#include <optional>
#include <string>

namespace rankscope {

struct ModelGuess {
  double value = 0;
  std::string source;   // "elements of one step's gradient buckets"
  bool forModel = true; // 6 FLOPs per parameter hold for it; not for images
};

struct ModelGuesses {
  std::optional<ModelGuess> parameters;
  std::optional<ModelGuess> tokensPerStep; // of the whole job; images where there is no embedding
  std::optional<ModelGuess> hidden;
  std::optional<ModelGuess> sequence;
  std::optional<ModelGuess> vocabulary;
  std::optional<ModelGuess> batch; // sequences of a rank in one microbatch
  std::optional<ModelGuess> gpus;
  std::string precision;     // of kPrecisionNames; empty where several fit
  std::string precisionFrom; // its source
};

[[nodiscard]] ModelGuesses modelGuesses(const JobReport& report);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs that are divided in other ways than job_generator.h divides them, with their truth: pipelines with the
// schedules of torch.distributed.pipelining, sharded data parallelism (FSDP2) with tensor parallelism, and
// experts of which one rank gets more tokens than the others.
// Every rank has a GPU; nothing varies between steps. All stages of a pipeline reduce the norm of the
// gradients before the optimizer, so a stage that is done waits there for the others. The same options give
// the same bytes. Times are nanoseconds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::test {

// InterleavedOneForwardOneBackward needs stagesPerRank above 1 and microbatches that are a multiple of the
// ranks; the others have one stage per rank. ZeroBubble computes gradients of inputs and of weights apart.
enum class PipelineOrder { GPipe, OneForwardOneBackward, InterleavedOneForwardOneBackward, ZeroBubble };

struct PipelineJob {
  PipelineOrder order = PipelineOrder::OneForwardOneBackward;
  int pipelineRanks = 4;
  int replicas = 1; // pipelines; ranks of one stage are neighbors
  int stagesPerRank = 1;
  int microbatches = 8;
  int steps = 3;
  std::int64_t forwardNs = 2'000'000;  // of a microbatch on all stages of a rank
  std::int64_t backwardNs = 4'000'000; // gradients of inputs and of weights take half of it each
  std::int64_t transferNs = 100'000;   // from a stage to the next
  int slowStage = -1;
  int slowPermille = 1000;     // its duration, relative to the others
  int slowRank = -1;           // of the job
  std::int64_t slowRankNs = 0; // what it computes longer in each step, in equal parts in its actions
};

struct PipelineTruth {
  std::int64_t windowNs = 0;        // from the first forward to the last backward action of any rank
  std::int64_t stepNs = 0;          // from the first forward action to the end of the optimizer
  std::vector<std::int64_t> busyNs; // by rank of the first pipeline, in each step

  [[nodiscard]] double bubblePct() const; // mean over the ranks
};

PipelineTruth generatePipelineJob(const PipelineJob& job, const std::filesystem::path& folder);

struct ShardedJob {
  int ranks = 64;
  int tensorRanks = 4; // neighbors
  int layers = 8;
  int steps = 3;
  std::int64_t forwardNs = 1'000'000; // of a layer; backward takes twice as long
  std::int64_t gatherNs = 700'000;    // of a layer's parameters, before forward and again before backward
  std::int64_t reduceNs = 800'000;    // of a layer's gradients
  std::int64_t tensorNs = 150'000;    // of an AllReduce: two in each direction of a layer
};

struct ShardedTruth {
  std::int64_t tensorExposedNs = 0;  // in each step, without computation
  std::int64_t shardedExposedNs = 0; // the same, without tensor-parallel communication either
};

ShardedTruth generateShardedJob(const ShardedJob& job, const std::filesystem::path& folder);

// Each layer sends its tokens to the ranks of their experts and back, forward and backward. Times of experts
// follow from the tokens that they get, so the others wait for the fullest rank.
struct ExpertJob {
  int ranks = 4;
  int layers = 2;
  int steps = 3;
  int fullRank = 1;
  int unevenPermille = 500;           // by which its tokens exceed the mean
  std::int64_t tokens = 1'024;        // of a rank and layer
  std::int64_t width = 64;            // elements of a token
  std::int64_t tokenNs = 1'000;       // of an expert; backward takes twice as long
  std::int64_t attentionNs = 400'000; // before a dispatch
  std::int64_t transferNs = 150'000;  // of an exchange, from the last rank on
};

struct ExpertTruth {
  std::vector<std::int64_t> sent;          // tokens that every rank sends to each rank, of a layer
  double imbalance = 0;                    // most tokens over the mean
  std::vector<std::int64_t> expertNs;      // by rank, forward, in each step
  std::vector<std::int64_t> combineWaitNs; // by rank, in combines of the forward pass of each step
};

ExpertTruth generateExpertJob(const ExpertJob& job, const std::filesystem::path& folder);

} // namespace rankscope::test

// SPDX-License-Identifier: GPL-3.0-or-later
//
// Data shared by the ranks of a synthetic job: the collectives of a step in send order, and the segments
// between the points where ranks wait for each other. Segments of a step with L layers: 0: until the forward
// pass; 1 … L: layers forward; L + 1: loss; L + 2 … 2L + 1: layers backward, last layer first; 2L + 2: end of
// the backward pass; 2L + 3: optimizer and end of the step.
#pragma once

#include "tests/support/job_generator.h"
#include "tests/support/job_names.h"
#include "tests/support/job_streams.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rankscope::test {

enum class Row : std::uint8_t {
  Main,
  Autograd,
  Compute,
  SecondCompute,
  Communication,
  TensorCommunication,
  Copies,
  Count
};

[[nodiscard]] constexpr std::size_t at(Row row) {
  return static_cast<std::size_t>(row);
}

constexpr std::uint32_t kNoEvent = 0xffffffffU; // among those of a plan

enum class Group : std::uint8_t { World, DataParallel, TensorParallel };

struct CollectivePlan {
  const CollectiveInfo* info = nullptr;
  Group group = Group::World;
  Row row = Row::Communication;
  std::int64_t inElements = 0, outElements = 0;
  std::int64_t transferNs = 0; // nominal
  int segment = 0;             // segment in which it is sent
  bool before = false;         // at the begin of the segment instead of its end
  int resolvedAfter = 0;       // segment after which its end must be known
  bool needsCompute = true;    // begins only after the work launched before it
  bool blocksCompute = false;  // work launched after it waits for it
  std::string_view dtype = "BFloat16";
  bool onMain = false; // sent by the main thread in any segment
};

// Of the inputs of a rank whose sequences are neither longer nor shorter than others'.
inline constexpr std::int64_t kSequenceLength = 512;

struct JobPlan {
  JobOptions options;
  StreamOptions streams;
  std::vector<CollectivePlan> collectives; // of a step, in send order
  std::vector<int> rendezvous;             // segments after which collectives are resolved, ascending
  std::int64_t quantumNs = 1;              // all times are multiples of it
  std::int64_t computeNs = 0;              // nominal kernel time of forward and backward per step
  std::int64_t sizeDivisor = 1;            // of activations, so that many layers fit on a device

  [[nodiscard]] int profiledSteps() const { return options.steps * options.captures; }
  // The N of ProfilerStep#N for the g-th profiled step. Two steps (wait and warmup) precede each capture.
  [[nodiscard]] int stepNumber(int g) const { return g + 2 * (g / options.steps) + 2; }
  [[nodiscard]] std::int64_t quantize(std::int64_t ns) const {
    return std::max(quantumNs, ns / quantumNs * quantumNs);
  }

  [[nodiscard]] int forwardSegment(int layer) const { return 1 + layer; }
  [[nodiscard]] int lossSegment() const { return options.layers + 1; }
  [[nodiscard]] int backwardSegment(int layer) const { return 2 * options.layers + 1 - layer; }
  [[nodiscard]] int tailSegment() const { return 2 * options.layers + 2; }
  [[nodiscard]] int lastSegment() const { return 2 * options.layers + 3; }

  // Of a rank's sequences in a step; over all ranks the mean is kSequenceLength.
  [[nodiscard]] std::int64_t sequenceLength(int g, int rank) const;
  // Transfer time of a collective in a step, equal on all ranks of its group.
  [[nodiscard]] std::int64_t transfer(int g, std::size_t collective, int firstRank) const;
  // First rank, stride and size of the group of this kind that contains `rank`.
  struct Members {
    int first, stride, size;
  };
  [[nodiscard]] Members members(Group group, int rank) const;
  [[nodiscard]] std::string_view groupDescription(Group group) const;
  [[nodiscard]] std::string_view groupName(Group group) const;
};

// Throws std::invalid_argument if the options are invalid.
[[nodiscard]] JobPlan makePlan(JobOptions options, const StreamOptions& streams = {});

class Random {
 public:
  explicit Random(std::uint64_t seed) : m_state(seed) {}
  Random(std::uint64_t a, std::uint64_t b, std::uint64_t c);
  std::uint64_t next();
  // A random number between 7/8 and 9/8 of `ns`.
  std::int64_t around(std::int64_t ns);

 private:
  std::uint64_t m_state;
};

} // namespace rankscope::test

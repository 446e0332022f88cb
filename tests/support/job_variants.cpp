// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/job_variants.h"

namespace rankscope::test {
namespace {

constexpr JobVariant kVariants[] = {
    {"kineto", [](JobOptions&) {}},
    {"gzip", [](JobOptions& o) { o.gzip = true; }},
    {"compact", [](JobOptions& o) { o.layout = Layout::Compact; }},
    {"pretty", [](JobOptions& o) { o.layout = Layout::Pretty; }},
    {"lines", [](JobOptions& o) { o.layout = Layout::Lines; }},
    {"exporter", [](JobOptions& o) { o.vocabulary = Vocabulary::Exporter, o.layout = Layout::Compact; }},
    {"legacy", [](JobOptions& o) { o.vocabulary = Vocabulary::Legacy; }},
    {"bareArray", [](JobOptions& o) { o.bareArray = true, o.vocabulary = Vocabulary::Legacy; }},
    {"beginEnd", [](JobOptions& o) { o.beginEnd = true, o.withStack = true; }},
    {"metadataLast", [](JobOptions& o) { o.metadataLast = true; }},
    {"wideThreadIds", [](JobOptions& o) { o.threadIds = ThreadIds::Wide, o.differentBases = true; }},
    {"negativeThreadIds", [](JobOptions& o) { o.threadIds = ThreadIds::Negative; }},
    {"stack", [](JobOptions& o) { o.withStack = true, o.layout = Layout::Pretty; }},
    {"overlappingKernels", [](JobOptions& o) { o.overlappingKernels = true; }},
    {"runningAhead", [](JobOptions& o) { o.syncEachStep = false, o.pinnedCopies = false; }},
    {"clocks",
     [](JobOptions& o) {
       o.clockOffsetNs = {0, 3'000'017}, o.clockDriftPpb = {0, -40'000};
     }},
    {"bare",
     [](JobOptions& o) {
       o.withShapes = o.withMemory = o.withFlows = o.withGpuAnnotations = o.withDistributedInfo = false;
       o.withDeviceProperties = o.withProfilerSteps = o.withCollectiveArgs = o.withHostName = false;
     }},
    {"captures", [](JobOptions& o) { o.captures = 2; }},
    {"sharded", [](JobOptions& o) { o.parallelism = Parallelism::FullySharded, o.withStack = true; }},
    {"tensorGroups",
     [](JobOptions& o) { o.parallelism = Parallelism::Tensor, o.ranks = 4, o.withSequenceNumbers = true; }},
    {"lateRecording",
     [](JobOptions& o) {
       o.late = {1, 4'000'000};
     }},
    {"oneRank", [](JobOptions& o) { o.ranks = 1; }},
};

} // namespace

JobOptions smallJob() {
  JobOptions o;
  o.ranks = 3;
  o.ranksPerNode = 2;
  o.steps = 3;
  o.layers = 3;
  o.buckets = 2;
  return o;
}

std::span<const JobVariant> jobVariants() {
  return kVariants;
}

} // namespace rankscope::test

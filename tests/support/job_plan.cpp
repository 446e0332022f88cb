// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/job_plan.h"

#include <array>
#include <numeric>
#include <stdexcept>

namespace rankscope::test {
namespace {

std::int64_t nominalBackward(JobPlan& plan) {
  std::int64_t forward = 0, backward = 0;
  const auto add = [&](const OpInfo& op, std::int64_t times) {
    forward += times * kernelInfo(op.kernel).nominalNs;
    for (const KernelId k : op.backward) backward += times * kernelInfo(k).nominalNs;
  };
  for (const OpInfo& op : layerOps()) add(op, plan.options.layers);
  for (const OpInfo& op : lossOps()) add(op, 1);
  plan.computeNs = forward + backward;
  return backward;
}

// About 180 GB/s for bf16, in whole blocks for every rank; `index` makes consecutive collectives differ.
std::int64_t elementsFor(std::int64_t transferNs, int index, int ranks) {
  const std::int64_t block = 512LL * ranks;
  return (transferNs * 90 / block + 1 + index) * block;
}

CollectivePlan gradientBucket(const JobPlan& plan, int b, int count, std::int64_t transferNs) {
  const JobOptions& o = plan.options;
  const bool overlapped = (b + 1) * 1000 <= o.overlapPermille * count;
  const int lastLayer = o.layers - o.layers * (b + 1) / count;
  CollectivePlan c;
  c.info = &allReduce();
  c.group = o.parallelism == Parallelism::Tensor ? Group::DataParallel : Group::World;
  c.transferNs = transferNs;
  c.inElements = c.outElements = elementsFor(transferNs, b, o.ranks);
  c.segment = overlapped ? plan.backwardSegment(lastLayer) : plan.tailSegment();
  c.resolvedAfter = plan.tailSegment();
  return c;
}

// A layer's parameters, in per mille of its bytes: weights and biases.
constexpr std::array<std::int64_t, 12> kParameters{240, 80, 2, 2, 320, 320, 2, 2, 12, 12, 4, 4};
constexpr std::int64_t kLatencyNs = 15'000;

// The bytes of a bucket, parameter by parameter.
void addFragments(JobPlan& plan, const CollectivePlan& bucket) {
  for (std::size_t i = 0; i < kParameters.size(); ++i) {
    CollectivePlan c = bucket;
    const std::int64_t transferNs = bucket.transferNs * kParameters[i] / 1000;
    c.transferNs = kLatencyNs + transferNs;
    c.inElements = c.outElements = elementsFor(transferNs, static_cast<int>(i), plan.options.ranks);
    plan.collectives.push_back(c);
  }
}

// The buffers of batch norms, before the first layer.
void planBuffers(JobPlan& plan) {
  CollectivePlan c{&broadcast(), Group::World, Row::Communication, 53'120, 53'120, 20'000, 0, false, 0,
                   true,         true};
  plan.collectives.push_back(c);
}

// How many bytes the object of each rank has, then the objects, once the backward pass is over.
void planObjects(JobPlan& plan) {
  const std::int64_t ranks = plan.options.ranks;
  // They follow on the stream, so it has to be known when what was sent before ends.
  for (CollectivePlan& c : plan.collectives) c.resolvedAfter = c.segment;
  const int last = plan.tailSegment();
  plan.collectives.push_back({&gatherOfLists(), Group::World, Row::Communication, 1, ranks, 22'000, last - 1,
                              false, last - 1, true, true, "Long", true});
  plan.collectives.push_back({&gatherOfLists(), Group::World, Row::Communication, 3'000, 3'000 * ranks,
                              24'000, last, false, last, true, true, "Byte", true});
}

void planShards(JobPlan& plan, std::int64_t transferNs) {
  const int layers = plan.options.layers;
  const std::int64_t whole = elementsFor(transferNs, 0, plan.options.ranks),
                     part = whole / plan.options.ranks;
  const auto gather = [&](int segment) {
    // The first gather of a step reads parameters that the previous step's optimizer writes; the others may
    // run early.
    const bool first = segment == 0;
    plan.collectives.push_back({&allGather(), Group::World, Row::Communication, part, whole, transferNs,
                                segment, !first, segment, first, true});
  };
  gather(0);
  for (int layer = 1; layer < layers; ++layer) gather(plan.forwardSegment(layer - 1));
  gather(plan.lossSegment());
  for (int layer = layers; layer-- > 0;) {
    const int segment = plan.backwardSegment(layer);
    if (layer > 0) gather(segment);
    plan.collectives.push_back({&reduceScatter(), Group::World, Row::Communication, whole, part, transferNs,
                                segment, false, segment, true, false});
  }
}

void planTensorGroups(JobPlan& plan, std::int64_t transferNs) {
  const std::int64_t elements = elementsFor(transferNs, 0, plan.options.ranks);
  const auto add = [&](int segment) {
    plan.collectives.push_back({&allReduce(), Group::TensorParallel, Row::TensorCommunication, elements,
                                elements, transferNs, segment, false, segment, true, true});
  };
  for (int layer = 0; layer < plan.options.layers; ++layer) add(plan.forwardSegment(layer));
  for (int layer = plan.options.layers; layer-- > 0;) add(plan.backwardSegment(layer));
}

void check(const JobOptions& o) {
  if (o.ranks < 1 || o.ranksPerNode < 1 || o.steps < 1 || o.captures < 1 || o.layers < 1)
    throw std::invalid_argument("ranks, ranks per node, steps, captures and layers must be positive");
  if (o.parallelism == Parallelism::Tensor && (o.tensorRanks < 2 || o.ranks % o.tensorRanks != 0))
    throw std::invalid_argument("the ranks must be whole tensor-parallel groups of two or more");
}

} // namespace

Random::Random(std::uint64_t a, std::uint64_t b, std::uint64_t c)
    : m_state(a * 0x9e3779b97f4a7c15ULL + b * 0xc2b2ae3d27d4eb4fULL + c * 0x165667b19e3779f9ULL + 1) {
  m_state = next();
}

std::uint64_t Random::next() {
  std::uint64_t z = (m_state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

std::int64_t Random::around(std::int64_t ns) {
  return ns - ns / 8 + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(ns / 4 + 1));
}

std::int64_t JobPlan::sequenceLength(int g, int rank) const {
  if (streams.unevenPermille == 0 || options.ranks == 1) return kSequenceLength;
  std::vector<int> places(static_cast<std::size_t>(options.ranks));
  std::iota(places.begin(), places.end(), 0);
  Random random(options.seed, static_cast<std::uint64_t>(g), 77);
  for (std::size_t i = places.size(); i-- > 1;) std::swap(places[i], places[random.next() % (i + 1)]);
  const std::int64_t last = options.ranks - 1;
  const std::int64_t from = 2 * places[static_cast<std::size_t>(rank)] - last; // -last to last
  return kSequenceLength + kSequenceLength * streams.unevenPermille * from / (1000 * last);
}

std::int64_t JobPlan::transfer(int g, std::size_t collective, int firstRank) const {
  Random random(options.seed,
                static_cast<std::uint64_t>(g) + 1'000'000 * static_cast<std::uint64_t>(firstRank),
                1000 + collective);
  return quantize(random.around(collectives[collective].transferNs) * streams.transferPermille / 1000);
}

JobPlan::Members JobPlan::members(Group group, int rank) const {
  const int width = options.tensorRanks;
  switch (group) {
  case Group::DataParallel:
    return {rank % width, width, options.ranks / width};
  case Group::TensorParallel:
    return {rank / width * width, 1, width};
  case Group::World:
    break;
  }
  return {0, 1, options.ranks};
}

std::string_view JobPlan::groupDescription(Group group) const {
  return group == Group::World ? "default_pg" : group == Group::DataParallel ? "mesh_dp" : "mesh_tp";
}

std::string_view JobPlan::groupName(Group group) const {
  return group == Group::World ? "0" : group == Group::DataParallel ? "1" : "2";
}

JobPlan makePlan(JobOptions options, const StreamOptions& streams) {
  check(options);
  JobPlan plan;
  plan.options = std::move(options);
  plan.streams = streams;
  const JobOptions& o = plan.options;
  plan.quantumNs = o.vocabulary == Vocabulary::Legacy ? 1000 : 1;
  plan.sizeDivisor = std::max(1, o.layers / 8);
  const std::int64_t total = nominalBackward(plan) * o.communicationPermille / 1000;
  if (o.ranks == 1) return plan;
  const auto share = [&](int parts) { return std::max<std::int64_t>(total / parts, 20'000); };
  if (o.parallelism == Parallelism::FullySharded) planShards(plan, share(3 * o.layers));
  if (o.parallelism == Parallelism::Tensor) planTensorGroups(plan, share(4 * o.layers));
  if (o.parallelism != Parallelism::FullySharded && o.reducesGradients) {
    const int count = std::clamp(o.buckets, 1, o.layers);
    for (int b = 0; b < count; ++b) {
      const CollectivePlan bucket = gradientBucket(plan, b, count, share(count));
      if (plan.streams.fragments)
        addFragments(plan, bucket);
      else
        plan.collectives.push_back(bucket);
    }
  }
  if (plan.streams.buffers) planBuffers(plan);
  if (plan.streams.objects) planObjects(plan);
  std::stable_sort(plan.collectives.begin(), plan.collectives.end(),
                   [](const CollectivePlan& a, const CollectivePlan& b) {
                     return a.segment != b.segment ? a.segment < b.segment : a.before > b.before;
                   });
  for (const CollectivePlan& c : plan.collectives) plan.rendezvous.push_back(c.resolvedAfter);
  std::sort(plan.rendezvous.begin(), plan.rendezvous.end());
  plan.rendezvous.erase(std::unique(plan.rendezvous.begin(), plan.rendezvous.end()), plan.rendezvous.end());
  return plan;
}

} // namespace rankscope::test

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/parallel_jobs.h"

#include "tests/support/trace_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace rankscope::test {

namespace {

constexpr std::int64_t kHostPace = 20'000;   // from launch to launch
constexpr std::int64_t kLead = 3'000'000;    // of the host before the device
constexpr std::int64_t kOptimizer = 500'000; // after the last action
constexpr std::int64_t kMargin = 1'000'000;  // between steps
constexpr std::int64_t kPipelineLead = 100'000;
constexpr std::int64_t kPipelineMargin = 50'000;
constexpr std::int64_t kReplicaReduce = 800'000;
constexpr std::int64_t kNormReduce = 20'000;
constexpr const char* kGemm = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x3_tn";

struct Group {
  std::string description;
  std::vector<int> ranks;
};

// What one rank records: launches are spaced evenly on its host, kernels begin when the simulation says.
class RankFile {
 public:
  RankFile(int rank, int world, const std::vector<Group>& groups) : m_rank(rank) {
    std::string configs;
    for (const Group& group : groups) {
      if (!configs.empty()) configs += ", ";
      configs += fmt::format(
          R"({{"pg_name": "{0}", "pg_desc": "{0}", "backend_config": "cuda:nccl", "pg_size": {1}, "ranks": [{2}]}})",
          group.description, group.ranks.size(), fmt::join(group.ranks, ", "));
    }
    m_text.metadata(
        "distributedInfo",
        fmt::format(
            R"({{"backend": "nccl", "rank": {}, "world_size": {}, "pg_count": {}, "pg_config": [{}]}})", rank,
            world, groups.size(), configs));
    m_text.metadata("host_name", fmt::format("\"node-{}\"", rank / 8));
  }

  void beginStep(int number, std::int64_t begin, std::int64_t length) {
    m_text.addStep(number, begin, length);
    m_host = begin + kHostPace;
  }
  [[nodiscard]] std::int64_t host() const { return m_host; }
  void passTime() { m_host += kHostPace; }

  void kernel(std::int64_t begin, std::int64_t length, const char* name, int stream = 7,
              const std::string& args = {}) {
    m_text.addRuntime(1, m_host, kHostPace / 4, "cudaLaunchKernel", ++m_correlation);
    m_text.addKernel(0, stream, begin, length, name, m_correlation, args);
    m_host += kHostPace / 2;
  }
  void annotation(std::int64_t begin, std::int64_t length, const std::string& name) {
    m_text.addAnnotation(1, begin, length, name);
  }
  void operation(std::int64_t begin, std::int64_t length, const char* name, const std::string& args = {}) {
    m_text.addCpuOp(1, begin, length, name, args);
  }
  void write(const std::filesystem::path& folder) const {
    writeTraceFile((folder / fmt::format("rank{}.json", m_rank)).string(), m_text.text());
  }

 private:
  TraceText m_text;
  int m_rank;
  std::int64_t m_host = 0;
  std::int64_t m_correlation = 0;
};

std::string collectiveArgs(const char* operation, std::int64_t in, std::int64_t out, const Group& group,
                           const std::string& more = {}) {
  return fmt::format(
      R"("Collective name": "{}", "In msg nelems": {}, "Out msg nelems": {}, "Group size": {}, "dtype": "BFloat16",
 "In split size": "[]", "Out split size": "[]", "Process Group Name": "{}", "Process Group Description": "{}",
 "Process Group Ranks": "[{}]"{})",
      operation, in, out, group.ranks.size(), group.description, group.description,
      fmt::join(group.ranks, ", "), more);
}

// ---- Pipelines

struct Action {
  char kind = 'F'; // F, B, I, W
  int stage = 0;
  int microbatch = 0;

  bool operator<(const Action& other) const {
    return std::tie(kind, stage, microbatch) < std::tie(other.kind, other.stage, other.microbatch);
  }
};

struct Timed {
  Action action;
  std::int64_t begin = 0; // since the begin of the step
  std::int64_t end = 0;
};

// Forward actions, some of them first, then one backward and one forward action each.
std::vector<Action> alternating(const std::vector<Action>& forwards, const std::vector<Action>& backwards,
                                std::size_t first) {
  std::vector<Action> order(forwards.begin(),
                            forwards.begin() + static_cast<std::ptrdiff_t>(std::min(first, forwards.size())));
  std::size_t next = order.size();
  for (const Action& backward : backwards) {
    order.push_back(backward);
    if (next < forwards.size()) order.push_back(forwards[next++]);
  }
  return order;
}

std::vector<Action> orderOf(const PipelineJob& job, int rank) {
  std::vector<Action> forwards;
  std::vector<Action> backwards;
  const int p = job.pipelineRanks;
  const char backward = job.order == PipelineOrder::ZeroBubble ? 'I' : 'B';
  const auto actions =
      static_cast<std::size_t>(job.microbatches) * static_cast<std::size_t>(job.stagesPerRank);
  forwards.reserve(actions);
  backwards.reserve(actions);
  for (int i = 0; i < job.microbatches * job.stagesPerRank; ++i) {
    const int chunk = i / p % job.stagesPerRank;
    const int microbatch =
        job.stagesPerRank == 1 ? i : i / (p * job.stagesPerRank) * p + i % p; // groups of P microbatches
    forwards.push_back({'F', chunk * p + rank, microbatch});
    backwards.push_back({backward, (job.stagesPerRank - 1 - chunk) * p + rank, microbatch});
  }
  const int warmup = 2 * (p - rank - 1) + (job.stagesPerRank - 1) * p + 1;
  switch (job.order) {
  case PipelineOrder::GPipe:
    return alternating(forwards, backwards, forwards.size());
  case PipelineOrder::InterleavedOneForwardOneBackward:
    return alternating(forwards, backwards, static_cast<std::size_t>(warmup));
  default:
    break;
  }
  const int ahead = p - rank;
  std::vector<Action> plain = alternating(forwards, backwards, static_cast<std::size_t>(ahead));
  if (job.order != PipelineOrder::ZeroBubble) return plain;
  // Later ranks have waited longer for their first microbatch: they put weight gradients off for less.
  std::vector<Action> order;
  int weights = 0;
  for (const Action& action : plain) {
    order.push_back(action);
    if (action.kind == 'I' && action.microbatch >= rank) order.push_back({'W', rank, weights++});
  }
  while (weights < job.microbatches) order.push_back({'W', rank, weights++});
  return order;
}

std::int64_t durationOf(const PipelineJob& job, const Action& action) {
  std::int64_t duration = (action.kind == 'F' ? job.forwardNs : job.backwardNs) / job.stagesPerRank;
  if (action.kind == 'I' || action.kind == 'W') duration /= 2;
  return action.stage == job.slowStage ? duration * job.slowPermille / 1000 : duration;
}

// What an action needs from others than its rank.
std::vector<Action> needsOf(const PipelineJob& job, const Action& action) {
  const int last = job.pipelineRanks * job.stagesPerRank - 1;
  if (action.kind == 'W') return {{'I', action.stage, action.microbatch}};
  if (action.kind == 'F') {
    if (action.stage == 0) return {};
    return {{'F', action.stage - 1, action.microbatch}};
  }
  std::vector<Action> needs{{'F', action.stage, action.microbatch}};
  if (action.stage < last) needs.push_back({action.kind, action.stage + 1, action.microbatch});
  return needs;
}

// One pipeline of the job: every action begins when its rank is free and what it needs has arrived.
std::vector<std::vector<Timed>> simulated(const PipelineJob& job, int replica) {
  std::vector<std::vector<Action>> orders;
  orders.reserve(static_cast<std::size_t>(job.pipelineRanks));
  for (int rank = 0; rank < job.pipelineRanks; ++rank) orders.push_back(orderOf(job, rank));
  std::vector<std::vector<Timed>> timed(orders.size());
  std::map<Action, std::int64_t> ends;
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t rank = 0; rank < orders.size(); ++rank) {
      while (timed[rank].size() < orders[rank].size()) {
        const Action& action = orders[rank][timed[rank].size()];
        std::int64_t ready = timed[rank].empty() ? kPipelineLead : timed[rank].back().end;
        bool known = true;
        for (const Action& needed : needsOf(job, action)) {
          const auto end = ends.find(needed);
          known = known && end != ends.end();
          if (known)
            ready = std::max(ready, end->second + (needed.stage == action.stage ? 0 : job.transferNs));
        }
        if (!known) break;
        std::int64_t duration = durationOf(job, action);
        if (static_cast<int>(rank) * job.replicas + replica == job.slowRank)
          duration += job.slowRankNs / static_cast<std::int64_t>(orders[rank].size());
        timed[rank].push_back({action, ready, ready + duration});
        ends[action] = timed[rank].back().end;
        progress = true;
      }
    }
  }
  for (std::size_t rank = 0; rank < orders.size(); ++rank) {
    if (timed[rank].size() < orders[rank].size()) throw std::logic_error("a pipeline that waits for itself");
  }
  return timed;
}

// From which stage an action receives, and to which it sends; -1: none.
int sourceOf(const PipelineJob& job, const Action& action) {
  if (action.kind == 'F') return action.stage - 1;
  const int next = action.stage + 1;
  return action.kind == 'W' || next == job.pipelineRanks * job.stagesPerRank ? -1 : next;
}
int targetOf(const PipelineJob& job, const Action& action) {
  if (action.kind == 'W') return -1;
  if (action.kind != 'F') return action.stage - 1;
  return action.stage + 1 == job.pipelineRanks * job.stagesPerRank ? -1 : action.stage + 1;
}

class PipelineWriter {
 public:
  explicit PipelineWriter(const PipelineJob& job) : m_job(job) {
    for (int replica = 0; replica < job.replicas; ++replica) {
      m_timed.push_back(simulated(job, replica));
      std::map<Action, std::int64_t>& ends = m_ends.emplace_back();
      for (const auto& rank : m_timed.back()) {
        for (const Timed& of : rank) ends[of.action] = of.end;
      }
    }
    // Gradients are reduced over the replicas of a stage when all of them are there, then the norm over all.
    for (int place = 0; place < job.pipelineRanks; ++place) {
      std::int64_t last = 0;
      for (int replica = 0; replica < job.replicas; ++replica) last = std::max(last, lastEnd(place, replica));
      m_window = std::max(m_window, last);
      m_reduced.push_back(last + (job.replicas > 1 ? kReplicaReduce : 0));
    }
    m_normed = *std::ranges::max_element(m_reduced) + kNormReduce;
  }

  [[nodiscard]] PipelineTruth truth() const {
    PipelineTruth truth;
    truth.windowNs = m_window - kPipelineLead;
    truth.stepNs = m_normed + kOptimizer - kPipelineLead;
    for (const std::vector<Timed>& rank : m_timed.front()) {
      std::int64_t busy = 0;
      for (const Timed& of : rank) busy += of.end - of.begin;
      truth.busyNs.push_back(busy);
    }
    return truth;
  }

  void write(const std::filesystem::path& folder) const {
    for (int stage = 0; stage < m_job.pipelineRanks; ++stage) {
      for (int replica = 0; replica < m_job.replicas; ++replica) writeRank(folder, stage, replica);
    }
  }

 private:
  [[nodiscard]] const std::vector<Timed>& timedOf(int place, int replica) const {
    return m_timed[static_cast<std::size_t>(replica)][static_cast<std::size_t>(place)];
  }
  [[nodiscard]] std::int64_t lastEnd(int place, int replica) const {
    return timedOf(place, replica).back().end;
  }

  [[nodiscard]] Group pipelineOf(int replica) const {
    Group group{"mesh_pp", {}};
    for (int r = 0; r < m_job.pipelineRanks; ++r) group.ranks.push_back(r * m_job.replicas + replica);
    return group;
  }
  [[nodiscard]] Group replicasOf(int place) const {
    Group group{"mesh_dp", {}};
    for (int d = 0; d < m_job.replicas; ++d) group.ranks.push_back(place * m_job.replicas + d);
    return group;
  }
  void writeRank(const std::filesystem::path& folder, int place, int replica) const {
    std::vector<Group> groups{pipelineOf(replica)};
    if (m_job.replicas > 1) groups.push_back(replicasOf(place));
    RankFile file(place * m_job.replicas + replica, m_job.pipelineRanks * m_job.replicas, groups);
    const std::int64_t length = m_normed + kOptimizer + kPipelineMargin;
    for (int step = 0; step < m_job.steps; ++step) {
      const std::int64_t begin = step * (length + kPipelineMargin);
      file.beginStep(step + 1, begin, length);
      std::int64_t before = kPipelineLead;
      for (const Timed& of : timedOf(place, replica)) {
        writeAction(file, of, before, begin, replica);
        before = of.end;
      }
      const std::int64_t reduced = m_reduced[static_cast<std::size_t>(place)];
      if (m_job.replicas > 1) reduce(file, begin + before, begin + reduced, 10'000'000, replicasOf(place));
      reduce(file, begin + reduced, begin + m_normed, 1, pipelineOf(replica));
      file.annotation(file.host(), 2 * kHostPace, "Optimizer.step#AdamW.step");
      file.kernel(begin + m_normed, kOptimizer, "multi_tensor_apply_kernel");
    }
    file.write(folder);
  }

  static void reduce(RankFile& file, std::int64_t begin, std::int64_t end, std::int64_t elements,
                     const Group& group) {
    file.kernel(begin, end - begin,
                "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 32,
                collectiveArgs("allreduce", elements, elements, group));
  }

  // before: when the rank was free.
  void writeAction(RankFile& file, const Timed& of, std::int64_t before, std::int64_t step,
                   int replica) const {
    const Action& action = of.action;
    const Group group = pipelineOf(replica);
    if (const int source = sourceOf(m_job, action); source >= 0) {
      const std::int64_t sent =
          m_ends[static_cast<std::size_t>(replica)].at({action.kind, source, action.microbatch});
      // It waits from then on for what is not sent yet.
      const std::int64_t from = std::min(before, sent);
      transfer(file, {step + from, step + sent + m_job.transferNs}, action.kind == 'F' ? 24 : 28, source,
               group);
    }
    const std::int64_t host = file.host();
    if (action.kind == 'F')
      file.operation(host, kHostPace / 2, "aten::linear");
    else
      file.operation(host, kHostPace / 2, "autograd::engine::evaluate_function: AddmmBackward0");
    file.kernel(step + of.begin, of.end - of.begin, kGemm);
    file.annotation(host - 1'000, kHostPace,
                    fmt::format("PP:{}{}{}", action.stage, action.kind, action.microbatch));
    file.passTime();
    if (const int target = targetOf(m_job, action); target >= 0)
      transfer(file, {step + of.end, step + of.end + m_job.transferNs}, 20, target, group);
    file.passTime();
  }

  void transfer(RankFile& file, std::pair<std::int64_t, std::int64_t> range, int stream, int stage,
                const Group& group) const {
    const bool sends = stream == 20;
    // PyTorch writes the rank in the job, not in the group.
    const int peer = group.ranks.at(static_cast<std::size_t>(stage % m_job.pipelineRanks));
    const std::string more = fmt::format(R"(, "{}": {})", sends ? "Dst Rank" : "Src Rank", peer);
    const std::string args = collectiveArgs(sends ? "send" : "recv", 4'000'000, 4'000'000, group, more);
    file.operation(file.host(), kHostPace / 2, "record_param_comms", args);
    file.kernel(range.first, range.second - range.first,
                "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", stream, args);
    file.passTime();
  }

  const PipelineJob& m_job;
  std::vector<std::vector<std::vector<Timed>>> m_timed; // by replica, then rank of the pipeline
  std::vector<std::map<Action, std::int64_t>> m_ends;   // by replica
  std::vector<std::int64_t> m_reduced;                  // by rank of the pipeline: its gradients are there
  std::int64_t m_window = 0;                            // end of the last action of any rank
  std::int64_t m_normed = 0;                            // the norm of all gradients is there
};

// ---- Shards

struct Work {
  enum class Kind { Compute, Tensor, Gather, Reduce } kind = Kind::Compute;
  std::int64_t begin = 0; // since the begin of the step
  std::int64_t length = 0;
  int layer = 0;
  bool backward = false;
};

// One step of a rank: gathers one layer ahead, layers that wait for their tensor-parallel AllReduces,
// reductions behind them.
std::vector<Work> stepOf(const ShardedJob& job) {
  using Kind = Work::Kind;
  std::vector<Work> all;
  std::int64_t gathered = kLead; // end of the gather of the layer that comes next
  std::int64_t computed = kLead;
  std::int64_t reduced = kLead;
  const auto gather = [&](int layer, bool backward, std::int64_t from) {
    all.push_back({Kind::Gather, std::max(gathered, from), job.gatherNs, layer, backward});
    gathered = all.back().begin + job.gatherNs;
  };
  const auto layerAt = [&](int layer, bool backward, int next, bool nextBackward) {
    computed = std::max(computed, gathered);
    if (next >= 0) gather(next, nextBackward, computed);
    for (int half = 0; half < 2; ++half) {
      // Attention is two kernels, the rest of the layer one.
      const int kernels = half == 0 ? 2 : 1;
      const std::int64_t length = (backward ? 2 : 1) * job.forwardNs / 2 / kernels;
      for (int kernel = 0; kernel < kernels; ++kernel) {
        all.push_back({Kind::Compute, computed, length, layer, backward});
        computed += length;
      }
      all.push_back({Kind::Tensor, computed, job.tensorNs, layer, backward});
      computed += job.tensorNs;
    }
    if (!backward) return;
    all.push_back({Kind::Reduce, std::max(reduced, computed), job.reduceNs, layer, backward});
    reduced = all.back().begin + job.reduceNs;
  };
  gather(0, false, kLead);
  for (int layer = 0; layer < job.layers; ++layer) {
    const bool last = layer + 1 == job.layers;
    layerAt(layer, false, last ? layer : layer + 1, last);
  }
  for (int layer = job.layers; layer-- > 0;) layerAt(layer, true, layer - 1, true);
  all.push_back({Kind::Compute, std::max(computed, reduced), kOptimizer, -1, false});
  return all;
}

// Nanoseconds in which something of one kind runs, and nothing of the others.
std::int64_t timeOf(const std::vector<Work>& all, const std::vector<Work::Kind>& wanted,
                    const std::vector<Work::Kind>& without) {
  const auto in = [](const std::vector<Work::Kind>& kinds, Work::Kind kind) {
    return std::ranges::find(kinds, kind) != kinds.end();
  };
  std::vector<std::tuple<std::int64_t, int, int>> edges; // time, change of wanted, change of the others
  for (const Work& of : all) {
    const int is = in(wanted, of.kind) ? 1 : 0;
    const int covers = in(without, of.kind) ? 1 : 0;
    edges.emplace_back(of.begin, is, covers);
    edges.emplace_back(of.begin + of.length, -is, -covers);
  }
  std::ranges::sort(edges);
  std::int64_t sum = 0;
  std::int64_t before = 0;
  int active = 0;
  int covered = 0;
  for (const auto& [time, is, covers] : edges) {
    if (active > 0 && covered == 0) sum += time - before;
    before = time;
    active += is;
    covered += covers;
  }
  return sum;
}

void writeWork(RankFile& file, const Work& of, std::int64_t step, const Group& tensor, const Group& shards) {
  const std::int64_t host = file.host();
  const std::int64_t begin = step + of.begin;
  constexpr std::int64_t kElements = 4'000'000;
  const auto ranks = static_cast<std::int64_t>(shards.ranks.size());
  if (of.backward) file.operation(host, kHostPace / 2, "autograd::engine::evaluate_function: AddmmBackward0");
  switch (of.kind) {
  case Work::Kind::Compute:
    if (of.layer < 0) file.annotation(host, kHostPace / 2, "Optimizer.step#AdamW.step");
    file.kernel(begin, of.length, of.layer < 0 ? "multi_tensor_apply_kernel" : kGemm);
    break;
  case Work::Kind::Tensor:
    file.kernel(begin, of.length,
                "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 20,
                collectiveArgs("allreduce", kElements, kElements, tensor));
    break;
  case Work::Kind::Gather:
    file.annotation(host, kHostPace / 2, fmt::format("FSDP::all_gather (layers.{})", of.layer));
    file.kernel(begin, of.length, "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 24,
                collectiveArgs("_allgather_base", kElements / ranks, kElements, shards));
    break;
  case Work::Kind::Reduce:
    file.annotation(host, kHostPace / 2, fmt::format("FSDP::post_backward_reduce (layers.{})", of.layer));
    file.kernel(begin, of.length,
                "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 28,
                collectiveArgs("_reduce_scatter_base", kElements, kElements / ranks, shards));
    break;
  }
  file.passTime();
}

// ---- Experts

// One step of all ranks: when each is free, and what it records.
class ExpertStepWriter {
 public:
  ExpertStepWriter(const ExpertJob& job, const ExpertTruth& truth, const Group& group,
                   std::vector<RankFile>& files, std::int64_t begin)
      : m_job(job), m_truth(truth), m_group(group), m_files(files), m_begin(begin),
        m_free(files.size(), kLead) {}

  void compute(bool backward, const std::vector<std::int64_t>& lengths, const char* name = kGemm) {
    for (std::size_t r = 0; r < m_files.size(); ++r) {
      RankFile& file = m_files[r];
      file.operation(file.host(), kHostPace / 2,
                     backward ? "autograd::engine::evaluate_function: AddmmBackward0" : "aten::linear");
      file.kernel(m_begin + m_free[r], lengths[r], name);
      file.passTime();
      m_free[r] += lengths[r];
    }
  }

  // Ends on all ranks when the last one has come and sent. Gives how long each waited.
  std::vector<std::int64_t> exchange(bool backward, bool toExperts) {
    const std::int64_t last = *std::ranges::max_element(m_free);
    const std::int64_t end = last + m_job.transferNs;
    std::vector<std::int64_t> waits;
    for (std::size_t r = 0; r < m_files.size(); ++r) {
      const std::vector<std::int64_t> same(m_files.size(), m_truth.sent[r]); // the same from every rank
      const std::vector<std::int64_t>& sent = toExperts ? m_truth.sent : same;
      const std::vector<std::int64_t>& received = toExperts ? same : m_truth.sent;
      record(m_files[r], static_cast<int>(r), backward, sent, received, {m_free[r], end});
      waits.push_back(last - m_free[r]);
      m_free[r] = end;
    }
    return waits;
  }

  void optimizer() {
    for (std::size_t r = 0; r < m_files.size(); ++r) {
      m_files[r].annotation(m_files[r].host(), kHostPace / 2, "Optimizer.step#AdamW.step");
      m_files[r].kernel(m_begin + m_free[r], kOptimizer, "multi_tensor_apply_kernel");
      m_free[r] += kOptimizer;
    }
  }

  [[nodiscard]] std::int64_t end() const { return *std::ranges::max_element(m_free); }

 private:
  void record(RankFile& file, int rank, bool backward, const std::vector<std::int64_t>& sent,
              const std::vector<std::int64_t>& received, std::pair<std::int64_t, std::int64_t> range) const {
    const auto elements = [&](const std::vector<std::int64_t>& tokens) {
      std::int64_t sum = 0;
      for (const std::int64_t n : tokens) sum += n * m_job.width;
      return sum;
    };
    const std::string args = collectiveArgs("all_to_allv", elements(sent), elements(received), m_group);
    const std::string inputs =
        fmt::format(R"("Concrete Inputs": ["", "1", "", "{}", "all_to_allv", "[{}]", "[{}]"], {})", rank,
                    fmt::join(sent, ", "), fmt::join(received, ", "), args);
    if (backward)
      file.operation(file.host(), kHostPace / 2, "autograd::engine::evaluate_function: AllToAllBackward");
    file.operation(file.host(), 2 * kHostPace / 5, "record_param_comms", inputs);
    file.kernel(m_begin + range.first, range.second - range.first,
                "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", 20, args);
    file.passTime();
  }

  const ExpertJob& m_job;
  const ExpertTruth& m_truth;
  const Group& m_group;
  std::vector<RankFile>& m_files;
  std::int64_t m_begin;
  std::vector<std::int64_t> m_free; // by rank, since the begin of the step
};

// The tokens of a rank: the full one gets more than the mean, the others the rest in equal parts.
std::vector<std::int64_t> tokensOf(const ExpertJob& job) {
  const std::int64_t full =
      std::min(job.tokens, job.tokens * (1000 + job.unevenPermille) / (std::int64_t{1000} * job.ranks));
  const std::int64_t rest = job.tokens - full;
  const std::int64_t others = job.ranks - 1;
  std::vector<std::int64_t> tokens;
  tokens.reserve(static_cast<std::size_t>(job.ranks));
  std::int64_t place = 0;
  for (int rank = 0; rank < job.ranks; ++rank) {
    if (rank == job.fullRank)
      tokens.push_back(full);
    else
      tokens.push_back(rest / others + (place++ < rest % others ? 1 : 0));
  }
  return tokens;
}

} // namespace

double PipelineTruth::bubblePct() const {
  double busy = 0;
  for (const std::int64_t of : busyNs) busy += static_cast<double>(of);
  return 100 * (1 - busy / (static_cast<double>(windowNs) * static_cast<double>(busyNs.size())));
}

PipelineTruth generatePipelineJob(const PipelineJob& job, const std::filesystem::path& folder) {
  const bool interleaved = job.order == PipelineOrder::InterleavedOneForwardOneBackward;
  if (job.pipelineRanks < 2 || job.replicas < 1 || job.microbatches < 1 || job.stagesPerRank < 1 ||
      interleaved != (job.stagesPerRank > 1) || (interleaved && job.microbatches % job.pipelineRanks != 0))
    throw std::invalid_argument("an impossible pipeline");
  const PipelineWriter writer(job);
  writer.write(folder);
  return writer.truth();
}

ShardedTruth generateShardedJob(const ShardedJob& job, const std::filesystem::path& folder) {
  if (job.tensorRanks < 2 || job.ranks < 2 * job.tensorRanks || job.ranks % job.tensorRanks != 0 ||
      job.layers < 1)
    throw std::invalid_argument("ranks that cannot be divided so");
  const std::vector<Work> step = stepOf(job);
  const std::int64_t length = step.back().begin + step.back().length + kMargin;
  for (int rank = 0; rank < job.ranks; ++rank) {
    Group tensor{"mesh_tp", {}};
    Group shards{"mesh_dp_shard", {}};
    for (int other = 0; other < job.ranks; ++other) {
      if (other / job.tensorRanks == rank / job.tensorRanks) tensor.ranks.push_back(other);
      if (other % job.tensorRanks == rank % job.tensorRanks) shards.ranks.push_back(other);
    }
    RankFile file(rank, job.ranks, {tensor, shards});
    for (int number = 0; number < job.steps; ++number) {
      const std::int64_t begin = number * (length + kMargin);
      file.beginStep(number + 1, begin, length);
      for (const Work& of : step) writeWork(file, of, begin, tensor, shards);
    }
    file.write(folder);
  }
  using Kind = Work::Kind;
  return {timeOf(step, {Kind::Tensor}, {Kind::Compute}),
          timeOf(step, {Kind::Gather, Kind::Reduce}, {Kind::Compute, Kind::Tensor})};
}

ExpertTruth generateExpertJob(const ExpertJob& job, const std::filesystem::path& folder) {
  if (job.ranks < 2 || job.layers < 1 || job.steps < 1 || job.fullRank < 0 || job.fullRank >= job.ranks ||
      job.unevenPermille < 0 || job.tokens < job.ranks)
    throw std::invalid_argument("experts that cannot be divided so");
  const auto ranks = static_cast<std::size_t>(job.ranks);
  ExpertTruth truth;
  truth.sent = tokensOf(job);
  truth.expertNs.assign(ranks, 0);
  truth.combineWaitNs.assign(ranks, 0);
  truth.imbalance = static_cast<double>(*std::ranges::max_element(truth.sent)) * job.ranks /
                    static_cast<double>(job.tokens);
  Group group{"mesh_ep", {}};
  for (int rank = 0; rank < job.ranks; ++rank) group.ranks.push_back(rank);
  std::vector<RankFile> files;
  files.reserve(ranks);
  for (int rank = 0; rank < job.ranks; ++rank) files.emplace_back(rank, job.ranks, std::vector{group});
  const std::vector<std::int64_t> attention(ranks, job.attentionNs);
  std::vector<std::int64_t> experts;
  std::vector<std::int64_t> backward;
  for (const std::int64_t tokens : truth.sent) {
    experts.push_back(tokens * job.ranks * job.tokenNs);
    backward.push_back(2 * experts.back());
  }
  const std::int64_t longest = *std::ranges::max_element(experts);
  const std::int64_t layer = 3 * longest + 3 * job.attentionNs + 4 * job.transferNs;
  const std::int64_t length = kLead + job.layers * layer + kOptimizer + kMargin;
  for (int number = 0; number < job.steps; ++number) {
    const std::int64_t begin = number * (length + kMargin);
    for (RankFile& file : files) file.beginStep(number + 1, begin, length);
    ExpertStepWriter step(job, truth, group, files, begin);
    for (int l = 0; l < job.layers; ++l) {
      step.compute(false, attention);
      step.exchange(false, true);
      step.compute(false, experts);
      const std::vector<std::int64_t> waits = step.exchange(false, false);
      for (std::size_t r = 0; number == 0 && r < ranks; ++r) {
        truth.combineWaitNs[r] += waits[r];
        truth.expertNs[r] += experts[r];
      }
    }
    for (int l = 0; l < job.layers; ++l) {
      step.exchange(true, true);
      step.compute(true, backward);
      step.exchange(true, false);
      step.compute(true, attention);
      step.compute(true, attention);
    }
    step.optimizer();
  }
  for (const RankFile& file : files) file.write(folder);
  return truth;
}

} // namespace rankscope::test

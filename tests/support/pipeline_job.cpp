// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/divided_rank.h"
#include "tests/support/parallel_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace rankscope::test {

namespace {

constexpr std::int64_t kPipelineLead = 100'000;
constexpr std::int64_t kPipelineMargin = 50'000;
constexpr std::int64_t kReplicaReduce = 800'000;
constexpr std::int64_t kNormReduce = 20'000;

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

  [[nodiscard]] RankGroup pipelineOf(int replica) const {
    RankGroup group{"mesh_pp", {}};
    for (int r = 0; r < m_job.pipelineRanks; ++r) group.ranks.push_back(r * m_job.replicas + replica);
    return group;
  }
  [[nodiscard]] RankGroup replicasOf(int place) const {
    RankGroup group{"mesh_dp", {}};
    for (int d = 0; d < m_job.replicas; ++d) group.ranks.push_back(place * m_job.replicas + d);
    return group;
  }
  void writeRank(const std::filesystem::path& folder, int place, int replica) const {
    std::vector<RankGroup> groups{pipelineOf(replica)};
    if (m_job.replicas > 1) groups.push_back(replicasOf(place));
    DividedRank file(place * m_job.replicas + replica, m_job.pipelineRanks * m_job.replicas, groups);
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

  static void reduce(DividedRank& file, std::int64_t begin, std::int64_t end, std::int64_t elements,
                     const RankGroup& group) {
    file.kernel(begin, end - begin,
                "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 32,
                collectiveArgs("allreduce", elements, elements, group));
  }

  // before: when the rank was free.
  void writeAction(DividedRank& file, const Timed& of, std::int64_t before, std::int64_t step,
                   int replica) const {
    const Action& action = of.action;
    const RankGroup group = pipelineOf(replica);
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

  void transfer(DividedRank& file, std::pair<std::int64_t, std::int64_t> range, int stream, int stage,
                const RankGroup& group) const {
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

} // namespace rankscope::test

// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/divided_rank.h"
#include "tests/support/parallel_jobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace rankscope::test {

namespace {

// One step of all ranks: when each is free, and what it records.
class ExpertStepWriter {
 public:
  ExpertStepWriter(const ExpertJob& job, const ExpertTruth& truth, const RankGroup& group,
                   std::vector<DividedRank>& files, std::int64_t begin)
      : m_job(job), m_truth(truth), m_group(group), m_files(files), m_begin(begin),
        m_free(files.size(), kLead) {}

  void compute(bool backward, const std::vector<std::int64_t>& lengths, const char* name = kGemm) {
    for (std::size_t r = 0; r < m_files.size(); ++r) {
      DividedRank& file = m_files[r];
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
  void record(DividedRank& file, int rank, bool backward, const std::vector<std::int64_t>& sent,
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
  const RankGroup& m_group;
  std::vector<DividedRank>& m_files;
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
  RankGroup group{"mesh_ep", {}};
  for (int rank = 0; rank < job.ranks; ++rank) group.ranks.push_back(rank);
  std::vector<DividedRank> files;
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
    for (DividedRank& file : files) file.beginStep(number + 1, begin, length);
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
  for (const DividedRank& file : files) file.write(folder);
  return truth;
}

} // namespace rankscope::test

// SPDX-License-Identifier: GPL-3.0-or-later
// What one rank of a job of parallel_jobs.h records: launches are spaced evenly on its host, kernels begin
// when the simulation says. Private to the sources of parallel_jobs.h.
#pragma once

#include "tests/support/trace_text.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::test {

constexpr std::int64_t kHostPace = 20'000;   // from launch to launch
constexpr std::int64_t kLead = 3'000'000;    // of the host before the device
constexpr std::int64_t kOptimizer = 500'000; // after the last action
constexpr std::int64_t kMargin = 1'000'000;  // between steps
constexpr const char* kGemm = "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_64x3_tn";

struct RankGroup {
  std::string description;
  std::vector<int> ranks;
};

// Arguments of a collective's kernel or record_param_comms; more: further members, after a comma.
std::string collectiveArgs(const char* operation, std::int64_t in, std::int64_t out, const RankGroup& group,
                           const std::string& more = {});

class DividedRank {
 public:
  DividedRank(int rank, int world, const std::vector<RankGroup>& groups);

  void beginStep(int number, std::int64_t begin, std::int64_t length);
  // Time of the next launch.
  [[nodiscard]] std::int64_t host() const { return m_host; }
  void passTime() { m_host += kHostPace; }

  void kernel(std::int64_t begin, std::int64_t length, const char* name, int stream = 7,
              const std::string& args = {});
  void annotation(std::int64_t begin, std::int64_t length, const std::string& name);
  void operation(std::int64_t begin, std::int64_t length, const char* name, const std::string& args = {});
  void write(const std::filesystem::path& folder) const;

 private:
  TraceText m_text;
  int m_rank;
  std::int64_t m_host = 0;
  std::int64_t m_correlation = 0;
};

} // namespace rankscope::test

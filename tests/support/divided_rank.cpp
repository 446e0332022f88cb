// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/divided_rank.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rankscope::test {

std::string collectiveArgs(const char* operation, std::int64_t in, std::int64_t out, const RankGroup& group,
                           const std::string& more) {
  return fmt::format(
      R"("Collective name": "{}", "In msg nelems": {}, "Out msg nelems": {}, "Group size": {}, "dtype": "BFloat16",
 "In split size": "[]", "Out split size": "[]", "Process Group Name": "{}", "Process Group Description": "{}",
 "Process Group Ranks": "[{}]"{})",
      operation, in, out, group.ranks.size(), group.description, group.description,
      fmt::join(group.ranks, ", "), more);
}

DividedRank::DividedRank(int rank, int world, const std::vector<RankGroup>& groups) : m_rank(rank) {
  std::string configs;
  for (const RankGroup& group : groups) {
    if (!configs.empty()) configs += ", ";
    configs += fmt::format(
        R"({{"pg_name": "{0}", "pg_desc": "{0}", "backend_config": "cuda:nccl", "pg_size": {1}, "ranks": [{2}]}})",
        group.description, group.ranks.size(), fmt::join(group.ranks, ", "));
  }
  m_text.metadata(
      "distributedInfo",
      fmt::format(R"({{"backend": "nccl", "rank": {}, "world_size": {}, "pg_count": {}, "pg_config": [{}]}})",
                  rank, world, groups.size(), configs));
  m_text.metadata("host_name", fmt::format("\"node-{}\"", rank / 8));
}

void DividedRank::beginStep(int number, std::int64_t begin, std::int64_t length) {
  m_text.addStep(number, begin, length);
  m_host = begin + kHostPace;
}

void DividedRank::kernel(std::int64_t begin, std::int64_t length, const char* name, int stream,
                         const std::string& args) {
  m_text.addRuntime(1, m_host, kHostPace / 4, "cudaLaunchKernel", ++m_correlation);
  m_text.addKernel(0, stream, begin, length, name, m_correlation, args);
  m_host += kHostPace / 2;
}

void DividedRank::annotation(std::int64_t begin, std::int64_t length, const std::string& name) {
  m_text.addAnnotation(1, begin, length, name);
}

void DividedRank::operation(std::int64_t begin, std::int64_t length, const char* name,
                            const std::string& args) {
  m_text.addCpuOp(1, begin, length, name, args);
}

void DividedRank::write(const std::filesystem::path& folder) const {
  writeTraceFile((folder / fmt::format("rank{}.json", m_rank)).string(), m_text.text());
}

} // namespace rankscope::test

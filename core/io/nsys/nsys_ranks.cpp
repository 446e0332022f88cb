// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/nsys/nsys_ranks.h"

#include "core/io/nsys/nsys_tables.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

namespace rankscope {

namespace {

// The first one that is set decides: torchrun's own variable comes before those of what launched torchrun.
constexpr std::array<std::string_view, 9> kRankVariables{
    "RANK",        "SLURM_PROCID",        "OMPI_COMM_WORLD_RANK", "PMIX_RANK",         "PMI_RANK",
    "PALS_RANKID", "MV2_COMM_WORLD_RANK", "FLUX_TASK_RANK",       "JSM_NAMESPACE_RANK"};
constexpr std::array<std::string_view, 4> kSizeVariables{"WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE",
                                                         "PMI_SIZE"};

constexpr std::array<std::string_view, 3> kNodeVariables{"GROUP_RANK", "NODE_RANK", "SLURM_NODEID"};

template <class Names> std::optional<std::int64_t> firstOf(const NsysExport& facts, const Names& names) {
  for (const std::string_view name : names) {
    if (const auto found = facts.environment.find(name); found != facts.environment.end())
      return found->second;
  }
  return std::nullopt;
}

// "MPI Rank 3".
std::optional<std::int64_t> rankInThreadName(std::string_view name) {
  constexpr std::string_view kStart = "MPI Rank ";
  if (!name.starts_with(kStart)) return std::nullopt;
  name.remove_prefix(kStart.size());
  std::int64_t rank = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
  if (error != std::errc() || end != name.data() + name.size() || rank < 0) return std::nullopt;
  return rank;
}

} // namespace

std::vector<std::int64_t> rankProcesses(std::span<const ProcessActivity> all) {
  std::vector<ProcessActivity> found;
  const auto take = [&](auto&& isRank) {
    if (found.empty()) std::ranges::copy_if(all, std::back_inserter(found), isRank);
  };
  take([](const ProcessActivity& of) { return of.deviceEvents > 0; });
  take([](const ProcessActivity& of) { return of.ranges > 0; });
  if (found.empty()) {
    const auto most = std::ranges::max_element(
        all, {}, [](const ProcessActivity& of) { return std::tuple(of.calls, of.others, ~of.process); });
    if (most != all.end() && most->calls + most->others > 0) found.push_back(*most);
  }
  std::ranges::sort(found, {}, [](const ProcessActivity& of) {
    return std::tuple(of.firstDevice, pidOf(of.process), of.process);
  });
  std::vector<std::int64_t> processes;
  processes.reserve(found.size());
  for (const ProcessActivity& of : found) processes.push_back(of.process);
  return processes;
}

RankEvidence rankEvidence(const NsysExport& facts, std::int64_t process,
                          std::span<const std::string> threadNames, bool only) {
  RankEvidence evidence;
  if (const auto mpi = facts.mpiRanks.find(process); mpi != facts.mpiRanks.end())
    evidence = {mpi->second, std::nullopt, std::nullopt, "environment"};
  for (const std::string& name : threadNames) {
    if (const auto rank = rankInThreadName(name); rank && !evidence.rank)
      evidence = {rank, std::nullopt, std::nullopt, "environment"};
  }
  evidence.nodeRank = firstOf(facts, kNodeVariables);
  if (!only) return evidence;
  if (!evidence.rank) {
    evidence.rank = firstOf(facts, kRankVariables);
    if (evidence.rank) evidence.from = "environment";
  }
  if (evidence.rank) evidence.worldSize = firstOf(facts, kSizeVariables);
  if (evidence.worldSize && *evidence.worldSize <= *evidence.rank) evidence.worldSize.reset();
  return evidence;
}

} // namespace rankscope

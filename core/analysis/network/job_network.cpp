// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/job_network.h"

#include "core/analysis/network/rings.h"

#include <algorithm>
#include <utility>

namespace rankscope {

namespace {

// Copies and symmetric kernels have no algorithm.
void addChoice(const NcclLog& log, const NcclChoice& choice, AlgorithmsBySize& algorithms) {
  if (choice.algorithm.empty()) return;
  algorithms[{collectiveOperationOf(choice.operation), bytesOfNcclChoice(log, choice)}].insert(
      choice.algorithm);
}

} // namespace

JobNetwork jobNetwork(std::shared_ptr<const NcclRecords> records) {
  JobNetwork network;
  network.records = records != nullptr ? std::move(records) : std::make_shared<const NcclRecords>();
  network.topology = topologyOf(network.records->log);
  return network;
}

JobNetwork jobNetwork(std::shared_ptr<const NcclRecords> records, const Analysis& analysis) {
  JobNetwork network = jobNetwork(std::move(records));
  if (!network.log().empty()) network.join = joinGroups(analysis, network.log(), network.topology);
  return network;
}

AlgorithmsBySize algorithmsOf(const JobNetwork& network, GroupIndex group) {
  AlgorithmsBySize algorithms;
  if (network.join.empty()) return algorithms;
  const NcclLog& log = network.log();
  for (const NcclChoice& choice : log.choices) {
    if (choice.instance == kNoNcclIndex) continue;
    const std::uint32_t of = network.topology.communicatorOf[choice.instance];
    if (of == kNoNcclIndex) continue;
    const std::vector<GroupIndex>& groups = network.join.communicators[of].groups;
    if (std::ranges::find(groups, group) == groups.end()) continue;
    addChoice(log, choice, algorithms);
  }
  return algorithms;
}

AlgorithmsBySize algorithmsIn(const JobNetwork& network, std::string_view path) {
  AlgorithmsBySize algorithms;
  const NcclLog& log = network.log();
  for (const NcclChoice& choice : log.choices) {
    const bool there = choice.instance == kNoNcclIndex
                           ? log.files.size() == 1
                           : log.files[log.instances[choice.instance].at.file].path == path;
    if (there) addChoice(log, choice, algorithms);
  }
  return algorithms;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/link_ends.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace rankscope {

namespace {

constexpr double kLeastOfMean = 2; // of a NIC that others are idle beside

struct NicUse {
  std::map<std::int32_t, std::size_t> ends; // of links by NIC
  bool wholly = false;                      // a communicator of which all logs are there
  bool partly = false;                      // one of which a member's log is missing
};

bool usesRdma(std::string_view kind) {
  return kind.starts_with("NET/") && kind != "NET/Socket";
}

// Several files may have the same line.
std::map<std::string_view, NicUse> nicUses(const JobNetwork& network) {
  const NcclLog& log = network.log();
  std::map<std::string_view, NicUse> uses; // by host
  std::set<std::tuple<std::string_view, std::uint32_t, std::int32_t, std::int32_t, std::int32_t, std::int32_t,
                      NcclDirection>>
      counted;
  for (const NcclLink& line : log.links) {
    if (line.nic < 0 || !usesRdma(log.kinds[line.kind])) continue;
    const NcclProcess& process = log.processes[line.process];
    if (process.host.empty()) continue;
    const std::uint32_t of = communicatorOf(network.topology, line);
    NicUse& use = uses[process.host];
    if (of != kNoNcclIndex) {
      const NetCommunicator& communicator = network.topology.communicators[of];
      (communicator.membersKnown < communicator.ranks ? use.partly : use.wholly) = true;
    }
    if (counted.emplace(process.host, of, line.channel, line.connection, line.from, line.to, line.direction)
            .second)
      ++use.ends[line.nic];
  }
  return uses;
}

} // namespace

std::uint32_t communicatorOf(const NetTopology& topology, const NcclLink& line) {
  return line.instance == kNoNcclIndex ? kNoNcclIndex : topology.communicatorOf[line.instance];
}

std::vector<IdleNics> idleNics(const JobNetwork& network) {
  std::vector<IdleNics> found;
  for (const auto& [host, use] : nicUses(network)) {
    if (use.partly || !use.wholly) continue;
    const auto& processes = network.log().processes;
    const auto process = std::ranges::find_if(processes, [&, name = host](const NcclProcess& of) {
      return of.host == name && !of.devices.empty();
    });
    if (process == processes.end()) continue;
    IdleNics idle{host, {}, 0, 0};
    for (const auto& [nic, count] : use.ends) {
      idle.ends += count;
      idle.most = std::max(idle.most, count);
    }
    // Devices of another network, such as one for storage, are not meant for this.
    const std::string& main = process->devices.back().network;
    std::size_t devices = 0;
    for (const NcclDevice& device : process->devices) {
      if (device.network != main) continue;
      ++devices;
      if (!use.ends.contains(device.index)) idle.names.insert(device.name);
    }
    if (idle.names.empty() || devices == 0) continue;
    const double mean = static_cast<double>(idle.ends) / static_cast<double>(devices);
    if (static_cast<double>(idle.most) >= kLeastOfMean * mean) found.push_back(std::move(idle));
  }
  return found;
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// What links between GPUs and between hosts can do at best, and which share of it is reached in practice:
// data sheets, and public nccl-tests results of 1 GiB and more. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rankscope {

// gbS: 10^9 bytes per second in one direction, of a GPU or of one port.
struct Fabric {
  std::string_view name;  // as --fabric takes it: "nvlink4"
  std::string_view title; // "NVLink 4"
  bool betweenHosts = false;
  double gbS = 0;
  double reached = 0;     // share that collectives reach
  double reachedNvls = 0; // AllReduce by NVLink SHARP, of bus bandwidth; 0: not available
};

[[nodiscard]] std::span<const Fabric> fabrics();
// Null for unknown names.
[[nodiscard]] const Fabric* fabricNamed(std::string_view name);

// Links within a host by the name of the GPU, as profilers or nccl-tests write it. Null if unknown.
[[nodiscard]] const Fabric* fabricOfGpu(std::string_view gpu);
// Links between hosts by what NCCL's log says: network ("IB", "Socket", "AWS Libfabric") and the rate of a
// port in Gbit/s (0: unknown). Null if the rate decides and is unknown.
[[nodiscard]] const Fabric* fabricOfNetwork(std::string_view network, double gbitS);

// A fabric that the user chose: "ib-ndr" or "ib-ndr:8" with the number of ports of a host.
struct FabricChoice {
  const Fabric* fabric = nullptr;
  std::optional<std::int64_t> ports;
};
[[nodiscard]] std::optional<FabricChoice> fabricChoice(std::string_view text);

} // namespace rankscope

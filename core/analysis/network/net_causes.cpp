// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/network/net_causes.h"

#include <algorithm>
#include <iterator>

namespace rankscope {

NetCause netCause(std::string_view cause) {
  struct Entry {
    std::string_view word;
    NetCause cause;
  };
  static constexpr Entry kEntries[] = {
      {"ib_completion",
       {"InfiniBand work completion failed",
        "Status 12: cable, switch, MTU, PFC and ECN, a wrong GID index, or the peer died. Status 4 with "
        "GPUDirect: "
        "ACS, IOMMU, the peer memory module. 5 and 10: read the other end first."}},
      {"ib_port", {"InfiniBand port or GID went away", "Check the link and the switch: ibstat, perfquery."}},
      {"ib_verbs",
       {"InfiniBand verbs call failed",
        "Check GID and RoCE mode, and the limit on locked memory (ulimit -l)."}},
      {"plugin", {"Warning of the network plugin", "Check the plugin's version and its provider (fi_info)."}},
      {"socket",
       {"Socket connection failed", "Check NCCL_SOCKET_IFNAME, the firewall, and whether the peer died "
                                    "first: find the earliest failing rank."}},
      {"peer_gone", {"A peer closed its connection", "The peer died first: find the earliest failing rank."}},
      {"mismatch",
       {"Ranks called different collectives", "Compare the calls of the ranks (NCCL_DEBUG_SUBSYS=COLL)."}},
      {"duplicate_gpu",
       {"Two ranks use one GPU", "Set the device from LOCAL_RANK before the first collective."}},
      {"version", {"Different NCCL versions", "Use the same build on all hosts."}},
      {"cuda",
       {"CUDA error within NCCL",
        "Look for the first error of that process; run with CUDA_LAUNCH_BLOCKING=1."}},
      {"no_algorithm", {"No algorithm is left", "Unset NCCL_ALGO and NCCL_PROTO."}},
      {"shared_memory",
       {"Shared memory is too small", "Give the container more: --shm-size, or --ipc=host."}},
      {"iommu", {"iommu=pt is missing", "Add iommu=pt to the kernel's command line."}},
      {"numa_balancing", {"NUMA balancing is on", "echo 0 > /proc/sys/kernel/numa_balancing"}},
      {"watchdog_timeout",
       {"A collective timed out",
        "The sequence number and operation in the line name it: see which rank never called it."}},
      {"system_error", {"A system call of NCCL failed", "The warning before it says which one."}},
      {"remote_error", {"A remote process failed", "Find the earliest failing rank."}},
  };
  const auto found = std::ranges::find(kEntries, cause, &Entry::word);
  return found == std::end(kEntries) ? NetCause{} : found->cause;
}

} // namespace rankscope

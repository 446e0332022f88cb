// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/collectives/hang_advice.h"

namespace rankscope {

std::string_view hangAdvice(HangVerdict verdict) {
  switch (verdict) {
  case HangVerdict::HostNeverCame:
    return "See where the process of each such rank is: py-spy dump --pid PID. Usual reasons: an exception, "
           "a deadlock, the interpreter lock, the data loader, a collective inside a condition.";
  case HangVerdict::DeviceStopped:
    return "Look for errors of each such device: dmesg (Xid), nvidia-smi -q. Usual reasons: a device error, "
           "a kernel that never ends, a stream that waits for an event that was never recorded.";
  case HangVerdict::Mismatch:
    return "Call the same collectives in the same order with the same shapes and types on all ranks of a "
           "group.";
  case HangVerdict::NoDump:
    return "Read the log of that rank: its process may have ended before the others waited. Collect the dump "
           "of every rank: TORCH_NCCL_DUMP_ON_TIMEOUT=1.";
  case HangVerdict::Ok:
  case HangVerdict::Waits:
  case HangVerdict::Unknown:
    break;
  }
  return {};
}

std::string_view damagedDumpAdvice() {
  return "Copy dumps that are cut or damaged again: they may have been taken while they were written.";
}

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a generated job, divided in any way, as exports of Nsight Systems: what its profiler, run with
// emit_nvtx, would have recorded of the same program, with input sizes, rows of synchronization where there
// are, and NCCL's ranges with payloads in the new version. Left out is what nsys does not record: Python
// frames, allocations, types of elements and names of groups, annotations on devices.
#pragma once

#include "tests/support/nsys_file.h"

#include <filesystem>

namespace rankscope::test {

// OfRanks: each trace below `from` becomes an export of the same name below `to`, as where torchrun starts
// nsys. OfHosts: nsys starts torchrun, so an export profile_HOST.sqlite has all ranks of a host, and the
// environment of what started nsys on each host. Throws std::invalid_argument if a rank has several traces.
enum class NsysReports { OfRanks, OfHosts };
void writeAsNsys(const std::filesystem::path& from, const std::filesystem::path& to,
                 NsysFile::Version version, NsysReports reports = NsysReports::OfRanks);

} // namespace rankscope::test

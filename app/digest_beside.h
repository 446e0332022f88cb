// SPDX-License-Identifier: GPL-3.0-or-later
// What lies beside the traces of a digest: memory snapshots, Flight Recorder dumps, memory timelines, logs of
// NCCL. Each is read by a process of its host, reduced there and joined by the first process: as many hosts
// as wanted give what one folder gives.
//
// What is sent and kept: dumps whole and compressed, as long as all of them take at most
// DigestBounds::dumpBytes (then only their rows and findings); of snapshots the rows of their tables, at most
// DigestBounds::rows of each table and process, and their findings; of timelines their names. Logs are sent
// in parts of at most 16 MiB of text, one after the other, and become the facts that a reader of them keeps.
#pragma once

#include "app/digest_files.h"
#include "app/digest_options.h"
#include "app/digest_work.h"

namespace rankscope {

// Says of the files of the job what became of them. REQUIRES: recordings are placed.
void readBeside(const DigestOptions& options, const JobFiles& files, DigestWork& work);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// Reads memory snapshots of PyTorch 2.0 and later: pickles of _dump_snapshot and _snapshot, bare lists of
// segments, HTML pages of memory_viz. By fields, never by version. Unknown fields are ignored; values that
// cannot be are read as 0 and counted. Thread-safe.
#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/io/pickle/plain_data.h"
#include "core/model/memory_snapshot.h"

#include <memory>
#include <string>

namespace rankscope {

[[nodiscard]] Result<MemorySnapshot> readSnapshot(const std::string& path,
                                                  const Progress* progress = nullptr);
// Of data that was read. The rank is that of the file's name.
[[nodiscard]] Result<MemorySnapshot> snapshotOf(const PlainFile& file);

} // namespace rankscope

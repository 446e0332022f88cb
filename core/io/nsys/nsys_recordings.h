// SPDX-License-Identifier: GPL-3.0-or-later
// Makes recordings of ranks from the tables of an export: decides which processes are ranks, joins their
// events, and adds processes of the only rank to it.
#pragma once

#include "core/io/nsys/nsys_slices.h"
#include "core/model/file_events.h"

#include <vector>

namespace rankscope {

// Consumes the tables. Empty if the export has no events.
[[nodiscard]] std::vector<FileEvents> nsysRecordings(NsysTables tables, const NsysExport& facts,
                                                     const SqliteFile& file, const NsysFilter& filter,
                                                     unsigned threadCount);

} // namespace rankscope

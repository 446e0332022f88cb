// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the slices of one file: cuts them in order, parses them on idle threads, and collects the results in
// file order. The result does not depend on which thread reads which slice.
#pragma once

#include "core/base/result.h"
#include "core/io/files/file_bytes.h"
#include "core/io/kineto/event_filter.h"
#include "core/io/kineto/event_slicer.h"
#include "core/io/reader/trace_reader.h"
#include "core/model/file_events.h"

namespace rankscope {

// Returns slices, tables and diagnostics; the caller sets the other members. Rethrows exceptions of any
// thread. REQUIRES: slicer.start() returned true.
[[nodiscard]] Result<FileEvents> readSlices(const FileBytes& file, EventSlicer& slicer, ReadContext& context,
                                            const EventFilter& filter);

} // namespace rankscope

// SPDX-License-Identifier: GPL-3.0-or-later
// The slices of one file on their way from text to events: cut in order, read by idle threads, and put
// together in the order of the file. Who reads which slice changes nothing in what comes out.
#pragma once

#include "core/base/result.h"
#include "core/io/files/file_bytes.h"
#include "core/io/kineto/event_filter.h"
#include "core/io/kineto/event_slicer.h"
#include "core/io/reader/trace_reader.h"
#include "core/model/file_events.h"

namespace rankscope {

// Slices, tables and their diagnostics; the rest is the caller's to fill. Throws what was thrown meanwhile,
// by any thread. REQUIRES: slicer.start() found events.
[[nodiscard]] Result<FileEvents> readSlices(const FileBytes& file, EventSlicer& slicer, ReadContext& context,
                                            const EventFilter& filter);

} // namespace rankscope

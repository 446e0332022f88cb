// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates the contents of a file from samples: several ranges of a plain file, the beginning of a
// compressed one. Samples are parsed like in a load, so the effect of a filter is included. A few
// milliseconds.
#pragma once

#include "core/io/files/file_bytes.h"
#include "core/io/kineto/event_filter.h"
#include "core/io/reader/trace_reader.h"

namespace rankscope {

[[nodiscard]] FileSample sampledEvents(const FileBytes& file, const EventFilter& filter);

} // namespace rankscope

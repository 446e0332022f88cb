// SPDX-License-Identifier: GPL-3.0-or-later
// How much a file holds, from samples: some stretches of a plain file, spread over its length, and the front
// of a compressed one. Events are read as they would be when loading, so what a filter saves is known as
// well. Costs a few milliseconds.
#pragma once

#include "core/io/files/file_bytes.h"
#include "core/io/kineto/event_filter.h"
#include "core/io/reader/trace_reader.h"

namespace rankscope {

[[nodiscard]] FileSample sampledEvents(const FileBytes& file, const EventFilter& filter);

} // namespace rankscope

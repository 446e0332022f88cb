// SPDX-License-Identifier: GPL-3.0-or-later
// A part of a trace in the same format: the events of a time window with their text as written (of damaged
// ones as repaired, so that the excerpt is valid), all metadata
// events and root members, times unchanged. What begins or ends by an event of its own (B and E, b and e) is
// kept whole, since its other end may lie outside. Pure function of the file; O(text), memory of the result.
#pragma once

#include "core/io/reader/trace_reader.h"

namespace rankscope {

// An Error where the file has no events.
[[nodiscard]] Result<Excerpt> eventExcerpt(const FileBytes& file, const ExcerptRequest& request,
                                           std::size_t sliceBytes);

} // namespace rankscope

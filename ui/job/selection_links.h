// SPDX-License-Identifier: GPL-3.0-or-later
// Links of the selected event, from cause to effect: launch and kernel, operator and Python frame of the
// launch, forward and backward, the work a kernel or a synchronizing call waited for, and the CUDA event of
// the wait. Drawn for the selection and followed by keys. Pure functions of const data: binary searches,
// and a scan of the rank's forward-backward flows.
#pragma once

#include "core/model/trace_set.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::ui {

class JobHighlights;

enum class LinkKind : std::uint8_t {
  Launch,   // a call and the device event it launched
  Caller,   // an operator and the launch within it
  Python,   // a frame of the Python stack and the operator within it
  Backward, // a forward operator and its backward
  Wait,     // awaited work and the work or synchronizing call that waited
  Event,    // a recorded CUDA event and its waits
};

struct SelectionLink {
  LinkKind kind = LinkKind::Launch;
  EventRef from;
  EventRef to;

  bool operator==(const SelectionLink&) const = default;
};

inline constexpr std::size_t kMaxLinks = 64;

// In the order in which they are followed; at most kMaxLinks. highlights: may be null; source of kernel
// waits. Empty for an invalid event.
[[nodiscard]] std::vector<SelectionLink> selectionLinks(const TraceSet& traces,
                                                        const JobHighlights* highlights, EventRef selected);
// Those of them that are found without looking through the arrows for one that leads to an event.
[[nodiscard]] std::vector<SelectionLink> quickLinks(const TraceSet& traces, const JobHighlights* highlights,
                                                    EventRef selected);

} // namespace rankscope::ui

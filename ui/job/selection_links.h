// SPDX-License-Identifier: GPL-3.0-or-later
// What the selected event hangs together with, as links from a cause to what it caused: the launch and its
// kernel, the operator and the Python frame around the launch, forward and backward, what a kernel or a
// synchronizing call waited for, the event through which it waited. Drawn for the selection and walked along
// by keys; nobody else decides what is linked. Pure functions of const data, on any thread: binary searches,
// and for all links a pass over the rank's forward-backward arrows.
#pragma once

#include "core/model/trace_set.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rankscope::ui {

class JobHighlights;

enum class LinkKind : std::uint8_t {
  Launch,   // a call and the device event that it launched
  Caller,   // an operator and the launch within it
  Python,   // a frame of the Python stack and the operator within it
  Backward, // a forward operator and its backward
  Wait,     // what had to end before the other could begin, or a synchronizing call return
  Event,    // an event that was recorded and what waits for it
};

struct SelectionLink {
  LinkKind kind = LinkKind::Launch;
  EventRef from;
  EventRef to;

  bool operator==(const SelectionLink&) const = default;
};

inline constexpr std::size_t kMaxLinks = 64;

// In the order in which they are followed; at most kMaxLinks. highlights: may be null; what kernels waited
// for is known from it. Nothing for no event.
[[nodiscard]] std::vector<SelectionLink> selectionLinks(const TraceSet& traces,
                                                        const JobHighlights* highlights, EventRef selected);
// Those of them that are found without looking through the arrows for one that leads to an event.
[[nodiscard]] std::vector<SelectionLink> quickLinks(const TraceSet& traces, const JobHighlights* highlights,
                                                    EventRef selected);

} // namespace rankscope::ui

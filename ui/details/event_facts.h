// SPDX-License-Identifier: GPL-3.0-or-later
// What the loaded trace knows of one event without reading its file again: times, place, and the events it is
// linked to (launch, kernels, forward and backward partner, parent). Pure functions of const data; binary
// searches and one walk over the event's direct children.
#pragma once

#include "core/model/trace_set.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace rankscope::ui {

struct EventFact {
  QString key;
  QString value;
};

// An event that another one leads to.
struct EventLink {
  QString key;  // "launched by", "parent", ...
  QString name; // shortened
  QString fullName;
  QString note; // when, how long
  EventRef target;
};

struct EventFacts {
  QString name;
  EventKind kind = EventKind::Other;
  std::vector<EventFact> facts;
  std::vector<EventLink> links;
  std::size_t linksLeftOut = 0; // kernels launched beyond the first kLinksShown
};

inline constexpr std::size_t kLinksShown = 12;

// REQUIRES: ref is valid in traces.
[[nodiscard]] EventFacts eventFacts(const TraceSet& traces, EventRef ref);

// REQUIRES: target is valid in traces.
[[nodiscard]] EventLink eventLink(const TraceSet& traces, EventRef target, const QString& key,
                                  const QString& note);

// Duration less the union of the direct children's; of host events. Nothing for device events and instants.
[[nodiscard]] std::optional<TimeNs> selfTime(const RankTrace& trace, EventIndex event);

// "Rank 3 · node-0 · H100", with the capture when the job has several.
[[nodiscard]] QString rankText(const TraceSet& traces, RankIndex rank);

} // namespace rankscope::ui

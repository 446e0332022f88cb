// SPDX-License-Identifier: GPL-3.0-or-later
// What the loaded trace knows about an event without reading its file: times, place, and linked events
// (launch, kernels, forward and backward partner, parent). Pure functions; binary searches and one pass over
// the event's direct children.
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

// A linked event.
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

// Self time of a host event: duration minus the union of its direct children. Nothing for device events and
// instants.
[[nodiscard]] std::optional<TimeNs> selfTime(const RankTrace& trace, EventIndex event);

// "Rank 3 · node-0 · H100", with the capture if the job has several.
[[nodiscard]] QString rankText(const TraceSet& traces, RankIndex rank);

} // namespace rankscope::ui

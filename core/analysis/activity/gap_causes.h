// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the cause of idle gaps of a device or stream. Gaps are processed in time order, so that host rows are
// walked once instead of searched. For one thread.
#pragma once

#include "core/analysis/activity/host_threads.h"
#include "core/analysis/activity/idle_gap.h"
#include "core/model/row_cursors.h"
#include "core/model/string_table.h"

#include <optional>
#include <span>
#include <vector>

namespace rankscope {

// A device event with a duration.
struct DeviceWork {
  TimeRange range;
  EventIndex event;
  TrackIndex stream; // the track it is on
};

class GapCauses {
 public:
  GapCauses(const RankTrace& trace, const StringTable& names);

  // Starts with another device or stream, whose gaps start over in time. byEnd: work of the device, sorted by
  // end; must stay alive while its gaps are explained.
  void begin(std::span<const DeviceWork> byEnd);
  // Fills cause, hostEvent, thread, launch and waitedFor of a gap whose range, stream and next are set.
  void explain(IdleGap& gap, const DeviceWork& previous, const DeviceWork& next);

 private:
  struct HostReason {
    GapCause cause = GapCause::Untraced;
    EventIndex event;
    std::size_t thread = HostThreads::kNone;
  };

  [[nodiscard]] std::size_t threadOf(EventIndex call) const;
  [[nodiscard]] std::optional<TimeRange> hostPart(const IdleGap& gap) const;
  [[nodiscard]] HostReason reasonOnThread(std::size_t thread, TimeRange host);
  [[nodiscard]] HostReason reasonOnHost(const IdleGap& gap, TimeRange host, const DeviceWork& previous);
  [[nodiscard]] bool findDependency(IdleGap& gap, const DeviceWork& next) const;
  [[nodiscard]] EventIndex innermostOf(TrackIndex track, TimeRange host);
  [[nodiscard]] RowCursors& cursorsOf(TrackIndex track);

  const RankTrace& m_trace;
  const StringTable& m_names;
  HostThreads m_host;
  std::vector<std::optional<RowCursors>> m_cursors; // by track
  std::vector<TrackIndex> m_walked;                 // tracks that have a cursor
  std::span<const DeviceWork> m_byEnd;
};

} // namespace rankscope

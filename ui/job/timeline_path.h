// SPDX-License-Identifier: GPL-3.0-or-later
// The critical path of a job, ready to draw: its segments over all steps by time, where each is recorded, and
// how much later everything else could end. Made once on a worker; constant afterwards, any thread. All times
// are on the job's clock. Lookups are binary searches; building is linear.
#pragma once

#include "core/analysis/graph/critical_path.h"
#include "core/report/job_report.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::ui {

class TimelinePath {
 public:
  // REQUIRES: not null. Replays the job if that has not been done.
  explicit TimelinePath(std::shared_ptr<const JobReport> report);

  [[nodiscard]] const JobReport& report() const { return *m_report; }
  [[nodiscard]] const std::vector<PathSegment>& segments() const { return m_segments; }
  // Why there are none.
  [[nodiscard]] const std::string& whyEmpty() const { return m_whyEmpty; }

  // Positions of the segments that may overlap a range: [first, second).
  [[nodiscard]] std::pair<std::size_t, std::size_t> within(JobRange range) const;
  // The longest segment of an event; nothing if it is not on the path.
  [[nodiscard]] std::optional<std::size_t> segmentOf(EventRef event) const;
  // The same segment of the same path, as another table names it.
  [[nodiscard]] std::optional<std::size_t> find(const PathSegment& segment) const;

  // The thread or stream; null of what is on none.
  [[nodiscard]] const GraphLane* laneOf(const PathSegment& segment) const;
  // An event in the row where a segment is drawn; invalid if nothing was recorded there.
  [[nodiscard]] EventRef placeOf(const PathSegment& segment) const;
  // Whether the segment is time of its event; else it leads to it: a launch, a gap.
  [[nodiscard]] static bool isOwnTime(const PathSegment& segment);
  // The number of its step; nothing where steps have none.
  [[nodiscard]] std::optional<std::int64_t> stepOf(std::size_t segment) const;
  // Position within its step, from 0, as in the table critical_path.
  [[nodiscard]] std::size_t positionOf(std::size_t segment) const;
  // Whether the path comes from another rank here.
  [[nodiscard]] bool isJump(std::size_t segment) const;
  // By what clocks may be wrong where the path jumps in [first, last).
  [[nodiscard]] TimeNs clockErrorOf(std::size_t first, std::size_t last) const;

  // Time of a rank on the path within a range.
  [[nodiscard]] TimeNs onPath(RankIndex rank, JobRange range) const;
  // How much later an event of a device could end without lengthening a step; nothing if not known.
  [[nodiscard]] std::optional<TimeNs> slackOf(EventRef event) const;

 private:
  struct RankPathPart {
    TimeRange range;
    TimeNs before = 0; // sum of the parts before
  };
  void addWindows();
  void sortTimes();
  void addSlack();

  std::shared_ptr<const JobReport> m_report;
  std::string m_whyEmpty;
  std::vector<PathSegment> m_segments;
  struct Window {
    std::size_t first;
    std::optional<std::int64_t> step;
  };
  std::vector<Window> m_windows;        // by first segment
  std::vector<TimeNs> m_latestEnd;      // by segment: of those up to it
  std::vector<TimeNs> m_earliestBegin;  // by segment: of those from it on
  std::vector<std::uint32_t> m_byEvent; // segments that have one, by (rank, event), the longest last
  std::vector<std::vector<RankPathPart>> m_ofRank;
  std::vector<std::vector<std::pair<EventIndex, TimeNs>>> m_slack; // by rank, then event
};

} // namespace rankscope::ui

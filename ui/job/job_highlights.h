// SPDX-License-Identifier: GPL-3.0-or-later
// What stands out of a finished job, ready to be drawn: why devices stood still, what of a collective is
// waiting, which rank makes the others wait, and the costliest places of the job in order. Made once, on a
// worker; constant afterwards, any thread. All times are on the job's clock, those of interval sets as well,
// figures are the recording's. Making it costs the gaps and the participants of all collectives; every
// look-up is a binary search.
#pragma once

#include "core/analysis/job/late_cause.h"
#include "core/report/job_report.h"
#include "ui/base/highlight_choice.h"

#include <QString>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace rankscope::ui {

enum class PlaceKind : std::uint8_t { Finding, Gap, Collective };

// Somewhere that time is lost.
struct CostlyPlace {
  PlaceKind kind = PlaceKind::Gap;
  RankIndex rank; // invalid: all of them
  JobRange range;
  TimeNs cost = 0; // of one rank; of a finding over all steps
  EventRef event;  // of a collective, or what proves a finding; may be invalid
  QString text;    // one line
};

struct StragglerNote {
  Straggler straggler;
  LateCause cause;
};

class JobHighlights {
 public:
  // Of the recording, with everything computed. REQUIRES: it is not null.
  explicit JobHighlights(std::shared_ptr<const JobReport> report);

  [[nodiscard]] const JobReport& report() const { return *m_report; }
  [[nodiscard]] const Analysis& analysis() const { return m_report->analysis(); }

  // The device's gap that holds this time, or null. device: as in DeviceDetail; -1: any.
  [[nodiscard]] const IdleGap* gapAt(RankIndex rank, JobTime time, int device = -1) const;
  // The gap of its stream that a device event ended, or null.
  [[nodiscard]] const IdleGap* gapBefore(EventRef event) const;
  [[nodiscard]] JobRange rangeOf(RankIndex rank, const IdleGap& gap) const;

  // When the rank waited in collectives for others to begin.
  [[nodiscard]] const IntervalSet& waits(RankIndex rank) const { return m_waits[rank.value]; }

  // What of it no computation hides.
  [[nodiscard]] const IntervalSet& exposedWaits(RankIndex rank) const { return m_exposedWaits[rank.value]; }

  // The collective that an event takes part in; a host operator's or launch's is that of its kernel. Null
  // when there is none.
  [[nodiscard]] const CollectiveInstance* instanceOf(EventRef event) const;
  [[nodiscard]] std::span<const Participant> participants(const CollectiveInstance& instance) const {
    return analysis().collectives().match.of(instance);
  }
  [[nodiscard]] EventRef eventOf(const Participant& participant) const;
  // This rank's part; null when it has none.
  [[nodiscard]] const Participant* partOf(const CollectiveInstance& instance, RankIndex rank) const;
  // The one after it of the same group in which the rank takes part, or the one before; null at the ends.
  [[nodiscard]] const CollectiveInstance* neighbor(const CollectiveInstance& instance, RankIndex rank,
                                                   bool after) const;

  // The collective of an event on the next or the previous rank that takes part in it, around at the ends;
  // and the rank's next or previous collective of the same group. Invalid for an event of no collective.
  [[nodiscard]] EventRef onOtherRank(EventRef event, bool next) const;
  [[nodiscard]] EventRef ofSameGroup(EventRef event, bool next) const;

  // Null for a rank that keeps nobody waiting.
  [[nodiscard]] const StragglerNote* straggler(RankIndex rank) const;
  // The costliest first: what was found in all steps, then single places; those that lie in much the same
  // time are one.
  [[nodiscard]] std::span<const CostlyPlace> places() const { return m_places; }

 private:
  void collectWaits();
  void collectPlaces();

  std::shared_ptr<const JobReport> m_report;
  std::vector<IntervalSet> m_waits; // by rank
  std::vector<IntervalSet> m_exposedWaits;
  std::vector<StragglerNote> m_stragglers;
  std::vector<CostlyPlace> m_places;
};

// "DataLoader", "sync: aten::item", "waits for rank 3": what a gap's stripes have room for. detailed: with
// the name of what the host or the device waited for.
[[nodiscard]] QString gapCauseLabel(const JobHighlights& highlights, RankIndex rank, const IdleGap& gap,
                                    bool detailed);

} // namespace rankscope::ui

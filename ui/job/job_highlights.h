// SPDX-License-Identifier: GPL-3.0-or-later
// Highlights of an analyzed job, ready to draw: device idle causes, waits within collectives, stragglers,
// and the hotspots in order of cost. Made once on a worker; constant afterwards, any thread. All times,
// including interval sets, are on the job's clock; metrics are those of the recording. Construction is
// linear in gaps and participants of collectives; every lookup is a binary search.
#pragma once

#include "core/analysis/findings/gain.h"
#include "core/analysis/job/cut_ranks.h"
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

// A hotspot: a place where time is lost.
struct CostlyPlace {
  PlaceKind kind = PlaceKind::Gap;
  RankIndex rank; // invalid: all of them
  JobRange range;
  TimeNs cost = 0; // of one rank; of a finding over all steps
  EventRef event;  // of a collective or a finding; may be invalid
  QString text;    // one line
};

struct StragglerNote {
  Straggler straggler;
  LateCause cause;
  Gain gain; // of a step: that of the finding about it
};

class JobHighlights {
 public:
  // Of the recording, with everything computed. REQUIRES: not null.
  explicit JobHighlights(std::shared_ptr<const JobReport> report);

  [[nodiscard]] const JobReport& report() const { return *m_report; }
  [[nodiscard]] const Analysis& analysis() const { return m_report->analysis(); }

  // The device's gap that contains this time, or null. device: as in DeviceDetail; -1: any.
  [[nodiscard]] const IdleGap* gapAt(RankIndex rank, JobTime time, int device = -1) const;
  // The gap of its stream before a device event, or null.
  [[nodiscard]] const IdleGap* gapBefore(EventRef event) const;
  [[nodiscard]] JobRange rangeOf(RankIndex rank, const IdleGap& gap) const;

  // Time in collectives in which the rank waited for others to begin.
  [[nodiscard]] const IntervalSet& waits(RankIndex rank) const { return m_waits[rank.value]; }

  // The part of it not overlapped by compute.
  [[nodiscard]] const IntervalSet& exposedWaits(RankIndex rank) const { return m_exposedWaits[rank.value]; }

  // The collective of an event; of a host operator or launch, that of its kernel. Null if there is none.
  [[nodiscard]] const CollectiveInstance* instanceOf(EventRef event) const;
  [[nodiscard]] std::span<const Participant> participants(const CollectiveInstance& instance) const {
    return analysis().collectives().match.of(instance);
  }
  [[nodiscard]] EventRef eventOf(const Participant& participant) const;
  // This rank's part; null if it does not participate.
  [[nodiscard]] const Participant* partOf(const CollectiveInstance& instance, RankIndex rank) const;
  // The next or previous collective of the same group in which the rank participates; null at the ends.
  [[nodiscard]] const CollectiveInstance* neighbor(const CollectiveInstance& instance, RankIndex rank,
                                                   bool after) const;

  // The collective of an event on the next or previous participating rank, cyclic; and the rank's next or
  // previous collective of the same group. Invalid for an event without a collective.
  [[nodiscard]] EventRef onOtherRank(EventRef event, bool next) const;
  [[nodiscard]] EventRef ofSameGroup(EventRef event, bool next) const;

  // Null unless the rank is a straggler.
  [[nodiscard]] const StragglerNote* straggler(RankIndex rank) const;
  // What its truncated file lacks; null for a whole one.
  [[nodiscard]] const CutRank* truncated(RankIndex rank) const;
  // Hotspots by descending cost: findings over all steps, then single places; places of about the same time
  // are merged.
  [[nodiscard]] std::span<const CostlyPlace> places() const { return m_places; }

 private:
  [[nodiscard]] Gain stragglerGain(const Straggler& straggler) const;
  void collectWaits();
  void collectPlaces();

  std::shared_ptr<const JobReport> m_report;
  std::vector<IntervalSet> m_waits; // by rank
  std::vector<IntervalSet> m_exposedWaits;
  std::vector<StragglerNote> m_stragglers;
  std::vector<CutRank> m_truncated;
  std::vector<CostlyPlace> m_places;
};

// "DataLoader", "waits for rank 3": the label of a gap. detailed: with the name of the host event or of the
// awaited device event.
[[nodiscard]] QString gapCauseLabel(const JobHighlights& highlights, RankIndex rank, const IdleGap& gap,
                                    bool detailed);

} // namespace rankscope::ui

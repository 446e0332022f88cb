// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabs/files/recorded_time.h"

#include "core/analysis/job/cut_ranks.h"
#include "core/base/unit_text.h"
#include "core/model/rank_recordings.h"
#include "ui/base/counted.h"
#include "ui/base/file_names.h"
#include "ui/base/ui_text.h"
#include "ui/job/time_folds.h"
#include "ui/widgets/rank_names.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace rankscope::ui {

namespace {

constexpr std::size_t kMostLanes = 24;
constexpr qreal kRecordedStrength = 0.55;

// By row, its lane; nothing for those that are not shown.
std::vector<std::optional<int>> lanesOf(const RankRows& rows, const std::vector<bool>& first) {
  std::vector<std::optional<int>> lanes(rows.count());
  std::size_t room = kMostLanes;
  for (const bool wanted : {true, false})
    for (std::size_t row = 0; row < rows.count() && room > 0; ++row) {
      if (first[row] != wanted) continue;
      lanes[row] = 0;
      --room;
    }
  int next = 0;
  for (std::optional<int>& lane : lanes)
    if (lane) lane = next++;
  return lanes;
}

class Maker {
 public:
  explicit Maker(const Analysis& analysis)
      : m_analysis(analysis), m_names(analysis.trace()), m_cut(cutRanks(analysis)),
        m_rows(rankRows(analysis.trace(), analysis.ranks())) {
    for (const RankIndex recording : analysis.ranks())
      m_all = m_all ? m_all->unitedWith(rangeOf(recording)) : rangeOf(recording);
  }

  RecordedTime made() {
    m_made.ranks = m_rows.count();
    if (!m_all || m_all->length() <= 0) return std::move(m_made);
    foldGaps();
    m_made.contents.length = drawn(m_all->end);
    const std::vector<RankIndex>& recordings = m_analysis.ranks();
    std::vector<bool> cut(m_rows.count(), false);
    for (std::size_t i = 0; i < recordings.size(); ++i)
      cut[m_rows.rowOf[i]] = cut[m_rows.rowOf[i]] || cutOf(recordings[i]) != nullptr;
    const std::vector<std::optional<int>> lanes = lanesOf(m_rows, cut);
    for (std::size_t row = 0; row < lanes.size(); ++row) {
      if (!lanes[row]) continue;
      m_made.contents.lanes << rankName(m_analysis, m_rows.first[row], m_rows.joins());
      m_made.contents.outliers.push_back(cut[row]);
    }
    for (std::size_t i = 0; i < recordings.size(); ++i)
      if (const auto lane = lanes[m_rows.rowOf[i]]) add(recordings[i], *lane);
    return std::move(m_made);
  }

 private:
  [[nodiscard]] JobRange rangeOf(RankIndex recording) const {
    const TimeRange extent = m_analysis.trace().rank(recording).trace->extent;
    return m_analysis.clocks().of(recording).toJob(RankRange::of(extent));
  }
  [[nodiscard]] const CutRank* cutOf(RankIndex recording) const {
    const auto found = std::ranges::find(m_cut, recording, &CutRank::rank);
    return found == m_cut.end() ? nullptr : &*found;
  }

  // As the timeline does; hours between captures leave no room for them.
  void foldGaps() {
    std::vector<TimeFold> folds = foldsOf(m_analysis.trace(), TimelineChoice()).all();
    for (TimeFold& fold : folds) {
      fold.gap.begin -= m_all->begin.ns();
      fold.gap.end -= m_all->begin.ns();
    }
    m_made.contents.folds = TimeFolds(std::move(folds));
  }
  [[nodiscard]] double drawn(JobTime time) const {
    return static_cast<double>(m_made.contents.folds.toDrawn(time - m_all->begin));
  }

  void add(RankIndex recording, int lane) {
    const TraceSet& trace = m_analysis.trace();
    const FileRecord& file = trace.file(trace.rank(recording).file);
    const JobRange range = rangeOf(recording);
    LaneBox box;
    box.lane = lane;
    box.begin = drawn(range.begin);
    box.end = drawn(range.end);
    box.color = &Theme::accent;
    box.strength = kRecordedStrength;
    box.text = textOf(durationText(range.length()));
    const TimeNs step = std::max<TimeNs>(1, m_all->length() / 1000);
    box.tip = QStringLiteral("<b>%1</b><br>%2<br>")
                  .arg(rankName(m_analysis, recording), textOf(m_names.of(file.path)).toHtmlEscaped()) +
              tr("%1 to %2 after the job's first event, %3")
                  .arg(textOf(timeText(range.begin - m_all->begin, step)),
                       textOf(timeText(range.end - m_all->begin, step)),
                       counted(static_cast<qint64>(file.events), tr("1 event"), tr("%1 events")));
    push(box, recording);
    const CutRank* const cut = cutOf(recording);
    if (cut == nullptr || cut->missingTime <= 0) return;
    m_made.missing = true;
    box.begin = box.end;
    box.end = std::min(m_made.contents.length, box.begin + static_cast<double>(cut->missingTime));
    box.color = &Theme::bad;
    box.hatched = true;
    box.text = tr("missing");
    box.tip = textOf(missingText(*cut)).toHtmlEscaped();
    push(box, recording);
  }

  void push(const LaneBox& box, RankIndex recording) {
    m_made.contents.boxes.push_back(box);
    m_made.recordingOfBox.push_back(recording);
  }

  const Analysis& m_analysis;
  FileNames m_names;
  std::vector<CutRank> m_cut;
  RankRows m_rows;
  std::optional<JobRange> m_all;
  RecordedTime m_made;
};

} // namespace

RecordedTime recordedTime(const Analysis& analysis) {
  return Maker(analysis).made();
}

} // namespace rankscope::ui

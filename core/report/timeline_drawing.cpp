// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/timeline_drawing.h"

#include "core/analysis/classify/short_name.h"
#include "core/base/unit_text.h"
#include "core/model/rank_recordings.h"
#include "core/query/row_spans.h"
#include "core/report/svg_drawing.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope {

namespace {

constexpr std::size_t kRanks = 8;
constexpr std::size_t kDeviceRows = 4; // of a rank
constexpr std::size_t kHostRows = 8;   // of the main rank
constexpr std::size_t kThreadRows = 4; // of one of its threads
constexpr TimeNs kInstant = 1'000;     // shorter than any useful picture
constexpr TimeNs kAroundInstant = 1'000'000;
constexpr double kLabels = 190;
constexpr double kRankName = 90; // of them
constexpr double kHead = 24;
constexpr double kLaneRow = 17;
constexpr double kBar = 15;
constexpr double kRankGap = 9;
constexpr double kAxis = 22;
constexpr double kBaseLine = 12; // of a text in a row
constexpr int kTickDistance = 130;
constexpr std::int32_t kSliver = 3; // pixels up to which a slice has no text
constexpr std::uint8_t kHalfBusy = 128;

struct ColorName {
  std::string_view color;
  std::string_view title;
};

// In the order of the legend.
constexpr std::array kColors{
    ColorName{"kernel", "compute kernel"}, ColorName{"communication", "communication"},
    ColorName{"copy", "memcpy, memset"},   ColorName{"forward", "forward"},
    ColorName{"backward", "backward"},     ColorName{"optimizer", "optimizer"},
    ColorName{"dataloader", "DataLoader"}, ColorName{"annotation", "annotation"},
    ColorName{"operator", "operator"},     ColorName{"python", "Python"},
    ColorName{"runtime", "runtime call"},  ColorName{"other", "other"}};

std::string_view phaseColor(std::string_view name, std::string_view otherwise) {
  switch (phaseOf(name)) {
  case Phase::DataLoader:
    return "dataloader";
  case Phase::Forward:
  case Phase::Loss:
    return "forward";
  case Phase::Backward:
    return "backward";
  case Phase::Optimizer:
    return "optimizer";
  case Phase::Step:
  case Phase::None:
    break;
  }
  return otherwise;
}

std::string_view colorOf(EventKind kind, std::string_view name) {
  switch (kind) {
  case EventKind::Kernel:
    return "kernel";
  case EventKind::Collective:
  case EventKind::HostCollective:
    return "communication";
  case EventKind::Copy:
  case EventKind::Set:
    return "copy";
  case EventKind::CpuOp:
    return "operator";
  case EventKind::Runtime:
    return "runtime";
  case EventKind::Annotation:
  case EventKind::GpuAnnotation:
    return phaseColor(name, "annotation");
  case EventKind::Python:
    return "python";
  default:
    return "other";
  }
}

// The step that the time lies in, else one around the middle of those that are there.
JobRange stepAround(const Analysis& analysis, RankIndex rank, std::optional<JobTime> time) {
  const ClockCorrection& clock = analysis.clocks().of(rank);
  const StepWindows& steps = time ? analysis.wholeStepWindows(rank) : analysis.stepWindows(rank);
  if (time) {
    const auto at = steps.indexAt(clock.fromJob(*time).ns());
    return at ? clock.toJob(RankRange::of(steps.steps[*at].range)) : JobRange{};
  }
  if (steps.steps.empty()) return {};
  return clock.toJob(RankRange::of(steps.steps[steps.steps.size() / 2].range));
}

JobRange markedBy(const Analysis& analysis, const Finding* finding) {
  if (finding == nullptr) return {};
  if (!finding->place.empty() || !finding->event.valid()) return finding->place;
  const EventRef event = finding->event;
  const RankTrace& trace = *analysis.trace().rank(event.rank).trace;
  return analysis.clocks().of(event.rank).toJob(RankRange::of(trace.events.range(event.event)));
}

JobRange withSpace(JobRange place, JobRange extent) {
  const TimeNs space = std::max<TimeNs>(1, place.length() / 6);
  return JobRange{place.begin.movedBy(-space), place.end.movedBy(space)}.clippedTo(extent);
}

// Recordings with anything in the range: those the finding names, then the others in order.
std::vector<RankIndex> ranksShown(const Analysis& analysis, const Finding* finding, RankIndex main,
                                  JobRange range) {
  std::vector<RankIndex> ranks;
  const auto add = [&](RankIndex rank) {
    if (ranks.size() >= kRanks || std::ranges::find(ranks, rank) != ranks.end()) return;
    const RankRange own = RankRange::of(analysis.trace().rank(rank).trace->extent);
    if (analysis.clocks().of(rank).toJob(own).overlaps(range)) ranks.push_back(rank);
  };
  add(main);
  if (finding != nullptr) std::ranges::for_each(finding->ranks, add);
  std::ranges::for_each(analysis.ranks(), add);
  std::ranges::sort(ranks);
  return ranks;
}

struct ShownRow {
  RankIndex rank;
  RowIndex row;
  std::string label;
};

bool hasEventsIn(const RankTrace& trace, RowIndex row, TimeRange range) {
  const EventIndex last = trace.lastBeginningBy(row, range.end - 1);
  return last.valid() && trace.events.range(last).end > range.begin;
}

void addRows(std::vector<ShownRow>& rows, const RankTrace& trace, RankIndex rank, const Track& track,
             std::string_view name, std::size_t most, TimeRange range) {
  std::size_t added = 0;
  for (std::uint32_t i = 0; i < track.rowCount && added < most; ++i) {
    const RowIndex row(track.firstRow.value + i);
    if (!hasEventsIn(trace, row, range)) continue;
    rows.push_back({rank, row, added == 0 ? std::string(name) : std::string()});
    ++added;
  }
}

// The threads, that of the training loop first, then the streams, as far as there is room.
std::vector<ShownRow> rowsOf(const Analysis& analysis, RankIndex rank, bool withHost, JobRange range) {
  const RankTrace& trace = *analysis.trace().rank(rank).trace;
  const TimeRange own = analysis.clocks().of(rank).fromJob(range).ns();
  std::vector<ShownRow> rows;
  for (const Track& track : trace.tracks) {
    if (!withHost || rows.size() >= kHostRows) continue;
    const std::size_t left = std::min(kThreadRows, kHostRows - rows.size());
    if (track.kind == TrackKind::Annotations && track.mainThread)
      addRows(rows, trace, rank, track, "annotations", std::min<std::size_t>(2, left), own);
    else if (track.kind == TrackKind::Thread)
      addRows(rows, trace, rank, track,
              track.mainThread ? std::string("main thread") : fmt::format("thread {}", track.thread), left,
              own);
  }
  const std::size_t host = rows.size();
  for (const Track& track : trace.tracks) {
    if (track.kind != TrackKind::Stream || rows.size() >= host + kDeviceRows) continue;
    // PyTorch 1.9 names the row "stream 7", later versions "7".
    std::string name = track.thread.starts_with("stream") ? "" : "stream ";
    name += track.thread;
    addRows(rows, trace, rank, track, name, host + kDeviceRows - rows.size(), own);
  }
  return rows;
}

class Painter {
 public:
  // captures: of which the ranks have names.
  Painter(const Analysis& analysis, const TimelinePlace& place, bool captures, std::string_view title,
          double width)
      : m_analysis(analysis), m_place(place), m_captures(captures),
        m_plot(static_cast<int>(width - kLabels - 10)), m_drawing(width, title) {}

  [[nodiscard]] std::string paint();

 private:
  [[nodiscard]] double xOf(JobTime time) const {
    const double share = static_cast<double>(time - m_place.range.begin) /
                         static_cast<double>(std::max<TimeNs>(1, m_place.range.length()));
    return kLabels + std::clamp(share, 0.0, 1.0) * m_plot;
  }
  void paintRank(RankIndex rank);
  void paintRow(const ShownRow& row);
  void paintSpan(const RankTrace& trace, const RowSpan& span);
  void paintSteps(double bottom);
  void paintAxis(double top);
  void paintLegend();
  [[nodiscard]] JobTime jobBegin() const { return m_analysis.extent().begin; }

  const Analysis& m_analysis;
  const TimelinePlace& m_place;
  bool m_captures;
  int m_plot; // width of the time axis
  SvgDrawing m_drawing;
  double m_y = kHead;
  std::array<bool, kColors.size()> m_used{};
};

void Painter::paintSpan(const RankTrace& trace, const RowSpan& span) {
  const std::string_view name = m_analysis.trace().names()[trace.events.name[span.event]];
  const EventKind kind = trace.events.kind[span.event];
  const std::string_view color = colorOf(kind, name);
  for (std::size_t i = 0; i < kColors.size(); ++i) m_used[i] = m_used[i] || kColors[i].color == color;
  const SvgBox box{kLabels + span.begin, m_y, static_cast<double>(span.end - span.begin), kBar};
  if (span.end - span.begin <= kSliver) {
    std::string shade(color);
    if (span.folded() && span.busy < kHalfBusy) shade += " pale";
    return m_drawing.sliver(box, shade);
  }
  std::string hover(name);
  hover += " · ";
  hover += durationText(trace.events.duration[span.event]);
  m_drawing.box({box.x, box.y, box.width - 0.6, box.height}, color, hover);
  m_drawing.text(box.x + 4, m_y + kBaseLine, shortName(kind, name), box.width - 8, "on");
}

void Painter::paintRow(const ShownRow& row) {
  const RankTrace& trace = *m_analysis.trace().rank(row.rank).trace;
  const PixelScale scale(m_analysis.clocks().of(row.rank).fromJob(m_place.range).ns(), m_plot);
  std::vector<RowSpan> spans;
  rowSpans(trace, row.row, scale, spans);
  m_drawing.text(kLabels - 8, m_y + kBaseLine, row.label, kLabels - kRankName, "muted", SvgAlign::Right);
  for (const RowSpan& span : spans) paintSpan(trace, span);
  m_drawing.flush();
  m_y += kLaneRow;
}

void Painter::paintRank(RankIndex rank) {
  const RankEntry& entry = m_analysis.trace().rank(rank);
  const std::vector<ShownRow> rows =
      rowsOf(m_analysis, rank, rank == m_place.main || entry.trace->devices.empty(), m_place.range);
  m_drawing.line(0, m_y - kRankGap / 2, m_drawing.width(), m_y - kRankGap / 2, "rule");
  std::string name = fmt::format("rank {}", entry.rank);
  if (m_captures) name += fmt::format(" ({})", entry.capture);
  m_drawing.text(4, m_y + kBaseLine, name, kRankName, rank == m_place.main ? "strong" : "text");
  for (const ShownRow& row : rows) paintRow(row);
  if (rows.empty()) m_y += kLaneRow;
  m_y += kRankGap;
}

void Painter::paintSteps(double bottom) {
  const ClockCorrection& clock = m_analysis.clocks().of(m_place.main);
  for (const StepWindow& step : m_analysis.wholeStepWindows(m_place.main).steps) {
    const JobRange range = clock.toJob(RankRange::of(step.range));
    if (!range.overlaps(m_place.range)) continue;
    const double left = xOf(range.begin);
    if (range.begin >= m_place.range.begin) m_drawing.line(left, kHead - 18, left, bottom, "step");
    if (step.number != Step::kUnknownNumber)
      // Its annotation on the host, drawn below, may be of another time.
      m_drawing.text(left + 4, kHead - 8,
                     fmt::format("step {}{}", step.number, step.range == step.host ? "" : " on the GPU"),
                     xOf(range.end) - left - 6, "muted");
  }
}

// Ticks at 1, 2 or 5 times a power of ten.
void Painter::paintAxis(double top) {
  const TimeNs least = std::max<TimeNs>(1, m_place.range.length() * kTickDistance / m_plot);
  TimeNs step = 1;
  while (step < least) step *= step * 2 >= least ? 2 : step * 5 >= least ? 5 : 10;
  const TimeNs first = m_place.range.begin - jobBegin();
  for (TimeNs at = (first + step - 1) / step * step; at < first + m_place.range.length(); at += step) {
    const double x = xOf(jobBegin() + at);
    m_drawing.line(x, top, x, top + 5, "tick");
    const std::string text = timeText(at, step);
    const double half = svgTextWidth(text) / 2;
    if (x - half >= kLabels - 20 && x + half <= m_drawing.width())
      m_drawing.text(x, top + 17, text, 2 * half + 1, "muted", SvgAlign::Middle);
  }
}

void Painter::paintLegend() {
  double x = kLabels;
  for (std::size_t i = 0; i < kColors.size(); ++i) {
    if (!m_used[i]) continue;
    const double width = 18 + svgTextWidth(kColors[i].title) + 12;
    if (x + width > m_drawing.width()) {
      x = kLabels;
      m_y += kLaneRow;
    }
    m_drawing.box({x, m_y + 3, 11, 11}, kColors[i].color);
    m_drawing.text(x + 17, m_y + kBaseLine + 1, kColors[i].title, width, "muted");
    x += width;
  }
  m_y += kLaneRow;
}

std::string Painter::paint() {
  std::size_t rows = 0;
  for (const RankIndex rank : m_place.ranks) {
    const bool host = rank == m_place.main || m_analysis.trace().rank(rank).trace->devices.empty();
    rows += std::max<std::size_t>(1, rowsOf(m_analysis, rank, host, m_place.range).size());
  }
  const double bottom =
      kHead + static_cast<double>(rows) * kLaneRow + static_cast<double>(m_place.ranks.size()) * kRankGap;
  if (!m_place.marked.empty()) {
    const double left = xOf(m_place.marked.begin);
    const double right = std::max(left + 1, xOf(m_place.marked.end));
    m_drawing.box({left, kHead - 4, right - left, bottom - kHead + 2}, "place");
  }
  for (const RankIndex rank : m_place.ranks) paintRank(rank);
  paintSteps(m_y - kRankGap / 2);
  m_drawing.line(kLabels, m_y, kLabels + m_plot, m_y, "tick");
  paintAxis(m_y);
  m_y += kAxis + 6;
  paintLegend();
  return m_drawing.markup(m_y + 4);
}

} // namespace

std::optional<TimelinePlace> timelinePlace(const Analysis& analysis, const Finding* finding) {
  if (analysis.ranks().empty() || analysis.extent().empty()) return std::nullopt;
  TimelinePlace place;
  place.main = analysis.ranks().front();
  if (finding != nullptr) {
    if (finding->rank.valid())
      place.main = finding->rank;
    else if (finding->event.valid())
      place.main = finding->event.rank;
    else if (!finding->ranks.empty())
      place.main = finding->ranks.front();
  }
  place.marked = markedBy(analysis, finding);
  place.range = place.marked;
  if (place.marked.empty()) place.range = stepAround(analysis, place.main, {});
  if (place.range.length() < kInstant && !place.range.empty()) {
    place.range = stepAround(analysis, place.main, place.marked.begin);
    if (place.range.empty())
      place.range = {place.marked.begin.movedBy(-kAroundInstant), place.marked.end.movedBy(kAroundInstant)};
  }
  if (place.range.empty()) place.range = analysis.extent();
  place.range = withSpace(place.range, analysis.extent());
  place.ranks = ranksShown(analysis, finding, place.main, place.range);
  if (std::ranges::find(place.ranks, place.main) == place.ranks.end()) {
    if (place.ranks.empty()) return std::nullopt;
    place.main = place.ranks.front();
  }
  return place;
}

std::optional<TimelineDrawing> timelineDrawing(const JobReport& report, const Finding* finding) {
  const Analysis& analysis = report.analysis();
  const std::optional<TimelinePlace> place = timelinePlace(analysis, finding);
  if (!place) return std::nullopt;
  TimelineDrawing drawing;
  drawing.title = finding != nullptr ? "Timeline of finding 1: " + finding->title : std::string("Timeline");
  const TimeNs begin = place->range.begin - analysis.extent().begin;
  drawing.caption = fmt::format("{} from {} on; times count from the job's first event",
                                durationText(place->range.length()), durationText(begin));
  const TraceSet& traces = analysis.trace();
  std::set<int> captures;
  for (const RankIndex rank : place->ranks) captures.insert(traces.rank(rank).capture);
  if (captures.size() > 1)
    drawing.caption += "; the capture of a rank is in parentheses";
  else if (traces.severalCaptures())
    drawing.caption += fmt::format("; capture {}", *captures.begin());
  const std::size_t shown = rankRows(traces, place->ranks).count();
  const std::size_t all = rankRows(traces, analysis.ranks()).count();
  if (shown < all) drawing.caption += fmt::format("; {} of {} ranks", shown, all);
  const auto drawn = [&](double width) {
    return Painter(analysis, *place, captures.size() > 1, drawing.title, width).paint();
  };
  drawing.svg = drawn(kChartWidth);
  drawing.narrow = drawn(kNarrowChartWidth);
  return drawing;
}

} // namespace rankscope

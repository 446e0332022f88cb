// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/strips/time_ruler.h"

#include "core/base/unit_text.h"
#include "core/report/key_figures.h"
#include "ui/base/text_scale.h"
#include "ui/base/ui_text.h"
#include "ui/job/event_finder.h"
#include "ui/timeline/picture/fold_marks.h"
#include "ui/timeline/picture/search_marks.h"
#include "ui/timeline/picture/time_ticks.h"
#include "ui/timeline/strips/region_band.h"
#include "ui/timeline/tracks/range_tracks.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kRulerHitsHeight = 4; // height of the marks of search hits
constexpr int kNoteEdge = 10;       // height of the lower part of the ticks, where a click adds a note
constexpr int kFlagWidth = 9;
constexpr int kFoldGap = 8;   // between the length of a fold and other labels
constexpr int kLabelGap = 28; // distance of a tick's label to the neighboring ticks

QString nameOf(const TraceSet& traces, RankIndex rank, EventIndex event) {
  const std::string_view name = traces.names()[traces.rank(rank).trace->events.name[event]];
  return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

// Of the step in the tables.
TimeNs timeWithDevice(const StepWindows* windows, const Step& step) {
  if (windows == nullptr) return 0;
  const auto same = std::ranges::lower_bound(windows->steps, step.range.begin, {},
                                             [](const StepWindow& window) { return window.host.begin; });
  const bool there = same != windows->steps.end() && same->event == step.event;
  return there && same->deviceEvents > 0 ? same->range.length() : 0;
}

} // namespace

TimeRuler::TimeRuler(TraceSession& session, const RankSummaries& summaries, QWidget* parent)
    : QWidget(parent), m_session(session), m_summaries(summaries) {
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  for (const auto signal : {&TraceSession::windowChanged, &TraceSession::rangeChanged,
                            &TraceSession::themeChanged, &TraceSession::choiceChanged})
    connect(&session, signal, this, qOverload<>(&QWidget::update));
  // The ruler shows the selection only if it is a step.
  connect(&session, &TraceSession::selectionChanged, this,
          [this] { update(axis().adjusted(0, ticksHeight(), 0, 0)); });
  connect(&session, &TraceSession::shiftsChanged, this, &TimeRuler::summariesChanged);
  connect(&session, &TraceSession::traceChanged, this, &TimeRuler::summariesChanged);
  connect(&session.marks(), &Marks::changed, this, &TimeRuler::regionsChanged);
}

int TimeRuler::wantedHeight() const {
  return ticksHeight() + stepsHeight() + m_bandHeight;
}

QRect TimeRuler::regionBand() const {
  if (m_bandHeight == 0) return {};
  return {axis().left(), height() - 1 - m_bandHeight, axis().width(), m_bandHeight};
}

void TimeRuler::regionsChanged() {
  const int before =
      std::exchange(m_bandHeight, m_session.marks().regions().empty() ? 0 : regionBandHeight());
  update();
  if (m_bandHeight != before) emit stepsShownChanged();
}

std::optional<std::size_t> TimeRuler::regionUnder(QPointF position) const {
  if (!m_session.trace() || !regionBand().contains(position.toPoint())) return std::nullopt;
  return regionAt(
      m_session.marks(), m_session.recorded(m_session.window()),
      [this](TimeNs t) { return xOf(m_session.drawnAt(t)); }, regionBand(), position);
}

void TimeRuler::setMargins(int left, int right) {
  m_leftMargin = left;
  m_rightMargin = right;
  update();
}

void TimeRuler::setCursorTime(std::optional<TimeNs> time) {
  if (time == m_cursor) return;
  update(cursorArea());
  m_cursor = time;
  update(cursorArea());
}

void TimeRuler::setStepRank(RankIndex rank) {
  m_stepRank = rank;
  summariesChanged();
}

void TimeRuler::summariesChanged() {
  const bool before = hasSteps();
  takeSteps();
  update();
  if (hasSteps() != before) emit stepsShownChanged();
}

std::vector<TimeRuler::RankStep> TimeRuler::stepsOf(RankIndex recording) const {
  std::vector<RankStep> steps;
  const StepWindows& windows = *m_summaries.stepWindowsOf(recording);
  for (const Step& step : *m_summaries.stepsOf(recording))
    steps.push_back({step, recording, timeWithDevice(&windows, step)});
  if (!steps.empty()) return steps;
  for (const StepWindow& step : windows.steps)
    steps.push_back({{step.number, step.host, step.event},
                     recording,
                     step.deviceEvents > 0 ? step.range.length() : 0,
                     windows.found});
  return steps;
}

// Those of the rank that was asked for, or else of the first that has any, in all of its captures.
void TimeRuler::takeSteps() {
  m_steps.clear();
  if (!m_session.trace()) return;
  const TraceSet& traces = *m_session.trace();
  const auto hasAny = [&](RankIndex rank) {
    return m_session.choice().shows(traces.rank(rank)) && m_summaries.hasSteps(rank);
  };
  if (!m_stepRank.valid() || m_stepRank.value >= traces.ranks().size() || !hasAny(m_stepRank)) {
    std::size_t first = 0;
    while (first < traces.ranks().size() && !hasAny(RankIndex(first))) ++first;
    if (first == traces.ranks().size()) return;
    m_stepRank = RankIndex(first);
  }
  std::vector<RankStep> steps;
  for (std::size_t i = 0; i < traces.ranks().size(); ++i) {
    const RankIndex recording(i);
    if (traces.ranks()[i].rank != traces.rank(m_stepRank).rank || !hasAny(recording)) continue;
    const TimeNs shift = m_session.shiftOf(recording);
    for (RankStep& step : stepsOf(recording)) {
      step.range = {step.range.begin + shift, step.range.end + shift};
      steps.push_back(step);
    }
  }
  std::ranges::stable_sort(steps, {}, [](const Step& step) { return step.range.begin; });
  // Several threads may have the same mark; the outermost one of each time is enough.
  for (const RankStep& step : steps)
    if (m_steps.empty() || step.range.begin >= m_steps.back().range.end) m_steps.push_back(step);
}

QRect TimeRuler::axis() const {
  return {m_leftMargin, 0, std::max(1, width() - m_leftMargin - m_rightMargin), height()};
}

PixelScale TimeRuler::pixelScale() const {
  return PixelScale(m_session.window(), static_cast<int>(std::lround(axis().width() * devicePixelRatioF())));
}

double TimeRuler::xOf(TimeNs t) const {
  return m_leftMargin + pixelScale().pixelAt(t) / devicePixelRatioF();
}

TimeNs TimeRuler::timeAt(double x) const {
  return pixelScale().timeAt(static_cast<std::int32_t>(std::floor((x - m_leftMargin) * devicePixelRatioF())));
}

const TimeRuler::RankStep* TimeRuler::stepAt(QPointF position) const {
  if (position.y() < ticksHeight() || position.y() >= ticksHeight() + stepsHeight() ||
      !axis().contains(position.toPoint()))
    return nullptr;
  const TimeNs t = timeAt(position.x());
  const auto after =
      std::ranges::upper_bound(m_steps, t, {}, [](const Step& step) { return step.range.begin; });
  if (after == m_steps.begin() || !std::prev(after)->range.contains(t)) return nullptr;
  return &*std::prev(after);
}

void TimeRuler::paintEvent(QPaintEvent* event) {
  const Theme& theme = m_session.theme();
  const QRect part = event->rect();
  QPainter painter(this);
  painter.fillRect(rect(), theme.background);
  painter.fillRect(QRect(0, height() - 1, width(), 1), theme.line);
  if (!m_session.trace() || m_session.window().empty()) return;
  paintTicks(painter, theme, part);
  painter.setClipRect(axis());
  if (hasSteps()) {
    paintSteps(painter, theme, part);
  } else {
    painter.setFont(textFont(10.5));
    painter.setPen(theme.faint);
    painter.drawText(QRect(m_leftMargin + 6, ticksHeight(), axis().width(), stepsHeight() - 3),
                     Qt::AlignVCenter, tr("no steps"));
  }
  if (m_finder)
    paintHitTimes(painter, theme, *m_finder, m_session.limits(), pixelScale(),
                  QRectF(axis().left(), ticksHeight() - kRulerHitsHeight, axis().width(), kRulerHitsHeight));
  if (m_bandHeight > 0)
    paintRegionBand(
        painter, theme, m_session.marks(), m_session.recorded(m_session.window()), recordedRange(),
        [this](TimeNs t) { return xOf(m_session.drawnAt(t)); }, regionBand());
  paintRange(painter, theme);
  paintCursor(painter, theme);
}

// The begin has the precision of a pixel.
QString TimeRuler::windowText() const {
  const TimeRange window = m_session.window();
  const TimeNs since = m_session.recorded(window.begin) - m_session.trace()->extent().begin;
  return tr("%1 from %2")
      .arg(textOf(durationText(m_session.recorded(window).length())),
           textOf((since > 0 ? "+" : "") + timeText(since, pixelStep(), m_session.choice().rulerUnit)));
}

void TimeRuler::paintCorner(QPainter& painter) const {
  const QRect box(16, 0, m_leftMargin - 20, ticksHeight());
  const QString labeled = tr("visible %1").arg(windowText());
  painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().horizontalAdvance(labeled) <= box.width() ? labeled : windowText());
}

// A time shorter than a pixel: the precision of displayed times.
TimeNs TimeRuler::pixelStep() const {
  return std::max<TimeNs>(1, m_session.window().length() / 2000);
}

void TimeRuler::paintTicks(QPainter& painter, const Theme& theme, const QRect& part) const {
  const TimeNs origin = m_session.trace()->extent().begin;
  const TimeUnit unit = m_session.choice().rulerUnit;
  const TimeTicks ticks = foldedTicks(m_session.window(), axis().width(), scaledToText(tickGapOf(unit)),
                                      origin, m_session.folds());
  painter.setFont(numberFont(10.5));
  painter.setPen(theme.muted);
  if (part.left() < m_leftMargin) paintCorner(painter);
  const QRectF marked = rangeBox();
  painter.setClipRect(axis());
  // Labels that touch would read as one number, so only some ticks get one.
  const int widest = ticks.times.empty()
                         ? 0
                         : painter.fontMetrics().horizontalAdvance(textOf(
                               timeText(m_session.recorded(ticks.times.back()) - origin, ticks.step, unit)));
  const double pixelsPerStep =
      static_cast<double>(ticks.step) * axis().width() / static_cast<double>(m_session.window().length());
  const int every = labelEvery(widest + kLabelGap, pixelsPerStep);
  const std::vector<FoldPlate> folds = foldPlates();
  const QRect cursor = isCursorVisible() ? cursorLabel() : QRect();
  for (const TimeNs t : ticks.times) {
    const int x = static_cast<int>(std::floor(xOf(t)));
    if (x > part.right() || x + 12 + widest < part.left()) continue;
    painter.fillRect(QRect(x, ticksHeight() - 10, 1, 10), theme.faint);
    const TimeNs since = m_session.recorded(t) - origin;
    if (since / ticks.step % every != 0) continue;
    const QString label = textOf(timeText(since, ticks.step, unit));
    // A label that is cut off, or half covered by that of the range or the cursor, would read as another
    // number.
    const int end = x + 5 + painter.fontMetrics().horizontalAdvance(label);
    if (end > axis().right() || (x + 5 < marked.right() && end > marked.left())) continue;
    if (!cursor.isEmpty() && x + 5 <= cursor.right() && end >= cursor.left()) continue;
    const auto covers = [&](const FoldPlate& plate) {
      return x - kFoldGap < plate.box.right() && end + kFoldGap > plate.box.left();
    };
    if (std::ranges::any_of(folds, covers)) continue;
    painter.drawText(QRect(x + 5, 0, scaledToText(tickGapOf(unit)) + 60, ticksHeight() - 2),
                     Qt::AlignLeft | Qt::AlignVCenter, label);
  }
  for (const FoldPlate& plate : folds) {
    paintFold(painter, theme, plate.band);
    if (plate.label.isEmpty()) continue;
    painter.setPen(theme.muted);
    painter.drawText(plate.box, Qt::AlignCenter, plate.label);
  }
  painter.setClipping(false);
}

// Marks of folds in the row of ticks. The length of a fold stands over it if the one before leaves room.
std::vector<TimeRuler::FoldPlate> TimeRuler::foldPlates() const {
  const QFontMetricsF metrics(numberFont(10.5));
  const QRectF area(axis().left(), 0, axis().width(), ticksHeight());
  std::vector<FoldPlate> plates;
  plates.reserve(m_session.folds().all().size());
  double end = area.left();
  for (const FoldMark& mark : foldMarks(
           m_session.folds(), m_session.window(), [this](TimeNs t) { return xOf(t); }, area)) {
    QRectF band = mark.band;
    band.setTop(ticksHeight() - kNoteEdge);
    FoldPlate plate{mark.fold, band, band, foldLabel(m_session.folds().all()[mark.fold])};
    const double wide = metrics.horizontalAdvance(plate.label) + 2;
    const QRectF over(band.center().x() - wide / 2, 0, wide, ticksHeight() - kNoteEdge);
    if (over.left() >= end && over.right() <= area.right()) {
      plate.box = over;
      end = over.right() + kFoldGap;
    } else {
      plate.label.clear();
    }
    plates.push_back(std::move(plate));
  }
  return plates;
}

// The selected range in the job's time.
std::optional<TimeRange> TimeRuler::recordedRange() const {
  const auto range = m_session.range();
  return range ? std::optional(m_session.recorded(*range)) : std::nullopt;
}

void TimeRuler::paintSteps(QPainter& painter, const Theme& theme, const QRect& part) const {
  painter.setFont(textFont(10.5));
  const TimeRange window = m_session.window();
  const PixelScale scale = pixelScale();
  const double ratio = devicePixelRatioF();
  int drawnUpTo = -1; // in device pixels: thousands of steps of one pixel each become one bar
  for (const RankStep& step : m_steps) {
    if (!step.range.overlaps(window)) continue;
    const int begin = std::max(scale.pixelAt(step.range.begin), 0);
    const int end = std::min(std::max(scale.pixelAt(step.range.end), begin + 1), scale.width());
    if (end <= drawnUpTo) continue;
    drawnUpTo = end;
    const QRectF box(m_leftMargin + begin / ratio, ticksHeight() + 1,
                     std::max(1.0, (end - begin) / ratio - 1), stepsHeight() - 5);
    if (!box.intersects(part)) continue;
    const bool selected = step.event.valid() && m_session.selection() == EventRef{step.rank, step.event};
    painter.fillRect(box, selected ? theme.accent : theme.raised);
    const QString name = stepName(step);
    const QString length = textOf(durationText(step.range.length()));
    const QString full = name + QStringLiteral("  ·  ") + length;
    // Of a step that goes on on its device, what else it is called.
    const QString whole =
        step.withDevice == 0 || step.withDevice == step.range.length() ? full : full + tr(" on the host");
    const double room = box.width() - 12;
    const QFontMetricsF metrics = painter.fontMetrics();
    const QString shorter = QStringLiteral("#%1").arg(step.number);
    const QString* label = nullptr;
    for (const QString* candidate : {&whole, &full, &name, &shorter}) {
      if (!label && metrics.horizontalAdvance(*candidate) <= room) label = candidate;
    }
    if (!label) continue;
    painter.setPen(selected ? textOn(theme, theme.accent) : theme.muted);
    painter.drawText(box.adjusted(6, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, *label);
  }
}

// The visible part of the range, as a thin bar; empty if no range is visible.
QRectF TimeRuler::rangeBar() const {
  const auto range = m_session.range();
  if (!range || !range->overlaps(m_session.window())) return {};
  const double left = std::max(xOf(range->begin), static_cast<double>(axis().left()));
  const double right = std::min(xOf(range->end), axis().right() + 1.0);
  return {left, ticksHeight() - 5.0, std::max(1.0, right - left), 3};
}

// Position of the range's length, in the middle of its visible part; the ticks beside it stay readable.
QRectF TimeRuler::rangeBox() const {
  const QRectF bar = rangeBar();
  if (bar.isEmpty()) return {};
  const double wide = QFontMetricsF(numberFont(11, QFont::DemiBold))
                          .horizontalAdvance(textOf(durationText(recordedRange()->length()))) +
                      12.0;
  return {bar.center().x() - wide / 2, 3, wide, ticksHeight() - 8.0};
}

void TimeRuler::paintRange(QPainter& painter, const Theme& theme) const {
  const QRectF box = rangeBox();
  if (box.isEmpty()) return;
  const QString label = textOf(durationText(recordedRange()->length()));
  painter.setFont(numberFont(11, QFont::DemiBold));
  painter.fillRect(rangeBar(), theme.accent);
  painter.fillRect(box, theme.accent);
  painter.setPen(textOn(theme, theme.accent));
  painter.drawText(box, Qt::AlignCenter, label);
}

QString TimeRuler::cursorText() const {
  return textOf(timeText(m_session.recorded(*m_cursor) - m_session.trace()->extent().begin, pixelStep(),
                         m_session.choice().rulerUnit));
}

// Position of the cursor's time, next to its line.
QRect TimeRuler::cursorLabel() const {
  const int room = QFontMetrics(numberFont(10.5)).horizontalAdvance(cursorText()) + 10;
  const int x = static_cast<int>(std::floor(xOf(*m_cursor)));
  QRect box(x + 1, 4, room, ticksHeight() - 9);
  if (box.right() > axis().right()) box.moveRight(x - 1);
  return box;
}

bool TimeRuler::isCursorVisible() const {
  return m_cursor && m_session.trace() && m_session.window().contains(*m_cursor);
}

// Area of everything painted for the cursor, and of the labels of ticks that give way to its time; empty if
// it is not visible.
QRect TimeRuler::cursorArea() const {
  if (!isCursorVisible()) return {};
  const int x = static_cast<int>(std::floor(xOf(*m_cursor)));
  // Ticks have no more digits than the end of the window in the precision of a pixel.
  const TimeNs end = m_session.recorded(m_session.window().end) - m_session.trace()->extent().begin;
  const int room = QFontMetrics(numberFont(10.5))
                       .horizontalAdvance(textOf(timeText(end, pixelStep(), m_session.choice().rulerUnit)));
  return cursorLabel().adjusted(-room, 0, room, 0).united(QRect(x - 1, 0, kFlagWidth + 2, height()));
}

void TimeRuler::paintCursor(QPainter& painter, const Theme& theme) const {
  if (!isCursorVisible()) return;
  const int x = static_cast<int>(std::floor(xOf(*m_cursor)));
  const QRect box = cursorLabel();
  painter.setFont(numberFont(10.5));
  painter.fillRect(box, theme.raised);
  painter.fillRect(QRect(x, 2, 1, height() - 2), theme.muted);
  painter.setPen(theme.text);
  painter.drawText(box, Qt::AlignCenter, cursorText());
  if (m_overNoteEdge) // the flag that a click would add
    painter.fillRect(QRect(x, ticksHeight() - kNoteEdge, kFlagWidth, kNoteEdge - 3), theme.accent);
}

bool TimeRuler::isNoteEdge(QPointF position) const {
  return m_session.trace() && axis().contains(position.toPoint()) && position.y() < ticksHeight() &&
         position.y() >= ticksHeight() - kNoteEdge;
}

void TimeRuler::chooseRegion(std::size_t position) {
  const Region& region = m_session.marks().regions()[position];
  m_session.setRange(m_session.drawnAt(region.range), rankTracksOf(*m_session.trace(), region.tracks));
  if (region.isNote()) m_session.marks().chooseNote(position);
}

QString TimeRuler::stepName(const RankStep& step) const {
  return step.found == StepSource::Marked ? nameOf(*m_session.trace(), step.rank, step.event)
                                          : tr("step %1").arg(step.number);
}

QString TimeRuler::stepText(const RankStep& step) const {
  QStringList lines{stepName(step), tr("rank %1").arg(m_session.trace()->rank(step.rank).rank)};
  const bool marked = step.found == StepSource::Marked;
  if (!marked)
    lines << tr("detected from %1: the profiler marked no steps").arg(textOf(detectedFromText(step.found)));
  const QString length = textOf(durationText(step.range.length()));
  if (step.withDevice == 0) return (lines << length).join(QLatin1Char('\n'));
  lines << (marked ? tr("%1 on the host: its annotation") : tr("%1 on the host")).arg(length)
        << tr("%1 with its device work: the step time of this rank in the tabs")
               .arg(textOf(durationText(step.withDevice)));
  return lines.join(QLatin1Char('\n'));
}

bool TimeRuler::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  if (const auto region = regionUnder(help->pos())) {
    QToolTip::showText(help->globalPos(), describeRegion(m_session.marks().regions()[*region]));
    return true;
  }
  if (m_session.trace() && help->pos().x() < m_leftMargin && help->pos().y() < ticksHeight()) {
    QToolTip::showText(help->globalPos(), tr("Length of the visible range, and its begin after the first "
                                             "event of the job"));
  } else if (const auto fold = foldAt(m_session.folds(), timeAt(help->pos().x()));
             fold && axis().contains(help->pos())) {
    QToolTip::showText(help->globalPos(), foldTip(m_session.folds().all()[*fold]));
  } else if (isNoteEdge(help->pos())) {
    QToolTip::showText(help->globalPos(), tr("Click to add a note at this time (T)"));
  } else if (const RankStep* const step = stepAt(help->pos())) {
    QToolTip::showText(help->globalPos(), stepText(*step));
  } else {
    QToolTip::hideText();
  }
  return true;
}

void TimeRuler::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !m_session.trace() ||
      !axis().contains(event->position().toPoint()))
    return;
  m_pressedX = event->position().x();
  m_dragFrom = timeAt(m_pressedX);
}

void TimeRuler::mouseMoveEvent(QMouseEvent* event) {
  if (!m_session.trace()) return;
  const double x = std::clamp<double>(event->position().x(), m_leftMargin, axis().right());
  const TimeNs t = timeAt(x);
  if (m_dragFrom && std::abs(x - m_pressedX) >= 4)
    m_session.setRange(TimeRange{std::min(*m_dragFrom, t), std::max(*m_dragFrom, t)});
  const bool overNoteEdge = !m_dragFrom && isNoteEdge(event->position());
  if (std::exchange(m_overNoteEdge, overNoteEdge) != overNoteEdge) update(cursorArea());
  setCursorTime(axis().contains(event->position().toPoint()) ? std::optional(t) : std::nullopt);
}

void TimeRuler::leaveEvent(QEvent* event) {
  update(cursorArea());
  m_overNoteEdge = false;
  setCursorTime({});
  QWidget::leaveEvent(event);
}

// Selects its annotation, or its range if it has none.
void TimeRuler::choose(const RankStep& step) {
  if (!step.event.valid()) return m_session.setRange(step.range);
  const EventRef selected{step.rank, step.event};
  m_session.select(selected);
  emit stepClicked(selected);
}

void TimeRuler::contextMenuEvent(QContextMenuEvent* event) {
  if (const auto under = regionUnder(event->pos())) {
    chooseRegion(*under);
    emit regionMenuWanted(*under, event->globalPos());
  } else if (const RankStep* const step = m_session.trace() ? stepAt(event->pos()) : nullptr) {
    choose(*step);
    if (step->event.valid())
      emit stepMenuWanted({step->rank, step->event}, event->globalPos());
    else
      event->ignore();
  } else {
    event->ignore();
  }
}

void TimeRuler::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !m_dragFrom) return;
  m_dragFrom.reset();
  if (std::abs(event->position().x() - m_pressedX) >= 4) return;
  if (const auto under = regionUnder(event->position())) {
    chooseRegion(*under);
  } else if (isNoteEdge(event->position())) {
    emit noteWanted(timeAt(event->position().x()));
  } else if (const RankStep* const step = stepAt(event->position())) {
    choose(*step);
  } else {
    m_session.setRange({});
  }
}

void TimeRuler::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const RankStep* const step = stepAt(event->position())) {
    const TimeNs margin = step->range.length() / 50 + 1;
    m_session.setWindow({step->range.begin - margin, step->range.end + margin});
  } else if (m_session.range()) {
    m_session.setWindow(*m_session.range());
  }
}

void TimeRuler::wheelEvent(QWheelEvent* event) {
  // The view passes it to the canvas, which zooms at the mouse position.
  event->ignore();
}

} // namespace rankscope::ui

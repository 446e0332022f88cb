// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/strips/overview_strip.h"

#include "core/base/unit_text.h"
#include "core/index/interval_set.h"
#include "core/model/rank_recordings.h"
#include "core/model/recorded_once.h"
#include "ui/base/ui_text.h"
#include "ui/job/event_finder.h"
#include "ui/timeline/picture/fold_marks.h"
#include "ui/timeline/picture/highlight_hatches.h"
#include "ui/timeline/picture/search_marks.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace rankscope::ui {
namespace {

constexpr int kStripHeight = 46;
constexpr int kLowStripHeight = 30;
constexpr int kLowTimeline = 440;   // below this height, at the usual text size, lanes need the room
constexpr int kTallTimeline = 1000; // from this height on, many ranks make it taller
constexpr int kTallPart = 16;       // of such a timeline it takes one in so many at most
constexpr int kLineHeight = 4;
constexpr int kPadding = 4;
constexpr int kHitsHeight = 4;
constexpr std::uint8_t kMuch = 64;  // of 255: a column with less than this keeps the other layer's color
constexpr std::uint8_t kMost = 128; // of 255: a column is hatched
constexpr double kEdge = 5;         // distance from the window's edge within which the mouse grabs it

} // namespace

OverviewStrip::OverviewStrip(TraceSession& session, const RankSummaries& summaries, QWidget* parent)
    : QWidget(parent), m_session(session), m_summaries(summaries) {
  setMouseTracking(true);
  setAttribute(Qt::WA_OpaquePaintEvent);
  for (const auto signal :
       {&TraceSession::windowChanged, &TraceSession::rangeChanged, &TraceSession::pointedPlaceChanged})
    connect(&session, signal, this, &OverviewStrip::overlaysChanged);
  for (const auto signal :
       {&TraceSession::traceChanged, &TraceSession::shiftsChanged, &TraceSession::themeChanged})
    connect(&session, signal, this, &OverviewStrip::dropPicture);
  connect(&session, &TraceSession::choiceChanged, this, [this] {
    if (std::exchange(m_capture, m_session.choice().capture) != m_capture) dropPicture();
  });
}

int OverviewStrip::wantedHeight(int timelineHeight) const {
  if (timelineHeight < scaledToText(kLowTimeline)) return std::max(kLowStripHeight, scaledToText(14) + 4);
  if (timelineHeight < kTallTimeline) return kStripHeight;
  const auto lines = static_cast<int>(std::min<std::size_t>(m_ranks.size(), 1000));
  return std::clamp(lines * kLineHeight + 2 * kPadding, kStripHeight,
                    std::max(kStripHeight, timelineHeight / kTallPart));
}

void OverviewStrip::setMargins(int left, int right) {
  m_leftMargin = left;
  m_rightMargin = right;
  dropPicture();
}

void OverviewStrip::dropPicture() {
  m_picture = {};
  m_upToDate = false;
  m_ranks = m_session.trace() ? shownRanks() : std::vector<std::vector<RankIndex>>();
  m_over = overlays();
  update();
}

void OverviewStrip::summariesChanged() {
  m_upToDate = false;
  update(); // paints the lines of new ranks and updates the number of steps
}

void OverviewStrip::resizeEvent(QResizeEvent* event) {
  dropPicture();
  QWidget::resizeEvent(event);
}

OverviewStrip::Overlays OverviewStrip::overlays() const {
  Overlays over;
  if (!m_session.trace() || m_session.limits().empty()) return over;
  over.everything = m_session.window() == m_session.limits();
  over.window = windowBox();
  if (const auto range = m_session.range())
    over.range = {xOf(range->begin), 1, std::max(1.0, xOf(range->end) - xOf(range->begin)), height() - 3.0};
  if (const auto place = m_session.pointedPlace()) {
    const TimeRange drawn = m_session.drawn({}, *place);
    const double left = xOf(drawn.begin);
    over.place = {left, 1, std::max(3.0, xOf(drawn.end) - left), height() - 3.0};
  }
  return over;
}

// Repaints only the columns that an edge of the window crossed, and the window's frame.
void OverviewStrip::overlaysChanged() {
  const Overlays before = std::exchange(m_over, overlays());
  if (before.everything != m_over.everything) return update();
  const auto columns = [&](double from, double to) {
    const int left = static_cast<int>(std::floor(std::min(from, to))) - 2;
    const int right = static_cast<int>(std::ceil(std::max(from, to))) + 2;
    return QRect(left, 0, right - left + 1, height());
  };
  QRegion changed;
  if (before.window != m_over.window) {
    changed += columns(before.window.left(), m_over.window.left());
    changed += columns(before.window.right(), m_over.window.right());
  }
  for (const auto part : {&Overlays::range, &Overlays::place}) {
    if (before.*part == m_over.*part) continue;
    for (const QRectF& box : {before.*part, m_over.*part})
      if (!box.isEmpty()) changed += columns(box.left(), box.right());
  }
  if (!changed.isEmpty()) update(changed);
}

QRect OverviewStrip::strip() const {
  return {m_leftMargin, 0, std::max(1, width() - m_leftMargin - m_rightMargin), height() - 1};
}

PixelScale OverviewStrip::pixelScale() const {
  return PixelScale(m_session.limits(), static_cast<int>(std::lround(strip().width() * devicePixelRatioF())));
}

double OverviewStrip::xOf(TimeNs t) const {
  return m_leftMargin + pixelScale().pixelAt(t) / devicePixelRatioF();
}

TimeNs OverviewStrip::timeAt(double x) const {
  return pixelScale().timeAt(static_cast<std::int32_t>(std::floor((x - m_leftMargin) * devicePixelRatioF())));
}

QRectF OverviewStrip::windowBox() const {
  const TimeRange window = m_session.window();
  const double left = xOf(window.begin);
  const double right = std::max(xOf(window.end), left + 2);
  return {left, 1, right - left, height() - 3.0};
}

// One line per rank, but no more lines than pixels: beyond that, neighboring ranks share a line.
std::size_t OverviewStrip::lineCount() const {
  const double ratio = devicePixelRatioF();
  const int room = static_cast<int>(std::lround(strip().height() * ratio)) -
                   2 * static_cast<int>(std::lround(kPadding * ratio));
  return std::min(m_ranks.size(), static_cast<std::size_t>(std::max(1, room)));
}

std::vector<std::vector<RankIndex>> OverviewStrip::shownRanks() const {
  const TraceSet& traces = *m_session.trace();
  std::vector<std::vector<RankIndex>> shown = recordingsByRank(traces);
  for (std::vector<RankIndex>& recordings : shown) {
    std::erase_if(recordings, [&](RankIndex rank) { return !m_session.choice().shows(traces.rank(rank)); });
    recordings = recordedOnce(traces, recordings);
  }
  std::erase_if(shown, [](const std::vector<RankIndex>& recordings) { return recordings.empty(); });
  return shown;
}

void OverviewStrip::paintPicture() {
  if (std::exchange(m_upToDate, true)) return;
  const std::size_t rankCount = m_ranks.size();
  const std::size_t recordings = m_session.trace()->ranks().size();
  if (m_picture.isNull() || m_painted.size() != recordings) {
    m_picture = QImage((QSizeF(strip().size()) * devicePixelRatioF()).toSize(), QImage::Format_RGB32);
    m_picture.fill(m_session.theme().panel);
    m_painted.assign(recordings, nullptr);
  }
  const std::size_t lines = rankCount == 0 ? 0 : lineCount();
  for (std::size_t line = 0; line < lines; ++line) {
    const std::size_t first = line * rankCount / lines;
    const std::size_t end = (line + 1) * rankCount / lines;
    bool known = true;
    for (std::size_t i = first; i < end; ++i)
      for (const RankIndex rank : m_ranks[i]) {
        const RankSummary* const summary = m_summaries.of(rank);
        known = known && summary == m_painted[rank.value];
        m_painted[rank.value] = summary;
      }
    if (!known) paintLine(line, lines, std::span(m_ranks).subspan(first, end - first));
  }
}

std::vector<OverviewStrip::Layer> OverviewStrip::layersOf(RankIndex rank) const {
  const RankSummary* const summary = m_summaries.of(rank);
  if (!summary) return {};
  const Theme& theme = m_session.theme();
  const DeviceActivity& activity = *m_summaries.activityOf(rank);
  if (activity.busy.empty())
    return {{&summary->hostBusy, theme.cpuOp.rgb(), 0},
            {&summary->onHost.communication, theme.communication.rgb(), kMuch},
            {&summary->onHost.exposed, theme.exposed.rgb(), kMuch}};
  // Exposed communication is painted last, over everything else, because it is what costs time.
  return {{&activity.memory, theme.memoryCopy.rgb(), 0},
          {&activity.communication, theme.communication.rgb(), 0},
          {&activity.compute, theme.kernel.rgb(), 0},
          {&activity.exposed, theme.exposed.rgb(), kMuch}};
}

// Exposed communication has stripes as in the lanes; they go on from line to line.
void OverviewStrip::hatchExposed(SpanRaster& raster, std::span<const ColorSpan> ink, int top,
                                 int height) const {
  Hatch hatch = exposedHatch(m_session.theme(), devicePixelRatioF());
  hatch.phase = -(top % hatch.period);
  for (const ColorSpan& span : ink)
    if (span.color == m_session.theme().exposed.rgb() && span.busy >= kMost)
      raster.hatch(top, height, span.begin, span.end, hatch);
}

void OverviewStrip::paintLine(std::size_t line, std::size_t lines,
                              std::span<const std::vector<RankIndex>> ranks) {
  const Theme& theme = m_session.theme();
  const int padding = static_cast<int>(std::lround(kPadding * devicePixelRatioF()));
  const auto room = static_cast<std::size_t>(std::max(1, m_picture.height() - 2 * padding));
  const int top = padding + static_cast<int>(line * room / lines);
  const int bottom = padding + static_cast<int>((line + 1) * room / lines);
  // Leaves a gap below the line if it is high enough.
  const int gap = bottom - top >= 3 ? std::max(1, (bottom - top) / 8) : 0;
  std::vector<ColorSpan> ink;
  if (ranks.size() == 1) {
    for (const RankIndex rank : ranks.front()) addInk(rank, ink);
  } else {
    addMeanInk(ranks, ink);
  }
  constexpr int kNoSeparators = 1 << 30;
  SpanRaster raster(m_picture);
  raster.drawLaneOn(mixed(theme.panel.rgb(), theme.background.rgb(), 160), top, bottom - top - gap, ink,
                    kNoSeparators);
  hatchExposed(raster, ink, top, bottom - top - gap);
}

void OverviewStrip::coverOf(RankIndex rank, const IntervalSet& set, std::vector<CoverSpan>& cover) const {
  const TimeRange all = m_session.limits();
  const TimeNs shift = m_session.shiftOf(rank);
  coverSpans(set, PixelScale({all.begin - shift, all.end - shift}, m_picture.width()), cover);
}

void OverviewStrip::addInk(RankIndex rank, std::vector<ColorSpan>& ink) const {
  std::vector<CoverSpan> cover;
  for (const Layer& layer : layersOf(rank)) {
    coverOf(rank, *layer.set, cover);
    for (const CoverSpan& span : cover)
      if (span.busy >= layer.least) ink.push_back({span.begin, span.end, layer.color, span.busy});
  }
}

// Each column shows the mean of the ranks that share the line.
void OverviewStrip::addMeanInk(std::span<const std::vector<RankIndex>> ranks,
                               std::vector<ColorSpan>& ink) const {
  const int width = m_picture.width();
  std::vector<RankIndex> recordings;
  for (const std::vector<RankIndex>& of : ranks) recordings.insert(recordings.end(), of.begin(), of.end());
  std::vector<Layer> layers;
  for (const RankIndex rank : recordings)
    if (const std::vector<Layer> own = layersOf(rank); own.size() > layers.size()) layers = own;
  // Indices: layer, column.
  std::vector<std::vector<std::uint32_t>> sums(layers.size());
  for (std::vector<std::uint32_t>& sum : sums) sum.resize(static_cast<std::size_t>(width));
  std::vector<CoverSpan> cover;
  for (const RankIndex rank : recordings) {
    const std::vector<Layer> own = layersOf(rank);
    // A rank without a device has fewer layers; its host times are added to the last ones.
    for (std::size_t k = 0; k < own.size(); ++k) {
      coverOf(rank, *own[k].set, cover);
      for (const CoverSpan& span : cover)
        for (int x = std::max(0, span.begin); x < std::min(width, span.end); ++x)
          sums[layers.size() - own.size() + k][static_cast<std::size_t>(x)] += span.busy;
    }
  }
  const auto count = static_cast<std::uint32_t>(ranks.size());
  for (std::size_t k = 0; k < layers.size(); ++k) {
    for (int x = 0; x < width; ++x) {
      const std::uint32_t sum = sums[k][static_cast<std::size_t>(x)];
      const auto busy = static_cast<std::uint8_t>(std::min(sum / count, 255U));
      if (sum == 0 || busy < layers[k].least) continue;
      ColorSpan* const last = ink.empty() ? nullptr : &ink.back();
      if (last && last->end == x && last->color == layers[k].color && last->busy == busy)
        ++last->end;
      else
        ink.push_back({x, x + 1, layers[k].color, busy});
    }
  }
}

// As in the title of the job: those that are marked or, without any, the most that one recording has.
std::size_t OverviewStrip::stepCount() const {
  std::set<std::pair<int, std::int64_t>> marked; // captures may repeat numbers
  std::size_t detected = 0;
  for (const std::vector<RankIndex>& recordings : m_ranks) {
    for (const RankIndex rank : recordings) {
      if (!m_summaries.hasSteps(rank)) continue;
      for (const Step& step : *m_summaries.stepsOf(rank))
        marked.emplace(m_session.trace()->rank(rank).capture, step.number);
      const StepWindows& windows = *m_summaries.stepWindowsOf(rank);
      if (windows.areSteps()) detected = std::max(detected, windows.steps.size());
    }
  }
  return marked.empty() ? detected : marked.size();
}

QStringList OverviewStrip::captions() const {
  const std::size_t steps = stepCount();
  const QString whole = textOf(durationText(m_session.recorded(m_session.extentShown()).length()));
  // Ranks that are aligned at a step overlap otherwise than they were recorded.
  const bool aligned = m_session.shifted() && m_session.folds().empty();
  const QString length = aligned ? whole : textOf(durationText(recordedTime()));
  const QString recorded = tr("%1 recorded").arg(length);
  QStringList texts;
  if (length != whole) texts << tr("%1 within %2").arg(recorded, whole);
  texts << recorded;
  if (steps > 0) {
    const QString count = steps == 1 ? tr("1 step") : tr("%1 steps").arg(steps);
    for (QString& text : texts) text.prepend(count + QStringLiteral("  ·  "));
    texts << recorded;
  }
  return texts << length;
}

// Captures may be hours apart without any recording in between.
TimeNs OverviewStrip::recordedTime() const {
  std::vector<TimeRange> ranges;
  for (const std::vector<RankIndex>& recordings : m_ranks)
    for (const RankIndex rank : recordings) ranges.push_back(m_session.trace()->rank(rank).trace->extent);
  std::ranges::sort(ranges, {}, &TimeRange::begin);
  return IntervalSet(std::move(ranges)).totalLength();
}

QString OverviewStrip::tipAt(QPoint position) const {
  const auto ranks = static_cast<qsizetype>(m_ranks.size());
  const auto lines = static_cast<qsizetype>(lineCount());
  if (ranks == 0 || lines == 0) return {};
  const TraceSet& traces = *m_session.trace();
  const int room = std::max(1, height() - 1 - 2 * kPadding);
  const qsizetype line = std::clamp<qsizetype>((position.y() - kPadding) * lines / room, 0, lines - 1);
  const qsizetype first = line * ranks / lines;
  const qsizetype last = std::max(first, (line + 1) * ranks / lines - 1);
  const auto numberOf = [&](qsizetype at) {
    return traces.rank(m_ranks[static_cast<std::size_t>(at)].front()).rank;
  };
  const TimeNs at = m_session.recorded(timeAt(position.x())) - traces.extent().begin;
  const TimeNs step = std::max<TimeNs>(1, m_session.limits().length() / 1000);
  const QString who = first == last ? tr("Rank %1").arg(numberOf(first))
                                    : tr("Ranks %1 to %2").arg(numberOf(first)).arg(numberOf(last));
  return tr("%1 at %2").arg(who, QString::fromStdString(timeText(at, step))) + QLatin1Char('\n') +
         tr("The whole job, one line per rank or for several ranks") + QLatin1Char('\n') +
         tr("Drag to choose the visible time, double-click to fit all");
}

bool OverviewStrip::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const bool shown = m_session.trace() && !m_session.limits().empty();
  if (shown && help->pos().x() < m_leftMargin)
    QToolTip::showText(help->globalPos(), captions().first(), this);
  else if (shown && strip().contains(help->pos()))
    QToolTip::showText(help->globalPos(), tipAt(help->pos()), this);
  else
    QToolTip::hideText();
  return true;
}

void OverviewStrip::paintEvent(QPaintEvent* event) {
  const Theme& theme = m_session.theme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.panel);
  painter.fillRect(QRect(0, height() - 1, width(), 1), theme.line);
  if (!m_session.trace() || m_session.limits().empty()) return;
  if (event->rect().left() < m_leftMargin) {
    painter.setFont(textFont(11));
    painter.setPen(theme.muted);
    const QRect box(16, 0, m_leftMargin - 24, height() - 1);
    const QStringList texts = captions();
    const auto fitting = std::ranges::find_if(texts, [&](const QString& text) {
      return painter.fontMetrics().horizontalAdvance(text) <= box.width();
    });
    painter.drawText(box, Qt::AlignLeft | Qt::AlignVCenter, fitting != texts.end() ? *fitting : texts.last());
  }
  paintPicture();
  painter.drawImage(QRectF(strip()), m_picture, QRectF(m_picture.rect()));

  painter.setClipRect(strip());
  for (const FoldMark& mark : foldMarks(
           m_session.folds(), m_session.limits(), [this](TimeNs t) { return xOf(t); }, QRectF(strip())))
    paintFold(painter, theme, mark.band);
  if (m_finder)
    paintHitTimes(painter, theme, *m_finder, m_session.limits(), pixelScale(),
                  QRectF(strip().left(), height() - 1 - kHitsHeight, strip().width(), kHitsHeight));
  const auto& [everything, window, range, place] = m_over;
  QColor veil = theme.panel;
  veil.setAlpha(120);
  if (!everything) {
    painter.fillRect(QRectF(strip().left(), 0, window.left() - strip().left(), height() - 1), veil);
    painter.fillRect(QRectF(window.right(), 0, strip().right() + 1 - window.right(), height() - 1), veil);
  }
  if (!range.isEmpty()) {
    QColor tint = theme.accent;
    tint.setAlpha(70);
    painter.fillRect(range, tint);
  }
  if (!place.isEmpty()) {
    // What happens there stays visible.
    QColor tint = theme.warn;
    tint.setAlpha(60);
    painter.setBrush(tint);
    painter.setPen(QPen(theme.warn, 2));
    painter.drawRect(place.adjusted(1, 1, -1, -1));
  }
  QColor glass = theme.accent;
  glass.setAlpha(everything ? 0 : 34);
  painter.setBrush(glass);
  painter.setPen(QPen(theme.accent, 1));
  if (!everything) painter.drawRect(window.adjusted(0.5, 0.5, -0.5, -0.5));
}

OverviewStrip::Grip OverviewStrip::gripAt(QPointF position) const {
  if (!m_session.trace() || !strip().contains(position.toPoint())) return Grip::None;
  const QRectF box = windowBox();
  const double x = position.x();
  // Even a narrow window keeps a middle part by which it can be dragged.
  const double edge = std::min(kEdge, box.width() / 4);
  if (std::abs(x - box.left()) <= edge || (x < box.left() && box.left() - x <= kEdge)) return Grip::Begin;
  if (std::abs(x - box.right()) <= edge || (x > box.right() && x - box.right() <= kEdge)) return Grip::End;
  return box.left() < x && x < box.right() ? Grip::Window : Grip::New;
}

void OverviewStrip::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  m_grip = gripAt(event->position());
  // A window that covers everything cannot be moved: dragging marks a new one.
  if (m_session.window() == m_session.limits() && m_grip != Grip::None) m_grip = Grip::New;
  m_pressedX = event->position().x();
  m_pressedWindow = m_session.window();
  if (m_grip != Grip::None) m_session.rememberWindow();
}

void OverviewStrip::mouseMoveEvent(QMouseEvent* event) {
  const double x = std::clamp<double>(event->position().x(), strip().left(), strip().right());
  const TimeNs t = m_session.trace() ? timeAt(x) : 0;
  switch (m_grip) {
  case Grip::None: {
    const Grip grip = gripAt(event->position());
    const bool edge = grip == Grip::Begin || grip == Grip::End;
    setCursor(edge ? Qt::SizeHorCursor : grip == Grip::Window ? Qt::OpenHandCursor : Qt::ArrowCursor);
    break;
  }
  case Grip::Window: {
    const TimeNs moved = t - timeAt(m_pressedX);
    m_session.setWindow({m_pressedWindow.begin + moved, m_pressedWindow.end + moved}, false);
    break;
  }
  case Grip::Begin:
    m_session.setWindow({std::min(t, m_pressedWindow.end - TraceSession::kMinWindow), m_pressedWindow.end},
                        false);
    break;
  case Grip::End:
    m_session.setWindow(
        {m_pressedWindow.begin, std::max(t, m_pressedWindow.begin + TraceSession::kMinWindow)}, false);
    break;
  case Grip::New: {
    const TimeNs from = timeAt(m_pressedX);
    if (std::abs(x - m_pressedX) >= 4) m_session.setWindow({std::min(from, t), std::max(from, t)}, false);
    break;
  }
  }
}

void OverviewStrip::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  const Grip grip = std::exchange(m_grip, Grip::None);
  if (grip != Grip::New || std::abs(event->position().x() - m_pressedX) >= 4) return;
  // A click next to the window moves it there.
  const TimeNs length = m_session.window().length();
  const TimeNs begin = timeAt(m_pressedX) - length / 2;
  m_session.setWindow({begin, begin + length}, false);
}

void OverviewStrip::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) m_session.fitAll();
}

} // namespace rankscope::ui
